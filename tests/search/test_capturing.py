"""Dead stones are taken off without harm."""

from __future__ import annotations

from tengen import Color, Position
from tengen.go.settle import settle
from tengen.search.capturing import capturing_move

# Black's land is pass-alive; the white stones in it are dead.
INSIDE = """
    . X . X O . .
    X X X X O . .
    . O . X O . .
    . O . X O . .
    . . . X O . .
    X X X X O . .
    O O O O O . .
    """


def test_dead_stones_are_captured_while_the_other_passes_and_no_eye_is_filled() -> None:
    position = Position.from_text(INSIDE, Color.BLACK, "tromp-taylor")
    before = settle(position).margin
    moves = 0
    while (move := capturing_move(position, settle(position).dead, None)) != position.pass_:
        assert position.vertex(move) not in ("A7", "C7")
        position.play(move).play("pass")
        moves += 1
    assert position.captured(Color.WHITE) == 2 and moves <= 6
    assert position.score().lead.of(Color.BLACK) + 7.5 == settle(position).margin == before


def test_the_string_with_the_fewest_liberties_comes_first() -> None:
    position = Position.from_text(
        INSIDE.replace(". . . X O . .", "O X . X O . ."), Color.BLACK, "tromp-taylor"
    )
    assert position.vertex(capturing_move(position, settle(position).dead, None)) == "A4"


def test_own_dead_stones_and_living_stones_are_left_alone() -> None:
    position = Position.from_text(INSIDE, Color.WHITE, "tromp-taylor")
    assert capturing_move(position, settle(position).dead, None) == position.pass_
    assert capturing_move(position, (), None) == position.pass_
