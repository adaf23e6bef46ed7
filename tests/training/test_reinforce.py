"""REINFORCE: the gradient of the paper, the pool of past selves, and a net that gets stronger."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from nets.head_net import head_net  # noqa: E402
from training.made_tasks import policy_recipe, policy_task, reinforce_kind  # noqa: E402

from tengen.cli.train_reinforce import draw_win_rate  # noqa: E402
from tengen.errors import InputError  # noqa: E402
from tengen.go.color import Color  # noqa: E402
from tengen.nets.fake import FakeEvaluator  # noqa: E402
from tengen.nets.library import open_net  # noqa: E402
from tengen.training import checkpoint as checkpoints  # noqa: E402
from tengen.training.export import export, load_trained  # noqa: E402
from tengen.training.playing import Played, Terms  # noqa: E402
from tengen.training.reinforce import (  # noqa: E402
    ReinforceTask,
    baseline_values,
    learner_won,
    moves_of,
    records_of,
    won_share,
)
from tengen.training.reinforce_recipe import ReinforceRecipe  # noqa: E402
from tengen.training.run import Run  # noqa: E402


@pytest.fixture(scope="module")
def recipe(pool: Path, tmp_path_factory: pytest.TempPathFactory) -> ReinforceRecipe:
    found = reinforce_kind(pool, tmp_path_factory.mktemp("begin")).recipe
    assert isinstance(found, ReinforceRecipe)
    return found


@pytest.fixture
def task(recipe: ReinforceRecipe) -> ReinforceTask:
    return ReinforceTask(recipe)


@pytest.fixture(scope="module")
def played(recipe: ReinforceRecipe) -> list[Played]:
    task = ReinforceTask(recipe)
    return task._games(task.terms, range(6), 0)


def test_results_are_the_learners(played: list[Played]) -> None:
    for one in played:
        black_won = one.margin > 7.5
        assert learner_won(one, 7.5) == (1 if black_won == (one.number % 2 == 0) else -1)
    assert won_share(played, 7.5) == np.mean([learner_won(one, 7.5) == 1 for one in played])


def test_a_draw_is_half_a_win(played: list[Played]) -> None:
    drawn = dataclasses.replace(played[0], owner=np.zeros((5, 5), np.uint8))
    assert learner_won(drawn, 0.0) == 0 and won_share([drawn], 0.0) == 0.5


def test_the_moves_are_the_learners_as_it_drew_them(task: ReinforceTask, played: list[Played]) -> None:
    moves = moves_of(played, task.terms)
    for i in range(0, len(moves), 7):
        one, number = played[moves.games[i]], int(moves.numbers[i])
        position = one.game(task.terms, "", "").position(number)
        color = Color.BLACK if one.number % 2 == 0 else Color.WHITE
        assert position.to_move is color
        assert moves.playable[i, moves.targets[i]] and moves.results[i] == learner_won(one, 7.5)
    all_own = sum(len(range(one.number % 2, len(one.moves), 2)) for one in played)
    passes = sum((one.moves[one.number % 2 :: 2] & 0x3FFF == 25).sum() for one in played)
    assert len(moves) == all_own - passes


def test_the_gradient_is_the_papers(task: ReinforceTask, played: list[Played]) -> None:
    """With plain SGD a step is rate / games * sum of d log P(a|s) * (z - v): here by finite differences."""
    moves = moves_of(played, task.terms)
    advantage = np.linspace(-1, 1, len(moves), dtype=np.float32)
    records = records_of(played, task.terms)
    bias = next(p for name, p in task.net.named_parameters() if p.dim() == 1 and "norm" in name)

    def loss_at(shift: float) -> float:
        with torch.no_grad():
            bias[0] += shift
        step, task.optimisers.step = task.optimisers.step, lambda *given: None  # type: ignore[method-assign]
        try:
            return task._learn(records, moves, advantage, 6)
        finally:
            task.optimisers.step = step  # type: ignore[method-assign]
            with torch.no_grad():
                bias[0] -= shift

    numeric = (loss_at(0.02) - loss_at(-0.02)) / 0.04
    loss_at(0.0)
    assert bias.grad is not None
    assert float(bias.grad[0]) == pytest.approx(numeric, rel=0.05, abs=1e-3)


def test_parts_of_a_batch_change_nothing_but_rounding(recipe: ReinforceRecipe, played: list[Played]) -> None:
    losses = []
    for batch in (7, 1000):
        task = ReinforceTask(recipe.changed({"optimiser.batch": batch}))
        moves = moves_of(played, task.terms)
        losses.append(task._learn(records_of(played, task.terms), moves, moves.results, 6))
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)


def test_winning_moves_become_likelier(recipe: ReinforceRecipe, played: list[Played]) -> None:
    task = ReinforceTask(recipe.changed({"optimiser.rate": 0.001, "optimiser.momentum": 0.0}))
    moves, records = moves_of(played, task.terms), records_of(played, task.terms)
    before = task._learn(records, moves, moves.results, 6)
    assert task._learn(records, moves, moves.results, 6) < before


def test_the_net_joins_the_pool_of_its_opponents(task: ReinforceTask) -> None:
    sizes, opponents = [], set()
    for _ in range(8):
        opponents.add(task.step().figures["opponent"])
        sizes.append(len(task.past))
    assert sizes == [1, 1, 2, 2, 2, 3, 3, 3]
    assert opponents <= {0.0, 1.0, 2.0} and len(opponents) > 1
    start = load_trained(Path(task.recipe.run.begin))[0].state_dict()
    assert all(torch.equal(task.past[0][name], value) for name, value in start.items())
    assert any(not torch.equal(task.past[1][name], value) for name, value in start.items())


def test_against_itself_half_of_the_games_are_won(task: ReinforceTask) -> None:
    task.recipe = task.recipe.changed({"play.test_games": 300})
    found = task.validate()
    assert abs(found["win_rate"] - 0.5) < 2 * found["half_width"]
    assert found["half_width"] == pytest.approx(1.96 * 0.5 / 300**0.5, rel=0.1)


def test_a_value_net_is_the_baseline(recipe: ReinforceRecipe, played: list[Played]) -> None:
    net = FakeEvaluator()
    task = ReinforceTask(recipe, net)
    moves = moves_of(played, task.terms)
    values = baseline_values(net, played, moves, task.terms, batch=10)
    position = played[moves.games[5]].game(task.terms, "", "").position(int(moves.numbers[5]))
    (said,) = net.evaluate([position])
    assert said.win is not None
    assert values[5] == pytest.approx(2 * said.win.of(position.to_move) - 1)
    plain = ReinforceTask(recipe)
    assert task.step().figures["wins"] == plain.step().figures["wins"]  # the same games
    assert any(
        not torch.equal(a, b) for a, b in zip(task.net.parameters(), plain.net.parameters(), strict=True)
    )


def test_export_gives_a_net_like_any_other(recipe: ReinforceRecipe, tmp_path: Path) -> None:
    Run(ReinforceTask(recipe), tmp_path / "run").go()
    card = export([tmp_path / "run"], tmp_path / "net")
    assert card.training.startswith("8 iterations of REINFORCE, 6 games on 5x5 each")
    assert "begun with the weights of 8 after 32 examples" in card.training
    assert "games won against the net it began with" in card.measured and card.trained_sizes == (5,)
    (said,) = open_net(str(tmp_path / "net"), "fp32").evaluate([Terms(5).start()])
    assert said.policy is not None and said.policy.sum() == pytest.approx(1)
    weights, expected = checkpoints.load(tmp_path / "run").tensors["net"], load_trained(tmp_path / "run")[0]
    assert all(torch.equal(weights[name], value) for name, value in expected.state_dict().items())
    draw_win_rate(tmp_path / "run")
    assert (tmp_path / "run" / "win_rate.png").read_bytes().startswith(b"\x89PNG")


def test_a_second_round_begins_with_the_first(recipe: ReinforceRecipe, tmp_path: Path) -> None:
    Run(ReinforceTask(recipe.changed({"run.iterations": 1})), tmp_path / "one").go()
    second = ReinforceTask(recipe.changed({"run.begin": str(tmp_path / "one")}))
    assert second.begun["unit"] == "iterations"
    assert torch.equal(
        second.past[0]["stem.weight"], checkpoints.load(tmp_path / "one").tensors["net"]["stem.weight"]
    )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"run.begin": ""}, "run.begin must name"),
        ({"run.begin": "nowhere"}, "there is no checkpoint in nowhere"),
        ({"run.join_every": 0}, "'join_every' must be 1 or more"),
        ({"play.games": 0}, "'games' must be 1 or more"),
        ({"play.size": 30}, "2 to 19 lines"),
        ({"play.test_temperature": 0.0}, "temperature must be from 0.01"),
        ({"optimiser.ema": 0.9}, "not for reinforcement learning"),
    ],
)
def test_recipes_that_make_no_sense(recipe: ReinforceRecipe, change: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        ReinforceTask(recipe.changed(change))


def test_the_recipe_of_the_repository_is_one(recipe: ReinforceRecipe) -> None:
    path = Path(__file__).parents[2] / "recipes" / "reinforce-cgi13-9x9.toml"
    plan = ReinforceRecipe.read(path, ["run.iterations=7"])
    assert plan.play.games == 128 and plan.run.iterations == 7 and plan.name == path.stem
    with pytest.raises(InputError, match="play has no key 'game'"):
        ReinforceRecipe.read(path, ["play.game=7"])


def test_nets_that_do_not_fit(recipe: ReinforceRecipe, pool: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no win rates"):
        ReinforceTask(recipe, head_net({"policy": 1}))
    with pytest.raises(InputError, match="does not play on 7x7"):
        ReinforceTask(recipe.changed({"play.size": 7}), head_net({"policy": 1, "margin": 2}))
    net = {"net": {"architecture": "6al-2fc", "encoding": "dann41", "width": 8, "size": 5}}
    table = policy_recipe(pool).table() | net | {"losses": {}, "data": {"train": [str(pool)]}}
    bound = type(policy_recipe(pool)).from_table(table, "test").changed({"run.examples": 32})
    Run(policy_task(bound), tmp_path / "bound").go()
    with pytest.raises(InputError, match=r"is for 5x5, the games are on 7x7: set play\.size=5"):
        ReinforceTask(recipe.changed({"run.begin": str(tmp_path / "bound"), "play.size": 7}))
    values = {
        "net": {
            "architecture": "residual",
            "encoding": "golois39",
            "width": 8,
            "blocks": 1,
            "heads": ["margin"],
        }
    }
    table = policy_recipe(pool).table() | values | {"losses": {"margin": 1.0}, "data": {"train": [str(pool)]}}
    judge = type(policy_recipe(pool)).from_table(table, "test").changed({"run.examples": 32})
    Run(policy_task(judge), tmp_path / "judge").go()
    with pytest.raises(InputError, match="a net without a policy"):
        ReinforceTask(recipe.changed({"run.begin": str(tmp_path / "judge")}))
