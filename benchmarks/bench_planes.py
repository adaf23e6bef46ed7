"""Microseconds a position for each encoding, by threads.

    python benchmarks/bench_planes.py [GAMES...] [--games 40] [--threads 1 2] [--random] [--json]

GAMES are files or folders of SGF, or a pool. Without them the real games beside the repository (../shared/data) are
used where there are any, else games of playouts, which have more ladders. Positions are all moves of the first
19x19 games in the order of play, and the time includes replaying them. With --random, examples are drawn as in
training (random game, move and symmetry, batches of 64): each is a game replayed from its start, and the processor
cannot predict its branches from the last example. Games or batches are timed one by one, each by its best run, since
other load can only make a run longer. One thread is timed by processor time, several by the clock.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from tengen.bench.core import made_up_records
from tengen.bench.figures import seconds_per_run
from tengen.games.importing import read_games
from tengen.games.records import Records
from tengen.games.store import GameStore
from tengen.planes import encode_records, encoding_names

Indices = npt.NDArray[np.int64]
DATA = Path(__file__).parents[1].parent / "shared" / "data" / "kgs6d" / "kgs6d_2000.sgfs.xz"


def real_records(paths: list[Path]) -> Records:
    pool = len(paths) == 1 and paths[0].suffix == ".parquet"
    store = GameStore.open(paths[0]) if pool else GameStore(read_games(paths)[0])
    return store.filter(pl.col("size") == 19, pl.col("moves").bin.size() >= 200).records()


def in_order(records: Records, games: int, step: int) -> Iterator[tuple[Indices, Indices, Indices]]:
    for game, length in enumerate(np.diff(records.move_offsets)[:games]):
        moves = np.arange(0, length, step)
        yield np.full(len(moves), game), moves, np.zeros(len(moves), np.int64)


def at_random(records: Records, batches: int, size: int) -> Iterator[tuple[Indices, Indices, Indices]]:
    rng = np.random.default_rng(0)
    lengths = np.diff(records.move_offsets)
    for _ in range(batches):
        games = rng.integers(0, len(lengths), size)
        yield games, (rng.random(size) * lengths[games]).astype(np.int64), rng.integers(0, 8, size)


def microseconds(name: str, records: Records, games: int, threads: int, random: bool) -> float:
    # Playouts take milliseconds a position: a few positions tell as much.
    slow = name == "golois42"
    examples = (
        at_random(records, games, 4 if slow else 64)
        if random
        else in_order(records, games, 50 if slow else 1)
    )
    clock = time.process_time if threads == 1 else time.perf_counter
    seconds, positions = 0.0, 0
    for which, moves, symmetries in examples:
        job = partial(encode_records, name, records, which, moves, symmetries, threads=threads)
        seconds += seconds_per_run(job, 0.1, clock)
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
    parser.add_argument("--random", action="store_true")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    paths = args.paths or ([DATA] if DATA.exists() else [])
    records = real_records(paths) if paths else made_up_records()
    kind = "real" if paths else "playout"
    figures = {
        name: {
            threads: microseconds(name, records, args.games, threads, args.random) for threads in args.threads
        }
        for name in args.encodings
    }
    if args.json:
        print(json.dumps({"games": kind, "random": args.random, "microseconds a position": figures}))
        return
    order = "at random" if args.random else "in order"
    print(f"{kind} games on 19x19, positions {order}, microseconds a position")
    print("encoding    " + "".join(f"{f'{t} thread' + 's' * (t > 1):>12}" for t in args.threads))
    for name, row in figures.items():
        print(f"{name:<12}" + "".join(f"{row[t]:>12.1f}" for t in args.threads))


if __name__ == "__main__":
    main()
