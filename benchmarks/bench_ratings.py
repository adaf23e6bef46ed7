"""How fast the sweeps over results are, beside a plain Python implementation in the same run.

    python benchmarks/bench_ratings.py [RESULTS]

RESULTS is a table of results; without one, games between 20,000 invented players are used. Times are
processor time of one thread, the best of five runs.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import whr

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from reference import glicko2_reference as plain

from tengen.ratings.elo import Elo
from tengen.ratings.glicko2 import Glicko2
from tengen.ratings.read_results import read_results
from tengen.ratings.results import Results
from tengen.ratings.whole_history import WholeHistory

PLAIN_GAMES = 20_000
WHR_GAMES, WHR_ROUNDS = 20_000, 10


def invented(games: int, players: int) -> Results:
    """Games between players of normally distributed strength, some of whom play far more than others."""
    rng = np.random.default_rng(0)
    strength = rng.normal(1500, 250, players)
    weight = rng.pareto(1.2, players) + 0.1
    sides = rng.choice(players, size=(games, 2), p=weight / weight.sum()).astype(np.int32)
    same = sides[:, 0] == sides[:, 1]
    sides[same, 1] = (sides[same, 0] + 1) % players
    chance = 1 / (1 + 10 ** ((strength[sides[:, 1]] - strength[sides[:, 0]]) / 400))
    return Results(
        players=[str(p) for p in range(players)],
        black=sides[:, 0].copy(),
        white=sides[:, 1].copy(),
        score=(rng.random(games) < chance).astype(np.float64),
        time=np.arange(games, dtype=np.int64) * 60,
        head_start=np.zeros(games),
        row=np.arange(games, dtype=np.int64),
    )


def best(run: Callable[[], Any], times: int = 5) -> float:
    taken = []
    for _ in range(times):
        start = time.process_time()
        run()
        taken.append(time.process_time() - start)
    return min(taken)


def whole_history(pool: Results) -> None:
    """Fits of equally many rounds over equal days: ours, and the package `whole-history-rating`."""
    few = pool.head(WHR_GAMES)
    system = WholeHistory(predicts=False, rounds=WHR_ROUNDS)
    ours = best(lambda: system.rate(few), 3)
    bins = ((few.time - few.time[0]) // (7 * 86400)).tolist()
    model = whr.WHR({"w2": 14.0 * 7})
    columns = (few.black.tolist(), few.white.tolist(), few.score.tolist(), bins)
    for b, w, s, day in zip(*columns, strict=True):
        model.create_game(str(b), str(w), "B" if s > 0.5 else "W" if s < 0.5 else "D", day, 0)
    theirs = best(lambda: model.iterate(WHR_ROUNDS), 1)
    rate = len(few) * WHR_ROUNDS / theirs
    print(
        f"{'whole-history rating':26} {ours:8.3f} s for {len(few):>9,} games, {WHR_ROUNDS} rounds, "
        f"{theirs / ours:.0f} times the package ({rate:,.0f} games a second and round)"
    )
    taken = best(lambda: WholeHistory(predicts=False).rate(pool), 1)
    print(f"{'whole-history rating':26} {taken:8.3f} s for {len(pool):>9,} games, to the end")


def main() -> None:
    if len(sys.argv) > 1:
        pool, report = read_results(Path(sys.argv[1]))
        print(report.lines()[0])
    else:
        pool = invented(961_670, 20_000)
        print(f"{len(pool):,} invented games of {len(pool.players):,} players")
    first = min(PLAIN_GAMES, len(pool))
    sides = zip(pool.black[:first].tolist(), pool.white[:first].tolist(), strict=True)
    games = [(b, w, s, 0.0) for (b, w), s in zip(sides, pool.score[:first].tolist(), strict=True)]
    slow = best(lambda: plain.one_game_at_a_time(games, len(pool.players), plain.illinois), 3)
    print(f"plain Python Glicko-2      {slow:8.3f} s for {first:>9,} games {first / slow:12,.0f} games/s")
    systems = {
        "Glicko-2": Glicko2(),
        "Glicko-2, weekly periods": Glicko2(period_days=7),
        "Elo": Elo(),
    }
    for name, system in systems.items():
        taken = best(lambda system=system: system.rate(pool))
        line = f"{name:26} {taken:8.3f} s for {len(pool):>9,} games {len(pool) / taken:12,.0f} games/s"
        if name == "Glicko-2":
            line += f", {len(pool) / taken / (first / slow):.0f} times plain Python"
        print(line)
    whole_history(pool)
    large = invented(7_000_000, 100_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    taken = best(lambda: Glicko2().rate(large), 3)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(
        f"{'Glicko-2, invented games':26} {taken:8.3f} s for {len(large):>9,} games "
        f"{len(large) / taken:12,.0f} games/s, {grown * 2**20 / len(large):.0f} bytes a game"
    )


if __name__ == "__main__":
    main()
