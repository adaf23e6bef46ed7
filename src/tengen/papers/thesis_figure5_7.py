"""Figure 5.7 of the thesis: Glicko-2's predictions against the outcomes, on the test set."""

from __future__ import annotations

import numpy as np

from tengen.papers.drawings import draw_scores
from tengen.papers.reproduction import Outcome, Request, Row
from tengen.papers.thesis_data import pool_of_results
from tengen.ratings.glicko2 import Glicko2
from tengen.ratings.metrics import quality

TITLE = "Glicko-2 against the outcomes"
TEST_GAMES = 5_000


def run(request: Request) -> Outcome:
    pool, notes = pool_of_results(request)
    ratings = Glicko2().rate(pool)
    test = np.random.default_rng(0).permutation(len(pool))[:TEST_GAMES]
    score, prediction = pool.score[test], ratings.prediction[test]
    found = quality(score, prediction)
    failed = float(np.mean(np.abs(score - prediction) > 0.9))
    rows = [
        Row("games, drawn from all", "5,000", f"{found.games:,}"),
        Row("accuracy (Table 5.2)", "69.1%", f"{found.accuracy:.1%}"),
        Row("mean log-likelihood (Table 5.2)", "-0.58", f"{found.log_likelihood:.2f}"),
        Row("games where a chance below 10 % won", "a minority", f"{failed:.2%}"),
    ]
    notes.append(
        "Players of one rank win and lose by less than those of a whole server: they are harder to predict."
    )
    if request.output is not None:
        draw_scores(score, prediction, "Glicko-2 before each game", request.output)
    return Outcome(rows, notes, request.output)
