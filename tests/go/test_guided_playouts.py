"""Guided playouts: what they must see on drawn boards, and the 3x3 patterns."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tengen import Color, Position, _native
from tengen.go.playouts import playout_moves


def drawn(diagram: str, last: str = "", to_move: Color = Color.BLACK) -> Position:
    """The position of a diagram, `last` being the move just played (and drawn)."""
    if not last:
        return Position.from_text(diagram, to_move)
    position = Position.from_text(diagram, to_move.opponent)
    point = position.point(last)
    stones = position.stones().ravel()
    position = Position(position.size, "chinese")
    position.set_stones(
        black=[p for p in np.flatnonzero(stones == 1).tolist() if p != point],
        white=[p for p in np.flatnonzero(stones == 2).tolist() if p != point],
        to_move=to_move.opponent,
    )
    return position.play(point)


def first_moves(position: Position, n: int = 200) -> Counter[str]:
    return Counter(position.vertex(playout_moves(position, policy="guided", index=i)[0]) for i in range(n))


def share(position: Position, *vertices: str) -> float:
    moves = first_moves(position)
    return sum(moves[v] for v in vertices) / moves.total()


def test_takes_the_stone_that_walked_into_atari() -> None:
    position = drawn(
        """
        . . . . . . .
        . . . X . . .
        . . X O X . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        """,
        last="D5",
    )
    assert share(position, "D4") > 0.85


def test_takes_a_stone_anywhere_on_the_board() -> None:
    position = drawn(
        """
        . . . . . . .
        . . . X . . .
        . . X O X . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        O . . . . . .
        """
    )
    assert share(position, "D4") > 0.85


def test_runs_from_atari() -> None:
    position = drawn(
        """
        . . . . . . .
        . . . O . . .
        . . O X O . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        """,
        last="E5",
    )
    assert share(position, "D4") > 0.85


def test_saves_a_string_by_taking_what_threatens_it() -> None:
    position = drawn(
        """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . X X . . . .
        X O O X . . .
        . X O . . . .
        """,
        last="B1",
        to_move=Color.WHITE,
    )
    # Running to D1 would leave White in atari; A1 takes a stone of the wall.
    assert share(position, "A1") > 0.85


def test_does_not_run_to_where_it_is_caught_anyway() -> None:
    position = drawn(
        """
        . O X O . . .
        . O X O . . .
        . O X O . . .
        . O . O . . .
        . O O O . . .
        . . . . . . .
        . . . . . . .
        """,
        last="D4",
    )
    assert share(position, "C4") < 0.05


@pytest.mark.parametrize(
    ("diagram", "last", "vital"),
    [
        (  # three in a row
            """
            . . . . . . .
            . . . . . . .
            . . . . . . .
            . . . . . . .
            . O O O O . .
            . O . . O O .
            . O O . O . .
            """,
            "C1",
            "D2",
        ),
        (  # bulky five
            """
            . . . . . . .
            . . . . . . .
            . . . . . . .
            O O O . . . .
            . . O O . . .
            . . . O . . .
            O O O O . . .
            """,
            "D2",
            "B2",
        ),
    ],
)
def test_plays_the_vital_point_of_an_eye(diagram: str, last: str, vital: str) -> None:
    assert share(drawn(diagram, last), vital) > 0.85


@pytest.mark.parametrize(
    ("diagram", "vertex", "wasted"),
    [
        pytest.param(
            """
            . O . . .
            O . . . .
            . O . . .
            . . . . .
            . . . . .
            """,
            "B4",
            True,
            id="one liberty in the open",
        ),
        pytest.param(
            """
            . O X . .
            O . . . .
            . O X . .
            . . . . .
            . . . . .
            """,
            "B4",
            False,
            id="a throw-in that makes an eye false",
        ),
        pytest.param(
            """
            O O O O O
            O . . O .
            O O O O .
            . . . . .
            . . . . .
            """,
            "B4",
            False,
            id="an eye of two points is reduced",
        ),
        pytest.param(
            """
            O O O O O
            O X . . O
            O O O O O
            . . . . .
            . . . . .
            """,
            "C4",
            False,
            id="two stones in an eye of three",
        ),
        pytest.param(
            """
            O O O O O O O
            O X X . . O .
            O O O O O O .
            . . . . . . .
            . . . . . . .
            . . . . . . .
            . . . . . . .
            """,
            "D6",
            False,
            id="three in a row in an eye of four",
        ),
        pytest.param(
            """
            O O O O O O O
            O X X X . . O
            O O O O O O O
            . . . . . . .
            . . . . . . .
            . . . . . . .
            . . . . . . .
            """,
            "E6",
            True,
            id="four in a row leave two eyes",
        ),
        pytest.param(
            """
            O O O O O .
            O X X . O .
            O X . O O .
            O O O O . .
            . . . . . .
            . . . . . .
            """,
            "C4",
            False,
            id="a square of four leaves one eye",
        ),
        pytest.param(
            """
            X X X X O
            X X X . .
            O O O O O
            . . . . .
            . . . . .
            """,
            "D4",
            True,
            id="eight stones are too many to give away",
        ),
        pytest.param(
            """
            . . . . .
            . . . . .
            . . . . .
            O X X . .
            . O X . .
            """,
            "A1",
            False,
            id="a capture",
        ),
    ],
)
def test_knows_wasted_stones(diagram: str, vertex: str, wasted: bool) -> None:
    position = Position.from_text(diagram)
    assert position.is_legal(vertex)
    assert _native.wastes_stones(position, position.point(vertex)) is wasted


@pytest.mark.parametrize("to_move", Color)
def test_leaves_a_seki_alone(to_move: Color) -> None:
    """Top: one eye each and a shared liberty, F9; who plays there is taken. All else is settled."""
    diagram = """
    O O X . X . O . O
    O O X X X X O O O
    O O O O O O X X X
    O O O O O O X X X
    O . O O O O X . X
    O O O O O O X X X
    O O O . O O X X X
    O O O O O O X . X
    O O O O O O X X X
    """
    position = Position.from_text(diagram, to_move)
    assert position.is_legal("F9")
    assert set(first_moves(position, 50)) == {"pass"}


def cells(drawing: str) -> str:
    return drawing.replace("\n", "")


def fits(cell: str, color: int, x: int) -> bool:
    """Does a drawn cell allow this colour (0 empty, 1, 2, 3 off the board), X being colour x?"""
    allowed = {".": {0}, "*": {0}, "#": {3}, "X": {x}, "O": {3 - x}, "?": {0, 1, 2, 3}}
    excluded = {"x": {x}, "o": {3 - x}}
    return color in allowed[cell] if cell in allowed else color not in excluded[cell]


def symmetric(drawing: str, symmetry: int) -> str:
    """The nine cells, turned and mirrored."""
    grid = np.array(list(cells(drawing))).reshape(3, 3)
    grid = np.rot90(grid, symmetry % 4)
    return "".join((grid.T if symmetry >= 4 else grid).ravel())


VARIANTS = [
    (symmetric(drawing, symmetry), either)
    for _name, drawing, either in _native.patterns()
    for symmetry in range(8)
]


def any_pattern_fits(around: list[int], to_move: int) -> bool:
    return any(
        all(fits(cell, color, x) for cell, color in zip(variant, around, strict=True))
        for variant, either in VARIANTS
        for x in (1, 2)
        if x == to_move or either
    )


def nine(position: Position, point: int) -> list[int]:
    framed = np.pad(position.stones(), 1, constant_values=3)
    y, x = divmod(point, position.size)
    return [int(c) for c in framed[y : y + 3, x : x + 3].ravel()]


def test_patterns_are_drawn_well() -> None:
    patterns = _native.patterns()
    assert len({name for name, _, _ in patterns}) == len(patterns) >= 10
    for _name, drawing, _either in patterns:
        assert [len(row) for row in drawing.split("\n")] == [3, 3, 3]
        assert cells(drawing)[4] == "*" and set(cells(drawing)) <= set("XOxo.?#*")


def test_the_pattern_table_is_what_the_drawings_say_under_all_symmetries_and_colours() -> None:
    rng = np.random.default_rng(2)
    seen = Counter[bool]()
    for _ in range(25):
        stones = rng.choice(3, size=(7, 7), p=(0.5, 0.25, 0.25))
        position = Position(7)
        try:
            position.set_stones(
                black=np.flatnonzero(stones == 1).tolist(), white=np.flatnonzero(stones == 2).tolist()
            )
        except ValueError:  # a string without liberties
            continue
        for color in Color:
            position.to_move = color
            for point in np.flatnonzero(stones == 0).tolist():
                expected = any_pattern_fits(nine(position, point), color)
                assert _native.matches_pattern(position, point) is expected
                seen[expected] += 1
    assert seen[True] > 100 and seen[False] > 100


@pytest.mark.parametrize(("name", "drawing", "either"), _native.patterns())
def test_a_pattern_is_found_in_all_its_positions(name: str, drawing: str, either: bool) -> None:
    """The drawing itself, put on the board in all eight ways and both colourings."""
    for symmetry in range(8):
        grid = np.array(list(symmetric(drawing, symmetry))).reshape(3, 3)
        # On a 7x7 board, moved so that the cells off the board are off the board.
        top = -1 if (grid[0] == "#").all() else 5 if (grid[2] == "#").all() else 2
        left = -1 if (grid[:, 0] == "#").all() else 5 if (grid[:, 2] == "#").all() else 2
        for x in Color:
            stones: dict[Color, list[int]] = {Color.BLACK: [], Color.WHITE: []}
            for (j, i), cell in np.ndenumerate(grid):
                if cell in "XO":
                    stones[x if cell == "X" else x.opponent].append((top + j) * 7 + left + i)
            for mover in (x, x.opponent) if either else (x,):
                position = Position(7).set_stones(stones[Color.BLACK], stones[Color.WHITE], to_move=mover)
                assert _native.matches_pattern(position, (top + 1) * 7 + left + 1), (name, symmetry, x)


def test_answers_the_last_move_with_a_pattern() -> None:
    position = drawn(
        """
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . X O . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        """,
        last="E5",
    )
    matching = [position.vertex(p) for p in position.legal_moves[:-1] if _native.matches_pattern(position, p)]
    assert set(matching) == {"D6", "E6", "D4", "E4"}
    assert share(position, *matching) > 0.9
