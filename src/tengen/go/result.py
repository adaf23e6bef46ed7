"""How a game ended."""

from __future__ import annotations

import enum
import math
import re
from dataclasses import dataclass

from tengen.go.color import Color


class ResultKind(enum.Enum):
    """Why the game ended; the values are those of the pools' `result` column."""

    SCORE = "score"
    RESIGN = "resign"
    TIME = "time"
    FORFEIT = "forfeit"
    WIN = "win"  # a winner with no reason given
    DRAW = "draw"
    VOID = "void"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Result:
    """Winner, reason, and for counted games the margin (positive; 0 for a draw).

    >>> Result.parse("B+3.5")
    Result(kind=<ResultKind.SCORE: 'score'>, winner=<Color.BLACK: 1>, margin=3.5)
    >>> str(Result.parse("W+Resign")), str(Result.parse("Jigo")), str(Result.parse("?"))
    ('W+R', '0', '?')
    """

    kind: ResultKind = ResultKind.UNKNOWN
    winner: Color | None = None
    margin: float | None = None

    @staticmethod
    def parse(text: str) -> Result:
        """Reads SGF's `RE`, in the spellings that servers use; what is not understood is UNKNOWN."""
        word = text.strip().lower()
        if word in ("0", "draw", "jigo"):
            return Result(ResultKind.DRAW, None, 0.0)
        if word in ("void", "no result"):
            return Result(ResultKind.VOID)
        match = re.match(r"([bw])(?:lack|hite)?\+\s*(.*)$", word)
        if not match:
            return Result()
        winner = Color.parse(match[1])
        reason = match[2]
        if reason in ("", "?"):
            return Result(ResultKind.WIN, winner)
        for prefix, kind in (("r", ResultKind.RESIGN), ("t", ResultKind.TIME), ("f", ResultKind.FORFEIT)):
            if reason.startswith(prefix):
                return Result(kind, winner)
        try:
            margin = float(reason.split()[0].replace(",", "."))
        except ValueError:
            return Result(ResultKind.WIN, winner)
        if not math.isfinite(margin) or margin < 0:
            return Result(ResultKind.WIN, winner)
        return Result(ResultKind.SCORE, winner, margin)

    @staticmethod
    def of_lead(black_lead: float) -> Result:
        """The result of a count: Black's points less White's, komi included.

        >>> str(Result.of_lead(-3.5))
        'W+3.5'
        """
        if black_lead == 0:
            return Result(ResultKind.DRAW, None, 0.0)
        return Result(ResultKind.SCORE, Color.BLACK if black_lead > 0 else Color.WHITE, abs(black_lead))

    def __str__(self) -> str:
        if self.kind is ResultKind.DRAW:
            return "0"
        if self.kind is ResultKind.VOID:
            return "Void"
        if self.winner is None:
            return "?"
        reasons = {ResultKind.RESIGN: "R", ResultKind.TIME: "T", ResultKind.FORFEIT: "F", ResultKind.WIN: ""}
        reason = f"{self.margin:g}" if self.kind is ResultKind.SCORE else reasons[self.kind]
        return f"{self.winner.letter}+{reason}"
