"""Drawn boards on which reading decides between two moves: ladders, capturing races, eye spaces.

Each shows the upper left corner of a 19x19 board; the rest is empty but for the stones named beside it. The tests prove
every one by reading it out. The hard ones were drawn by chance and kept because the policy of the net that ships
(`tengen`) prefers the wrong move there: they are for what reading adds to that net, not for how good its policy is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tengen.go.color import Color
from tengen.go.drawing import parse_text
from tengen.go.position import Position

SIZE = 19


@dataclass(frozen=True)
class ReadingBoard:
    """`right` takes or saves the string at `target`, `wrong` does not. `white` are stones outside of the drawing."""

    name: str
    kind: str
    drawing: str
    to_move: Color
    right: str
    wrong: str
    target: str
    white: tuple[str, ...] = ()

    @property
    def position(self) -> Position:
        rows = [row.split() for row in self.drawing.strip().splitlines()]
        wide = [row + ["."] * (SIZE - len(row)) for row in rows]
        wide += [["."] * SIZE] * (SIZE - len(wide))
        stones = parse_text("\n".join(" ".join(row) for row in wide)).ravel()
        black, white = (np.flatnonzero(stones == color).tolist() for color in Color)
        outside = [Position(SIZE).point(vertex) for vertex in self.white]
        return Position(SIZE).set_stones(black, [*white, *outside], to_move=self.to_move)


_THREE_WALLS = """
. . . . . . .
. . . . . . .
. . . X X . .
. . X O O . .
. . . X . . .
"""
_RACE = """
O . X . O . X . .
O . X O O . X . .
O O X O X X X . .
. O O X X . . . .
. . . . . . . . .
. . O . X . . . .
"""
_STRAIGHT_THREE = """
. . . X O . .
X X X X O . .
O O O O O . .
"""
_BULKY_FIVE = """
. . X O . . .
. . . X O . .
X X X X O . .
O O O O O . .
"""

BOARDS = (
    ReadingBoard("two stones in a ladder", "ladder", _THREE_WALLS, Color.BLACK, "F16", "E15", "D16"),
    ReadingBoard(
        "one stone in a ladder",
        "ladder",
        """
        . . . . . . .
        . . . . . . .
        . . . . X . .
        . . . X O . .
        . . . X . . .
        """,
        Color.BLACK,
        "F16",
        "E15",
        "E16",
    ),
    ReadingBoard(
        "a ladder from the second line",
        "ladder",
        """
        . . . . . . .
        . . X X . . .
        . X O O . . .
        . . X . . . .
        """,
        Color.BLACK,
        "E17",
        "D16",
        "C17",
    ),
    ReadingBoard(
        "a stone breaks the ladder",
        "ladder",
        """
        . . . . . . .
        . . . . . . .
        . . . X X . .
        . . X O O X .
        . . . X . . .
        """,
        Color.WHITE,
        "E15",
        "G15",
        "D16",
        ("L8",),
    ),
    ReadingBoard("outside liberties first, Black", "race", _RACE, Color.BLACK, "F18", "D19", "D18"),
    ReadingBoard("outside liberties first, White", "race", _RACE, Color.WHITE, "B18", "D19", "C18"),
    ReadingBoard("three in a row, kill", "eye space", _STRAIGHT_THREE, Color.WHITE, "B19", "C19", "A18"),
    ReadingBoard("three in a row, live", "eye space", _STRAIGHT_THREE, Color.BLACK, "B19", "C19", "A18"),
    ReadingBoard("bulky five, kill", "eye space", _BULKY_FIVE, Color.WHITE, "B18", "A19", "A17"),
    ReadingBoard("bulky five, live", "eye space", _BULKY_FIVE, Color.BLACK, "B18", "A19", "A17"),
)

_TWO_WAYS = """
. . . . . . .
. . . . . . .
. . . . X . .
. . . X X X .
. . . X O . .
. . . X . . .
"""


def _hard(number: int, to_move: Color, right: str, wrong: str, target: str, drawing: str) -> ReadingBoard:
    """An eye space in the corner; the wall around it is drawn here."""
    rows = [*drawing.split("|"), "X X X X X X .", ". . . . . . ."]
    name = f"corner {number}, {'kill' if to_move is Color.BLACK else 'live'}"
    return ReadingBoard(name, "hard eye space", "\n".join(rows), to_move, right, wrong, target)


HARD = (
    ReadingBoard(
        "two ways, a stone at K13", "hard ladder", _TWO_WAYS, Color.BLACK, "F15", "E14", "E15", ("K13",)
    ),
    ReadingBoard(
        "two ways, a stone at M11", "hard ladder", _TWO_WAYS, Color.BLACK, "F15", "E14", "E15", ("M11",)
    ),
    ReadingBoard(
        "two ways, a stone at T4", "hard ladder", _TWO_WAYS, Color.BLACK, "F15", "E14", "E15", ("T4",)
    ),
    _hard(1, Color.BLACK, "B18", "A17", "B17", "O . O O O X .|O . . O O X .|. O O O . X ."),
    _hard(2, Color.BLACK, "A17", "D17", "C19", "O O O O O X .|X O . . O X .|. X O . O X ."),
    _hard(3, Color.BLACK, "A18", "E18", "E17", "O X . O O X .|. O O . . X .|O . O O O X ."),
    _hard(4, Color.BLACK, "B18", "D17", "A18", "O . O O O X .|O . . O . X .|O O O . O X ."),
    _hard(5, Color.WHITE, "E18", "A18", "D17", ". O O O . X .|. O . X . X .|X O O O . X ."),
    _hard(6, Color.BLACK, "D19", "E18", "A18", ". X X . O X .|O O O . . X .|O O O O . X ."),
    _hard(7, Color.WHITE, "A18", "B18", "E17", ". . O . O X .|. . O O O X .|O X X O O X ."),
    _hard(8, Color.BLACK, "A19", "E18", "E19", ". . O O O X .|. O O . . X .|O O O X O X ."),
    _hard(9, Color.WHITE, "E19", "C19", "A19", "O . . X . X .|O O O . O X .|O O O . O X ."),
    _hard(10, Color.BLACK, "B17", "E18", "D19", "X X O O O X .|. . O O . X .|O . . X O X ."),
    _hard(11, Color.BLACK, "C18", "D17", "E18", "O . O O O X .|. X . . O X .|O O O . O X ."),
    _hard(12, Color.WHITE, "A18", "B18", "D17", "X . O O O X .|. . O . O X .|. X O O O X ."),
)
