"""Whole-history rating (Coulom 2008) by the `whole-history-rating` package.

The package is plain Python and visits every player's every day in each iteration: `docs/ratings.md` says how
long pools of which size take.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from whr import WHR

from tengen.go.color import Color
from tengen.go.perspective import WinRate
from tengen.ratings.bradley_terry import GAMMA
from tengen.ratings.handicap import points_of
from tengen.ratings.pool import SECONDS_A_DAY, Pool
from tengen.ratings.system import Array, Rating, Ratings

UNKNOWN = Rating(1500.0, 350.0)  # a player without games; the package puts its own zero there


@dataclass(frozen=True)
class WholeHistory:
    """All ratings at all times, the likeliest for all results together.

    `drift` is the variance of a rating's walk, in squared points a day (Coulom's w^2; 14 in his paper). Days
    are taken `bin_days` together. Games are predicted in `refits` blocks, each from a fit to all games before
    it that goes on from the last by two iterations; with 0, none is predicted (NaN). The ratings after each
    game are those of the last fit, which knows the future.
    What a head start is worth, rounded to whole ranks, is learnt from the results.
    """

    drift: float = 14.0
    bin_days: float = 7.0
    refits: int = 100
    iterations: int = 50
    progress: Callable[[float], None] | None = None  # told the share of the work that is done

    @property
    def name(self) -> str:
        return "whr"

    def rate(self, pool: Pool) -> Ratings:
        n = len(pool)
        model = WHR({"w2": self.drift * self.bin_days})
        bins = np.floor((pool.time - (pool.time[0] if n else 0)) / (SECONDS_A_DAY * self.bin_days))
        prediction = np.full(n, math.nan)
        before = np.full((n, 2), UNKNOWN.number)
        deviation_before = np.full((n, 2), UNKNOWN.deviation)
        bounds = np.linspace(0, n, max(1, self.refits) + 1).astype(np.int64).tolist()
        for first, last in pairwise(bounds):
            if first:
                model.iterate(2)
            block = slice(first, last)
            self._look_up(model, pool.sides[block], bins[block], before[block], deviation_before[block])
            if self.refits:
                learnt = [model.handicap_gamma.get(h, 1.0) for h in _handicaps(pool, block)]
                extra = np.log(learnt) / GAMMA
                prediction[block] = _expected(before[block], deviation_before[block], extra)
            self._add(model, pool, bins, block)
            if self.progress:
                self.progress(0.8 * last / n)
        if n:
            model.iterate(self.iterations)
        after, deviation_after = _curves(model, pool, bins)
        players = np.full(len(pool.players), UNKNOWN.number)
        deviation = np.full(len(pool.players), UNKNOWN.deviation)
        players[pool.sides] = after  # the last game of each stays
        deviation[pool.sides] = deviation_after
        return Ratings(
            self.name,
            pool,
            prediction,
            before,
            after,
            players,
            deviation_before=deviation_before,
            deviation_after=deviation_after,
            deviation=deviation,
        )

    def _add(self, model: WHR, pool: Pool, bins: Array, block: slice) -> None:
        columns = (pool.black[block], pool.white[block], pool.score[block], bins[block])
        games = zip(*(c.tolist() for c in columns), _handicaps(pool, block), strict=True)
        for black, white, score, day, handicap in games:
            winner = "B" if score > 0.5 else "W" if score < 0.5 else "D"
            model.create_game(str(black), str(white), winner, int(day), handicap)

    def _look_up(
        self, model: WHR, sides: npt.NDArray[np.int32], bins: Array, number: Array, deviation: Array
    ) -> None:
        """Writes the last known ratings of a block's players, their deviations widened by the time since."""
        known = {}
        for p in np.unique(sides).tolist():
            player = model.players.get(str(p))
            if player is not None and player.days:
                day = player.days[-1]
                known[p] = (day.elo, day.uncertainty / GAMMA**2, day.day)
        for t, pair in enumerate(sides.tolist()):
            for side, p in enumerate(pair):
                if p in known:
                    elo, variance, day = known[p]
                    away = max(0.0, bins[t] - day) * self.bin_days
                    number[t, side] = UNKNOWN.number + elo
                    deviation[t, side] = math.sqrt(variance + away * self.drift)

    def predict(self, black: Rating, white: Rating, head_start: float = 0.0) -> WinRate:
        """The expected score; a head start is reckoned on the OGS scale."""
        numbers = np.array([[black.number, white.number]])
        deviations = np.array([[black.deviation, white.deviation]])
        expected = _expected(numbers, deviations, points_of(head_start, black.number))
        return WinRate(float(expected[0]), Color.BLACK)


def _handicaps(pool: Pool, block: slice) -> list[int]:
    return [int(h) for h in np.rint(pool.head_start[block])]


def _expected(numbers: Array, deviations: Array, extra: Array) -> Array:
    """Black's expected score by Bradley-Terry, tempered by both deviations as in Glicko (equation 3.4)."""
    variance = (np.square(deviations).sum(axis=1)) * GAMMA**2
    temper = 1.0 / np.sqrt(1.0 + 3.0 * variance / math.pi**2)
    difference = numbers[:, 0] + extra - numbers[:, 1]
    return np.asarray(1.0 / (1.0 + np.exp(-temper * GAMMA * difference)))


def _curves(model: WHR, pool: Pool, bins: Array) -> tuple[Array, Array]:
    """Each side's rating and deviation in the fit, at the time of each game."""
    number = np.empty((len(pool), 2))
    deviation = np.empty((len(pool), 2))
    days = {
        (int(name), day.day): (UNKNOWN.number + day.elo, math.sqrt(day.uncertainty) / GAMMA)
        for name, player in model.players.items()
        for day in player.days
    }
    for t, pair in enumerate(pool.sides.tolist()):
        for side, p in enumerate(pair):
            number[t, side], deviation[t, side] = days[p, int(bins[t])]
    return number, deviation
