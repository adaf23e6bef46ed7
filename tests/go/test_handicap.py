"""Handicap stones; the fixed table is compared with GNU Go's in test_position_gnugo."""

from __future__ import annotations

import pytest

from tengen import Color, Position
from tengen.go.handicap import fixed_handicap, free_handicap, max_fixed_handicap


def test_the_order_is_that_of_the_gtp_specification() -> None:
    board = Position(19)
    assert [board.vertex(p) for p in fixed_handicap(19, 9)] == [
        "D4",
        "Q16",
        "D16",
        "Q4",
        "D10",
        "Q10",
        "K4",
        "K16",
        "K10",
    ]
    assert [board.vertex(p) for p in fixed_handicap(19, 5)] == ["D4", "Q16", "D16", "Q4", "K10"]


def test_stones_lie_on_the_third_line_below_13_and_on_the_fourth_from_there() -> None:
    assert [Position(12).vertex(p) for p in fixed_handicap(12, 2)] == ["C3", "K10"]
    assert [Position(13).vertex(p) for p in fixed_handicap(13, 2)] == ["D4", "K10"]


@pytest.mark.parametrize(("size", "stones"), [(6, 2), (7, 5), (8, 5), (9, 1), (19, 10), (19, 0), (19, -3)])
def test_what_the_table_does_not_have_is_refused(size: int, stones: int) -> None:
    with pytest.raises(ValueError, match="no fixed handicap"):
        fixed_handicap(size, stones)


@pytest.mark.parametrize("size", range(2, 20))
def test_a_free_handicap_of_any_number_can_be_set_up(size: int) -> None:
    for stones in {2, 3, 4, 5, 9, 13, 25, size * size - 1}:
        if not 2 <= stones < size * size:
            continue
        points = free_handicap(size, stones)
        assert len(set(points)) == len(points) == stones
        position = Position(size).set_stones(black=points, to_move=Color.WHITE)
        assert position.handicap_stones == stones
        if stones <= max_fixed_handicap(size):
            assert points == fixed_handicap(size, stones)
    for stones in (0, 1, size * size):
        with pytest.raises(ValueError, match="a free handicap"):
            free_handicap(size, stones)


def test_further_stones_keep_off_the_edge_and_each_other() -> None:
    size = 19
    points = free_handicap(size, 17)
    for p in points[9:]:
        assert 2 <= p % size <= 16 and 2 <= p // size <= 16
        assert all((p % size - q % size) ** 2 + (p // size - q // size) ** 2 >= 9 for q in points if q != p)
