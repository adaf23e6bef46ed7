"""Results as servers write them."""

from __future__ import annotations

import pytest

from tengen.go.color import Color
from tengen.go.result import Result, ResultKind


@pytest.mark.parametrize(
    ("text", "kind", "winner", "margin"),
    [
        ("B+R", ResultKind.RESIGN, Color.BLACK, None),
        ("W+Resign", ResultKind.RESIGN, Color.WHITE, None),
        ("B+T", ResultKind.TIME, Color.BLACK, None),
        ("W+Time", ResultKind.TIME, Color.WHITE, None),
        ("W+Forfeit", ResultKind.FORFEIT, Color.WHITE, None),
        ("B+0.5", ResultKind.SCORE, Color.BLACK, 0.5),
        ("white+12,5", ResultKind.SCORE, Color.WHITE, 12.5),
        ("B+", ResultKind.WIN, Color.BLACK, None),
        ("B+NaN", ResultKind.WIN, Color.BLACK, None),
        ("0", ResultKind.DRAW, None, 0.0),
        ("Jigo", ResultKind.DRAW, None, 0.0),
        ("Void", ResultKind.VOID, None, None),
        ("?", ResultKind.UNKNOWN, None, None),
        ("", ResultKind.UNKNOWN, None, None),
        ("whatever", ResultKind.UNKNOWN, None, None),
    ],
)
def test_results_are_read(text: str, kind: ResultKind, winner: Color | None, margin: float | None) -> None:
    assert Result.parse(text) == Result(kind, winner, margin)


def test_reading_what_was_written_gives_the_same() -> None:
    for text in ("B+R", "W+T", "B+F", "W+3.5", "0", "Void", "?", "B+"):
        assert str(Result.parse(text)) == text
