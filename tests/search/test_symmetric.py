"""Moves that the symmetry of a position makes equal."""

from __future__ import annotations

import numpy as np
import pytest

from tengen import Color, Game, Position
from tengen.go.game import Move
from tengen.nets.fake import FakeEvaluator
from tengen.search.player import Limit, Question, last_report
from tengen.search.puct import PuctPlayer
from tengen.search.symmetric import copies_of_moves, own_symmetries

FLAT = np.zeros(26, np.float32)


def played(*vertices: str, size: int = 5) -> Position:
    position = Position(size)
    for vertex in vertices:
        position.play(vertex)
    return position


def game(*vertices: str) -> Game:
    record = Game(size=5)
    for number, vertex in enumerate(vertices):
        record.moves.append(Move((Color.BLACK, Color.WHITE)[number % 2], Position(5).point(vertex)))
    return record


@pytest.mark.parametrize(
    ("position", "count"),
    [
        (played(), 8),
        (played("C3"), 8),
        (played("C3", "B2"), 2),  # both on one diagonal
        (played("C3", "B3"), 2),
        (played("B3", "D3"), 2),
        (played("B3", "C4"), 1),
        (played("C3", "pass"), 8),
        (Position(5).set_stones(["B2", "D4"], to_move=Color.WHITE), 4),  # stones of a handicap have no order
        (played("B2", "A1", "D4", "E5"), 2),  # the record is symmetric about the diagonal, not by a half turn
    ],
)
def test_symmetries_of_stones_and_record(position: Position, count: int) -> None:
    assert len(own_symmetries(position)) == count


def test_of_equal_moves_the_likeliest_is_searched() -> None:
    policy = FLAT.copy()
    corner = Position(5).point("E1")
    policy[corner] = 0.5
    copies = copies_of_moves(played(), (), lambda: policy)
    assert {move for move, (first, _) in copies.items() if first == corner} == {0, 4, 20}
    assert len(copies) == 25 - 6  # six points of an octant
    banned = copies_of_moves(played(), (corner,), lambda: policy)
    assert corner not in banned and all(first != corner for first, _ in banned.values())
    assert copies_of_moves(played("B3", "C4"), (), lambda: pytest.fail("nothing is equal")) == {}


def test_a_search_spends_its_visits_on_different_moves() -> None:
    question = Question(Limit(visits=100), merge_symmetric=True, moves_ownership=True)
    root = last_report(PuctPlayer(FakeEvaluator()), game("C3"), question)
    searched = [c for c in root.candidates if c.symmetry_of is None]
    assert sum(c.visits for c in searched) == 99
    by_move = {c.move: c for c in root.candidates}
    for copy in root.candidates:
        if copy.symmetry_of is None:
            continue
        original = by_move[copy.symmetry_of]
        assert (copy.visits, copy.win_rate, copy.prior) == (
            original.visits,
            original.win_rate,
            original.prior,
        )
        assert copy.owned is not None and original.owned is not None
        assert copy.owned.mean.ravel()[copy.move] == original.owned.mean.ravel()[original.move]
        played_on, turned = (game("C3").position() for _ in range(2))
        for one, other in zip(original.variation, copy.variation, strict=True):
            played_on.play(one)
            turned.play(other)
        assert played_on.canonical_hash == turned.canonical_hash


def test_an_answer_that_is_barred_makes_moves_differ() -> None:
    question = Question(Limit(visits=60), merge_symmetric=True, banned={Color.WHITE: {3: 2}})
    root = last_report(PuctPlayer(FakeEvaluator()), game(), question)
    assert all(c.symmetry_of is None for c in root.candidates)
