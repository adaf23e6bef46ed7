"""Positions, or moves of stored games, to the arrays that nets take.

Planes are float32 `[batch, planes, size, size]`, the top row first, always in the view of the side to move.
Each position is seen through a symmetry of its own, 0 to 7: bit 0 flips y, bit 1 flips x, bit 2 then swaps
x and y. What each plane holds: `docs/encodings.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen import _native
from tengen.errors import InputError
from tengen.games.records import Records
from tengen.go.position import Position
from tengen.planes.encoding import Encoding, encoding

Float32 = npt.NDArray[np.float32]
Int32 = npt.NDArray[np.int32]


class Inputs(NamedTuple):
    """What a net takes: planes `[batch, planes, size, size]`, globals `[batch, globals]`, both float32."""

    planes: Float32
    globals: Float32


class Examples(NamedTuple):
    """Inputs with what was played there: targets int32 `[batch]`, the point after the symmetry, `size * size`
    for a pass, -1 at the end of a record."""

    planes: Float32
    globals: Float32
    targets: Int32


def encode(
    name: str | Encoding,
    positions: Sequence[Position],
    symmetries: Sequence[int] | npt.NDArray[np.integer] | None = None,
    threads: int = 1,
) -> Float32:
    """The planes of positions of one board size.

    >>> encode("golois39", [Position(9), Position(9)], symmetries=[0, 5]).shape
    (2, 39, 9, 9)
    """
    return encode_inputs(name, positions, symmetries, threads).planes


def encode_inputs(
    name: str | Encoding,
    positions: Sequence[Position],
    symmetries: Sequence[int] | npt.NDArray[np.integer] | None = None,
    threads: int = 1,
) -> Inputs:
    """The planes and the values of the whole position, for nets that take both.

    >>> inputs = encode_inputs("katago7", [Position(9, "japanese")])
    >>> inputs.planes.shape, inputs.globals.shape, float(inputs.globals[0, 9])
    ((1, 22, 9, 9), (1, 19), 1.0)
    """
    chosen = _encoding(name)
    inputs = _empty(chosen, len(positions), positions[0].size if positions else 0)
    try:
        _native.encode_positions(
            chosen.name, positions, _symmetries(symmetries, len(positions)), threads, *inputs
        )
    except ValueError as error:
        raise InputError(str(error)) from None
    return inputs


def encode_records(
    name: str | Encoding,
    records: Records,
    games: Sequence[int] | npt.NDArray[np.integer],
    moves: Sequence[int] | npt.NDArray[np.integer],
    symmetries: Sequence[int] | npt.NDArray[np.integer] | None = None,
    threads: int = 1,
) -> Examples:
    """Example k is game `games[k]` after its first `moves[k]` moves, with the move that followed.

    All games must have one board size. Examples of one game are cheapest in the order of their moves.
    InputError names the game whose record cannot be replayed.
    """
    chosen = _encoding(name)
    which = np.ascontiguousarray(games, np.int64)
    if len(which) and not 0 <= which[0] < len(records):
        raise InputError(f"there is no game {which[0]} in the records")
    examples = Examples(
        *_empty(chosen, len(which), int(records.sizes[which[0]]) if len(which) else 0),
        np.empty(len(which), np.int32),
    )
    try:
        _native.encode_records(
            chosen.name,
            np.ascontiguousarray(records.sizes, np.uint8),
            np.ascontiguousarray(records.moves_flat, np.uint16),
            np.ascontiguousarray(records.move_offsets, np.int64),
            np.ascontiguousarray(records.setup_flat, np.uint16),
            np.ascontiguousarray(records.setup_offsets, np.int64),
            np.ascontiguousarray(records.komi, np.float32),
            np.ascontiguousarray(records.first_to_move, np.uint8),
            np.ascontiguousarray(records.rules, np.uint8),
            [rules.native() for rules in records.rules_table],
            which,
            np.ascontiguousarray(moves, np.int32),
            _symmetries(symmetries, len(which)),
            threads,
            *examples,
        )
    except ValueError as error:
        raise InputError(str(error)) from None
    return examples


def _encoding(name: str | Encoding) -> Encoding:
    return encoding(name) if isinstance(name, str) else name


def _empty(chosen: Encoding, count: int, size: int) -> Inputs:
    return Inputs(
        np.empty((count, len(chosen.planes), size, size), np.float32),
        np.empty((count, len(chosen.globals)), np.float32),
    )


def _symmetries(
    symmetries: Sequence[int] | npt.NDArray[np.integer] | None, count: int
) -> npt.NDArray[np.uint8]:
    if symmetries is None:
        return np.zeros(count, np.uint8)
    given = np.asarray(symmetries)
    if given.size and (given.min() < 0 or given.max() > 7):
        raise InputError("a symmetry is a number from 0 to 7")
    return np.ascontiguousarray(given, np.uint8)
