"""Replaying stored games inside the core."""

from __future__ import annotations

import numpy as np
import pytest

from tengen import Position, Rules, _native
from tengen.go.playouts import playout_moves

WHITE = 0x8000
CHINESE = Rules.named("chinese").native()


def packed(points: list[int]) -> list[int]:
    return [p | (WHITE if i % 2 else 0) for i, p in enumerate(points)]


def replay(games: list[list[int]], size: int, checked: bool = True) -> list[int]:
    offsets = np.cumsum([0, *map(len, games)]).astype(np.int64)
    moves = np.array([m for game in games for m in game], np.uint16)
    return list(_native.replay(moves, offsets, size, CHINESE, checked))


@pytest.mark.parametrize("checked", [True, False])
def test_all_moves_of_legal_games_are_played(checked: bool) -> None:
    games = [packed(playout_moves(Position(9), index=i)) for i in range(20)]
    assert replay([*games, []], 9, checked) == [*map(len, games), 0]


def test_a_game_is_played_up_to_its_first_illegal_move() -> None:
    good = packed([0, 1, 2])
    assert replay([good, packed([0, 1, 1, 5]), good], 3) == [3, 2, 3]


def test_bad_input_is_named() -> None:
    moves = np.array([0, 1 | WHITE], np.uint16)
    for offsets in ([0, 3], [-1, 2], [2, 1]):
        with pytest.raises(ValueError, match="offsets"):
            _native.replay(moves, np.array(offsets, np.int64), 9, CHINESE, True)
    with pytest.raises(IndexError, match="82 is not on a 9x9 board"):
        replay([[82]], 9)
