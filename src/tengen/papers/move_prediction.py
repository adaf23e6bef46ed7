"""What the tables and figures about move prediction share: rows trained alike at a stated scale, resumable.

A row is a recipe; its run's folder keeps checkpoints and the log, so a row that was finished is not trained
again and one that was interrupted goes on.
"""

from __future__ import annotations

import csv
import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.errors import InputError

if TYPE_CHECKING:
    from tengen.training.policy import Progress, Trainer
    from tengen.training.recipe import PolicyRecipe

Report = Callable[[str, "Progress"], None]


@dataclass(frozen=True)
class Scale:
    """How large a reproduction is; the same for every row of it."""

    pool: Path  # games to learn from and, of `test_years`, to be tested on
    width: int  # planes of a hidden layer; of DANN: of the first one
    examples: int  # for each net
    tests: int = 10  # on the way
    test_positions: int = 10_000
    test_years: tuple[int, ...] = (2015,)
    min_rank: str = "6d"
    threads: int = 1
    seed: int = 1

    def __str__(self) -> str:
        return (
            f"{self.width} planes, {self.examples:,} examples a net, tested on {self.test_positions:,} positions "
            f"of {', '.join(map(str, self.test_years))}"
        )


@dataclass(frozen=True)
class Row:
    """A net of a table: its recipe, and what became of it. `curve`: (examples, top-1, cross-entropy)."""

    name: str
    parameters: int
    run: Path
    curve: list[tuple[int, float, float]]

    @property
    def top1(self) -> float:
        """After all examples."""
        return self.curve[-1][1]


def recipe_of(name: str, net: str, encoding: str, scale: Scale, **changes: Any) -> PolicyRecipe:
    """A row's recipe; `changes` are what the paper says of its training."""
    from tengen.training.recipe import PolicyRecipe

    options = {"width": scale.width} | changes.pop("options", {})
    ranks = {"min_rank": scale.min_rank} if scale.min_rank else {}
    every = max(1, scale.examples // scale.tests)
    return PolicyRecipe(
        net=net,
        name=name,
        encoding=encoding,
        options=options,
        train=(str(scale.pool),),
        test=str(scale.pool),
        train_filter={"max_handicap": 0, "not_years": list(scale.test_years)} | ranks,
        test_filter={"max_handicap": 0, "years": list(scale.test_years)} | ranks,
        test_positions=scale.test_positions,
        examples=scale.examples,
        seed=scale.seed,
        threads=scale.threads,
        test_every=every,
        checkpoint_every=every,
        **changes,
    )


def train_row(recipe: PolicyRecipe, folder: Path, report: Report | None = None) -> Row:
    """Trains the row's net, or goes on, or reads what is there."""
    trainer = open_trainer(recipe, folder)
    if trainer.examples < recipe.examples:
        trainer.go((lambda progress: report(recipe.name, progress)) if report else None)
    curve = read_curve(trainer.run / "log.csv")
    if not curve or curve[-1][0] < recipe.examples:
        raise InputError(f"{trainer.run}/log.csv lacks the last test: remove the folder and run again")
    return Row(recipe.name, trainer.net.parameter_count, trainer.run, curve)


def open_trainer(recipe: PolicyRecipe, folder: Path) -> Trainer:
    from tengen.training.policy import Trainer, open_examples

    train, test = open_examples(recipe)
    size = train.size
    if recipe.net.endswith("fc") or recipe.net == "maddison12":  # nets bound to a board size
        recipe = dataclasses.replace(recipe, options=recipe.options | {"size": size})
    trainer = Trainer(recipe, folder / recipe.name, train, test)
    trainer.resume()
    return trainer


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
