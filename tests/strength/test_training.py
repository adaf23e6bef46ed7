"""Training on players whose strength is in their features: it learns, stops, and goes on to the bit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from training.made_tasks import NET, made_draft  # noqa: E402

from tengen.errors import InputError  # noqa: E402
from tengen.strength.objectives import GameObjective, as_sure_as_best, log_softmax  # noqa: E402
from tengen.strength.publish import open_objective  # noqa: E402
from tengen.strength.recipe import StrengthRecipe  # noqa: E402
from tengen.strength.search import _train  # noqa: E402
from tengen.strength.training import StrengthTask, load_trained  # noqa: E402
from tengen.training.run import Run  # noqa: E402

SIZES = {"T": 250, "V": 120, "E": 60, "X": 10}


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> StrengthRecipe:
    return StrengthRecipe.from_table(
        {
            "inputs": "full",
            "name": "made",
            "run": {"epochs": 6, "steps": 15, "patience": 3},
            "data": made_draft(tmp_path_factory.mktemp("training"), 60, 1200, SIZES),
            "model": {"depth": 1, "hidden": 12, "query": 8, "inducing": 4},
            "optimiser": {"rate": 0.01, "batch": 16},
            "losses": {"tau_theta": 0.1},
        },
        "test",
    )


@pytest.fixture(scope="module")
def objective(recipe: StrengthRecipe) -> GameObjective:
    found = open_objective(recipe, NET)
    assert isinstance(found, GameObjective)
    return found


def trained(
    recipe: StrengthRecipe, objective: GameObjective, changes: Mapping[str, Any] | None = None
) -> StrengthTask:
    """The task of a run without a folder, at its end."""
    plan = recipe.changed(changes or {})
    task = StrengthTask(plan, replace(objective, recipe=plan))
    Run(task).go()
    return task


def test_it_learns_to_predict_games(recipe: StrengthRecipe, objective: GameObjective) -> None:
    task = StrengthTask(recipe, objective)
    before = objective.validate(task.net)["log_likelihood"]
    Run(task).go()
    assert task.best_score > -0.5 > before
    assert objective.validate(task.best_net())["log_likelihood"] == pytest.approx(task.best_score, abs=1e-6)


@pytest.mark.parametrize("change", [{"data.balanced": True}, {"model.kind": "mean"}])
def test_even_sampling_and_the_plain_rival_learn_too(
    recipe: StrengthRecipe, objective: GameObjective, change: dict[str, Any]
) -> None:
    assert trained(recipe, objective, {**change, "run.epochs": 4}).best_score > -0.55


def test_ridge_needs_no_training(recipe: StrengthRecipe, objective: GameObjective, tmp_path: Path) -> None:
    # Averaging means nothing to it.
    plan = recipe.changed({"model.kind": "ridge", "optimiser.ema": 0.9})
    run = Run(StrengthTask(plan, replace(objective, recipe=plan)), tmp_path)
    run.go()
    assert run.validation["score"] > -0.5
    assert run.validation["rating_error"] < 0.5 * float(np.var(objective.labels[objective.validation]))
    again = Run(StrengthTask(plan, replace(objective, recipe=plan)), tmp_path)
    assert again.task.finished and again.validation == run.validation


def test_even_sampling_flattens_the_ratings(recipe: StrengthRecipe, objective: GameObjective) -> None:
    even = replace(objective, recipe=recipe.changed({"data.balanced": True}))
    from tengen.strength.ranks import balanced_choice

    drawn = balanced_choice(even.bins, np.random.default_rng(0), 4000)
    counts = np.bincount(even.bins[drawn])
    present = counts[counts > 0]
    assert present.max() < 1.5 * present.min()


@pytest.mark.parametrize("ema", [0.0, 0.9])
def test_a_stopped_run_goes_on_to_the_bit(
    recipe: StrengthRecipe, objective: GameObjective, tmp_path: Path, ema: float
) -> None:
    short = recipe.changed({"run.epochs": 2, "optimiser.ema": ema})
    whole = StrengthTask(short, objective)
    Run(whole, tmp_path / "whole").go()
    first = StrengthTask(short, objective)
    run = Run(first, tmp_path / "parts")
    for _ in range(20):  # into the second epoch
        first.step()
        if first.done == 15:
            first.validate()
    run.save()
    second = StrengthTask(short, objective)
    again = Run(second, tmp_path / "parts")
    assert again.resumed and second.done == 20
    again.go()
    for name, value in whole.net.state_dict().items():
        assert torch.equal(value, second.net.state_dict()[name])
    assert whole.best_score == second.best_score
    assert all(torch.equal(whole.best[name], value) for name, value in second.best.items())
    net, read, state = load_trained(tmp_path / "whole")
    assert read == short and state["best_epoch"] == whole.best_epoch
    assert torch.equal(net.state_dict()["seed"], whole.best["seed"])
    log = (tmp_path / "whole" / "log.csv").read_text().splitlines()
    assert len(log) == 3 and "validation_log_likelihood" in log[0]
    assert list((tmp_path / "whole" / "events").iterdir())


def test_patience_ends_a_run_that_gets_no_better(
    recipe: StrengthRecipe, objective: GameObjective, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = {"run.epochs": 50, "run.steps": 1, "run.patience": 2}
    plan = recipe.changed({**counts, "optimiser.rate": 1e-5, "optimiser.decay": 0.5})
    task = StrengthTask(plan, objective)
    scores = iter([-0.5, -0.6, -0.7, -0.4])
    monkeypatch.setattr(objective, "validate", lambda net: {"score": next(scores)})
    Run(task).go()
    assert task.epoch == 3 and task.best_score == -0.5 and task.best_epoch == 1


def test_the_rate_decays_by_the_epoch(recipe: StrengthRecipe, objective: GameObjective) -> None:
    task = StrengthTask(recipe.changed({"optimiser.rate": 0.01, "optimiser.decay": 0.5}), objective)
    task.done = 2 * recipe.run.steps
    assert task.rate == pytest.approx(0.0025)


def test_a_run_is_resumed_with_its_own_recipe(
    recipe: StrengthRecipe, objective: GameObjective, tmp_path: Path
) -> None:
    Run(StrengthTask(recipe, objective), tmp_path).save()
    with pytest.raises(InputError, match=r"was begun with losses\.tau_r = "):
        Run(StrengthTask(recipe.changed({"losses.tau_r": 9.0}), objective), tmp_path)


def test_a_search_trains_with_the_losses_that_it_draws(
    recipe: StrengthRecipe, objective: GameObjective
) -> None:
    """Not with those of the recipe that the games were opened with."""
    short = {"run.epochs": 1, "run.steps": 5}
    scores = {
        _train(recipe.changed({**short, "losses.tau_r": tau_r}), objective)[0] for tau_r in (0.01, 10.0)
    }
    assert len(scores) == 2


@pytest.mark.parametrize("name", ["fox", "kgs", "tygem"])
def test_recipes_of_the_repository_can_be_read(name: str) -> None:
    path = Path(__file__).parents[2] / "recipes" / f"strength-{name}.toml"
    assert StrengthRecipe.read(path, "full").data.target == ("ranks" if name == "fox" else "games")


def test_recipes_refuse_what_they_do_not_know(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text('[data]\npool = "p"\nfeatures = "f"\nnet = "n"\ndraft = "d"\n')
    read = StrengthRecipe.read(path, "basic", ["model.hidden=16", "losses.tau_r=1"])
    assert (read.inputs, read.name, read.model.hidden, read.losses.tau_r) == (
        "basic",
        "small-basic",
        16,
        1.0,
    )
    for change, message in (
        ("model.hiden=3", "did you mean 'hidden'"),
        ("model.hidden=0", "1 or more"),
        ("optimiser.rate=2", "at most 1"),
        ("data.window=true", "whole number"),
        ("data.target=rank", "must be one of"),
        ("hidden=16", "'hidden' is model.hidden now"),
        ("net=tengen", "'net' is data.net now"),
        ("model=ridge", "'model' is model.kind now"),
        ("epochs=3", "'epochs' is run.epochs now"),
    ):
        with pytest.raises(InputError, match=message):
            StrengthRecipe.read(path, "full", [change])
    path.write_text('[data]\npool = "p"\n')
    with pytest.raises(InputError, match="must have features, net"):
        StrengthRecipe.read(path, "full")


def test_a_model_of_ranks_is_not_judged_by_how_sure_it_is() -> None:
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(500, 11))
    group = (logits + rng.normal(size=logits.shape)).argmax(1)
    one, other = as_sure_as_best(logits, group), as_sure_as_best(3 * logits, group)
    here = np.arange(500), group
    assert one[here].mean() == pytest.approx(other[here].mean(), abs=0.01)
    assert one[here].mean() > log_softmax(logits)[here].mean()
    assert np.exp(one).sum(1) == pytest.approx(1)
