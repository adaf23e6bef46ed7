"""Playouts: the rules they keep, and the statistics over them."""

from __future__ import annotations

import numpy as np
import pytest

from tengen import Color, Position
from tengen.go.playouts import playout_moves, playout_statistics


@pytest.mark.parametrize("size", [2, 3, 5, 9, 19])
def test_playouts_end_with_two_passes_within_the_cap(size: int) -> None:
    position = Position(size)
    for index in range(20):
        moves = playout_moves(position, index=index)
        assert moves[-2:] == [size * size] * 2 or len(moves) == 3 * size * size
