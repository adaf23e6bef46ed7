"""Bulk import against sgfmill, in the same run on the same games, one core each.

    python benchmarks/bench_import.py [FILE.sgfs[.xz]] [--games N] [--json]

sgfmill reads the main line and gives its moves and setup. Our import does that, checks every move on the board, reads
the fields and writes the pool. Without a file, games of random play are used. Times are the best of several runs.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sgfmill import sgf as sgfmill

from tengen import Position, _native
from tengen.games.importing import import_games
from tengen.go.files import decompressed

LETTERS = "abcdefghijklmnopqrs"


def made_up(count: int) -> list[bytes]:
    """Random games of 200 moves with a server's root."""
    rng = random.Random(1)
    games = []
    for number in range(count):
        position = Position(19)
        nodes = []
        for _ in range(200):
            point = rng.choice(position.legal_moves[:-1])
            nodes.append(f";{position.to_move.letter}[{LETTERS[point % 19]}{LETTERS[point // 19]}]")
            position.play(point)
        root = (
            f"GM[1]FF[4]SZ[19]PB[p{number}]PW[q]BR[3d]WR[4d]DT[2001-01-01]KM[6.5]RE[W+R]TM[600]RU[Japanese]"
        )
        games.append(f"(;{root}{''.join(nodes)})".encode())
    return games


def best(job: Callable[[], object], times: int) -> float:
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        job()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def with_sgfmill(games: list[bytes]) -> None:
    for data in games:
        game = sgfmill.Sgf_game.from_bytes(data)
        for node in game.get_main_sequence():
            node.get_move()
            node.get_setup_stones()


def main() -> None:
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    count = int(sys.argv[sys.argv.index("--games") + 1]) if "--games" in sys.argv else 5000
    if "--games" in sys.argv:
        words.remove(str(count))
    if words:
        path = Path(words[0])
        with path.open("rb") as raw:
            games = decompressed(raw, path.suffix).read().splitlines()[:count]
    else:
        games = made_up(min(count, 1000))

    few = games[:: max(1, len(games) // 300)]
    theirs = len(few) / best(lambda: with_sgfmill(few), 3)
    data = b"\n".join(games)
    reader = len(games) / best(lambda: _native.read_sgf(data, threads=1), 5)
    with tempfile.TemporaryDirectory() as folder:
        source, pool = Path(folder) / "games.sgfs", Path(folder) / "pool.parquet"
        source.write_bytes(data)
        one = len(games) / best(lambda: import_games([source], pool, threads=1), 5)
        cores = os.cpu_count() or 1
        many = len(games) / best(lambda: import_games([source], pool, threads=cores), 5)
    figures = {
        "games": len(games),
        "sgfmill, games/s": round(theirs),
        "native reader and check, games/s": round(reader),
        "import into a pool, games/s": round(one),
        f"import on {cores} threads, games/s": round(many),
        "reader / sgfmill": round(reader / theirs, 1),
        "import / sgfmill": round(one / theirs, 1),
    }
    if "--json" in sys.argv:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:36} {value:>12,}")


if __name__ == "__main__":
    main()
