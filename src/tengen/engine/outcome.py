"""What a game and a match came to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tengen.engine.significance import Sprt, Tally, elo
from tengen.go.color import Color
from tengen.go.result import Result, ResultKind


@dataclass(frozen=True, slots=True)
class Outcome:
    """One finished game. A program that failed has lost it; `failure` says what the program did."""

    number: int
    black: int
    """0 if the first contestant had Black, 1 if the second."""
    result: str
    moves: int
    seconds: tuple[float, float]
    """Thinking time of the first and of the second contestant."""
    failure: str | None = None
    opening: str = ""
    """From which game of the pool the opening is; empty without a pool."""

    @property
    def points(self) -> float | None:
        """Of the first contestant: 1, 0.5 or 0; None for a game without result."""
        result = Result.parse(self.result)
        if result.winner is None:
            return 0.5 if result.kind is ResultKind.DRAW else None
        return float((result.winner is Color.BLACK) == (self.black == 0))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def tally_of(outcomes: Sequence[Outcome]) -> Tally:
    """From the first contestant's side."""
    points = [o.points for o in outcomes if not o.failure]
    failed = [o.points for o in outcomes if o.failure]
    return Tally(
        points.count(1.0), points.count(0.0), points.count(0.5), (failed.count(0.0), failed.count(1.0))
    )


@dataclass(frozen=True, slots=True)
class MatchResult:
    """What a match came to, from the first contestant's side."""

    contestants: tuple[str, str]
    outcomes: tuple[Outcome, ...]
    test: Sprt | None = None

    @property
    def tally(self) -> Tally:
        return tally_of(self.outcomes)

    @property
    def failures(self) -> list[str]:
        return [o.failure for o in self.outcomes if o.failure]

    def with_black(self, contestant: int) -> tuple[float, int]:
        """Points of the first contestant, and games, where contestant 0 or 1 had Black; failures included."""
        points = [o.points for o in self.outcomes if o.black == contestant and o.points is not None]
        return sum(points), len(points)

    @property
    def seconds_a_move(self) -> tuple[float, float]:
        """Thinking time of the first and of the second contestant."""
        moves = max(sum(o.moves for o in self.outcomes) / 2, 1)
        first, second = (round(sum(o.seconds[i] for o in self.outcomes) / moves, 4) for i in (0, 1))
        return first, second

    def to_json(self) -> dict[str, Any]:
        """`wins`, `losses`, `draws` and `failures` make up the games; `win_rate` counts a failure as a loss of the
        program that failed. Elo beyond the scale is null."""
        tally = self.tally
        table: dict[str, Any] = {
            "contestants": list(self.contestants),
            "games": len(self.outcomes),
            **tally.to_json(),
            "failures": self.failures,
            "seconds_a_move": list(self.seconds_a_move),
            "as_black": list(self.with_black(0)),
            "as_white": list(self.with_black(1)),
        }
        if tally.games:
            low, high = tally.interval()
            table |= {"win_rate": tally.score, "interval_95": [low, high]}
            table |= {"elo": _finite(elo(tally.score)), "elo_95": [_finite(elo(low)), _finite(elo(high))]}
            if self.test:
                ratio, verdict = self.test.log_likelihood_ratio(tally), self.test.verdict(tally)
                table["sprt"] = {"llr": ratio, "accepted": verdict}
        return table


def _finite(value: float) -> float | None:
    return round(value, 1) if math.isfinite(value) else None
