"""Small tasks of every kind that `tengen train` knows: they train within seconds; runs treat them alike."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from strength.made_players import made_features, made_pool
from training.made_ends import made_ends

from tengen.games.store import GameStore
from tengen.nets.fake import FakeEvaluator
from tengen.strength.draft import prepare
from tengen.strength.feature_store import net_key
from tengen.strength.publish import open_objective
from tengen.strength.recipe import StrengthRecipe
from tengen.strength.training import StrengthTask
from tengen.training.long_term import LongTermTask, open_positions
from tengen.training.long_term_recipe import LongTermRecipe
from tengen.training.recipe import PolicyRecipe, Recipe
from tengen.training.reinforce import ReinforceTask
from tengen.training.reinforce_recipe import ReinforceRecipe
from tengen.training.run import Run, Task
from tengen.training.supervised import PolicyTask, open_examples
from tengen.training.value import ValueTask, open_value_examples
from tengen.training.value_recipe import ValueRecipe

NET = FakeEvaluator()
# The command line, with the fake net in place of any.
TENGEN = [
    sys.executable,
    "-c",
    "import tengen.nets.library as nets; from tengen.nets.fake import FakeEvaluator\n"
    "nets.open_net = lambda *given, **named: FakeEvaluator()\n"
    "from tengen.cli.main import main; main()",
]


def policy_recipe(pool: Path, changes: Mapping[str, Any] | None = None) -> PolicyRecipe:
    table: dict[str, Any] = {
        "name": "run",
        "run": {"examples": 640, "test_every": 320, "checkpoint_every": 160, "log_every": 96},
        "data": {
            "train": [str(pool)],
            "test": str(pool),
            "train_filter": {"not_years": [2015]},
            "test_filter": {"years": [2015]},
        },
        "net": {
            "architecture": "residual",
            "encoding": "golois39",
            "width": 16,
            "blocks": 2,
            "pooling": 2,
            "next_moves": 2,
        },
        "optimiser": {
            "method": "muon",
            "batch": 32,
            "rate": 0.02,
            "momentum": 0.9,
            "schedule": "trapezoid",
            "warmup": 64,
            "decay": 128,
            "ema": 0.9,
        },
        "losses": {"next_moves": 0.1},
    }
    return PolicyRecipe.from_table(table, "test").changed(changes or {})


def policy_task(recipe: PolicyRecipe) -> PolicyTask:
    return PolicyTask(recipe, *open_examples(recipe))


def made_draft(folder: Path, players: int, games: int, sizes: dict[str, int]) -> dict[str, Any]:
    """The [data] of a strength recipe: a pool of games with results, features that show strength, a draft."""
    pool, strength = made_pool(folder, players=players, games=games)
    store = GameStore.open(pool)
    made_features(store, strength, folder / "features", net_key(NET))
    prepare(store, sizes=sizes).write(folder / "draft.parquet")
    return {
        "pool": str(pool),
        "draft": str(folder / "draft.parquet"),
        "features": str(folder / "features"),
        "net": "fake",
        "window": 40,
    }


@dataclass(frozen=True)
class Kind:
    """A kind of task: its recipe, the task of a recipe, the command that trains it."""

    recipe: Recipe
    make: Callable[[Any], Task]
    command: tuple[str, ...]  # tengen train ...
    count: str  # the key that says how long the run is
    step: int  # units of a step
    level: dict[str, Any]  # a rate that does not depend on how long the run is
    shape: dict[str, Any]  # another net
    half: dict[str, Any]  # a run of half the length
    seldom: dict[str, Any]  # no checkpoint for a long time
    files: frozenset[str]  # of a checkpoint, beside net, optimiser and state
    counted: int = 1  # units of what `count` counts

    def until(self, units: int) -> int:
        """What `count` must be for a run that goes two steps, or two of what it counts, beyond so many units."""
        return units // self.counted + 2 * (self.step if self.counted == 1 else 1)

    def task(self, changes: Mapping[str, Any] | None = None) -> Task:
        return self.make(self.recipe.changed(changes or {}))

    def write(self, path: Path, changes: Mapping[str, Any] | None = None) -> list[str]:
        """Writes the recipe as TOML; the command that trains by it into the folder of the file."""
        table = self.recipe.changed(changes or {}).table()
        table.pop("inputs", None)
        path.write_text(as_toml(table), encoding="utf-8")
        return [*TENGEN, "train", *self.command, str(path), "-o", str(path.parent)]


def as_toml(table: Mapping[str, Any], name: str = "") -> str:
    plain = {key: value for key, value in table.items() if not isinstance(value, Mapping)}
    lines = [f"[{name}]"] if name else []
    lines += [f"{key} = {json.dumps(value)}" for key, value in plain.items()]
    for key, value in table.items():
        if isinstance(value, Mapping):
            lines.append(as_toml(value, f"{name}.{key}" if name else key))
    return "\n".join(lines) + "\n"


def policy_kind(pool: Path) -> Kind:
    return Kind(
        policy_recipe(pool),
        policy_task,
        ("policy",),
        "run.examples",
        32,
        {"optimiser.decay": 0},
        {"net.width": 24},
        {"run.examples": 320},
        {"run.checkpoint_every": 10**9},
        frozenset({"ema"}),
    )


def reinforce_kind(pool: Path, folder: Path) -> Kind:
    """Of two policy nets that are trained first."""
    runs = []
    for width in (8, 12):
        net = {"net.width": width, "net.blocks": 1, "run.examples": 32, "data.test": ""}
        runs.append(folder / str(width))
        Run(policy_task(policy_recipe(pool, net)), runs[-1]).go()
    recipe = ReinforceRecipe.from_table(
        {
            "name": "run",
            "run": {
                "begin": str(runs[0]),
                "iterations": 8,
                "join_every": 3,
                "test_every": 4,
                "checkpoint_every": 2,
                "log_every": 3,
            },
            "play": {"size": 5, "games": 6, "test_games": 4},
            "optimiser": {"rate": 0.01, "momentum": 0.9, "batch": 32},
        },
        "test",
    )
    return Kind(
        recipe,
        ReinforceTask,
        ("reinforce",),
        "run.iterations",
        1,
        {},
        {"run.begin": str(runs[1])},
        {"run.iterations": 4},
        {"run.checkpoint_every": 10**9},
        frozenset({"past"}),
    )


def long_term_recipe(pool: Path, changes: Mapping[str, Any] | None = None) -> LongTermRecipe:
    table: dict[str, Any] = {
        "name": "run",
        "run": {"episodes": 96, "test_every": 48, "checkpoint_every": 24, "log_every": 36},
        "data": {
            "train": [str(pool)],
            "test": str(pool),
            "train_filter": {"not_years": [2015]},
            "test_filter": {"years": [2015]},
            "test_positions": 6,
        },
        "agent": {"near": 3, "cells": 3, "cell": 1, "window": 5, "width": 4, "hidden": 8},
        "play": {"predictor": "fake", "positions": 2, "candidates": 2, "lines": 3, "steps": 4},
        "optimiser": {"method": "adamw", "rate": 0.01},
    }
    return LongTermRecipe.from_table(table, "test").changed(changes or {})


def long_term_task(recipe: LongTermRecipe) -> LongTermTask:
    return LongTermTask(recipe, NET, *open_positions(recipe))


def long_term_kind(pool: Path) -> Kind:
    return Kind(
        long_term_recipe(pool),
        long_term_task,
        ("long-term",),
        "run.episodes",
        12,
        {},
        {"agent.hidden": 12},
        {"run.episodes": 48},
        {"run.checkpoint_every": 10**9},
        frozenset(),
    )


def value_recipe(pool: Path, changes: Mapping[str, Any] | None = None) -> ValueRecipe:
    table: dict[str, Any] = {
        "name": "run",
        "run": {"examples": 640, "test_every": 320, "checkpoint_every": 160, "log_every": 96},
        "data": {
            "train": [str(pool)],
            "test": str(pool),
            "train_filter": {"not_years": [2015]},
            "test_filter": {"years": [2015]},
            "positions_per_game": 3,
        },
        "net": {
            "architecture": "bv-ml-vn",
            "encoding": "cgi50",
            "size": 5,
            "layers": 3,
            "width": 8,
            "hidden": 16,
            "first_label": -12.5,
            "last_label": 12.5,
        },
        "optimiser": {"method": "adamw", "batch": 32, "rate": 0.01, "ema": 0.9},
    }
    return ValueRecipe.from_table(table, "test").changed(changes or {})


def value_task(recipe: ValueRecipe) -> ValueTask:
    return ValueTask(recipe, *open_value_examples(recipe))


def value_kind(folder: Path) -> Kind:
    recipe = value_recipe(made_ends(folder / "ends.parquet", 80))
    return Kind(
        recipe,
        value_task,
        ("value",),
        "run.examples",
        32,
        {},
        {"net.width": 16},
        {"run.examples": 320},
        {"run.checkpoint_every": 10**9},
        frozenset({"ema"}),
    )


def strength_kind(folder: Path) -> Kind:
    data = made_draft(folder, 30, 400, {"T": 60, "V": 40, "E": 40, "X": 5})
    recipe = StrengthRecipe.from_table(
        {
            "inputs": "full",
            "name": "run",
            "run": {"epochs": 4, "steps": 5},
            "data": data,
            "model": {"depth": 1, "hidden": 12, "query": 8, "inducing": 4},
            "optimiser": {"rate": 0.01, "batch": 16, "ema": 0.9},
            "losses": {"tau_theta": 0.1},
        },
        "test",
    )

    def make(plan: StrengthRecipe) -> StrengthTask:
        return StrengthTask(plan, open_objective(plan, NET))

    return Kind(
        recipe,
        make,
        ("strength", "full"),
        "run.epochs",
        1,
        {},
        {"model.hidden": 16},
        {"run.epochs": 2},
        {"run.steps": 10**6},
        frozenset({"ema"}),
        counted=5,
    )
