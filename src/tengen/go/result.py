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
        if word in ("0", "draw", "jigo", "d+j", "和棋", "持碁", "무승부", "비김"):
            return Result(ResultKind.DRAW, None, 0.0)
        if word in ("void", "no result"):
            return Result(ResultKind.VOID)
        match = re.match(r"([bw])(?:lack|hite)?(?:\+\s*(.*)|$)", word)
        if not match:
            return _in_words(word)
        winner = Color.parse(match[1])
        reason = match[2] or ""
        if reason in ("", "?"):
            return Result(ResultKind.WIN, winner)
        for prefix, kind in (("r", ResultKind.RESIGN), ("t", ResultKind.TIME), ("f", ResultKind.FORFEIT)):
            if reason.startswith(prefix):
                return Result(kind, winner)
        try:
            margin = float(reason.split()[0].replace(",", "."))
        except ValueError:
            return Result(ResultKind.WIN, winner)
        if not math.isfinite(margin) or margin <= 0:
            return Result(ResultKind.WIN, winner)
        # A quarter can only be of a Chinese stone, which is worth two points (Fox, old collections).
        return Result(ResultKind.SCORE, winner, 2 * margin if margin * 4 % 2 == 1 else margin)

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


_BLACK_WORDS = re.compile(r"black|흑|黑|黒")
_WHITE_WORDS = re.compile(r"white|백|白")
_LOSES = re.compile(r"los[es]|負|负|패")
_REASONS = (
    (re.compile(r"resign|中押|中盘|中盤|불계|投了|认输|認輸"), ResultKind.RESIGN),
    (re.compile(r"time|時間|时间|超时|超時|시간"), ResultKind.TIME),
    (re.compile(r"forfeit|기권|棄権|弃权|不戦"), ResultKind.FORFEIT),
)
_POINTS = re.compile(r"(\d+(?:\.\d+)?)\s*(?:目|집|win|points?)?\s*(半|반)?\s*(子)?")


def _in_words(text: str) -> Result:
    """Results as sentences, the way NGF files and old collections have them: "黒2目半勝ち".

    >>> str(Result.parse("Black Win 6.5 >> White(50):Black(63)")), str(Result.parse("黑中盘胜"))
    ('B+6.5', 'B+R')
    """
    text = re.sub(r"\d+\s*手完?", "", text.split(">>")[0])
    black, white = _BLACK_WORDS.search(text), _WHITE_WORDS.search(text)
    if not (black or white):
        return Result()
    winner = Color.BLACK if black and not (white and white.start() < black.start()) else Color.WHITE
    if _LOSES.search(text):
        winner = winner.opponent
    for pattern, kind in _REASONS:
        if pattern.search(text):
            return Result(kind, winner)
    if match := _POINTS.search(text):
        points = float(match[1]) + (0.5 if match[2] else 0.0)
        # Chinese counting compares stones: a stone more for one is a stone less for the other.
        return Result(ResultKind.SCORE, winner, 2 * points if match[3] else points)
    return Result(ResultKind.WIN, winner) if re.search(r"win|勝|胜|승|los[es]|負|负|패", text) else Result()
