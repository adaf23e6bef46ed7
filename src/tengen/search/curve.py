"""Win rates by komi for the leaves of a search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tengen.go.color import Color
from tengen.nets.evaluation import Evaluation, Floats

# How far from the game's komi the labels of a drawn curve reach, in points.
REACH = 20
# A logistic curve with this factor, 1 / (1 + exp(1.702 (k - mean) / deviation)), is close to the normal one.
LOGISTIC = 1.702


def komi_curves(evaluations: Sequence[Evaluation], komi: float) -> tuple[Floats, Floats]:
    """Labels [labels] and Black's chances [n, labels] of a margin above each.

    A net with labels of its own (CGI's) is taken at its word. One that speaks of the game's komi alone
    (KataGo's) would have to be asked again for every other: instead a curve is drawn through its win rate at
    the game's komi, as steep as its deviation of the margin says. At the game's komi it is exact.
    """
    if len(evaluations[0].komi_labels) > 1:
        return evaluations[0].komi_labels, np.stack([e.win_by_komi for e in evaluations])
    labels = np.float32(komi) + np.arange(-REACH, REACH + 1, dtype=np.float32)
    black = np.clip([[e.win.of(Color.BLACK)] for e in evaluations], 1e-6, 1 - 1e-6)
    deviation = np.maximum([[e.margin.deviation] for e in evaluations], 0.5)
    odds = np.log(black / (1 - black)) + LOGISTIC * (komi - labels) / deviation
    return labels, (1 / (1 + np.exp(-odds))).astype(np.float32)
