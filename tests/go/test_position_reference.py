"""The core against the slow, obvious reference, on random games under every rule."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import go_reference as plain
from reference.random_boards import board_of, boards, games, next_move, set_up

from tengen import Color, Position, Rules
from tengen.go.rules import HandicapBonus, Ko

Start = tuple[plain.Game, Position, random.Random]

SMALL = st.sampled_from([2, 2, 3, 3, 4, 5])
MIDDLE = st.integers(6, 9)
LARGE = st.sampled_from([13, 19])


def assert_same(reference: plain.Game, position: Position) -> None:
    """Stones, prisoners, ko, turn, and for both colours what may be played and why not."""
    size = reference.size
    assert board_of(position) == reference.board
    assert {c: position.captured(c) for c in Color} == reference.captured[-1]
    assert position.ko == reference.ko_point()
    assert position.to_move == reference.next[-1]
    for color in Color:
        expected = [reference.refusal(p, color) for p in range(size**2)]
        assert position.legal(color) == [*(p for p, why in enumerate(expected) if why is None), size**2]
        assert [expected[p] in (position.refusal(p, color) or [None]) for p in range(size**2)] == [
            True
        ] * size**2


def assert_same_strings(reference: plain.Game, position: Position) -> None:
    size = reference.size
    for p in range(size**2):
        if p in reference.board:
            string = plain.string_at(reference.board, p, size)
            assert set(position.string(p)) == string
            assert len(position.string(p)) == len(string)
            assert position.liberties(p) == len(plain.liberties(reference.board, string, size))
        else:
            assert position.string(p) == [] and position.liberties(p) == 0


def play_on(start: Start, moves: int, every: int) -> None:
    """Plays random moves on both, and compares after each `every` of them; then takes them back."""
    reference, position, rng = start
    assert_same(reference, position)
    seen = []
    for n in range(moves):
        color, point = next_move(reference, rng)
        seen.append((position.hash, board_of(position), position.to_move))
        reference.play(point, color)
        position.play_as(color, point)
        if n % every == every - 1:
            assert_same(reference, position)
            assert_same_strings(reference, position)
    while reference.moves:
        color = reference.moves[-1][0]
        reference.undo()
        assert position.undo()
        stones_hash, board, _ = seen.pop()
        assert position.hash == stones_hash and board_of(position) == board
        # Who played the move that is taken back may play it again.
        assert position.to_move == color
        if len(seen) % every == 0:
            position.to_move = Color(reference.next[-1])
            assert_same(reference, position)
    assert not position.undo()


@given(games(SMALL))
@settings(max_examples=120, deadline=None)
def test_small_boards_where_ko_and_superko_are_common(start: Start) -> None:
    play_on(start, moves=40, every=1)


@given(games(MIDDLE))
@settings(max_examples=10, deadline=None)
def test_middle_boards(start: Start) -> None:
    play_on(start, moves=30, every=6)


@given(games(LARGE))
@settings(max_examples=4, deadline=None)
def test_large_boards(start: Start) -> None:
    play_on(start, moves=6, every=6)


def test_a_ko_is_barred_for_the_side_that_lost_the_stone_only() -> None:
    position = Position.from_text(
        """
        . X O .
        X O . O
        . X O .
        . . . .
        """
    )
    position.play("C3")
    assert not position.is_legal("B3", Color.WHITE)
    assert position.is_legal("B3", Color.BLACK)
    position.play_as(Color.BLACK, "B3")
    assert position.liberties("B3") == 3


def test_situational_superko_remembers_who_was_to_move_at_the_start() -> None:
    position = Position(2, Rules(ko=Ko.SITUATIONAL, suicide=True))
    position.to_move = Color.WHITE
    for vertex in ("A1", "B1", "A2"):
        position.play(vertex).play("pass")
    # All four stones die and the board is empty again, but now Black is to move.
    assert position.is_legal("B2")


@given(boards(st.integers(2, 9)), st.integers(0, 7))
@settings(max_examples=150, deadline=None)
def test_a_symmetry_carries_the_hash_with_the_stones(start: tuple[int, plain.Board], symmetry: int) -> None:
    size, board = start
    position = set_up(size, board, Rules())
    turned_board = {plain.transformed(p, size, symmetry): c for p, c in board.items()}
    turned = set_up(size, turned_board, Rules())
    assert position.symmetric_hash(symmetry) == turned.hash
    assert position.canonical_hash == turned.canonical_hash
    assert position.canonical_hash == min(position.symmetric_hash(s) for s in range(8))
    assert position.symmetric_hash(0) == position.hash


@pytest.mark.parametrize("size", [2, 3, 5])
def test_equal_hashes_are_equal_stones(size: int) -> None:
    rng = random.Random(size)
    boards_by_hash: dict[int, plain.Board] = {}
    hashes_by_board: dict[frozenset[tuple[int, int]], int] = {}
    for _ in range(60):
        position = Position(size, Rules(suicide=True))
        for _ in range(60):
            position.play(rng.choice(position.legal_moves))
            board = board_of(position)
            assert boards_by_hash.setdefault(position.hash, board) == board
            assert hashes_by_board.setdefault(frozenset(board.items()), position.hash) == position.hash
    assert len(boards_by_hash) > (40 if size == 2 else 500)


@given(boards(st.integers(2, 9)), boards(st.integers(2, 9)), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_a_setup_changes_what_it_names_and_starts_anew(
    start: tuple[int, plain.Board], other: tuple[int, plain.Board], rng: random.Random
) -> None:
    size, board = start
    position = set_up(size, board, Rules())
    position.play(rng.choice(position.legal_moves))
    before = board_of(position)
    changes = {p: other[1].get(p, 0) for p in rng.sample(range(size**2), rng.randint(0, size**2))}
    wanted = {p: c for p, c in {**before, **changes}.items() if c}
    lists = [[p for p, c in changes.items() if c == color] for color in (1, 2, 0)]
    strings = [s for c in (1, 2) for s in plain.strings(wanted, c, size)]
    if all(plain.liberties(wanted, s, size) for s in strings):
        position.set_stones(*lists, to_move=Color.WHITE)
        assert position.move_number == 0 and not position.undo()
        assert_same(
            plain.Game(size, "simple", False, wanted, Color.WHITE), position_without_prisoners(position)
        )
        assert position.hash == set_up(size, wanted, Rules()).hash
    else:
        with pytest.raises(ValueError, match="without liberties"):
            position.set_stones(*lists)
        assert board_of(position) == before and position.move_number == 1


def position_without_prisoners(position: Position) -> Position:
    """The same stones and turn on a new board; what a setup does to prisoners is not the matter here."""
    return set_up(position.size, board_of(position), position.rules, position.to_move)


@given(
    st.sets(st.integers(0, 24), max_size=6),
    st.booleans(),
    st.lists(st.tuples(st.sampled_from(list(Color)), st.integers(0, 25)), max_size=8),
    st.sampled_from(list(HandicapBonus)),
)
@settings(deadline=None)
def test_the_handicap_is_blacks_stones_before_whites_first(
    setup: set[int], white_stone: bool, moves: list[tuple[Color, int]], bonus: HandicapBonus
) -> None:
    board = dict.fromkeys(setup, 1)
    if white_stone:
        board[0] = 2
    if not all(plain.liberties(board, s, 5) for c in (1, 2) for s in plain.strings(board, c, 5)):
        return
    position = set_up(5, board, Rules(handicap_bonus=bonus))
    played = []
    for color, point in moves:
        if position.is_legal(point, color):
            position.play_as(color, point)
            played.append((int(color), point))
    stones = plain.handicap_stones(board, played, 5)
    assert position.handicap_stones == stones
    expected = {
        HandicapBonus.NONE: 0,
        HandicapBonus.STONES: stones,
        HandicapBonus.STONES_LESS_ONE: stones - 1,
    }
    assert position.handicap_bonus == (expected[bonus] if stones else 0)
