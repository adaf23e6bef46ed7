"""Whole-history rating (Coulom 2008): the native core walks through the days, this file through the games."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen import _native
from tengen.go.color import Color
from tengen.go.perspective import WinRate
from tengen.progress import Progress, Report, silent
from tengen.ratings.bradley_terry import GAMMA
from tengen.ratings.handicap import points_of
from tengen.ratings.results import SECONDS_A_DAY, Results
from tengen.ratings.system import Array, Rating, Ratings

UNKNOWN = Rating(1500.0, 350.0)  # a player without games; Coulom's zero is here too
LEAST_BLOCKS = 100  # small pools are predicted in so many
PRECISION = 0.05  # rating points by which the last round of the last fit may still move anyone


@dataclass(frozen=True)
class WholeHistory:
    """All ratings at all times, the likeliest for all results together.

    `drift` is the variance of a rating's walk, in squared points a day (Coulom's w^2; 14 in his paper). Days
    are taken `bin_days` together. Games are predicted `block` at a time (fewer in small pools), from a fit to
    all games before them: after each block everyone who played in it gets a Newton step, and `refits` times in
    all everyone gets two. With `predicts` False none is predicted (NaN). The ratings after each game are those
    of the last fit, of `rounds` rounds at most, which knows the future.
    Everyone has `prior_wins` wins and as many losses against 1500 on his first day. What a head start is worth,
    rounded to whole ranks, is learnt from the results.
    """

    drift: float = 14.0
    bin_days: float = 7.0
    block: int = 200
    refits: int = 20
    rounds: int = 50
    prior_wins: float = 0.5
    predicts: bool = True
    progress: Report = silent

    @property
    def name(self) -> str:
        return "whr"

    def rate(self, results: Results) -> Ratings:
        n = len(results)
        drift = self.drift * self.bin_days * GAMMA**2
        model = _native.WholeHistory(len(results.players), drift=drift, prior_wins=self.prior_wins)
        seconds = results.time - (results.time[0] if n else 0)
        bins = np.floor(seconds / (SECONDS_A_DAY * self.bin_days)).astype(np.int64)
        handicap = np.rint(results.head_start).astype(np.int32)
        prediction = np.full(n, math.nan)
        before = np.full((n, 2), UNKNOWN.number)
        deviation_before = np.full((n, 2), UNKNOWN.deviation)
        size = max(1, min(self.block, n // LEAST_BLOCKS) if self.predicts else n)
        every = max(1, math.ceil(n / size / max(self.refits, 1)))
        for number, first in enumerate(range(0, n, size)):
            block = slice(first, first + size)
            if self.predicts:
                if number % every:
                    model.settle(1)
                else:
                    model.iterate(2)
                before[block], deviation_before[block] = self._known(model, results.sides[block], bins[block])
                ranks = handicap[block].tolist()
                worth = {h: model.advantage(h) / GAMMA for h in set(ranks)}
                extra = np.array([worth[h] for h in ranks])
                prediction[block] = _expected(before[block], deviation_before[block], extra)
            model.add(
                results.black[block], results.white[block], results.score[block], bins[block], handicap[block]
            )
            self.progress(Progress("rating", 0.7 * first / n, 1.0))
        for done in range(self.rounds):
            if model.iterate(1) < PRECISION * GAMMA:
                break
            self.progress(Progress("rating", 0.7 + 0.3 * (done + 1) / self.rounds, 1.0))
        strength, variance = model.curves()
        after = UNKNOWN.number + strength / GAMMA
        deviation_after = np.sqrt(variance) / GAMMA
        players = np.full(len(results.players), UNKNOWN.number)
        deviation = np.full(len(results.players), UNKNOWN.deviation)
        players[results.sides] = after  # the last game of each stays
        deviation[results.sides] = deviation_after
        return Ratings(
            self.name,
            results,
            prediction,
            before,
            after,
            players,
            deviation_before=deviation_before,
            deviation_after=deviation_after,
            deviation=deviation,
        )

    def _known(
        self, model: _native.WholeHistory, sides: npt.NDArray[np.int32], bins: npt.NDArray[np.int64]
    ) -> tuple[Array, Array]:
        """The last known ratings of a block's players (n, 2), and deviations widened by the time since."""
        players, place = np.unique(sides, return_inverse=True)
        strength, variance, last = (column[place].reshape(-1, 2) for column in model.last(players))
        away = np.maximum(0, bins[:, None] - last) * self.bin_days
        deviation = np.sqrt(variance / GAMMA**2 + away * self.drift)
        return (
            np.where(last >= 0, UNKNOWN.number + strength / GAMMA, UNKNOWN.number),
            np.where(last >= 0, deviation, UNKNOWN.deviation),
        )

    def predict(self, black: Rating, white: Rating, head_start: float = 0.0) -> WinRate:
        """The expected score; a head start is reckoned on the OGS scale."""
        numbers = np.array([[black.number, white.number]])
        deviations = np.array([[black.deviation, white.deviation]])
        expected = _expected(numbers, deviations, points_of(head_start, black.number))
        return WinRate(float(expected[0]), Color.BLACK)


def _expected(numbers: Array, deviations: Array, extra: Array) -> Array:
    """Black's expected score by Bradley-Terry, tempered by both deviations as in Glicko (equation 3.4)."""
    variance = (np.square(deviations).sum(axis=1)) * GAMMA**2
    temper = 1.0 / np.sqrt(1.0 + 3.0 * variance / math.pi**2)
    difference = numbers[:, 0] + extra - numbers[:, 1]
    return np.asarray(1.0 / (1.0 + np.exp(-temper * GAMMA * difference)))
