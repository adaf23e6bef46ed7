"""The peer in plain Python: games and playouts on sgfmill's board."""

from __future__ import annotations

import random
from collections.abc import Iterable

from sgfmill.boards import Board

SIDES = ((-1, 0), (0, -1), (0, 1), (1, 0))
DIAGONALS = ((-1, -1), (-1, 1), (1, -1), (1, 1))


def play_game(moves: Iterable[tuple[int, int, str]], size: int) -> None:
    """Plays (row, column, colour) one after another. sgfmill asks no more than that the point be empty."""
    play = Board(size).play
    for row, column, color in moves:
        play(row, column, color)


def uniform_playout(size: int, rng: random.Random) -> int:
    """Random play by the rules of the core's: no own eye filled, no suicide, no ko retaken at once, until
    both pass. Black's area less White's."""
    board = Board(size)
    ko = None
    passes = turn = 0
    while passes < 2 and turn < 3 * size * size:
        color = "bw"[turn % 2]
        turn += 1
        empty = [(r, c) for r in range(size) for c in range(size) if board.board[r][c] is None]
        rng.shuffle(empty)
        passes += 1
        for row, column in empty:
            if (row, column) == ko or _is_eye(board, row, column, color):
                continue
            trial = board.copy() if None not in _around(board, row, column, SIDES) else board
            new_ko = trial.play(row, column, color)
            if trial.board[row][column] is None:  # suicide
                continue
            board, ko, passes = trial, new_ko, 0
            break
        else:
            ko = None
    return int(board.area_score())


def _around(board: Board, row: int, column: int, steps: Iterable[tuple[int, int]]) -> list[str | None]:
    points = [(row + i, column + j) for i, j in steps]
    return [board.board[r][c] for r, c in points if 0 <= r < board.side and 0 <= c < board.side]


def _is_eye(board: Board, row: int, column: int, color: str) -> bool:
    if any(c != color for c in _around(board, row, column, SIDES)):
        return False
    diagonals = _around(board, row, column, DIAGONALS)
    enemies = sum(c not in (None, color) for c in diagonals)
    return enemies == 0 if len(diagonals) < 4 else enemies < 2
