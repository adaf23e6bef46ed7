"""What the tables and figures about move prediction share: nets trained alike at a stated scale, resumable.

A row is a recipe; its run's folder keeps checkpoints and the log, so a row that was finished is not trained
again and one that was interrupted goes on.
"""

from __future__ import annotations

import csv
import dataclasses
from collections.abc import Sequence
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
    from tengen.training.supervised import Trainer

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


def recipe_of(name: str, net: str, encoding: str, scale: Scale, **training: Any) -> PolicyRecipe:
    """A row's recipe; `training` is what the paper says of it."""
    from tengen.training.recipe import PolicyRecipe

    ranks = {"min_rank": scale.min_rank} if scale.min_rank else {}
    every = max(1, scale.examples // scale.tests)
    table = {
        "net": net,
        "name": name,
        "encoding": encoding,
        "train": [str(scale.pool)],
        "test": str(scale.pool),
        "train_filter": {"max_handicap": 0, "not_years": [scale.test_year]} | ranks,
        "test_filter": {"max_handicap": 0, "years": [scale.test_year]} | ranks,
        "test_positions": scale.test_positions,
        "examples": scale.examples,
        "seed": scale.seed,
        "threads": scale.threads,
        "test_every": every,
        "checkpoint_every": every,
    }
    options = {"width": scale.width} | training.pop("options", {})
    return PolicyRecipe.from_table(table | training | {"options": options}, name)


def train_row(recipe: PolicyRecipe, folder: Path, request: Request) -> TrainedNet:
    """Trains the row's net, or goes on with it, or reads what is there."""
    trainer = open_trainer(recipe, folder)
    if trainer.examples < recipe.examples:

        def show(progress: Any) -> None:
            speed = f"{progress.examples_per_second:,.0f} examples/s"
            note = f"loss {progress.loss:.4f}, top-1 {progress.top1:.1%}, {speed}"
            request.progress(Progress(f"training {recipe.name}", progress.examples, progress.total, note))

        trainer.go(show)
    curve = read_curve(trainer.run / "log.csv")
    if not curve or curve[-1][0] < recipe.examples:
        raise InputError(f"{trainer.run}/log.csv lacks the last test: remove the folder and run again")
    return TrainedNet(recipe.name, trainer.net.parameter_count, curve, recipe, folder)


def open_trainer(recipe: PolicyRecipe, folder: Path) -> Trainer:
    """The row's run, at its last checkpoint if it has one."""
    from tengen.nets.board_net import bound_to_size
    from tengen.training.supervised import Trainer, open_examples

    train, test = open_examples(recipe)
    if bound_to_size(recipe.net):
        recipe = dataclasses.replace(recipe, options=recipe.options | {"size": train.size})
    trainer = Trainer(recipe, folder / recipe.name, train, test)
    trainer.resume()
    return trainer


def measure_row(row: TrainedNet, positions: int, bagging: bool = False) -> Figures:
    """Figures of the trained net on the test positions."""
    from tengen.prediction.accuracy import measure
    from tengen.prediction.predictors import predict_with

    trainer = open_trainer(row.recipe, row.folder)
    assert trainer.test
    with trainer.average.applied():
        return measure(predict_with(trainer.net), trainer.test, positions, bagging)


def read_curve(log: Path) -> list[tuple[int, float, float]]:
    """The tests of a run's log."""
    if not log.is_file():
        return []
    with log.open(newline="", encoding="utf-8") as file:
        return [
            (int(row["examples"]), float(row["test_top1"]), float(row["test_loss"]))
            for row in csv.DictReader(file)
            if row["test_top1"]
        ]


def order_of(rows: Sequence[TrainedNet]) -> str:
    """The nets from the best to the worst: 'res13-sbn 31.2 %, dark13 30.8 %'."""
    ranked = sorted(rows, key=lambda row: -row.top1)
    return ", ".join(f"{row.name} {100 * row.top1:.2f} %" for row in ranked)
