"""Boards and games for hypothesis: small, crowded, with captures and kos close at hand."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import strategies as st
from reference.go_reference import Board, Game, liberties, strings

from tengen import Color, Position, Rules
from tengen.go.rules import Ko


@st.composite
def boards(draw: st.DrawFn, sizes: st.SearchStrategy[int]) -> tuple[int, Board]:
    """A size and stones without captured strings, from the empty board to the nearly full."""
    size = draw(sizes)
    rng = random.Random(draw(st.integers(0, 2**32)))
    density = draw(st.sampled_from([0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9]))
    share = draw(st.sampled_from([0.0, 0.2, 0.5, 0.5, 0.8]))
    board = {p: 1 + (rng.random() < share) for p in range(size**2) if rng.random() < density}
    for color in (1, 2):
        for string in strings(board, color, size):
            if not liberties(board, string, size):
                for p in string:
                    del board[p]
    return size, board


def set_up(size: int, board: Board, rules: Rules, to_move: Color = Color.BLACK) -> Position:
    position = Position(size, rules)
    black, white = ([p for p, c in board.items() if c == color] for color in Color)
    return position.set_stones(black, white, to_move=to_move)


@st.composite
def games(draw: st.DrawFn, sizes: st.SearchStrategy[int]) -> tuple[Game, Position, random.Random]:
    """The same start for the reference and the core, and the random numbers to go on with."""
    size, board = draw(boards(sizes))
    ko = draw(st.sampled_from(list(Ko)))
    suicide = draw(st.booleans())
    first = draw(st.sampled_from(list(Color)))
    position = set_up(size, board, Rules(ko=ko, suicide=suicide), first)
    reference = Game(size, ko.name.lower(), suicide, board, first)
    return reference, position, random.Random(draw(st.integers(0, 2**32)))


def board_of(position: Position) -> Board:
    stones = position.stones().ravel()
    return {int(p): int(stones[p]) for p in np.flatnonzero(stones)}


def next_move(reference: Game, rng: random.Random) -> tuple[int, int]:
    """A legal move: mostly the next side's, now and then a pass or the same side's; captures are liked."""
    size = reference.size
    color = reference.next[-1] if rng.random() < 0.9 else rng.choice((1, 2))
    points = [p for p in reference.legal(color) if p != size**2]
    if not points or rng.random() < 0.05:
        return color, size**2
    last = [p for s in strings(reference.board, 3 - color, size) for p in liberties(reference.board, s, size)]
    captures = [p for p in points if last.count(p) and rng.random() < 0.7]
    return color, rng.choice(captures or points)
