"""Statistics of a match: win rate with its interval, Elo, and a test that says when to stop."""

from __future__ import annotations

import math
from dataclasses import dataclass

# Two-sided 95 %.
Z = 1.959964


@dataclass(frozen=True, slots=True)
class Tally:
    """Wins, losses and draws of the first of two players, and the games that ended because a program failed.

    A failure counts as a loss of the program that failed, but not among `wins` and `losses`.

    >>> print(Tally(15, 3, failures=(0, 2)))
    15 wins, 3 losses, 2 failures of the second program
    """

    wins: int = 0
    losses: int = 0
    draws: int = 0
    failures: tuple[int, int] = (0, 0)
    """Games that the first program lost by a failure, and games that the second lost so."""

    @property
    def games(self) -> int:
        return self.wins + self.losses + self.draws + sum(self.failures)

    @property
    def points(self) -> tuple[float, float]:
        """Of the first and of the second: a won game is 1 (also one that the other lost by a failure), a draw 0.5."""
        half = self.draws / 2
        return self.wins + self.failures[1] + half, self.losses + self.failures[0] + half

    def turned(self) -> Tally:
        """From the second's side."""
        return Tally(self.losses, self.wins, self.draws, (self.failures[1], self.failures[0]))

    @property
    def score(self) -> float:
        """The first's points, as a share of the games."""
        return self.points[0] / self.games

    def __str__(self) -> str:
        parts = [_count(self.wins, "win", "wins"), _count(self.losses, "loss", "losses")]
        parts += [_count(self.draws, "draw", "draws")] if self.draws else []
        for number, who in zip(self.failures, ("first", "second"), strict=True):
            parts += [f"{_count(number, 'failure', 'failures')} of the {who} program"] if number else []
        return ", ".join(parts)

    def to_json(self) -> dict[str, int | str | list[int]]:
        return {
            "wins": self.wins,
            "losses": self.losses,
            "draws": self.draws,
            "failures_of": list(self.failures),
            "summary": str(self),
        }

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


def _count(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"


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

    Games are independent draws of win, loss and draw; both hypotheses have the share of draws that was observed.
    A failure of a program counts as its loss.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def log_likelihood_ratio(self, tally: Tally) -> float:
        s0, s1 = expected_score(self.elo0), expected_score(self.elo1)
        most = 1.98 * min(s0, s1, 1 - s0, 1 - s1)  # more draws would leave no room for wins or losses
        half = min(tally.draws / tally.games, most) / 2
        won, lost = (tally.wins + tally.failures[1], tally.losses + tally.failures[0])
        wins = won * math.log((s1 - half) / (s0 - half))
        return wins + lost * math.log((1 - s1 - half) / (1 - s0 - half))

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
