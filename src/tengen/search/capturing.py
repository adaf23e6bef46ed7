"""Taking dead stones off the board, where they would count as alive or a client asks for it."""

from __future__ import annotations

from collections.abc import Iterable

from tengen.go.color import Color
from tengen.go.position import Position
from tengen.go.settle import Board, settle

# Points of area that a move may seem to cost: the noise of playouts.
NOISE = 1.0


def capturing_move(position: Position, dead: Iterable[int], ownership: Board | None) -> int:
    """A move towards capturing dead enemy stones; a pass if there are none, or if every such move costs points.

    `dead` are the points of all dead stones of either side; `ownership` is a net's, [size, size], or None. The string
    with the fewest liberties comes first, and moves that leave own stones in atari come last.
    """
    mover, stones = position.to_move, position.stones().ravel()
    ranked: dict[int, tuple[bool, int]] = {}
    for point in dead:
        if stones[point] == mover:
            continue
        liberties = position.liberty_points(point)
        for move in filter(position.is_legal, liberties):
            after = position.copy().play(move)
            is_atari = after.liberties(move) <= 1 and after.captured(mover.opponent) == position.captured(
                mover.opponent
            )
            rank = (is_atari, len(liberties))
            ranked[move] = min(rank, ranked.get(move, rank))
    if not ranked:
        return position.pass_
    sign = 1 if mover is Color.BLACK else -1
    least = sign * settle(position, ownership).margin - NOISE
    for move in sorted(ranked, key=lambda move: (ranked[move], move)):
        if sign * settle(position.copy().play(move), ownership).margin >= least:
            return move
    return position.pass_
