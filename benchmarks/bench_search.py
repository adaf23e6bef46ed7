"""How fast the search is. Each figure is printed beside a peer measured in the same run.

usage: python benchmarks/bench_search.py [NET] [--precision fp32|int16|int8] [--visits N]

1. Visits a second of PUCT on one thread, batches of 16, against the net alone fed with the same leaves in batches
   of 16: what is left is tree, input planes and Python. KataGo's own CPU backend is quoted beside it for the nets it
   was measured on (evaluations a second of one core; a stated figure, not run here).
2. Bytes of a node with all its priors and its win rates.
3. Seconds from starting `tengen gtp` to its first move.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tengen import Game, Position, open_net
from tengen.nets.evaluation import Evaluation
from tengen.nets.evaluator import Evaluator
from tengen.search.player import Limit, Question, last_report
from tengen.search.puct import PuctPlayer
from tengen.search.settings import PuctSettings

KATAGO = {"b6c96": 118.0, "b15c192": 16.0, "b18c384nbt": 3.8}
EXAMPLE = Path(__file__).parents[1] / "examples"


class Timed:
    """An evaluator that counts its own time: in all, and in the graph alone."""

    def __init__(self, inner: Evaluator) -> None:
        self.inner, self.seconds, self.positions = inner, 0.0, 0
        self.graph_seconds = 0.0
        runtime: Any = inner.runtime
        run = runtime.run

        def timed_run(*given: Any) -> Any:
            began = time.perf_counter()
            found = run(*given)
            self.graph_seconds += time.perf_counter() - began
            return found

        runtime.run = timed_run

    @property
    def card(self) -> Any:
        return self.inner.card

    def evaluate(self, positions: Sequence[Position], **wanted: Any) -> list[Evaluation]:
        began = time.perf_counter()
        found = self.inner.evaluate(positions, **wanted)
        self.seconds += time.perf_counter() - began
        self.positions += len(positions)
        return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("net", nargs="?", default="b15c192")
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--visits", type=int, default=400)
    given = parser.parse_args()

    games = [Game.from_sgf(path) for path in sorted(EXAMPLE.glob("*.sgf"))]
    games = [game for game in games if game.size == 19]
    net = open_net(given.net, given.precision, threads=1)
    timed = Timed(net)
    player = PuctPlayer(timed, PuctSettings(visits=given.visits, batch=16, threads=1))
    player.net.evaluate([Position(19)] * 16)  # warm
    visits, seconds = 0, 0.0
    timed.seconds = timed.graph_seconds = 0.0
    timed.positions = 0
    for game in games:
        for share in (0.2, 0.6):
            part = replace(game, moves=game.moves[: int(share * len(game.moves))])
            player.tree = None
            began = time.perf_counter()
            root = last_report(player, part, Question(Limit(visits=given.visits)))
            seconds += time.perf_counter() - began
            visits += root.visits
    assert player.tree is not None
    outside = 1 - timed.graph_seconds / seconds
    print(f"{given.net} {given.precision}, one thread, {visits:,} visits in {seconds:.1f} s")
    print(f"  visits/s                       {visits / seconds:8.1f}")
    print(
        f"  the graph alone                {timed.positions / timed.graph_seconds:8.1f} evaluations/s, same leaves"
    )
    print(f"  tree, planes and Python        {outside:8.1%} of the time")
    if stated := KATAGO.get(given.net):
        print(f"  KataGo's Eigen, as stated      {stated:8.1f} /s: {visits / seconds / stated:.2f} times")
    print(f"  a node with priors, win rates  {player.tree.bytes_a_node:8d} bytes at most")
    began = time.perf_counter()
    command = [sys.executable, "-m", "tengen", "gtp", "--net", given.net, "--visits", "16"]
    answer = subprocess.run(command, input="genmove b\nquit\n", capture_output=True, text=True, check=True)
    took, move = time.perf_counter() - began, answer.stdout.split()[1]
    print(f"  first move after starting      {took:8.2f} s ({move}, 16 visits)")


if __name__ == "__main__":
    main()
