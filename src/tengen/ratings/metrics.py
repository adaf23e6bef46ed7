"""How good predictions are (thesis, Section 2.3 and Algorithm 5.1)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.ratings.pool import Pool

Array = npt.NDArray[np.float64]

# A certain prediction that fails would cost an infinity: like OGS' tally, reckon with one in a million.
LEAST = 1e-6
EARLIER_GAMES = (0, 1, 5, 20, 100, 500)


def accuracy(score: Array, prediction: Array) -> float:
    """The share of games whose winner was predicted (equation 2.4). A prediction of 0.5 is one of White.

    A draw counts one half, whatever was predicted.
    """
    return float(np.mean(np.abs(score - (prediction <= 0.5)))) if len(score) else float("nan")


def log_likelihood(score: Array, prediction: Array) -> float:
    """The mean natural logarithm of the probability given to what happened (equation 2.5)."""
    likelihood = 1.0 - np.abs(score - np.clip(prediction, LEAST, 1.0 - LEAST))
    return float(np.mean(np.log(likelihood))) if len(score) else float("nan")


class Quality(NamedTuple):
    """Both measures over so many games."""

    games: int
    accuracy: float
    log_likelihood: float


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
    """How often Black scores where he is expected to; empty bins are left out."""
    place = np.minimum((prediction * bins).astype(np.int64), bins - 1)
    games = np.bincount(place, minlength=bins)
    predicted = np.bincount(place, weights=prediction, minlength=bins)
    scored = np.bincount(place, weights=score, minlength=bins)
    return [
        CalibrationBin(i / bins, (i + 1) / bins, int(n), float(predicted[i] / n), float(scored[i] / n))
        for i, n in enumerate(games)
        if n
    ]


def by_earlier_games(
    pool: Pool, prediction: Array, chosen: npt.NDArray[np.bool_] | None = None
) -> list[tuple[int, Quality]]:
    """The quality by how many games the less experienced player had before: (at least so many, Quality)."""
    fewest = pool.earlier_games.min(axis=1)
    place = np.searchsorted(EARLIER_GAMES, fewest, side="right") - 1
    if chosen is not None:
        place = np.where(chosen, place, -1)
    return [
        (least, quality(pool.score[place == i], prediction[place == i]))
        for i, least in enumerate(EARLIER_GAMES)
        if np.any(place == i)
    ]
