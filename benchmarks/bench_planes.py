"""Microseconds a position for each encoding, by threads.

    python benchmarks/bench_planes.py [GAMES...] [--games 40] [--threads 1 2] [--json]

GAMES are files or folders of SGF; without them the real games beside the repository (../shared/data) are taken where
there are any, else games of playouts, which are fuller of ladders. Positions are all moves of the first 19x19 games
in the order of play, so replaying is part of the time. Games are timed one by one, each by its best run, since
whatever else the machine does can only make a run longer.
"""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from tengen.bench.core import made_up_records
from tengen.bench.figures import seconds_per_run
from tengen.games.importing import read_games
from tengen.games.records import Records
from tengen.games.store import GameStore
from tengen.planes import encode_records, encoding_names

DATA = Path(__file__).parents[1].parent / "shared" / "data" / "kgs6d" / "kgs6d_2000.sgfs.xz"


def real_records(paths: list[Path]) -> Records:
    store = GameStore(read_games(paths)[0])
    return store.filter(pl.col("size") == 19, pl.col("moves").bin.size() >= 200).records()


def microseconds(name: str, records: Records, games: int, threads: int) -> float:
    seconds, positions = 0.0, 0
    for game, length in enumerate(np.diff(records.move_offsets)[:games]):
        # Playouts take milliseconds a position: a few positions tell as much.
        moves = np.arange(0, length, 50 if name == "golois42" else 1)
        job = partial(encode_records, name, records, np.full(len(moves), game), moves, threads=threads)
        seconds += seconds_per_run(job, 0.1)
        positions += len(moves)
    return seconds / positions * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--encodings", nargs="+", default=encoding_names())
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    paths = args.paths or ([DATA] if DATA.exists() else [])
    records = real_records(paths) if paths else made_up_records()
    kind = "real" if paths else "playout"
    figures = {
        name: {threads: microseconds(name, records, args.games, threads) for threads in args.threads}
        for name in args.encodings
    }
    if args.json:
        print(json.dumps({"games": kind, "microseconds a position": figures}))
        return
    print(f"{kind} games on 19x19, microseconds a position")
    print("encoding    " + "".join(f"{f'{t} thread' + 's' * (t > 1):>12}" for t in args.threads))
    for name, row in figures.items():
        print(f"{name:<12}" + "".join(f"{row[t]:>12.1f}" for t in args.threads))


if __name__ == "__main__":
    main()
