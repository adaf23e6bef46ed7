"""Games a second of the pattern search, and of the same search in plain Python.

    python benchmarks/bench_find.py POOL PATTERN [--games 50000] [--threads 1 2] [--json]

The peer replays games with tengen.Position and compares every placement with every position, on as many games as
it can do in a few seconds. Both must find the same matches.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import polars as pl

from tengen.games.find import find
from tengen.games.pattern import Pattern
from tengen.games.store import GameStore


def brute_force(pattern: Pattern, store: GameStore) -> int:
    """Placements found, each counted once a game."""
    wanted = {}
    for placement in pattern.placements(19):
        cells = frozenset((y * 19 + x, ".XO".index(cell)) for x, y, cell in pattern.cells(placement))
        mover = pattern.to_move and (
            pattern.to_move.opponent if placement.colors_swapped else pattern.to_move
        )
        wanted[cells, mover] = placement
    total = 0
    for game in store:
        found = set()
        for number in range(len(game.moves) + 1):
            position = game.position(number)
            stones = position.stones().ravel()
            mover = game.moves[number].color if number < len(game.moves) else position.to_move
            for key in wanted:
                if key[1] in (None, mover) and all(stones[point] == color for point, color in key[0]):
                    found.add(key[0])
        total += len(found)
    return total


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pool", type=Path)
    parser.add_argument("pattern", type=Path)
    parser.add_argument("--games", type=int, default=50_000)
    parser.add_argument("--peer-games", type=int, default=20)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    pattern = Pattern.read(args.pattern)
    store = GameStore(GameStore.open(args.pool).filter(pl.col("size") == 19).frame.head(args.games))
    few = GameStore(store.frame.head(args.peer_games))
    start = time.process_time()
    peer_found = brute_force(pattern, few)
    peer = len(few) / (time.process_time() - start)
    if peer_found != len(find(pattern, few)):
        raise SystemExit("the two searches do not agree")
    rates = {}
    for threads in args.threads:
        # Processor time with one thread: what other jobs take does not count.
        clock = time.process_time if threads == 1 else time.perf_counter
        best = float("inf")
        for _ in range(5):
            start = clock()
            found = find(pattern, store, threads)
            best = min(best, clock() - start)
        rates[threads] = len(store) / best
    if args.json:
        print(json.dumps({"games": len(store), "found": len(found), "games/s": rates, "plain Python": peer}))
        return
    print(
        f"{len(found):,} found in {len(store):,} games, {store.frame['move_count'].mean():.0f} moves a game"
    )
    for threads, rate in rates.items():
        print(
            f"{threads} thread{'s' * (threads > 1)}: {rate:,.0f} games/s, {rate / peer:,.0f} times plain Python"
        )


if __name__ == "__main__":
    main()
