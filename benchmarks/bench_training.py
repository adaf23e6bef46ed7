"""How fast a net is trained. Each figure is printed beside a peer measured in the same run.

usage: python benchmarks/bench_training.py [RECIPE] [--kind policy|value] [--set section.key=value ...] [--steps N]
           [--turns N]

1. The recipe's net with examples from its pool, against the same net with one batch of random numbers: the cost of
   the input pipeline.
2. The same net with torch's own 3x3 convolutions: the gain from Winograd's.

3. The processor time of making a batch and of learning it, one after the other.

The nets of 1 and 2 alternate every few steps, and each turn is timed separately, so that other load slows all alike.
"""

from __future__ import annotations

import argparse
import dataclasses
import statistics
import time
from pathlib import Path

from tengen.training import machine

machine.prepare()

import numpy as np  # noqa: E402
from torch import nn  # noqa: E402

from tengen.training.data import Prefetcher  # noqa: E402
from tengen.training.net_task import NetTask  # noqa: E402
from tengen.training.recipe import PolicyRecipe  # noqa: E402
from tengen.training.supervised import PolicyTask, open_examples  # noqa: E402
from tengen.training.value import ValueTask, open_value_examples  # noqa: E402
from tengen.training.value_recipe import ValueRecipe  # noqa: E402
from tengen.training.winograd import WinogradConv2d  # noqa: E402


def two_tasks(kind: str, path: Path, changes: list[str]) -> tuple[NetTask, NetTask]:
    """The recipe's task twice, with the same examples."""
    if kind == "value":
        plan = ValueRecipe.read(path, changes)
        examples, _ = open_value_examples(plan)
        return ValueTask(plan, examples), ValueTask(plan, examples)
    recipe = PolicyRecipe.read(path, changes)
    examples, *_ = open_examples(recipe)
    return PolicyTask(recipe, examples), PolicyTask(recipe, examples)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("recipe", nargs="?", default="recipes/tengen-96x6.toml", type=Path)
    parser.add_argument("--kind", choices=["policy", "value"], default="policy")
    parser.add_argument("--set", dest="changes", action="append", default=[])
    parser.add_argument("--steps", type=int, default=3, help="in a turn")
    parser.add_argument("--turns", type=int, default=9)
    given = parser.parse_args()
    task, plain = two_tasks(given.kind, given.recipe, [*given.changes, "run.examples=100000000"])
    recipe, train = task.recipe, task.train
    batch_size = recipe.optimiser.batch
    for module in plain.net.modules():
        if isinstance(module, WinogradConv2d):
            module.__class__ = nn.Conv2d
    sample = train.drawn(0, batch_size, 1, recipe.games.symmetries)
    random = np.random.default_rng(1).random(sample.planes.shape, np.float32)
    noise = dataclasses.replace(sample, planes=random)
    rates: dict[str, list[float]] = {"from the pool": [], "random tensors": [], "torch's convolutions": []}
    waited = spent = 0.0
    with Prefetcher(train, 0, recipe.run.examples, batch_size, recipe.seed, recipe.games.symmetries) as made:
        batches = iter(made)
        for turn in range(given.turns + 1):
            for name, times in rates.items():
                began = time.perf_counter()
                for _ in range(given.steps):
                    asked = time.perf_counter()
                    batch = next(batches) if name == "from the pool" else noise
                    if name == "from the pool" and turn:
                        waited += time.perf_counter() - asked
                    (plain if name == "torch's convolutions" else task).learn(batch)
                took = time.perf_counter() - began
                if turn:  # the first is for warming up
                    times.append(given.steps * batch_size / took)
                    spent += took if name == "from the pool" else 0.0
    print(
        f"{recipe.name}: {task.net.parameter_count:,} parameters, batch {batch_size}, {recipe.threads} thread(s)"
    )
    for name, times in rates.items():
        print(f"  {name:22} {statistics.median(times):8.1f} examples/s (median of {given.turns})")
    pool, noise_rate, torch_rate = (statistics.median(times) for times in rates.values())
    print(
        f"  from the pool / random tensors: {pool / noise_rate:.2f}; waiting for the input: {waited / spent:.1%}"
    )
    print(f"  Winograd / torch's convolutions: {noise_rate / torch_rate:.2f}")
    made_in, learnt_in = [], []
    for turn in range(given.turns):
        began = time.process_time()
        batch = train.drawn(turn * batch_size, batch_size, 1, recipe.games.symmetries)
        made_in.append(time.process_time() - began)
        began = time.process_time()
        task.learn(batch)
        learnt_in.append(time.process_time() - began)
    one, other = statistics.median(made_in), statistics.median(learnt_in)
    print(
        f"  processor time: {1000 * one:.1f} ms to make a batch, {1000 * other:.1f} ms to learn it: "
        f"the input is {one / (one + other):.1%}"
    )


if __name__ == "__main__":
    main()
