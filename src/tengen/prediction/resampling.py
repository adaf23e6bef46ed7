"""Means over positions of games, with 95 % intervals from resampled games: positions of a game are not independent."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.prediction.accuracy import interval

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

RESAMPLES = 400


class Estimate(NamedTuple):
    """A figure and its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.4f} ({self.low:.4f} to {self.high:.4f})"

    def to_json(self) -> dict[str, float]:
        return self._asdict()


@functools.lru_cache(maxsize=2)
def game_draws(games: int) -> Doubles:
    """How often each of n games is drawn when n are drawn with replacement, [RESAMPLES, n]; always the same draws."""
    drawn = np.random.default_rng(1).multinomial(games, np.full(games, 1 / games), RESAMPLES)
    return drawn.astype(np.float64)


def middle(drawn: Doubles) -> tuple[float, float]:
    """The interval that holds 95 % of the draws; draws that are NaN do not count."""
    low, high = np.nanquantile(drawn, [0.025, 0.975])
    return float(low), float(high)


@dataclass(frozen=True, eq=False)
class GameMean:
    """The mean of a figure over positions: its sum and the number of positions by game, float64 [games].

    Several figures of one sample have the same games, with a count of 0 where a game has no position in a part.
    """

    total: Doubles
    count: Doubles

    @staticmethod
    def of(game: Ints, figures: npt.ArrayLike, games: int) -> GameMean:
        """Of positions: game [n] is from 0 to games - 1."""
        total = np.bincount(game, np.asarray(figures, float), games).astype(np.float64)
        return GameMean(total, np.bincount(game, minlength=games).astype(np.float64))

    @property
    def positions(self) -> int:
        return int(self.count.sum())

    @property
    def value(self) -> float:
        return float(self.total.sum() / self.count.sum())

    def estimate(self) -> Estimate:
        return Estimate(self.value, *middle(self._resampled()))

    def share(self) -> Estimate:
        """The estimate of a share. If it is 0 or 1, all draws are alike: Wilson's interval then, one trial a game."""
        if 0 < self.value < 1:
            return self.estimate()
        low, high = interval(self.value, int((self.count > 0).sum()))
        return Estimate(self.value, max(low, 0.0), min(high, 1.0))

    def less(self, other: GameMean) -> Estimate:
        """This mean less another's on the same positions; the same games are drawn for both."""
        return Estimate(self.value - other.value, *middle(self._resampled() - other._resampled()))

    def _resampled(self) -> Doubles:
        """The mean for games drawn with replacement, [RESAMPLES]; NaN where no position was drawn."""
        draws = game_draws(len(self.total))
        total, count = draws @ self.total, draws @ self.count
        return np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)
