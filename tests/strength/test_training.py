"""Training on players whose strength is in their features: it learns, stops early, and resumes to the bit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from strength.made_players import made_features, made_pool  # noqa: E402

from tengen.errors import InputError  # noqa: E402
from tengen.games.store import GameStore  # noqa: E402
from tengen.nets.fake import FakeEvaluator  # noqa: E402
from tengen.strength.draft import prepare  # noqa: E402
from tengen.strength.feature_store import net_key  # noqa: E402
from tengen.strength.publish import open_task  # noqa: E402
from tengen.strength.recipe import StrengthRecipe  # noqa: E402
from tengen.strength.tasks import GameTask, as_sure_as_best, log_softmax  # noqa: E402
from tengen.strength.training import DivergedError, Trainer, load_trained  # noqa: E402

NET = FakeEvaluator()
SIZES = {"T": 250, "V": 120, "E": 60, "X": 10}


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> StrengthRecipe:
    folder = tmp_path_factory.mktemp("training")
    pool, strength = made_pool(folder, players=60, games=1200)
    store = GameStore.open(pool)
    made_features(store, strength, folder / "features", net_key(NET))
    prepare(store, sizes=SIZES).write(folder / "draft.parquet")
    return StrengthRecipe(
        inputs="full",
        pool=str(pool),
        draft=str(folder / "draft.parquet"),
        features=str(folder / "features"),
        net="fake",
        name="made",
        window=40,
        depth=1,
        hidden=12,
        query=8,
        inducing=4,
        rate=0.01,
        batch=16,
        steps=15,
        epochs=6,
        patience=3,
        tau_theta=0.1,
    )


@pytest.fixture(scope="module")
def task(recipe: StrengthRecipe) -> GameTask:
    found = open_task(recipe, NET)
    assert isinstance(found, GameTask)
    return found


def test_it_learns_to_predict_games(recipe: StrengthRecipe, task: GameTask) -> None:
    trainer = Trainer(recipe, task)
    before = task.validate(trainer.net)["log_likelihood"]
    figures = trainer.go()
    assert figures["score"] > -0.5 > before
    assert task.validate(trainer.best_net())["log_likelihood"] == pytest.approx(figures["score"], abs=1e-6)


@pytest.mark.parametrize("change", [{"balanced": True}, {"model": "mean"}])
def test_even_sampling_and_the_plain_rival_learn_too(
    recipe: StrengthRecipe, task: GameTask, change: dict[str, object]
) -> None:
    changed = replace(recipe, **change, epochs=4)  # type: ignore[arg-type]
    other = GameTask(changed, task.draft, task.games, task.windows)
    assert Trainer(changed, other).go()["score"] > -0.55


def test_ridge_needs_no_training(recipe: StrengthRecipe, task: GameTask) -> None:
    changed = replace(recipe, model="ridge", ema=0.9)  # which means nothing to it
    found = Trainer(changed, GameTask(changed, task.draft, task.games, task.windows)).go()
    assert found["score"] > -0.5
    assert found["rating_error"] < 0.5 * float(np.var(task.labels[task.validation]))


def test_even_sampling_flattens_the_ratings(recipe: StrengthRecipe, task: GameTask) -> None:
    even = GameTask(replace(recipe, balanced=True), task.draft, task.games, task.windows)
    from tengen.strength.ranks import balanced_choice

    drawn = balanced_choice(even.bins, np.random.default_rng(0), 4000)
    counts = np.bincount(even.bins[drawn])
    present = counts[counts > 0]
    assert present.max() < 1.5 * present.min()


@pytest.mark.parametrize("ema", [0.0, 0.9])
def test_a_stopped_run_goes_on_to_the_bit(
    recipe: StrengthRecipe, task: GameTask, tmp_path: Path, ema: float
) -> None:
    short = replace(recipe, epochs=2, ema=ema)
    whole = Trainer(short, task, tmp_path / "whole")
    whole.go()
    first = Trainer(short, task, tmp_path / "parts")
    for _ in range(20):  # into the second epoch
        first._step()
        if first.steps == 15:
            first._end_epoch()
    first.save()
    second = Trainer(short, task, tmp_path / "parts")
    assert second.resume() and second.steps == 20
    second.go()
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


def test_patience_ends_a_run_that_gets_no_better(recipe: StrengthRecipe, task: GameTask) -> None:
    trainer = Trainer(replace(recipe, rate=1e-5, decay=0.5, epochs=50, steps=1, patience=2), task)
    scores = iter([-0.5, -0.6, -0.7, -0.4])
    task_validate = task.validate
    task.validate = lambda net: {"score": next(scores)}  # type: ignore[method-assign]
    try:
        figures = trainer.go()
    finally:
        task.validate = task_validate  # type: ignore[method-assign]
    assert trainer.epoch == 3 and figures["score"] == -0.5 and figures["epoch"] == 1


def test_the_rate_decays_by_the_epoch(recipe: StrengthRecipe, task: GameTask) -> None:
    trainer = Trainer(replace(recipe, rate=0.01, decay=0.5), task)
    trainer.steps = 2 * recipe.steps
    assert trainer._rate() == pytest.approx(0.0025)


def test_a_run_is_resumed_with_its_own_recipe(recipe: StrengthRecipe, task: GameTask, tmp_path: Path) -> None:
    trainer = Trainer(recipe, task, tmp_path)
    trainer.save()
    with pytest.raises(InputError, match="was begun with tau_r = "):
        Trainer(replace(recipe, tau_r=9.0), task, tmp_path).resume()


def test_a_rate_that_is_too_high_is_named(recipe: StrengthRecipe, task: GameTask) -> None:
    trainer = Trainer(recipe, task)
    with torch.no_grad():
        trainer.net.get_parameter("seed").fill_(float("nan"))
    with pytest.raises(DivergedError, match="too high"):
        trainer.go()


@pytest.mark.parametrize("name", ["fox", "kgs", "tygem"])
def test_recipes_of_the_repository_can_be_read(name: str) -> None:
    path = Path(__file__).parents[2] / "recipes" / f"strength-{name}.toml"
    assert StrengthRecipe.read(path, "full").target == ("ranks" if name == "fox" else "games")


def test_recipes_refuse_what_they_do_not_know(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text('pool = "p"\nfeatures = "f"\nnet = "n"\ndraft = "d"\n')
    read = StrengthRecipe.read(path, "basic", ["hidden=16", "tau_r=1"])
    assert (read.inputs, read.name, read.hidden, read.tau_r) == ("basic", "small-basic", 16, 1.0)
    for change, message in (
        ("hiden=3", "did you mean 'hidden'"),
        ("hidden=0", "1 or more"),
        ("rate=2", "at most 1"),
        ("window=true", "whole number"),
        ("target=rank", "must be one of"),
    ):
        with pytest.raises(InputError, match=message):
            StrengthRecipe.read(path, "full", [change])
    path.write_text('pool = "p"\n')
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
