"""What a small batch loses: evaluations a second by batch, and as a share of those in batches of 16.

usage: python benchmarks/bench_batches.py [NET ...] [--precision P ...] [--threads N ...] [--seconds S] [--peer PYTHON]

Each round measures every batch once, so that what else runs on the machine meets all of them; the figure is the fastest
call of all rounds. --peer: the Python of another installation of tengen, measured in turns with this one.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from tengen.nets.bench import _positions
from tengen.nets.library import open_net

BATCHES = (1, 2, 4, 16)
ROUNDS = 5


def fastest(work: Callable[[], object], seconds: float) -> float:
    """Seconds of the fastest call."""
    best, ends = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < ends or best == float("inf"):
        started = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - started)
    return best


def answer() -> None:
    """Serves the measurements that a parent asks for: a line `net precision threads batch seconds` each."""
    nets = {}
    positions = _positions(19, max(BATCHES))
    for line in sys.stdin:
        name, precision, threads, batch, seconds = line.split()
        key = (name, precision, int(threads))
        if key not in nets:
            nets[key] = open_net(name, precision, int(threads))
        net, asked = nets[key], positions[: int(batch)]
        net.evaluate(asked)
        print(
            len(asked) / fastest(lambda net=net, asked=asked: net.evaluate(asked), float(seconds)), flush=True
        )


class Side:
    """A process that measures."""

    def __init__(self, python: Sequence[str]) -> None:
        command = [*python, __file__, "--answer"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def rate(self, *asked: object) -> float:
        assert self.process.stdin is not None and self.process.stdout is not None
        print(*asked, file=self.process.stdin, flush=True)
        return float(self.process.stdout.readline())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("net", nargs="*", default=["b15c192", "tengen"])
    parser.add_argument("--precision", nargs="+", default=["int16", "fp32"])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--seconds", type=float, default=3.0, help="for each figure, in all rounds")
    parser.add_argument("--peer", nargs=1)
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.answer:
        answer()
        return
    sides = {"here": Side([sys.executable])}
    if given.peer:
        sides["peer"] = Side(given.peer)
    print("net precision threads side: evaluations/s by batch (share of the rate in batches of 16)")
    for name in given.net:
        for precision in given.precision:
            for threads in given.threads:
                rates = dict.fromkeys([(side, batch) for side in sides for batch in BATCHES], 0.0)
                for _ in range(ROUNDS):
                    for side, batch in rates:
                        found = sides[side].rate(name, precision, threads, batch, given.seconds / ROUNDS)
                        rates[side, batch] = max(rates[side, batch], found)
                for side in sides:
                    most = rates[side, BATCHES[-1]]
                    row = (f"{b}: {rates[side, b]:.1f} ({rates[side, b] / most:.0%})" for b in BATCHES)
                    print(f"{name} {precision} {threads} {side}  ", "  ".join(row), flush=True)


if __name__ == "__main__":
    main()
