"""What the result of a match says: win rate with its interval, Elo, and when to stop."""

from __future__ import annotations

import math
from dataclasses import dataclass

# Two-sided 95 %.
Z = 1.959964


@dataclass(frozen=True, slots=True)
class Tally:
    """Wins, losses and draws of the first of two players."""

    wins: int = 0
    losses: int = 0
    draws: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.losses + self.draws

    @property
    def score(self) -> float:
        """Wins and half the draws, as a share of the games."""
        return (self.wins + self.draws / 2) / self.games

    def interval(self) -> tuple[float, float]:
        """95 % interval of the score (Wilson 1927), which stays within 0 .. 1 for lopsided matches.

        >>> low, high = Tally(wins=90, losses=10).interval()
        >>> f"{low:.3f} {high:.3f}"
        '0.826 0.945'
        """
        n, p = self.games, self.score
        middle = (p + Z * Z / (2 * n)) / (1 + Z * Z / n)
        half = Z * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n)) / (1 + Z * Z / n)
        return max(middle - half, 0.0), min(middle + half, 1.0)


def elo(score: float) -> float:
    """The difference in Elo that expects this score; infinite for 0 and 1.

    >>> round(elo(0.75))
    191
    """
    if score <= 0 or score >= 1:
        return math.copysign(math.inf, score - 0.5)
    return -400 * math.log10(1 / score - 1)


def expected_score(difference: float) -> float:
    return 1 / (1 + 10 ** (-difference / 400))


@dataclass(frozen=True, slots=True)
class Sprt:
    """Wald's sequential test between two differences in Elo, both kinds of error at 5 %.

    Games are independent draws of win, loss and draw; both hypotheses have the share of draws that was seen.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def log_likelihood_ratio(self, tally: Tally) -> float:
        s0, s1 = expected_score(self.elo0), expected_score(self.elo1)
        most = 1.98 * min(s0, s1, 1 - s0, 1 - s1)  # more draws would leave no room for wins or losses
        half = min(tally.draws / tally.games, most) / 2
        wins = tally.wins * math.log((s1 - half) / (s0 - half))
        return wins + tally.losses * math.log((1 - s1 - half) / (1 - s0 - half))

    def verdict(self, tally: Tally) -> str | None:
        """ "elo1" or "elo0" once one is accepted, None while more games are needed."""
        if tally.games == 0:
            return None
        ratio = self.log_likelihood_ratio(tally)
        if ratio >= math.log((1 - self.beta) / self.alpha):
            return "elo1"
        if ratio <= math.log(self.beta / (1 - self.alpha)):
            return "elo0"
        return None
