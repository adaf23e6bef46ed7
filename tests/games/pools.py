"""Games to make pools of."""

from __future__ import annotations

import random

from tengen import Position

LETTERS = "abcdefghijklmnopqrs"


def random_sgf(seed: int, size: int = 9, moves: int = 60, root: str = "") -> str:
    """A legal random game."""
    rng = random.Random(seed)
    position = Position(size)
    nodes = []
    for _ in range(moves):
        choices = position.legal_moves[:-1]
        if not choices:
            break
        point = rng.choice(choices)
        nodes.append(f";{position.to_move.letter}[{LETTERS[point % size]}{LETTERS[point // size]}]")
        position.play(point)
    return f"(;GM[1]FF[4]SZ[{size}]{root}{''.join(nodes)})"


SERVER = [
    "PB[ann]PW[bo]BR[5k]WR[1d]DT[2001-02-03]KM[6.5]RE[B+3.5]TM[600]OT[5x30 byo-yomi]RU[Japanese]",
    "PB[bo]PW[Zen19S]BR[1d]WR[9d]DT[2002-01-01 10:00]KM[7.5]RE[W+R]RU[Chinese]GN[ranked game]",
    "PB[柯洁]PW[ann]BR[P9段]WR[4k]DT[2003]KM[375]RE[W+T]",
    "PB[cy]PW[dan]DT[?]RE[Void]GN[friendly game]",
]


def server_games() -> list[str]:
    return [random_sgf(i, root=root) for i, root in enumerate(SERVER)]
