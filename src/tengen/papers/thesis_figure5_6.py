"""Figure 5.6 of the thesis: Glicko-2's ratings before the games against their labels."""

from __future__ import annotations

from tengen.papers.drawings import draw_estimates_and_labels, estimate_rows
from tengen.papers.reproduction import Outcome, Request
from tengen.papers.thesis_data import pool_of_results
from tengen.ratings.glicko2 import Glicko2
from tengen.strength.draft import rating_labels

TITLE = "Glicko-2 against the labels"


def run(request: Request) -> Outcome:
    pool, notes = pool_of_results(request)
    ratings = Glicko2().rate(pool)
    labels, estimates = rating_labels(ratings).ravel(), ratings.before.ravel()
    if request.output is not None:
        draw_estimates_and_labels(estimates, labels, "Glicko-2 before each game", request.output)
    return Outcome(estimate_rows(estimates, labels), notes, request.output)
