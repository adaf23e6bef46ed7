"""The quality of predictions (thesis, Section 2.3 and Algorithm 5.1)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.ratings.results import Results

Array = npt.NDArray[np.float64]

# A failed prediction of 0 or 1 would have an infinite loss; as in OGS' tally, at least one in a million is assumed.
LEAST = 1e-6
EARLIER_GAMES = (0, 1, 5, 20, 100, 500)


def accuracy(score: Array, prediction: Array) -> float:
    """The share of games whose winner was predicted (equation 2.4). A prediction of 0.5 counts for White.

    A draw counts one half, whatever the prediction.
    """
    return float(np.mean(np.abs(score - (prediction <= 0.5)))) if len(score) else float("nan")


def log_likelihood(score: Array, prediction: Array) -> float:
    """The mean natural logarithm of the predicted probability of the result (equation 2.5)."""
    return float(np.mean(_logs(score, prediction))) if len(score) else float("nan")


def _logs(score: Array, prediction: Array) -> Array:
    return np.asarray(np.log(1.0 - np.abs(score - np.clip(prediction, LEAST, 1.0 - LEAST))))


def plain(value: Any) -> Any:
    """The same for JSON, which has no NaN: None stands for it. Tuples with names become objects."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


class Gain(NamedTuple):
    """The difference of two mean log-likelihoods on the same games, and half the width of its 95 % interval."""

    mean: float
    margin: float


def gain(score: Array, prediction: Array, other: Array) -> Gain:
    """The gain of `prediction` over `other`, game by game; games are assumed to be independent."""
    more = _logs(score, prediction) - _logs(score, other)
    margin = 1.96 * float(more.std(ddof=1)) / math.sqrt(len(more)) if len(more) > 1 else float("nan")
    return Gain(float(more.mean()) if len(more) else float("nan"), margin)


class Quality(NamedTuple):
    """Both measures, and the number of games."""

    games: int
    accuracy: float
    log_likelihood: float

    def to_json(self) -> dict[str, Any]:
        table: dict[str, Any] = plain(self)
        return table


def quality(score: Array, prediction: Array) -> Quality:
    return Quality(len(score), accuracy(score, prediction), log_likelihood(score, prediction))


class CalibrationBin(NamedTuple):
    """Games whose predictions lie in [low, high): the mean of those predictions, and Black's mean score."""

    low: float
    high: float
    games: int
    predicted: float
    scored: float


def calibration(score: Array, prediction: Array, bins: int = 10) -> list[CalibrationBin]:
    """Black's mean score by predicted score; empty bins are left out."""
    place = np.minimum((prediction * bins).astype(np.int64), bins - 1)
    games = np.bincount(place, minlength=bins)
    predicted = np.bincount(place, weights=prediction, minlength=bins)
    scored = np.bincount(place, weights=score, minlength=bins)
    return [
        CalibrationBin(i / bins, (i + 1) / bins, int(n), float(predicted[i] / n), float(scored[i] / n))
        for i, n in enumerate(games)
        if n
    ]


class Experience(NamedTuple):
    """The quality over games whose less experienced player had `least` to `most` earlier games."""

    least: int
    most: int | None
    quality: Quality

    @property
    def label(self) -> str:
        if self.most is None:
            return f"{self.least}+"
        return str(self.least) if self.least == self.most else f"{self.least}-{self.most}"


def by_earlier_games(
    results: Results, prediction: Array, counted: npt.NDArray[np.bool_] | None = None
) -> list[Experience]:
    """The quality by earlier games, over the counted games (all if None); empty groups are left out."""
    place = np.searchsorted(EARLIER_GAMES, results.earlier_games.min(axis=1), side="right") - 1
    if counted is not None:
        place = np.where(counted, place, -1)
    ends = [*(least - 1 for least in EARLIER_GAMES[1:]), None]
    return [
        Experience(least, most, quality(results.score[place == i], prediction[place == i]))
        for i, (least, most) in enumerate(zip(EARLIER_GAMES, ends, strict=True))
        if np.any(place == i)
    ]
