"""Statistics of a match: win rate with its interval, Elo, and a test that says when to stop."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

# Two-sided 95 %.
Z = 1.959964
# One-sided 80 %: the chance with which a difference that is there is to be seen.
Z_POWER = 0.841621


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


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean of differences in points, each from -1 to 1, over pairs of games, and their standard deviation.

    Two contestants that play the same games (the same opponent, openings and seeds) are compared game by game. What the
    games have in common cancels out, so that fewer are needed than by two win rates.

    >>> found = Difference.of([1, 1, 1, 0, 0, 1], [1, 0, 0, 0, 0, 1])
    >>> round(found.mean, 3), found.pairs, found.verdict()
    (0.333, 6, 'not decided')
    """

    mean: float
    deviation: float
    pairs: int

    @staticmethod
    def of(first: Sequence[float], second: Sequence[float]) -> Difference:
        """The first's points less the second's, game by game; both are as long, and not empty."""
        return Difference.mean_of([a - b for a, b in zip(first, second, strict=True)])

    @staticmethod
    def mean_of(values: Sequence[float]) -> Difference:
        n = len(values)
        mean = math.fsum(values) / n
        return Difference(mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / n), n)

    def interval(self) -> tuple[float, float]:
        """95 % interval of the mean, after Agresti and Min (2005): as if two more pairs had been played, which differ
        by 1 and -1 with half of their weight. A few pairs without a difference prove nothing.

        >>> low, high = Difference(0.0, 0.0, 10).interval()
        >>> f"{low:.2f} {high:.2f}"
        '-0.16 0.16'
        """
        n = self.pairs + 2
        mean = self.mean * self.pairs / n
        square = (self.pairs * (self.deviation**2 + self.mean**2) + 1) / n
        half = Z * math.sqrt(max(square - mean**2, 0.0) / n)
        return max(mean - half, -1.0), min(mean + half, 1.0)

    def verdict(self) -> str:
        """Whether the first is better or worse, as far as the interval decides it."""
        low, high = self.interval()
        return "better" if low > 0 else "worse" if high < 0 else "not decided"

    def pairs_to_decide(self) -> int | None:
        """Pairs of which 95 % intervals would leave out 0 in four of five trials, if the truth is what was seen; None
        where no difference was seen.

        >>> Difference(0.05, 0.5, 100).pairs_to_decide()
        785
        """
        if self.mean == 0:
            return None
        return math.ceil(((Z + Z_POWER) * self.deviation / self.mean) ** 2)


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
