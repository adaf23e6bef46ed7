"""Nets with other heads and inputs than a policy learn by the same loop."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from training.made_tasks import policy_recipe, policy_task  # noqa: E402

from tengen.errors import InputError  # noqa: E402
from tengen.games.store import GameStore  # noqa: E402
from tengen.prediction.predictors import predict_with  # noqa: E402
from tengen.training.net_task import net_inputs  # noqa: E402
from tengen.training.recipe import PolicyRecipe  # noqa: E402
from tengen.training.run import Run  # noqa: E402
from tengen.training.supervised import criterion, open_examples  # noqa: E402

SMALL: dict[str, Any] = {"architecture": "residual", "width": 16, "blocks": 2, "pooling": 2}


def recipe(pool: Path, net: dict[str, Any], losses: dict[str, float], **changes: Any) -> PolicyRecipe:
    chosen = SMALL | {"encoding": "golois39"} | net
    return policy_recipe(pool, {"net": chosen, "losses": losses, **changes})


@pytest.fixture
def won_by_black(pool: Path, tmp_path: Path) -> Path:
    """The pool, all of whose games Black wins by 9.5 points."""
    store = GameStore.open(pool)
    ends = {"result": pl.lit("score"), "winner": pl.lit("B"), "margin": pl.lit(9.5, pl.Float32)}
    path = tmp_path / "won.parquet"
    GameStore(store.frame.with_columns(**ends)).write(path)
    return path


@pytest.mark.parametrize(
    "heads",
    [
        {"heads": ["values", "ownership"], "komi_labels": [-12.5, 0.5, 7.5, 27.5]},
        {"heads": ["value", "ownership"], "komi": 7.5},
        {"heads": ["policy", "value", "margin", "ownership"], "globals": ["komi", "rules", "rank"]},
    ],
    ids=["values", "value", "komi as input"],
)
def test_value_heads_learn_how_games_end(won_by_black: Path, tmp_path: Path, heads: dict[str, Any]) -> None:
    # dann41 has a plane that tells Black from White.
    losses = {"win": 1.0, "margin": 1.0} if "margin" in heads["heads"] else {"win": 1.0}
    changes = {"data.test": "", "run.examples": 960}
    plan = recipe(won_by_black, {"encoding": "dann41", **heads}, losses, **changes)
    pupil = policy_task(plan)
    batch = pupil.train.drawn(0, 128, seed=9, symmetries=True)

    def loss() -> float:
        net = pupil.net.eval()
        with torch.no_grad():
            found = criterion(plan, net(net_inputs(net, batch)), batch, net.card_komi_labels)
        net.train()
        return float(found)

    before = loss()
    Run(pupil, tmp_path / "run").go()
    assert loss() < 0.8 * before
    if heads["heads"][0] != "policy":  # Black wins at 7.5, whoever is to move
        net = pupil.net.eval()
        with torch.no_grad():
            out = net(net_inputs(net, batch))
        at_7_5 = out["value"][:, 0] if "value" in out else out["values"][:, 2]
        assert batch.white is not None
        assert ((at_7_5 < 0).numpy() == batch.white).mean() > 0.9


def test_a_policy_net_with_global_inputs_is_tested_and_asked_with_them(pool: Path, tmp_path: Path) -> None:
    pupil = policy_task(recipe(pool, {"globals": ["komi", "rules"]}, {}, **{"run.examples": 64}))
    Run(pupil, tmp_path / "run").go()
    assert pupil.test is not None
    assert pupil.validate()["positions"] > 0
    batch = pupil.test.drawn(0, 4, seed=1, symmetries=False)
    assert predict_with(pupil.net.eval())(batch).shape == (4, 26)


@pytest.mark.parametrize(
    ("heads", "losses", "message"),
    [
        (["policy"], {"margin": 1.0}, "losses.margin is for nets with the head margin"),
        (["policy"], {"win": 1.0}, "losses.win is for nets with the head value or values"),
        (["policy"], {"ownership": 1.0}, "losses.ownership is for nets with the head ownership"),
        (["ownership"], {"ownership": 1.0}, "data.test is for nets with the head policy"),
    ],
)
def test_a_recipe_that_weighs_a_head_the_net_lacks(
    pool: Path, heads: list[str], losses: dict[str, float], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        open_examples(recipe(pool, {"heads": heads}, losses))


def test_a_recipe_that_weighs_no_head_of_the_net(pool: Path, tmp_path: Path) -> None:
    plan = recipe(pool, {"heads": ["ownership"]}, {}, **{"data.test": ""})
    with pytest.raises(InputError, match="there is nothing to learn"):
        Run(policy_task(plan), tmp_path / "run").go()
