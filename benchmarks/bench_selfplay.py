"""How fast self-play is, beside the rate of the net alone in the same run.

usage: python benchmarks/bench_selfplay.py [--net NAME] [--precision P] [--size N] [--width N] [--threads N]
       [--seconds S] [--turns N]

Without --net: a net of CGI's 13 layers, `--width` planes each, with random weights (needs torch). The net's own rate is
that of the best batch, with planes that are at hand: either all threads on one batch, or a batch for each thread. The
turns of the two alternate, so that other load slows both alike.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import threading
import time
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from tengen.go.position import Position
from tengen.nets.evaluation import Floats
from tengen.nets.library import open_net
from tengen.nets.net_evaluator import NetEvaluator
from tengen.nets.runtime import Arrays, available_threads
from tengen.training.playing import NetPolicy, Terms, play
from tengen.training.selfplay import BATCHES

BATCH_SIZES = (8, 16, 32, 64, 128, 256)


def random_net(width: int, threads: int) -> NetEvaluator:
    import torch

    from tengen.nets.board_net import build_net
    from tengen.nets.runtime import Runtime
    from tengen.training.export import declared_card, to_onnx

    torch.manual_seed(1)
    net = build_net("cgi-policy", planes=49, width=width)
    return NetEvaluator(
        declared_card(net, f"random 13x{width}", "cgi49"), Runtime(to_onnx(net).SerializeToString(), threads)
    )


def sample(net: NetEvaluator, size: int) -> Arrays:
    """The inputs of boards in the middle of a game."""
    rng = np.random.default_rng(1)
    positions = []
    for _ in range(max(BATCH_SIZES)):
        position = Position(size, "aga")
        for _ in range(int(rng.integers(0, size * size // 2))):
            position.play(int(rng.choice(position.legal_moves)))
        positions.append(position)
    return net.inputs(positions, np.zeros(len(positions), np.uint8))


def net_rate(net: NetEvaluator, inputs: Arrays, batch: int, workers: int, seconds: float) -> float:
    """Positions a second of so many threads that each ask about one batch after the other."""
    given = {name: array[:batch] for name, array in inputs.items()}
    counts = [0] * workers
    until = time.perf_counter() + seconds

    def work(number: int) -> None:
        while time.perf_counter() < until:
            net.logits(given)
            counts[number] += batch

    began = time.perf_counter()
    run_all([lambda number=number: work(number) for number in range(workers)])
    return sum(counts) / (time.perf_counter() - began)


def run_all(jobs: Sequence[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=job) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Play:
    """Self-play without end; `rate` lets it go on for some seconds."""

    def __init__(self, net: NetEvaluator, size: int, threads: int) -> None:
        self.policy, self.moves, self.games = NetPolicy(net, size), 0, 0
        self.terms, self.numbers = Terms(size, openings=size), itertools.count()
        self.threads, self.go, self.asked = threads, threading.Event(), 0
        self.lock = threading.Lock()
        for _ in range(threads):
            threading.Thread(target=self.work, daemon=True).start()

    def work(self) -> None:
        def asked(positions: Sequence[Position], seen: npt.NDArray[np.uint8]) -> Floats:
            self.go.wait()
            logits = self.policy(positions, seen)
            with self.lock:
                self.asked += len(positions)
            return logits

        for one in play(self.terms, self.numbers, [asked], BATCHES * self.policy.batch):
            with self.lock:
                self.games += 1
                self.moves += len(one.moves)

    def rate(self, seconds: float) -> float:
        """Positions a second."""
        before, began = self.asked, time.perf_counter()
        self.go.set()
        time.sleep(seconds)
        done, took = self.asked - before, time.perf_counter() - began
        self.go.clear()
        time.sleep(0.2)  # batches that are under way
        return done / took


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--net")
    parser.add_argument("--precision", choices=("fp32", "int16", "int8"))
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--threads", type=int, default=available_threads())
    given = parser.parse_args()

    def opened(threads: int) -> NetEvaluator:
        net = open_net(given.net, given.precision, threads) if given.net else random_net(given.width, threads)
        assert isinstance(net, NetEvaluator)
        return net

    one, many = opened(1), opened(given.threads)
    inputs = sample(one, given.size)
    ways = {(batch, workers): 0.0 for batch in BATCH_SIZES for workers in {1, given.threads}}
    for batch, workers in ways:
        net = many if workers == 1 else one
        ways[batch, workers] = max(net_rate(net, inputs, batch, workers, 0.3) for _ in range(2))
    batch, workers = max(ways, key=lambda way: ways[way])
    fastest = many if workers == 1 else one
    table = Play(one, given.size, given.threads)
    table.rate(2 * given.seconds)  # until games are at all stages
    alone, playing = [], []
    for _ in range(given.turns):
        alone.append(net_rate(fastest, inputs, batch, workers, given.seconds))
        playing.append(table.rate(given.seconds))
    ratio = statistics.median(p / a for p, a in zip(playing, alone, strict=True))
    length = table.moves / max(table.games, 1)
    print(f"{one.card.name} {one.precision}, {given.size}x{given.size}, {given.threads} threads")
    how = "all threads on one" if workers == 1 else "one a thread"
    print(f"  the net alone        {statistics.median(alone):9,.0f} positions/s (batch {batch}, {how})")
    print(f"  self-play            {statistics.median(playing):9,.0f} positions/s")
    if table.games:
        print(
            f"                       {statistics.median(playing) / length:9.1f} games/s, of {length:.0f} moves "
            f"({table.games:,} games)"
        )
    print(f"  self-play / net      {ratio:9.2f}")


if __name__ == "__main__":
    main()
