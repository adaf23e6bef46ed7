"""Table 5.2 of the thesis for a draft: how well each system predicts the games of T, V, E and X.

A row of ours is added: results and moves combined.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.games.records import Records
from tengen.progress import Report, silent
from tengen.ratings.bradley_terry import GAMMA
from tengen.ratings.glicko2 import Glicko2
from tengen.ratings.metrics import Gain, Quality, gain, plain, quality
from tengen.ratings.system import Array
from tengen.strength.combined import combine_all, expected, fit_stretch, fit_temper
from tengen.strength.draft import Draft
from tengen.strength.features import POINTS_LOSS
from tengen.strength.model import StrengthModel
from tengen.strength.stochastic import Stochastic
from tengen.strength.windows import SETS, Load, Windows, draft_windows

# Accuracy in percent and log-likelihood on T, V, E and X.
PUBLISHED: dict[str, tuple[tuple[float, float], ...]] = {
    "50:50": ((70.1, -0.69), (61.1, -0.69), (61.9, -0.69), (55.6, -0.69)),
    "Glicko-2": ((89.7, -0.40), (68.6, -0.58), (69.1, -0.58), (64.4, -0.64)),
    "future Glicko-2": ((100.0, -0.34), (74.6, -0.52), (75.4, -0.51), (83.4, -0.38)),
    "stochastic": ((65.7, -0.94), (59.2, -1.21), (58.5, -1.18), (64.4, -2.03)),
    "basic": ((76.1, -0.50), (65.2, -0.63), (65.2, -0.61), (70.9, -0.57)),
    "full": ((83.5, -0.44), (69.0, -0.58), (68.8, -0.58), (73.7, -0.55)),
}


class Line(NamedTuple):
    """One system's quality on each set of the draft that has games, and its gain over Glicko-2 there."""

    name: str
    by_set: dict[str, Quality]
    gains: dict[str, Gain]

    def to_json(self) -> dict[str, Any]:
        """By set: the quality, and the gain over Glicko-2."""
        return {
            name: {**quality.to_json(), "gain_over_glicko2": plain(self.gains[name])}
            for name, quality in self.by_set.items()
        }


class MoveRatings(NamedTuple):
    """A move model's ratings of both players before each game, and their deviations (n, 2).

    A player without earlier moves has the mean of the labels, and the labels' deviation.
    """

    numbers: Array
    deviations: Array

    def prediction(self) -> Array:
        """Black's expected score (n) by Bradley-Terry, without deviations, as in the thesis."""
        return np.asarray(1.0 / (1.0 + np.exp(-GAMMA * (self.numbers[:, 0] - self.numbers[:, 1]))))


def move_ratings(
    model: StrengthModel,
    draft: Draft,
    windows: Windows,
    progress: Report = silent,
) -> MoveRatings:
    """The ratings for the games of the windows, two windows for each game (see `draft_windows`)."""
    calibration = model.card.calibrations[model.card.scale]
    sizes = np.minimum(windows.sizes, model.card.window)
    raw = model.of_windows(windows, progress=progress)[:, 0].astype(np.float64)
    deviation = np.array([calibration.deviation(int(n), 1.0) if n else draft.deviation for n in sizes])
    number = np.where(sizes > 0, calibration.slope * raw + calibration.offset, draft.mean)
    return MoveRatings(number.reshape(-1, 2), deviation.reshape(-1, 2))


def evaluate(
    draft: Draft,
    games: npt.NDArray[np.int64],
    by_moves: Mapping[str, MoveRatings],
    predictions: Mapping[str, Array],
) -> list[Line]:
    """The table's rows over `games`. `predictions` (n) are Black's expected scores of systems without ratings.

    In tempered rows a prediction uses the deviations of a model's ratings as Glicko-2 does, scaled by a factor fitted
    to V. The combination is that of Glicko-2 and the last of `by_moves`, with stretches fitted to V. The row with the
    mean of the labels is a control: shrinking Glicko-2 towards the mean improves the likelihood even without moves.
    """
    glicko = Glicko2().rate(draft.results)
    labels = draft.labels[games]
    rows: dict[str, Array] = {
        "50:50": np.full(len(games), 0.5),
        "Glicko-2": glicko.prediction[games],
        "future Glicko-2": 1.0 / (1.0 + np.exp(-GAMMA * (labels[:, 0] - labels[:, 1]))),
        **predictions,
    }
    mine, scores = draft.sets[games] == "V", draft.results.score[games]
    for name, found in by_moves.items():
        rows[name] = found.prediction()
    for name, found in by_moves.items():
        temper = fit_temper(found.numbers[mine], found.deviations[mine], scores[mine])
        rows[f"{name}, tempered"] = expected(found.numbers, temper * found.deviations)
    if by_moves:
        name, found = list(by_moves.items())[-1]
        assert glicko.deviation_before is not None
        before, sure = glicko.before[games], glicko.deviation_before[games]
        nothing = np.full_like(found.numbers, draft.mean), np.full_like(found.deviations, draft.deviation)
        for second, (numbers, deviations) in (("the mean", nothing), (name, found)):
            stretch = fit_stretch(before[mine], sure[mine], numbers[mine], deviations[mine], scores[mine])
            together = combine_all(before, sure, numbers, deviations, stretch)
            rows[f"combined (Glicko-2 and {second})"] = expected(*together)
    lines = []
    for name, prediction in rows.items():
        line = Line(name, {}, {})
        for each in SETS:
            mine = draft.sets[games] == each
            if mine.any():
                score = draft.results.score[games][mine]
                line.by_set[each] = quality(score, prediction[mine])
                line.gains[each] = gain(score, prediction[mine], rows["Glicko-2"][mine])
        lines.append(line)
    return lines


def stochastic_prediction(
    draft: Draft,
    records: Records,
    games: npt.NDArray[np.int64],
    load: Load,
    window: int = 500,
    progress: Report = silent,
) -> dict[str, Array]:
    """The stochastic model's row, if the features have leads; a net without a lead head has no such row."""
    windows = draft_windows(draft, records, games, load, "basic", window, progress)
    if not windows.features[:, POINTS_LOSS].any():
        return {}
    return {"stochastic": Stochastic().predict_games(windows)}
