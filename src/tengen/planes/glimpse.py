"""Glimpses: what an agent sees that looks at a part of the board only (DANN paper, Figure 3).

The sensor is directed at a point and sees two scales around it: `near` x `near` points with nearly all planes of DANN's
encoding, and `cells` x `cells` squares of `cell` x `cell` points with the mean of a few planes. It does not see what
lies farther away. On a board that is smaller than that, the points beyond the edge are off the board and marked so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen import _native
from tengen.errors import InputError
from tengen.go.position import Position
from tengen.planes.encode import Float32, Int32
from tengen.planes.encoding import encoding

ENCODING = "dann41"
_ALL = encoding(ENCODING)
# The near planes: all but two that are the same everywhere. The view is that of the side to move, whatever its colour.
NEAR_PLANES = tuple(i for i, plane in enumerate(_ALL.planes) if plane.name not in ("black", "zeros"))
FAR_PLANES = tuple(map(_ALL.index, ("friend", "enemy", "empty", *(f"liberties {n}" for n in range(1, 5)))))
_PLAYABLE = NEAR_PLANES.index(_ALL.index("sensible"))
_OFF = -1  # the last plane of both


class Glimpses(NamedTuple):
    """What was seen, float32: near [n, planes, near, near], far [n, planes, cells, cells]; off the board is last."""

    near: Float32
    far: Float32

    @property
    def playable(self) -> npt.NDArray[np.bool_]:
        """[n, near, near]: legal moves that do not fill an own eye."""
        return self.near[:, _PLAYABLE] > 0

    @property
    def on_board(self) -> npt.NDArray[np.bool_]:
        """[n, near, near]"""
        inside: npt.NDArray[np.bool_] = self.near[:, _OFF] == 0
        return inside


@dataclass(frozen=True)
class Sensor:
    """Odd numbers: the sides of the near window in points, of the far one in squares, and of a square in points."""

    near: int = 7
    cells: int = 5
    cell: int = 3

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value < 1 or value % 2 == 0 or value > 19:
                raise InputError(f"a sensor's {name} must be an odd number from 1 to 19, not {value}")

    @property
    def planes(self) -> tuple[int, int]:
        """Of the near and of the far window."""
        return len(NEAR_PLANES) + 1, len(FAR_PLANES) + 1

    def look(self, positions: Sequence[Position], points: Int32, threads: int = 1) -> Glimpses:
        """What is to be seen around `points` int32 [n] of positions of one size, in the view of who is to move.

        >>> seen = Sensor().look([Position(9), Position(9)], np.array([0, 40], np.int32))
        >>> seen.near.shape, seen.far.shape, int(seen.on_board[0].sum())
        ((2, 40, 7, 7), (2, 8, 5, 5), 16)
        """
        return Glimpses(
            *_native.glimpses(
                ENCODING,
                positions,
                np.ascontiguousarray(points, np.int32),
                np.array(NEAR_PLANES, np.uint8),
                np.array(FAR_PLANES, np.uint8),
                self.near,
                self.cells,
                self.cell,
                threads,
            )
        )
