"""Whole-history rating (Coulom 2008). The native core holds the model; this file feeds it the games."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

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

UNKNOWN = Rating(1500.0, 350.0)  # a player without games; natural rating 0 is 1500 points
PRECISION = 0.05  # the last fit ends when no rating moves by more than this many points in a round


@dataclass(frozen=True)
class WholeHistory:
    """The ratings of all players at all times that maximise the posterior of all results.

    `drift` is the variance of a rating's random walk, in squared points a day (Coulom's w^2; 14 in his paper).
    Days are grouped into bins of `bin_days`. Each player has `prior_wins` virtual wins and as many losses
    against 1500 on his first day.

    Each game is predicted from the games before it: first, those of its two players who got games since their
    last Newton step make one (with more than 1000 games, once a thousandth of them are new). `refits` times in
    all, every player makes two. With `predicts` False there are
    no predictions (NaN). The ratings after each game are those of the last fit, of at most `rounds` rounds;
    that fit also uses the later games.

    The worth of a head start is learnt at each whole number of ranks and is linear between them. Its prior is
    OGS' worth at 1500, with a standard deviation of `rank_deviation` points.
    """

    drift: float = 14.0
    bin_days: float = 7.0
    refits: int = 20
    rounds: int = 50
    prior_wins: float = 0.5
    rank_deviation: float = 100.0
    predicts: bool = True
    progress: Report = silent

    @property
    def name(self) -> str:
        return "whr"

    def rate(self, results: Results) -> Ratings:
        n = len(results)
        model = _native.WholeHistory(
            len(results.players),
            drift=self.drift * self.bin_days * GAMMA**2,
            prior_wins=self.prior_wins,
            rank_worth=float(points_of(1.0, UNKNOWN.number)) * GAMMA,
            rank_deviation=self.rank_deviation * GAMMA,
        )
        seconds = results.time - (results.time[0] if n else 0)
        bins = np.floor(seconds / (SECONDS_A_DAY * self.bin_days)).astype(np.int64)
        black, white, score, head_start = results.black, results.white, results.score, results.head_start
        prediction = np.full(n, math.nan)
        before = np.full((n, 2), UNKNOWN.number)
        deviation_before = np.full((n, 2), UNKNOWN.deviation)
        if self.predicts:
            for first, last in pairwise(np.linspace(0, n, max(self.refits, 1) + 1).astype(int).tolist()):
                some = slice(first, last)
                model.iterate(2)
                rating, variance, time, worth = model.add_in_turn(
                    black[some], white[some], score[some], head_start[some], bins[some]
                )
                before[some], deviation_before[some] = self._points(rating, variance, time, bins[some])
                prediction[some] = _expected(before[some], deviation_before[some], worth / GAMMA)
                self.progress(Progress("rating", 0.7 * last / max(n, 1), 1.0))
        else:
            model.add(black, white, score, head_start, bins)
        for done in range(self.rounds):
            if model.iterate(1) < PRECISION * GAMMA:
                break
            self.progress(Progress("rating", 0.7 + 0.3 * (done + 1) / self.rounds, 1.0))
        rating, variance = model.curves()
        after = UNKNOWN.number + rating / GAMMA
        deviation_after = np.sqrt(variance) / GAMMA
        players = np.full(len(results.players), UNKNOWN.number)
        deviation = np.full(len(results.players), UNKNOWN.deviation)
        players[results.sides] = after  # the assignment of each player's last game stays
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

    def _points(
        self, rating: Array, variance: Array, last: npt.NDArray[np.int64], bins: npt.NDArray[np.int64]
    ) -> tuple[Array, Array]:
        """Ratings and deviations in points (n, 2) before games in `bins`, widened for the time since `last`."""
        away = np.maximum(0, bins[:, None] - last) * self.bin_days
        deviation = np.sqrt(variance / GAMMA**2 + away * self.drift)
        return UNKNOWN.number + rating / GAMMA, np.where(last >= 0, deviation, UNKNOWN.deviation)

    def predict(self, black: Rating, white: Rating, head_start: float = 0.0) -> WinRate:
        """Black's expected score; the head start has its worth on the OGS scale."""
        numbers = np.array([[black.number, white.number]])
        deviations = np.array([[black.deviation, white.deviation]])
        expected = _expected(numbers, deviations, points_of(head_start, black.number))
        return WinRate(float(expected[0]), Color.BLACK)


def _expected(numbers: Array, deviations: Array, extra: Array) -> Array:
    """Black's expected score by Bradley-Terry, moved towards 1/2 by both deviations as in Glicko (equation 3.4)."""
    variance = (np.square(deviations).sum(axis=1)) * GAMMA**2
    temper = 1.0 / np.sqrt(1.0 + 3.0 * variance / math.pi**2)
    difference = numbers[:, 0] + extra - numbers[:, 1]
    return np.asarray(1.0 / (1.0 + np.exp(-temper * GAMMA * difference)))
