"""Taking moves back: whatever is asked of the position, it is as it was."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from tengen import Color, Position, Rules
from tengen.go.playouts import playout_moves
from tengen.go.rules import Ko


def everything(position: Position) -> list[object]:
    points = range(position.size**2)
    return [
        position.stones().tolist(),
        position.moves().tolist(),
        position.to_move,
        position.passes,
        position.ko,
        position.hash,
        [position.captured(c) for c in Color],
        [position.legal(c) for c in Color],
        [position.liberties(p) for p in points],
        [sorted(position.string(p)) for p in points],
    ]


@settings(max_examples=60, deadline=None)
@given(
    size=st.integers(2, 7),
    ko=st.sampled_from(list(Ko)),
    suicide=st.booleans(),
    length=st.integers(1, 80),
    back=st.integers(1, 30),
    seed=st.integers(0, 2**32),
)
def test_undo_brings_every_earlier_position_back(
    size: int, ko: Ko, suicide: bool, length: int, back: int, seed: int
) -> None:
    rng = random.Random(seed)
    position = Position(size, Rules(ko=ko, suicide=suicide))
    earlier = [everything(position)]
    for _ in range(length):
        color = position.to_move if rng.random() < 0.9 else rng.choice(list(Color))
        position.to_move = color
        earlier[-1] = everything(position)
        position.play(rng.choice(position.legal(color)))
        earlier.append(everything(position))
    for _ in range(min(back, length)):
        assert position.undo()
        earlier.pop()
        assert everything(position) == earlier[-1]
    # Going on from there is as good as never having gone further, for playouts too, which draw empty points.
    again = Position(size, position.rules)
    for move in position.moves():
        again.play_as(2 if move & 0x8000 else 1, int(move) & 0x3FFF)
    again.to_move = position.to_move
    assert everything(again) == everything(position)
    points = [p for p in playout_moves(position, index=1) if p != size**2]
    assert all(0 <= p < size**2 for p in points)


def test_nothing_to_take_back() -> None:
    position = Position(9).play("E5")
    assert position.undo()
    assert not position.undo()
    assert position.move_number == 0
