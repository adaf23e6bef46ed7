"""Small games that a small net can learn: after three random moves, each takes the first point it may."""

from __future__ import annotations

import random
from pathlib import Path

from tengen import Position
from tengen.games.importing import import_games

SIZE = 5


def made_game(seed: int, size: int = SIZE, moves: int = 20) -> str:
    chance = random.Random(seed)
    position = Position(size)
    nodes = []
    for n in range(moves):
        choices = position.legal_moves[:-1]
        if not choices:
            break
        point = chance.choice(choices) if n < 3 else choices[0]
        x, y = point % size, point // size
        nodes.append(f";{'BW'[n % 2]}[{chr(97 + x)}{chr(97 + y)}]")
        position.play(point)
    nodes.append(f";{'BW'[len(nodes) % 2]}[]")
    root = f"(;GM[1]FF[4]SZ[{size}]KM[7.5]PB[a{seed}]PW[b]BR[6d]WR[7d]DT[{2010 + seed % 8}-01-01]"
    return root + "".join(nodes) + ")"


def made_pool(folder: Path, games: int) -> Path:
    """A pool of games on 5x5 of the years 2010 to 2017 in turn; every one ends with a pass."""
    (folder / "games.sgfs").write_text("\n".join(made_game(seed) for seed in range(games)))
    import_games([folder / "games.sgfs"], folder / "pool.parquet")
    return folder / "pool.parquet"
