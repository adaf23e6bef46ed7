"""Figure 5.8 of the thesis: its full model's ratings before the games against their labels."""

from __future__ import annotations

import numpy as np

from tengen.papers.drawings import draw_estimates_and_labels, estimate_rows
from tengen.papers.reproduction import Outcome, Request, Row
from tengen.papers.thesis_data import thesis_games

TITLE = "The thesis' full model against the labels"


def run(request: Request) -> Outcome:
    games = thesis_games(request, "e")
    labels, estimates = games.labels.ravel(), games.predicted_ratings.ravel()
    strong = labels > np.quantile(labels, 0.99)
    rows = [
        *estimate_rows(estimates, labels),
        Row(
            "highest estimate, and highest label",
            "shies away from the highest (6.2)",
            f"{estimates.max():.0f}, {labels.max():.0f}",
        ),
        Row(
            "mean estimate and mean label of the hundredth with the highest labels",
            "not printed",
            f"{estimates[strong].mean():.0f}, {labels[strong].mean():.0f}",
        ),
    ]
    if request.output is not None:
        draw_estimates_and_labels(estimates, labels, "The thesis' full model, test set", request.output)
    return Outcome(
        rows, ["Estimates and labels as the thesis publishes them with its test set."], request.output
    )
