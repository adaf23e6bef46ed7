"""The rules on drawn boards."""

from __future__ import annotations

import numpy as np
import pytest

from tengen import Color, IllegalMove, Position, Rules
from tengen.go.rules import Ko


def stones(position: Position) -> list[str]:
    return ["".join(".XO"[c] for c in row) for row in position.stones()]


def test_a_string_without_liberties_leaves_the_board() -> None:
    position = Position.from_text(
        """
        . X X .
        X O O .
        . X X .
        . . . .
        """
    )
    position.play("D3")
    assert stones(position) == [".XX.", "X..X", ".XX.", "...."]
    assert position.captured(Color.WHITE) == 2
    assert position.captured(Color.BLACK) == 0


def test_one_move_may_take_four_strings() -> None:
    position = Position.from_text(
        """
        . . X . .
        . X O X .
        X O . O X
        . X O X .
        . . X . .
        """
    )
    position.play("C3")
    assert position.captured(Color.WHITE) == 4
    assert position.liberties("C3") == 4
    assert position.ko is None


KO = """
    . X O . .
    X O . O .
    . X O . .
    . . . . .
    . . . . .
    """


def test_a_ko_may_not_be_retaken_at_once() -> None:
    position = Position.from_text(KO)
    position.play("C4")
    assert position.ko == position.point("B4")
    assert position.refusal("B4", Color.WHITE) == "ko"
    with pytest.raises(IllegalMove, match="White may not play B4: ko"):
        position.play("B4")


def test_a_ko_may_be_retaken_after_a_threat() -> None:
    position = Position.from_text(KO).play("C4").play("E1").play("A1")
    assert position.play("B4").captured(Color.BLACK) == 1


def test_taking_two_stones_is_no_ko() -> None:
    position = Position.from_text(
        """
        . X O O .
        X O . X O
        . X O O .
        . . . . .
        . . . . .
        """,
        to_move=Color.BLACK,
    )
    position.play("C4")
    assert position.captured(Color.WHITE) == 1
    assert position.ko is None, "the taking string has two stones"


SUICIDE = """
    . O X . .
    X O X . .
    O O X . .
    X X X . .
    . . . . .
    """


def test_suicide_is_refused_by_most_rules() -> None:
    position = Position.from_text(SUICIDE, to_move=Color.BLACK)
    assert position.refusal("A5", Color.BLACK) is None, "it takes the four White stones"
    position = Position.from_text(
        """
        . X O
        X X O
        O O .
        """,
        to_move=Color.BLACK,
    )
    assert position.refusal("A3", Color.BLACK) == "suicide"


def test_suicide_of_several_stones_is_allowed_by_tromp_taylor() -> None:
    position = Position.from_text(
        """
        . X O
        X X O
        O O .
        """,
        to_move=Color.BLACK,
        rules="tromp-taylor",
    )
    position.play("A3")
    assert stones(position) == ["..O", "..O", "OO."]
    assert position.captured(Color.BLACK) == 4


def test_a_lone_stone_may_never_kill_itself() -> None:
    for rules in ("chinese", "tromp-taylor", "new-zealand"):
        position = Position.from_text(". O\nO .", rules=rules)
        assert position.refusal("A2", Color.BLACK) == "suicide"


def test_superko_bars_sending_two_and_returning_one() -> None:
    """White throws in a second stone, Black takes both, White's recapture restores the first board.

    Positional superko bars it. Situational does not: White was to move then, Black is now.
    """
    refusals = {}
    for ko in Ko:
        position = Position.from_text(
            """
            . O . O .
            X X O O .
            . X O . O
            X X O O .
            . X O . O
            """,
            to_move=Color.WHITE,
            rules=Rules(ko=ko),
        )
        position.play("A5").play("C5")
        assert position.captured(Color.WHITE) == 2
        refusals[ko] = position.refusal("B5", Color.WHITE)
    assert refusals == {
        Ko.SIMPLE: None,
        Ko.POSITIONAL: "superko: repeats an earlier position",
        Ko.SITUATIONAL: None,
    }


def test_superko_remembers_a_ko_across_passes() -> None:
    for ko, refused in [(Ko.SIMPLE, False), (Ko.POSITIONAL, True), (Ko.SITUATIONAL, True)]:
        position = Position.from_text(KO, rules=Rules(ko=ko)).play("C4").play("pass").play("pass")
        assert (position.refusal("B4", Color.WHITE) is not None) == refused


def test_undo_restores_everything() -> None:
    position = Position.from_text(KO)
    before = (stones(position), position.hash, position.ko, position.to_move)
    position.play("C4")
    assert position.undo()
    assert (stones(position), position.hash, position.ko, position.to_move) == before
    assert not position.undo(), "the setup is no move"


def test_a_copy_goes_its_own_way() -> None:
    position = Position(9)
    other = position.copy().play("E5")
    assert position.move_number == 0
    assert other.move_number == 1
    assert other.rules is position.rules


def test_passes_end_the_game() -> None:
    position = Position(9).play("pass")
    assert not position.is_over
    assert position.play("pass").is_over
    assert not position.play("E5").is_over


def test_legal_moves_end_with_pass() -> None:
    assert Position(2).legal_moves == [0, 1, 2, 3, 4]
    assert Position.from_text(". O\nO .").legal_moves == [4], "both points are suicide; pass is always there"


def test_bad_vertices_are_named() -> None:
    position = Position(9)
    for vertex in ("I5", "K1", "A0", "A10", "", "A", "Z99", "5E", "A05"):
        with pytest.raises(ValueError, match="is not a vertex of a 9x9 board"):
            position.play(vertex)
    for point in (-1, 82, 10**6):
        with pytest.raises(IndexError):
            position.play(point)
    with pytest.raises(TypeError):
        position.play(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [-1, 0, 1, 20, 40])
def test_impossible_sizes_are_refused(size: int) -> None:
    with pytest.raises(ValueError, match="not in 2 to 19"):
        Position(size)


def test_a_setup_with_dead_stones_is_refused_and_changes_nothing() -> None:
    position = Position(3)
    with pytest.raises(IllegalMove, match="without liberties"):
        position.set_stones(black=["A1"], white=["A2", "B1"])
    assert not position.stones().any()


def test_a_setup_off_the_board_is_refused() -> None:
    for packed in (81, 81 | 0x8000, 0x3FFF):
        with pytest.raises(IndexError):
            Position(9).setup(np.array([packed], dtype=np.uint16), Color.BLACK)


def test_drawing_and_reading_a_board_agree() -> None:
    position = Position(19).play("Q16").play("D4").play("T19")
    drawn = Position.from_text(str(position))
    assert (drawn.stones() == position.stones()).all()


def test_svg_shows_every_stone_and_the_last_move() -> None:
    svg = Position(9).play("E5").play("C3")._repr_svg_()
    assert svg.startswith("<svg ") and svg.endswith("</svg>")
    assert svg.count('r="11"') == 2
    assert svg.count('r="5"') == 1
