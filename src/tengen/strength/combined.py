"""Results and moves combined (ours; the thesis leaves it open): two estimates of one rating, each with a deviation.

The weight of each is its precision, the inverse of its variance. A player without a history has Glicko-2's deviation
of 350, so that the moves decide; after many games both count. Both deviations are too small: Glicko-2's were on every
pool that was tried, and a model of moves is calibrated on labels that are estimates themselves. So both deviations are
scaled by the factors that maximise the likelihood of the games of V.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tengen.ratings.bradley_terry import GAMMA
from tengen.ratings.metrics import log_likelihood
from tengen.ratings.system import Array, Rating

STRETCHES: tuple[float, ...] = tuple(2.0 ** (k / 2) for k in range(-4, 8))  # the factors tried
_FEW_GAMES = 50


class Stretch(NamedTuple):
    """The factors of the deviations of results and of moves."""

    results: float = 1.0
    moves: float = 1.0


PLAIN = Stretch()


def combine(results: Rating, moves: Rating) -> Rating:
    """The precision-weighted mean of two ratings of one scale, and its deviation.

    >>> both = combine(Rating(1500, 100), Rating(1800, 200))
    >>> round(both.number), round(both.deviation, 1)
    (1560, 89.4)
    """
    number, deviation = combine_all(
        np.array([results.number]),
        np.array([results.deviation]),
        np.array([moves.number]),
        np.array([moves.deviation]),
    )
    return Rating(float(number[0]), float(deviation[0]), results.volatility)


def combine_all(
    results: Array,
    results_deviation: Array,
    moves: Array,
    moves_deviation: Array,
    stretch: Stretch = PLAIN,
) -> tuple[Array, Array]:
    """The same for arrays of one shape."""
    one, two = (stretch.results * results_deviation) ** -2.0, (stretch.moves * moves_deviation) ** -2.0
    return (one * results + two * moves) / (one + two), (one + two) ** -0.5


def expected(numbers: Array, deviations: Array) -> Array:
    """Black's expected score (n) from ratings and deviations (n, 2), as in Glicko-2 (equation 3.4)."""
    variance = (deviations**2).sum(axis=1)
    g = 1.0 / np.sqrt(1.0 + 3.0 * GAMMA**2 * variance / np.pi**2)
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(g * GAMMA * (numbers[:, 0] - numbers[:, 1]), -700, 700))))


def fit_stretch(
    results: Array, results_deviation: Array, moves: Array, moves_deviation: Array, score: Array
) -> Stretch:
    """The maximum-likelihood stretch for Black's scores (n), from ratings (n, 2); 1 if there are few games."""
    if len(score) < _FEW_GAMES:
        return PLAIN
    both = results, results_deviation, moves, moves_deviation
    tried = [Stretch(one, two) for one in STRETCHES for two in STRETCHES]
    return max(tried, key=lambda each: log_likelihood(score, expected(*combine_all(*both, each))))


def fit_temper(numbers: Array, deviations: Array, score: Array) -> float:
    """The factor of the deviations of one source's ratings; fitted as in `fit_stretch`."""
    if len(score) < _FEW_GAMES:
        return 1.0
    return max(STRETCHES, key=lambda each: log_likelihood(score, expected(numbers, each * deviations)))
