"""The Bradley-Terry model (thesis, Section 3.1.1): win probabilities from ratings, ratings from results."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tengen.go.color import Color
from tengen.go.perspective import WinRate
from tengen.ratings.handicap import points_of
from tengen.ratings.results import Results
from tengen.ratings.system import Array, Rating, Ratings

GAMMA = math.log(10.0) / 400.0  # 400 points are odds of 10 to 1, as in Elo's and Glickman's scale


def expected_score(black: float, white: float, gamma: float = GAMMA) -> float:
    """Black's win probability (equation 3.1).

    >>> expected_score(1900, 1500)
    0.9090909090909091
    """
    return 1.0 / (1.0 + math.exp(min(gamma * (white - black), 700.0)))


@dataclass(frozen=True)
class BradleyTerry:
    """One constant rating for each player: the maximum of the posterior of all results.

    The prior is `prior_draws` drawn games of each player against a player of rating `centre`. The fit makes
    Newton steps. Games are predicted in `refits` blocks, each from a fit to all games before the block.
    """

    prior_draws: float = 2.0
    centre: float = 1500.0
    refits: int = 20
    precision: float = 0.05  # the fit ends when no rating moves by more than this many points

    @property
    def name(self) -> str:
        return "bradley-terry"

    def rate(self, results: Results) -> Ratings:
        n = len(results)
        prediction = np.full(n, 0.5)
        before = np.full((n, 2), self.centre)
        strength = np.zeros(len(results.players))
        bounds = np.linspace(0, n, self.refits + 1).astype(np.int64).tolist()
        for first, last in pairwise(bounds):
            strength = self._fit(results, first, strength)
            block = slice(first, last)
            black, white = strength[results.black[block]], strength[results.white[block]]
            head_start = points_of(results.head_start[block], self.centre + black / GAMMA) * GAMMA
            prediction[block] = 1.0 / (1.0 + np.exp(white - black - head_start))
            before[block] = self.centre + np.stack([black, white], axis=1) / GAMMA
        strength = self._fit(results, n, strength)
        players = self.centre + strength / GAMMA
        return Ratings(self.name, results, prediction, before, players[results.sides], players)

    def _fit(self, results: Results, games: int, start: Array) -> Array:
        """Ratings in natural units (relative to `centre`) from the first `games` games; the fit begins at `start`."""
        if games == 0:
            return start
        players = len(results.players)
        black, white, score = results.black[:games], results.white[:games], results.score[:games]
        head_start = results.head_start[:games]
        uneven = bool(np.any(head_start))
        strength = start.copy()
        for _ in range(200):
            lead = strength[black] - strength[white]
            if uneven:
                lead += points_of(head_start, self.centre + strength[black] / GAMMA) * GAMMA
            expected = 1.0 / (1.0 + np.exp(-lead))
            surprise = score - expected
            certainty = expected * (1.0 - expected)
            prior = 1.0 / (1.0 + np.exp(-strength))
            gradient = self.prior_draws * (0.5 - prior)
            gradient += np.bincount(black, surprise, players) - np.bincount(white, surprise, players)
            curvature = self.prior_draws * prior * (1.0 - prior)
            curvature += np.bincount(black, certainty, players) + np.bincount(white, certainty, players)
            # All players move at once, so each makes half a step: two ratings that approach each other would
            # otherwise overshoot.
            step = np.clip(0.5 * gradient / curvature, -1.0, 1.0)
            strength += step
            if np.max(np.abs(step), initial=0.0) < self.precision * GAMMA:
                break
        return strength

    def predict(self, black: Rating, white: Rating, head_start: float = 0.0) -> WinRate:
        number = black.number + float(points_of(head_start, black.number))
        return WinRate(expected_score(number, white.number), Color.BLACK)
