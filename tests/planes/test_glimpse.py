"""The sensor: what it sees around a point, at two scales, and what it does not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planes.test_encode import random_game

from tengen import Color, InputError, Position
from tengen.planes import encode, encoding
from tengen.planes.glimpse import ENCODING, FAR_PLANES, NEAR_PLANES, Sensor

NAMES = [plane.name for plane in encoding(ENCODING).planes]

BOARD = """
    . . . . . . .
    . X . . . . .
    . . O X . . .
    . . . O . . .
    . . . . . . .
    . . . . . X .
    . . . . . . .
"""


def at(*points: int) -> np.ndarray:
    return np.array(points, np.int32)


def near_plane(name: str) -> int:
    return NEAR_PLANES.index(NAMES.index(name))


def test_near_it_sees_the_planes_of_the_points_around() -> None:
    position = Position.from_text(BOARD, Color.BLACK)
    seen = Sensor(3, 1, 1).look([position], at(position.point("C5")))
    assert seen.near[0, near_plane("friend")].tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 0]]
    assert seen.near[0, near_plane("enemy")].tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert seen.playable[0].tolist() == [[False, True, True], [True, False, False], [True, True, False]]
    assert seen.on_board.all()


def test_the_view_is_that_of_the_side_to_move() -> None:
    black, white = (Position.from_text(BOARD, color) for color in (Color.BLACK, Color.WHITE))
    seen = Sensor().look([black, white], at(24, 24))
    friend, enemy = near_plane("friend"), near_plane("enemy")
    np.testing.assert_array_equal(seen.near[0, friend], seen.near[1, enemy])


def test_beyond_the_edge_everything_is_off_the_board() -> None:
    seen = Sensor(5, 3, 3).look([Position.from_text(BOARD)], at(0))
    off = seen.near[0, -1]
    assert off[:2].all() and off[:, :2].all() and not off[2:, 2:].any()
    assert not seen.near[0, :-1, :2].any() and not seen.near[0, :-1, :, :2].any()
    # Squares of three points around the corner: the middle one has four points on the board.
    assert (9 * seen.far[0, -1]).round().tolist() == [[9, 9, 9], [9, 5, 3], [9, 3, 0]]


def test_far_away_it_sees_means_over_squares() -> None:
    position = Position.from_text(BOARD, Color.BLACK)
    seen = Sensor(1, 3, 3).look([position], at(position.point("D4")))
    friend = FAR_PLANES.index(NAMES.index("friend"))
    # The squares of the second column and row have their middle at D4; X is at B6, D5 and F2.
    assert (9 * seen.far[0, friend]).round().astype(int).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    enemy = FAR_PLANES.index(NAMES.index("enemy"))
    assert (9 * seen.far[0, enemy]).round().astype(int).tolist() == [[0, 0, 0], [0, 2, 0], [0, 0, 0]]


def test_it_does_not_see_the_whole_board() -> None:
    """A lone stone outside of both windows changes nothing."""
    here = Position(19).play("D4")
    there = Position(19).set_stones(black=["D4", "R17"], to_move=here.to_move)
    plain = Position(19).set_stones(black=["D4"], to_move=here.to_move)
    point = at(here.point("D4"))
    for one, other in zip(Sensor().look([plain], point), Sensor().look([there], point), strict=True):
        np.testing.assert_array_equal(one, other)


@settings(max_examples=25, deadline=None)
@given(size=st.integers(2, 19), fullness=st.floats(0, 1.5), seed=st.integers(0, 2**32), data=st.data())
def test_both_windows_are_those_of_the_encoding(
    size: int, fullness: float, seed: int, data: st.DataObject
) -> None:
    """On any board, also one smaller than the window: the planes of the encoding, cut out and averaged."""
    position = random_game(size, int(fullness * size**2), seed)
    point = data.draw(st.integers(0, size**2 - 1))
    sensor = Sensor(7, 5, 3)
    seen = sensor.look([position], at(point))
    row, column = divmod(point, size)
    planes = np.pad(encode(ENCODING, [position])[0], ((0, 0), (7, 7), (7, 7)))
    off = np.pad(np.zeros((size, size), np.float32), 7, constant_values=1)
    whole = np.concatenate([planes, off[None]])[:, row : row + 15, column : column + 15]
    near = whole[[*NEAR_PLANES, -1]][:, 4:11, 4:11]
    far = whole[[*FAR_PLANES, -1]].reshape(-1, 5, 3, 5, 3).mean((2, 4))
    np.testing.assert_array_equal(seen.near[0], near)
    np.testing.assert_allclose(seen.far[0], far, atol=1e-6)


def test_threads_change_nothing() -> None:
    positions = [random_game(9, 5 * i, i) for i in range(12)]
    points = np.arange(12, dtype=np.int32)
    for one, other in zip(Sensor().look(positions, points), Sensor().look(positions, points, 3), strict=True):
        np.testing.assert_array_equal(one, other)


def test_what_cannot_be() -> None:
    with pytest.raises(InputError, match="near must be an odd number from 1 to 19, not 6"):
        Sensor(near=6)
    with pytest.raises(ValueError, match="directed at a point of the board"):
        Sensor().look([Position(5)], at(25))
    with pytest.raises(ValueError, match="one board size"):
        Sensor().look([Position(5), Position(9)], at(0, 0))
    with pytest.raises(ValueError, match="one point for each position"):
        Sensor().look([Position(5)], at(0, 1))
    assert Sensor().look([], at()).near.shape == (0, 40, 7, 7)
