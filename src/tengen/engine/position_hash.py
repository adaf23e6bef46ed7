"""Names of positions that programs compare: the same stones, side to move and ko give the same name everywhere."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from tengen import _native
from tengen.go.position import Position


def position_hashes(position: Position) -> tuple[str, str]:
    """The name of the position, and that which all its symmetries have: 32 hexadecimal digits each.

    Stones, side to move and the point barred by ko count; history, superko, rules and komi do not.

    >>> one, other = position_hashes(Position(9).play("C3")), position_hashes(Position(9).play("G7"))
    >>> one[0] == other[0], one[1] == other[1]
    (False, True)
    """
    names = [_name(position, symmetry) for symmetry in range(8)]
    return names[0], min(names)


def _name(position: Position, symmetry: int) -> str:
    size = position.size
    carried = [_native.transform_point(point, size, symmetry) for point in range(size * size)]
    board = np.zeros(size * size, np.uint8)
    board[carried] = position.stones().ravel()
    ko = -1 if position.ko is None else carried[position.ko]
    text = f"{size} {position.to_move.letter} {ko} "
    return blake2b(text.encode() + board.tobytes(), digest_size=16).hexdigest().upper()
