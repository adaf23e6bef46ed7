"""Ladders: on drawn boards, and against plain search on small ones."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import ladder_reference as reference
from reference.ladder_reference import State

from tengen import Color, Position
from tengen.go import ladder
from tengen.go.ladder import Answer

BLACK, WHITE = Color.BLACK, Color.WHITE
YES, NO, LIMIT = Answer.YES, Answer.NO, Answer.LIMIT

# The smallest ladder: White's stone in atari can only run down to the right.
START = """
    . . . . . . . . .
    . . X X . . . . .
    . X O . . . . . .
    . . X . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
"""


def drawn(diagram: str, to_move: Color = WHITE) -> Position:
    return Position.from_text(diagram, to_move)


def test_a_ladder_runs_to_the_edge() -> None:
    position = drawn(START)
    assert ladder.is_caught(position, "C7") is YES
    assert ladder.may_escape(position, "C7") is NO
    assert ladder.escapes(position, "D7") is NO
    assert ladder.is_lost(position, "D7") is YES


@pytest.mark.parametrize("breaker", ["E5", "F5", "F4", "G3", "H2", "G4", "F6"])
def test_a_stone_on_the_way_breaks_it(breaker: str) -> None:
    position = drawn(START).set_stones(white=[breaker], to_move=WHITE)
    assert ladder.is_caught(position, "C7") is NO
    assert ladder.may_escape(position, "C7") is YES
    assert ladder.escapes(position, "D7") is YES
    assert ladder.is_lost(position, "D7") is NO


@pytest.mark.parametrize("bystander", ["C4", "G8", "J5", "B2", "E9"])
def test_a_stone_off_the_way_does_not(bystander: str) -> None:
    position = drawn(START).set_stones(white=[bystander], to_move=WHITE)
    assert ladder.is_caught(position, "C7") is YES


def test_only_one_atari_catches() -> None:
    position = drawn(
        """
        . . . . . . . . .
        . . X X . . . . .
        . X O O . . . . .
        . . X . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        """,
        BLACK,
    )
    assert ladder.is_caught(position, "C7") is YES
    assert ladder.is_caught(position, "C7", WHITE) is NO  # White is to play and not in atari
    assert ladder.catches(position, "E7") is YES
    assert ladder.catches(position, "D6") is NO
    assert ladder.catching_moves(position, "C7") == [position.point("E7")]
    assert ladder.catches(position, "D6", WHITE) is NO  # White's play catches none of Black's strings


def test_taking_a_stone_of_the_ladder_escapes() -> None:
    position = drawn(
        """
        . . . . . . .
        . O X O . . .
        . X O X . . .
        . X . X . . .
        . . X . . . .
        . . . . . . .
        . . . . . . .
        """
    )
    assert ladder.is_caught(position, "C5") is NO
    assert ladder.escapes(position, "C7") is YES
    assert ladder.escapes(position, "C4") is NO
    position.set_stones(empty=["D6"], to_move=WHITE)  # now nothing can be taken
    assert ladder.is_caught(position, "C5") is YES


def test_taking_a_stone_is_no_escape_from_a_snapback() -> None:
    position = drawn(
        """
        . . . . . .
        . . . . . .
        . . . . . .
        . X X X X .
        X X O O O X
        O O O . . X
        """,
        BLACK,
    )
    assert sorted(ladder.catching_moves(position, "C1")) == [position.point("D1"), position.point("E1")]
    position.play("D1")
    assert ladder.escapes(position, "E1") is NO
    assert ladder.is_caught(position, "C1") is YES


def test_a_ko_is_the_defenders() -> None:
    """White's only help is to retake the ko: not now, but Black cannot count on it."""
    position = drawn(
        """
        . . . . . . .
        . X X X . . .
        X . O O X . .
        . X O . O X .
        . . X O X . .
        . . . O . . .
        . . . . . . .
        """,
        BLACK,
    )
    assert ladder.catches(position, "D4") is NO
    position.play("D4")
    assert position.ko == position.point("E4")
    assert ladder.is_caught(position, "C5") is NO
    assert ladder.escapes(position, "E4") is NO  # illegal for now
    assert ladder.is_lost(position, "B5", WHITE) is NO  # suicide is no move
    # The stone that took the ko is in atari, but may not be taken at once.
    assert ladder.is_caught(position, "D4", WHITE) is NO
    # With a threat played and answered, the ko is open again.
    position.play("G7").play("G1")
    assert ladder.escapes(position, "E4") is YES


def test_a_double_ko_is_death() -> None:
    """Black retakes one ko, and White takes the other: for ever."""
    position = drawn(
        """
        X . X X X . X
        O X X X X X O
        O O O O O O O
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        """
    )
    assert ladder.is_caught(position, "D6") is YES
    # With a stone of White's to take, there is more to life than the kos.
    position = drawn(
        """
        X . X X X . X
        O X X X X X O
        O O O X O O O
        . . X O X . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        """
    )
    assert ladder.is_caught(position, "D6") is NO


def test_long_ladders_on_a_full_board() -> None:
    position = Position(19).set_stones(black=["C17", "D17", "B16", "C15"], white=["C16"], to_move=WHITE)
    assert ladder.is_caught(position, "C16") is YES
    assert ladder.is_caught(position.copy().set_stones(white=["R2"], to_move=WHITE), "C16") is NO
    assert ladder.is_caught(position.copy().set_stones(white=["C3"], to_move=WHITE), "C16") is YES


def test_the_limit_is_an_answer_of_its_own() -> None:
    position = Position(19).set_stones(black=["C17", "D17", "B16", "C15"], white=["C16"], to_move=WHITE)
    assert ladder.is_caught(position, "C16", node_limit=20) is LIMIT
    assert ladder.may_escape(position, "C16", node_limit=20) is LIMIT
    assert ladder.escapes(position, "D16", node_limit=20) is LIMIT
    assert ladder.is_lost(position, "D16", node_limit=20) is LIMIT
    assert ladder.is_caught(position, "C16", node_limit=100) is YES
    with pytest.raises(ValueError, match="node limit"):
        bool(LIMIT)
    assert YES and not NO


def test_a_move_may_threaten_a_ladder() -> None:
    position = drawn(
        """
        . . . . . . . . .
        . . X X . . . . .
        . . O . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        """,
        BLACK,
    )
    assert ladder.is_caught(position, "C7") is NO
    assert ladder.catches(position, "B7") is NO
    assert ladder.threatens(position, "B7") is YES  # then C6 catches
    assert ladder.threatens(position, "D7") is NO  # White then runs to the left
    assert ladder.threatens(position, "J9") is NO


def test_questions_about_nothing_are_refused() -> None:
    position = drawn(START)
    with pytest.raises(ValueError, match="no stone"):
        ladder.is_caught(position, "J1")
    with pytest.raises(ValueError, match="no stone"):
        ladder.may_escape(position, "J1")
    with pytest.raises(ValueError, match="not a point"):
        ladder.catches(position, 81)
    with pytest.raises(ValueError, match="node limit"):
        ladder.catches(position, "D7", node_limit=-1)
    assert ladder.catches(position, "C7", BLACK) is NO  # an occupied point is no move


def stones_of(position: Position) -> dict[int, int]:
    return {i: int(c) for i, c in enumerate(position.stones().ravel()) if c}


@settings(max_examples=60, deadline=None)
@given(size=st.integers(2, 7), fullness=st.floats(0, 2.5), seed=st.integers(0, 2**32))
def test_every_answer_is_that_of_plain_search(size: int, fullness: float, seed: int) -> None:
    rng = random.Random(seed)
    position = Position(size)
    for _ in range(int(fullness * size**2)):
        moves = position.legal_moves
        position.play(rng.choice(moves[:-1] or moves))
    state = State(size, stones_of(position), position.ko)
    for color in Color:
        for point in range(size**2):
            on_point = ["catches", "escapes", "is_lost", "threatens"]
            questions = ["is_caught"] if point in state.board else on_point
            for question in questions:
                want = getattr(reference, question)(state, point, color)
                got = getattr(ladder, question)(position, point, color)
                assert got is Answer(int(want)), f"{question} {position.vertex(point)} {color}\n{position}"
