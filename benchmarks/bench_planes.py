"""Microseconds a position for each encoding, by threads.

    python benchmarks/bench_planes.py [--games 40] [--threads 1 2] [--json]

Positions are all moves of real games (../shared/data/kgs6d) where that folder is, else of random games, encoded
from records in the order of play, so replaying is part of the time. Each figure is the best of three runs.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sgfmill import sgf

from tengen import Position
from tengen.planes import encode_records, encoding_names

DATA = Path(__file__).parents[1].parent / "shared" / "data" / "kgs6d"


@dataclass
class Columns:
    """Games as flat columns."""

    sizes: np.ndarray
    moves_flat: np.ndarray
    move_offsets: np.ndarray
    setup_flat: np.ndarray
    setup_offsets: np.ndarray
    komi: np.ndarray
    first_to_move: np.ndarray


def columns(games: list[list[int]], size: int) -> Columns:
    n = len(games)
    lengths = [len(moves) for moves in games]
    return Columns(
        sizes=np.full(n, size, np.uint8),
        moves_flat=np.array([m for moves in games for m in moves], np.uint16),
        move_offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        setup_flat=np.zeros(0, np.uint16),
        setup_offsets=np.zeros(n + 1, np.int64),
        komi=np.full(n, 7.5, np.float32),
        first_to_move=np.ones(n, np.uint8),
    )


def real_games(count: int) -> list[list[int]]:
    games: list[list[int]] = []
    for path in sorted(DATA.glob("*.sgfs.xz")):
        with lzma.open(path, "rb") as lines:
            for line in lines:
                game = sgf.Sgf_game.from_bytes(line)
                if game.get_size() != 19 or game.get_root().has_setup_stones():
                    continue
                moves = [node.get_move() for node in game.get_main_sequence()]
                packed = [
                    (361 if at is None else (18 - at[0]) * 19 + at[1]) | (0x8000 if color == "w" else 0)
                    for color, at in moves
                    if color is not None
                ]
                if len(packed) >= 100:
                    games.append(packed)
                if len(games) == count:
                    return games
    return games


def random_games(count: int, size: int = 19, length: int = 220) -> list[list[int]]:
    rng = random.Random(1)
    games = []
    for _ in range(count):
        position = Position(size)
        for _ in range(length):
            position.play(rng.choice(position.legal_moves[:-1] or [size * size]))
        games.append(position.moves().tolist())
    return games


def best(runs: int, work: object) -> float:
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()  # type: ignore[operator]
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--encodings", nargs="+", default=encoding_names())
    args = parser.parse_args()
    real = DATA.is_dir()
    games = real_games(args.games) if real else random_games(args.games)
    pool = columns(games, 19)
    where = [(g, m) for g, moves in enumerate(games) for m in range(len(moves))]
    which = np.array([g for g, _ in where]), np.array([m for _, m in where])
    figures = {}
    for name in args.encodings:
        # Playouts take milliseconds a position: a few positions tell as much.
        chosen = slice(None, None, 200 if name == "golois42" else 1)
        games_, moves_ = which[0][chosen], which[1][chosen]

        def run(
            threads: int, name: str = name, games_: np.ndarray = games_, moves_: np.ndarray = moves_
        ) -> None:
            for i in range(0, len(games_), 256):
                encode_records(name, pool, games_[i : i + 256], moves_[i : i + 256], threads=threads)

        figures[name] = {
            threads: best(3, lambda t=threads: run(t)) / len(games_) * 1e6 for threads in args.threads
        }
    if args.json:
        print(json.dumps({"real games": real, "games": len(games), "microseconds a position": figures}))
        return
    print(f"{len(games)} {'real' if real else 'random'} games on 19x19, {len(where)} positions")
    print(
        "encoding    "
        + "".join(f"{f'{t} thread(s)':>14}" for t in args.threads)
        + "   microseconds a position"
    )
    for name, row in figures.items():
        print(f"{name:<12}" + "".join(f"{row[t]:>14.1f}" for t in args.threads))


if __name__ == "__main__":
    main()
