"""Table 5.2 of the thesis, as far as its published games carry: they have no moves, and no set X."""

from __future__ import annotations

import numpy as np

from tengen.papers.reproduction import Outcome, Request, Row
from tengen.papers.thesis_data import thesis_games
from tengen.ratings.bradley_terry import expected_score
from tengen.ratings.metrics import quality

TITLE = "The main results, recomputed from the thesis' published predictions"
SETS = {"t": "training", "v": "validation", "e": "test"}
PUBLISHED = {
    "50:50": {"t": (70.1, -0.69), "v": (61.1, -0.69), "e": (61.9, -0.69)},
    "Future Glicko-2": {"t": (100.0, -0.34), "v": (74.6, -0.52), "e": (75.4, -0.51)},
    "Full Model": {"t": (83.5, -0.44), "v": (69.0, -0.58), "e": (68.8, -0.58)},
}


def run(request: Request) -> Outcome:
    rows = []
    for name, title in SETS.items():
        games = thesis_games(request, name)
        future = np.array([expected_score(b, w) for b, w in games.labels.tolist()])
        predictions = {
            "50:50": np.full(len(games.score), 0.5),
            "Future Glicko-2": future,
            "Full Model": games.predicted_score,
        }
        for model, prediction in predictions.items():
            alpha, lambda_ = PUBLISHED[model][name]
            found = quality(games.score, prediction)
            ours = f"{found.accuracy:.2%}, {found.log_likelihood:.5f}"
            rows.append(Row(f"{model} on the {title} set", f"{alpha:.1f}%, {lambda_:.2f}", ours))
    return Outcome(rows, ["Accuracy and mean log-likelihood, equations 2.4 and 2.5."])
