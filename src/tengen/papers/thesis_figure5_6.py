"""Figure 5.6 of the thesis: Glicko-2's ratings before the games against their labels."""

from __future__ import annotations

import numpy as np

from tengen.papers.drawings import draw_estimates_and_labels
from tengen.papers.reproduction import Outcome, Request, Row
from tengen.papers.thesis_data import pool_of_results
from tengen.ratings.draft import rating_labels
from tengen.ratings.glicko2 import Glicko2

TITLE = "Glicko-2 against the labels"


def run(request: Request) -> Outcome:
    pool, notes = pool_of_results(request)
    ratings = Glicko2().rate(pool)
    labels, estimates = rating_labels(ratings).ravel(), ratings.before.ravel()
    slope = float(np.cov(labels, estimates)[0, 1] / labels.var(ddof=1))
    error = float(np.sqrt(np.mean(np.square(estimates - labels))))
    rows = [
        Row(
            "estimate for a label 100 points from the mean",
            "less far from it",
            f"{100 * slope:.1f} points from it",
        ),
        Row("deviation of the estimates from the labels", "not printed", f"{error:.1f} points"),
    ]
    if request.output is not None:
        draw_estimates_and_labels(estimates, labels, "Glicko-2 before each game", request.output)
    return Outcome(rows, notes, request.output)
