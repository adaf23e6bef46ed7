"""The search for hyperparameters (thesis, Section 4.7.3): random, in five shrinking iterations. Needs torch, Optuna.

Each iteration draws points around the best one so far; the width is multiplied by 0.6 each time. Optuna stores the
trials in a file that only grows, so that a search can be stopped and continued.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import optuna
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import TrialState

from tengen.strength.objectives import GameObjective, RankObjective
from tengen.strength.recipe import StrengthRecipe
from tengen.strength.training import StrengthTask
from tengen.training.recipe import dotted
from tengen.training.run import DivergedError, Run

ITERATIONS, RUNS, SHRINK = 5, 15, 0.6
LOG = "search.log"
DIVERGED = -1000.0  # the score of a run whose rate was too high


class Point(NamedTuple):
    """A point of the space, by the names of a recipe's keys; the thesis starts from these values."""

    rate: float = 1e-3
    decay: float = 0.95
    tau_r: float = 1.0
    tau_theta: float = 10.0
    depth: int = 3
    hidden: int = 64
    query: int = 64
    inducing: int = 32

    def sections(self) -> dict[str, dict[str, float]]:
        """The values as a recipe has them."""
        return {section: {key: getattr(self, key) for key in keys} for section, keys in SECTIONS.items()}


SECTIONS = {
    "optimiser": ("rate", "decay"),
    "losses": ("tau_r", "tau_theta"),
    "model": ("depth", "hidden", "query", "inducing"),
}
DOMAIN: dict[str, tuple[float, float]] = {
    "rate": (1e-5, 1.0),
    "decay": (0.9, 1.0),
    "tau_r": (0.001, 10.0),
    "tau_theta": (0.001, 100.0),
    "depth": (1, 5),
    "hidden": (8, 256),
    "query": (8, 256),
    "inducing": (1, 64),
}


def clamp(name: str, value: float) -> float:
    low, high = DOMAIN[name]
    return min(high, max(low, value))


def draw(trial: optuna.Trial, best: Point, gamma: float) -> Point:
    """A point around the best one, `gamma` wide: the marginal distributions of Section 4.7.3."""

    def x(name: str, width: float) -> float:
        return trial.suggest_float(f"x_{name}", -width * gamma, width * gamma)

    half = math.floor(32 * gamma + 0.5)
    return Point(
        rate=clamp("rate", best.rate * 10 ** x("rate", 3)),
        decay=clamp("decay", best.decay + x("decay", 0.05)),
        tau_r=clamp("tau_r", best.tau_r * 2 ** x("tau_r", 3)),
        tau_theta=clamp("tau_theta", best.tau_theta * 2 ** x("tau_theta", 3)),
        depth=trial.suggest_int("depth", 1, 5),
        hidden=int(clamp("hidden", math.ceil(best.hidden * 2 ** x("hidden", 2)))),
        query=int(clamp("query", math.ceil(best.query * 2 ** x("query", 2)))),
        inducing=int(clamp("inducing", best.inducing + trial.suggest_int("x_inducing", -half, half))),
    )


class Found(NamedTuple):
    """One training run of the search: its score is the validation log-likelihood of its best epoch."""

    iteration: int
    point: Point
    score: float
    epoch: int

    def to_json(self) -> dict[str, Any]:
        return {
            "iteration": self.iteration,
            "score": self.score,
            "epoch": self.epoch,
            **self.point._asdict(),
        }


def search(
    recipe: StrengthRecipe,
    objective: GameObjective | RankObjective,
    folder: Path,
    *,
    iterations: int = ITERATIONS,
    runs: int = RUNS,
    report: Callable[[Found], None] | None = None,
) -> list[Found]:
    """All runs in order, stored in `folder`/search.log. All other settings are those of the recipe."""
    folder.mkdir(parents=True, exist_ok=True)
    storage = _storage(folder)
    found: list[Found] = []
    best = Point()
    for iteration in range(iterations):
        study = optuna.create_study(
            study_name=f"iteration {iteration + 1}",
            storage=storage,
            direction="maximize",
            load_if_exists=True,
        )
        done = [_found(iteration, t) for t in study.get_trials(states=(TrialState.COMPLETE,))]
        for number in range(len(done), runs):
            # The sampler's seed depends on the run's number, so that a resumed search draws the same points.
            study.sampler = optuna.samplers.RandomSampler(
                seed=recipe.seed * 10_000 + iteration * 100 + number
            )
            trial = study.ask()
            point = draw(trial, best, SHRINK**iteration)
            trial.set_user_attr("point", point._asdict())
            score, epoch = _train(recipe.changed(dotted(point.sections())), objective)
            trial.set_user_attr("epoch", epoch)
            study.tell(trial, score)
            done.append(Found(iteration, point, score, epoch))
            if report:
                report(done[-1])
        found += done
        best = max(found, key=lambda run: run.score).point
    return found


def read_search(folder: Path) -> list[Found]:
    """The completed runs of a search, in order; none if there is no search in the folder."""
    if not (folder / LOG).is_file():
        return []
    storage = _storage(folder)
    names = sorted(study.study_name for study in optuna.get_all_study_summaries(storage))
    return [
        _found(iteration, trial)
        for iteration, name in enumerate(names)
        for trial in optuna.load_study(study_name=name, storage=storage).get_trials(
            states=(TrialState.COMPLETE,)
        )
    ]


def _storage(folder: Path) -> JournalStorage:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return JournalStorage(JournalFileBackend(str(folder / LOG)))


def _train(recipe: StrengthRecipe, objective: GameObjective | RankObjective) -> tuple[float, int]:
    task = StrengthTask(recipe, replace(objective, recipe=recipe))
    try:
        Run(task).go()
    except DivergedError:
        return DIVERGED, 0
    return task.best_score, task.best_epoch


def _found(iteration: int, trial: optuna.trial.FrozenTrial) -> Found:
    point: dict[str, Any] = trial.user_attrs["point"]
    assert trial.value is not None
    return Found(iteration, Point(**point), trial.value, trial.user_attrs["epoch"])
