"""Boards as text and as SVG."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tengen.go.drawing import parse_text, star_points, svg_board, text_board


def test_star_points_are_where_players_expect_them() -> None:
    def vertices(size: int) -> list[tuple[int, int]]:
        return sorted((p % size + 1, p // size + 1) for p in star_points(size))

    assert vertices(9) == [(3, 3), (3, 7), (5, 5), (7, 3), (7, 7)]
    assert vertices(13) == [(4, 4), (4, 10), (7, 7), (10, 4), (10, 10)]
    assert len(vertices(19)) == 9 and (4, 10) in vertices(19)
    assert vertices(8) == [(3, 3), (3, 6), (6, 3), (6, 6)]
    assert vertices(5) == []


def test_the_last_move_is_in_brackets_anywhere_on_the_board() -> None:
    stones = np.zeros((3, 3), dtype=np.uint8)
    for last in range(9):
        drawn = text_board(stones, last)
        assert drawn.count("(") == drawn.count(")") == 1
        assert "(.)" in drawn


@pytest.mark.parametrize("diagram", ["", ". .\n.", "X O X", "hello"])
def test_what_is_no_square_board_is_refused(diagram: str) -> None:
    with pytest.raises(ValueError, match="not a square board"):
        parse_text(diagram)


def test_letters_on_a_large_board_are_legible_on_a_telephone() -> None:
    """At 360 pixels for the board: letters of 9 pixels at least, and no lines behind a label."""
    drawn = svg_board(np.zeros((19, 19), dtype=np.uint8), marks={60: "A"})
    side = int(re.search(r'viewBox="0 0 (\d+)', drawn)[1])  # type: ignore[index]
    heights = [int(height) for height in re.findall(r'font-size="(\d+)"', drawn)]
    assert len(heights) == 2 and min(heights) * 360 / side >= 9
    assert 'r="11" fill="#e3b96b"/>' in drawn


def test_labels_in_svg_are_escaped() -> None:
    assert "&lt;b&gt;&amp;" in svg_board(np.zeros((2, 2), dtype=np.uint8), marks={0: "<b>&"})
