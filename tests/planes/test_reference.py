"""Every plane against a slow encoder that plays each move, over random games on small boards."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import planes_reference as reference
from reference.ladder_reference import State
from reference.planes_reference import Planes, Scene

from tengen import Color, Position
from tengen.planes import encode, encoding

ENCODERS = {
    "golois39": reference.golois39,
    "alphago48": reference.alphago,
    "cgi49": reference.alphago,
    "cgi50": reference.alphago,
    "dann41": lambda scene: reference.alphago(scene, turns=6, liberties=4, after=6),
}


def scene_of(position: Position) -> Scene:
    board = {i: int(c) for i, c in enumerate(position.stones().ravel()) if c}
    points = [int(m) & 0x7FFF for m in position.moves()]
    last = [p if p < position.size**2 else None for p in reversed(points)]
    return Scene(State(position.size, board, position.ko), position.side, last)


def assert_planes(name: str, position: Position, want: Planes) -> None:
    got = encode(name, [position])[0]
    size = position.size
    for plane, channel in zip(got, encoding(name).planes, strict=True):
        expected = np.zeros(size * size, np.float32)
        expected[list(want.get(channel.name, ()))] = 1
        message = f"{name}: {channel.name}, {position.to_move} to move\n{position}"
        np.testing.assert_array_equal(plane, expected.reshape(size, size), message)


def random_position(size: int, length: int, seed: int) -> Position:
    rng = random.Random(seed)
    position = Position(size)
    position.to_move = rng.choice(list(Color))
    for _ in range(length):
        moves = position.legal_moves
        position.play(rng.choice(moves[:-1] or moves) if rng.random() < 0.95 else position.pass_)
    return position


@pytest.mark.parametrize("name", ENCODERS)
@settings(max_examples=30, deadline=None)
@given(size=st.integers(2, 7), fullness=st.floats(0, 2.5), seed=st.integers(0, 2**32))
def test_planes_are_those_of_the_slow_encoder(name: str, size: int, fullness: float, seed: int) -> None:
    position = random_position(size, int(fullness * size**2), seed)
    assert_planes(name, position, ENCODERS[name](scene_of(position)))


def test_the_random_positions_set_every_plane() -> None:
    """Otherwise the comparison would say little."""
    for name in ENCODERS:
        used = np.zeros(len(encoding(name)), bool)
        for size in (4, 7):
            positions = [random_position(size, seed % 120, seed) for seed in range(240)]
            used |= encode(name, positions).any(axis=(0, 2, 3))
        unused = [c.name for c, u in zip(encoding(name).planes, used, strict=True) if not u]
        assert unused in ([], ["zeros"])
