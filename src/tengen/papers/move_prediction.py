"""What the tables and figures about move prediction share: nets trained alike at a stated scale, resumable.

A row is a recipe; its run's folder keeps checkpoints and the log, so a row that was finished is not trained
again and one that was interrupted goes on.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.errors import InputError
from tengen.papers.pools import kgs_pool
from tengen.papers.reproduction import Request
from tengen.progress import Progress

if TYPE_CHECKING:
    from tengen.prediction.accuracy import Figures
    from tengen.training.recipe import PolicyRecipe
    from tengen.training.run import RunProgress
    from tengen.training.supervised import PolicyTask

# What may be set. The least that shows an effect on a laptop within some hours; the papers saw millions.
SETTINGS: dict[str, Any] = {
    "width": 64,  # planes of a hidden layer; of DANN: of the first one
    "examples": 200_000,  # for each net
    "tests": 10,  # on the way
    "test_positions": 10_000,
    "test_year": 2015,  # the games of this year are for tests only
    "min_rank": "6d",  # of both players; empty: any
    "threads": 1,
    "seed": 1,
}


@dataclass(frozen=True)
class Scale:
    """How large a reproduction is: the same pool, width and number of examples for every net of it."""

    pool: Path
    width: int
    examples: int
    tests: int
    test_positions: int
    test_year: int
    min_rank: str
    threads: int
    seed: int

    def __str__(self) -> str:
        return (
            f"width {self.width}, {self.examples:,} examples a net, "
            f"{self.test_positions:,} test positions of {self.test_year}"
        )


def scale_of(request: Request) -> Scale:
    """The scale asked for; the pool is KGS unless another is given, imported once into the work folder."""
    from tengen.training import need_torch

    need_torch()
    return Scale(pool=kgs_pool(request), **(SETTINGS | dict(request.settings)))


@dataclass(frozen=True)
class TrainedNet:
    """A net of a table and what became of it. `curve`: (examples, top-1, cross-entropy) of each test."""

    name: str
    parameters: int
    curve: list[tuple[int, float, float]]
    recipe: PolicyRecipe
    folder: Path

    @property
    def top1(self) -> float:
        """After all examples."""
        return self.curve[-1][1]


def recipe_of(
    name: str,
    net: str,
    encoding: str,
    scale: Scale,
    training: Mapping[str, Any],
    **options: Any,
) -> PolicyRecipe:
    """A row's recipe; `training` is what the paper says of it, by dotted keys, `options` are the net's."""
    from tengen.training.recipe import PolicyRecipe

    ranks = {"min_rank": scale.min_rank} if scale.min_rank else {}
    every = max(1, scale.examples // scale.tests)
    table = {
        "name": name,
        "seed": scale.seed,
        "threads": scale.threads,
        "run": {
            "examples": scale.examples,
            "test_every": every,
            "checkpoint_every": every,
            "log_every": every,
        },
        "data": {
            "train": [str(scale.pool)],
            "test": str(scale.pool),
            "train_filter": {"max_handicap": 0, "not_years": [scale.test_year]} | ranks,
            "test_filter": {"max_handicap": 0, "years": [scale.test_year]} | ranks,
            "test_positions": scale.test_positions,
        },
        "net": {"architecture": net, "encoding": encoding, "width": scale.width} | options,
    }
    return PolicyRecipe.from_table(table, name).changed(training)


def train_row(recipe: PolicyRecipe, folder: Path, request: Request) -> TrainedNet:
    """Trains the row's net, or goes on with it, or reads what is there."""
    from tengen.training.run import Run

    task = open_row(recipe)
    run = Run(task, folder / recipe.name)
    if not task.finished:

        def show(progress: RunProgress) -> None:
            figures = progress.figures
            speed = f"{progress.per_second:,.0f} examples/s"
            note = f"loss {figures['loss']:.4f}, top-1 {figures['top1']:.1%}, {speed}"
            request.progress(Progress(f"training {recipe.name}", progress.done, progress.total, note))

        run.go(show)
    log = folder / recipe.name / "log.csv"
    curve = read_curve(log)
    if not curve or curve[-1][0] < task.total:
        raise InputError(f"{log} lacks the last test: remove the folder and run again")
    return TrainedNet(recipe.name, task.net.parameter_count, curve, recipe, folder)


def open_row(recipe: PolicyRecipe) -> PolicyTask:
    """The row's net and examples."""
    from tengen.nets.board_net import bound_to_size
    from tengen.training.supervised import PolicyTask, open_examples

    train, test, _ = open_examples(recipe)
    if bound_to_size(recipe.net.architecture):
        recipe = recipe.changed({"net.size": train.sizes[0]})
    return PolicyTask(recipe, train, test)


def measure_row(row: TrainedNet, positions: int, bagging: bool = False) -> Figures:
    """Figures of the trained net on the test positions."""
    from tengen.prediction.accuracy import measure
    from tengen.prediction.predictors import predict_with
    from tengen.training.run import Run

    task = open_row(row.recipe)
    Run(task, row.folder / row.name)
    assert task.test
    with task.average.applied():
        return measure(predict_with(task.net), task.test, positions, bagging)


def read_curve(log: Path) -> list[tuple[int, float, float]]:
    """The tests of a run's log."""
    if not log.is_file():
        return []
    with log.open(newline="", encoding="utf-8") as file:
        return [
            (int(row["examples"]), float(row["validation_top1"]), float(row["validation_loss"]))
            for row in csv.DictReader(file)
            if row["validation_top1"]
        ]


def order_of(rows: Sequence[TrainedNet]) -> str:
    """The nets from the best to the worst: 'res13-sbn 31.2 %, dark13 30.8 %'."""
    ranked = sorted(rows, key=lambda row: -row.top1)
    return ", ".join(f"{row.name} {100 * row.top1:.2f} %" for row in ranked)
