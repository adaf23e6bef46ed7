"""Ladder reading: can a string be kept in atari until it is taken?

Every question takes a node limit (moves played while reading) and has one of three answers:

>>> from tengen import Color, Position
>>> position = Position.from_text('''
...     . . . . . .
...     . X X . . .
...     X O O . . .
...     . X . . . .
...     . . . . . .
...     . . . . . .
... ''')
>>> catches(position, "D4"), catches(position, "C3")
(<Answer.YES: 1>, <Answer.NO: 0>)
>>> is_caught(position, "B4"), is_caught(position, "B4", Color.WHITE)
(<Answer.YES: 1>, <Answer.NO: 0>)
>>> is_caught(position, "B4", node_limit=3)
<Answer.LIMIT: 2>

The rules of the search (who may play what, and what a ko means) are in `native/ladder.hpp`.
"""

from __future__ import annotations

import enum

from tengen import _native
from tengen.go.color import Color
from tengen.go.position import Position

NODE_LIMIT: int = _native.LADDER_NODES


class Answer(enum.Enum):
    """Yes, no, or no answer within the node limit; only the first two can be taken for a bool."""

    NO = 0
    YES = 1
    LIMIT = 2

    def __bool__(self) -> bool:
        if self is Answer.LIMIT:
            raise ValueError("the ladder was not read to its end: the node limit was met")
        return self is Answer.YES


def is_caught(
    position: Position, vertex: int | str, first: Color | None = None, node_limit: int = NODE_LIMIT
) -> Answer:
    """Is the string at `vertex` caught, `first` (by default the side to move) playing first?

    Its owner first: it is in atari and no move saves it. The enemy first: it is in atari, or an atari that he
    can give catches it.
    """
    return Answer(
        _native.ladder_is_caught(position, position.point(vertex), first or position.to_move, node_limit)
    )


def may_escape(position: Position, vertex: int | str, node_limit: int = NODE_LIMIT) -> Answer:
    """Can the string at `vertex` get away, its owner playing first?"""
    return Answer(_native.ladder_may_escape(position, position.point(vertex), node_limit))


def catches(
    position: Position, vertex: int | str, color: Color | None = None, node_limit: int = NODE_LIMIT
) -> Answer:
    """Does a play at `vertex` put an enemy string in an atari from which it is caught?"""
    return Answer(
        _native.ladder_catches(position, position.point(vertex), color or position.to_move, node_limit)
    )


def escapes(
    position: Position, vertex: int | str, color: Color | None = None, node_limit: int = NODE_LIMIT
) -> Answer:
    """Does a play at `vertex` save a string of its own from atari for good?"""
    return Answer(
        _native.ladder_escapes(position, position.point(vertex), color or position.to_move, node_limit)
    )


def is_lost(
    position: Position, vertex: int | str, color: Color | None = None, node_limit: int = NODE_LIMIT
) -> Answer:
    """Is the string that a play at `vertex` makes caught by the enemy's next move?"""
    return Answer(
        _native.ladder_is_lost(position, position.point(vertex), color or position.to_move, node_limit)
    )


def threatens(
    position: Position, vertex: int | str, color: Color | None = None, node_limit: int = NODE_LIMIT
) -> Answer:
    """Is an enemy string beside a play at `vertex` caught after it?

    One left in atari must be caught even if its owner plays next, one left with two liberties if he does not.
    """
    return Answer(
        _native.ladder_threatens(position, position.point(vertex), color or position.to_move, node_limit)
    )


def catching_moves(position: Position, vertex: int | str, node_limit: int = NODE_LIMIT) -> list[int]:
    """The liberties of a string with two of them whose play catches it, as far as the limit lets us see."""
    return _native.ladder_catching_moves(position, position.point(vertex), node_limit)
