"""Figure 5.9 of the thesis: its full model's predictions against the outcomes, on the test set."""

from __future__ import annotations

import numpy as np

from tengen.papers.drawings import draw_scores
from tengen.papers.reproduction import Outcome, Request, Row
from tengen.papers.thesis_data import thesis_games
from tengen.ratings.metrics import quality

TITLE = "The thesis' full model against the outcomes"


def run(request: Request) -> Outcome:
    games = thesis_games(request, "e")
    found = quality(games.score, games.predicted_score)
    failed = float(np.mean(np.abs(games.score - games.predicted_score) > 0.9))
    rows = [
        Row("games", "5,000", f"{found.games:,}"),
        Row("accuracy (Table 5.2)", "68.8%", f"{found.accuracy:.1%}"),
        Row("mean log-likelihood (Table 5.2)", "-0.58", f"{found.log_likelihood:.2f}"),
        Row("games where a chance below 10 % won", "a minority", f"{failed:.2%}"),
    ]
    if request.output is not None:
        draw_scores(games.score, games.predicted_score, "The thesis' full model, test set", request.output)
    return Outcome(rows, ["Predictions as the thesis publishes them with its test set."], request.output)
