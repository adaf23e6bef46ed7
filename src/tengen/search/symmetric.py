"""Moves that the symmetry of a position makes equal: one is searched, the others are its copies.

A symmetry counts only if it carries the whole record to itself, not the stones alone, because nets see the last moves
and superko depends on all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

import numpy as np

from tengen import _native
from tengen.go.game import WHITE_BIT
from tengen.go.position import Position
from tengen.nets.evaluation import Floats
from tengen.search.owners import Boards, Owned
from tengen.search.player import Candidate


def own_symmetries(position: Position) -> list[int]:
    """The symmetries, as of `transform_point`, that leave the position and its record as they are; 0 is always one."""
    size = position.size
    points = {int(move) & ~WHITE_BIT for move in position.moves()}
    return [
        s
        for s in range(8)
        if position.symmetric_hash(s) == position.hash
        and all(_native.transform_point(point, size, s) == point for point in points)
    ]


def copies_of_moves(
    position: Position, banned: Collection[int], policy: Callable[[], Floats]
) -> dict[int, tuple[int, int]]:
    """The moves that need no search: move -> (the one searched in its place, the symmetry that carries that one here).

    Banned moves are neither. Of equal moves that with the highest chance in the policy is searched; the policy is asked
    for only where moves are equal.
    """
    symmetries, size = own_symmetries(position), position.size
    copies: dict[int, tuple[int, int]] = {}
    if len(symmetries) == 1:
        return copies
    for point in np.argsort(-policy()[:-1], kind="stable").tolist():
        if point in copies or point in banned:
            continue
        for s in symmetries:
            other = _native.transform_point(point, size, s)
            if other != point and other not in banned:
                copies.setdefault(other, (point, s))
    return copies


def copy_of(candidate: Candidate, move: int, symmetry: int, size: int) -> Candidate:
    """The candidate as the symmetry carries it to another move."""

    def carried(board: Boards) -> Boards:
        board = board[::-1] if symmetry & 1 else board
        board = board[:, ::-1] if symmetry & 2 else board
        return np.ascontiguousarray(board.T if symmetry & 4 else board)

    owned = candidate.owned
    return replace(
        candidate,
        move=move,
        symmetry_of=candidate.move,
        variation=tuple(_native.transform_point(m, size, symmetry) for m in candidate.variation),
        owned=None if owned is None else Owned(carried(owned.mean), carried(owned.deviation)),
    )
