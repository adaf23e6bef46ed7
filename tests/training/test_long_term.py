"""Training of the agent: the gradient of equation 5, the baseline, an agent that gets better, and its export."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from training.made_tasks import NET, long_term_recipe, long_term_task  # noqa: E402

from tengen.errors import InputError  # noqa: E402
from tengen.nets.agent import AgentShape, open_agent  # noqa: E402
from tengen.nets.agent_net import AgentNet  # noqa: E402
from tengen.nets.fake import FakeEvaluator  # noqa: E402
from tengen.search.imagining import imagine  # noqa: E402
from tengen.search.imagining_sides import NOT_DRAWN, AgentSide  # noqa: E402
from tengen.training.export import export  # noqa: E402
from tengen.training.export_agent import load_agent, trained_agent  # noqa: E402
from tengen.training.long_term import (  # noqa: E402
    Episodes,
    Judged,
    LongTermTask,
    TorchAgent,
    gradient_variance,
    judge,
    open_positions,
    policy_loss,
)
from tengen.training.long_term_recipe import LongTermRecipe  # noqa: E402
from tengen.training.run import Run  # noqa: E402

RECIPES = Path(__file__).parents[2] / "recipes"


@pytest.fixture
def task(pool: Path) -> LongTermTask:
    return long_term_task(long_term_recipe(pool))


def some_episodes(task: LongTermTask, count: int = 6) -> Episodes:
    fights = task._fights(task.train, np.arange(count), np.zeros(count, int))
    return task._episodes(fights, np.random.default_rng(0))


def test_at_first_every_move_is_as_likely_and_the_baseline_is_0(task: LongTermTask) -> None:
    episodes = some_episodes(task)
    first = episodes.looked[0]
    assert not first.said.actions.any() and not first.said.baseline.any()
    places = first.said.places[0].reshape(task.net.shape.near, -1)
    assert places.argmax() == places.size // 2  # the sensor stays near its place


def test_going_through_the_episodes_again_gives_what_was_drawn_from(task: LongTermTask) -> None:
    """The chances that the gradient raises are those of the draws, step by step."""
    for _ in range(3):
        task.step()
    episodes = some_episodes(task)
    judged = judge(task.net, episodes)
    expected, baselines = [], []
    for one in episodes.looked:
        for row in range(len(one.live)):
            logs = 0.0
            for logits, allowed, drawn in (
                (one.said.actions, one.may_play, one.action),
                (one.said.places, one.may_look, one.place),
            ):
                kept = np.where(allowed[row], logits[row], -np.inf)
                logs += float(kept[drawn[row]] - np.log(np.exp(kept).sum()))
            expected.append(logs)
        baselines += one.said.baseline.tolist()
    assert judged.log_chance.detach().numpy() == pytest.approx(expected, abs=1e-4)
    assert judged.baseline.detach().numpy() == pytest.approx(baselines, abs=1e-4)


def test_the_gradient_is_that_of_equation_5(task: LongTermTask) -> None:
    """d/d theta of the mean over lines of the sum over steps of log pi (R_t - b_t): by finite differences."""
    task.step()
    episodes = some_episodes(task, 3)
    lines = len(episodes.lines.which)
    fixed = judge(task.net, episodes).baseline.detach()
    weights = task.net.action.weight
    loss = policy_loss(judge(task.net, episodes)._replace(baseline=fixed), lines)
    (gradient,) = torch.autograd.grad(loss, [weights])
    at = divmod(int(gradient.abs().argmax()), gradient.shape[1])
    values = []
    for shift in (0.01, -0.01):
        with torch.no_grad():
            weights[at] += shift
        judged = judge(task.net, episodes)._replace(baseline=fixed)
        values.append(float(-(judged.log_chance * (judged.reward - fixed)).sum().detach()) / lines)
        with torch.no_grad():
            weights[at] -= shift
    assert float(gradient[at]) == pytest.approx((values[0] - values[1]) / 0.02, rel=0.02)


def test_rewards_are_in_the_view_of_who_acts(task: LongTermTask) -> None:
    """If the agent plays both sides; the opponent is first."""
    episodes = some_episodes(task)
    whole = task.reward.to_go(episodes.lines)
    assert episodes.rewards[0].tolist() == (-whole[1]).tolist()
    assert episodes.rewards[1].tolist() == whole[2].tolist()
    assert task.reward_of(episodes) == pytest.approx(float(whole[1].mean()))


def test_with_the_predictor_as_opponent_only_its_own_moves_count(pool: Path) -> None:
    task = long_term_task(long_term_recipe(pool, {"play.opponent": "predictor"}))
    episodes = some_episodes(task)
    whole = task.reward.to_go(episodes.lines)
    assert episodes.rewards.tolist() == whole[1:].tolist()
    acts = [bool((one.action != NOT_DRAWN).all()) for one in episodes.looked]
    assert acts == [step % 2 == 1 for step in range(len(acts))]
    judged = judge(task.net, episodes)
    (places,) = torch.autograd.grad(
        judged.log_chance[: len(episodes.lines.which)].sum(), [task.net.action.weight]
    )
    assert not places.any()  # the first step: the opponent's


def test_the_baseline_sends_no_gradient_into_the_policy(task: LongTermTask) -> None:
    task.step()
    judged = judge(task.net, some_episodes(task))
    error = (judged.reward - judged.baseline).square().sum()
    names = dict(task.net.named_parameters())
    found = torch.autograd.grad(error, list(names.values()), allow_unused=True)
    moved = {name for name, grad in zip(names, found, strict=True) if grad is not None and grad.any()}
    assert moved and all(name.startswith("baseline") for name in moved)


def test_a_good_baseline_reduces_the_variance_of_the_gradient(task: LongTermTask) -> None:
    episodes = some_episodes(task, 16)
    judged, lines = judge(task.net, episodes), len(episodes.lines.which)
    shifted = judged._replace(reward=judged.reward + 50)
    exact = shifted._replace(baseline=torch.full_like(judged.baseline, 50.0))
    without = gradient_variance(task.net, shifted, lines, with_baseline=False)
    assert gradient_variance(task.net, exact, lines, with_baseline=True) < without / 5
    plain = gradient_variance(task.net, judged, lines, with_baseline=False)
    assert gradient_variance(task.net, exact, lines, with_baseline=True) == pytest.approx(plain, rel=1e-4)


def test_the_baseline_is_learnt(pool: Path) -> None:
    """All lines bring the candidate's side 10 points: the baseline gets near 10 for it and -10 for the opponent."""
    task = long_term_task(long_term_recipe(pool, {"optimiser.rate": 0.01}))

    class Ten:
        def to_go(self, lines: Any, stop: Any = None) -> Any:
            return np.full(lines.captured.shape, 10.0, np.float32)

    task.reward = Ten()
    for _ in range(60):
        figures = task.step().figures
    assert figures["explained"] > 0.9 and figures["reward"] == 10


def test_an_agent_gets_better_and_the_test_shows_it(pool: Path) -> None:
    """The reward is the stones that one side has in the window: moves are better than stops."""

    class Stones:
        def to_go(self, lines: Any, stop: Any = None) -> Any:
            counts = []
            for final, which in zip(lines.finals, lines.which, strict=True):
                fight = lines.fights[which]
                stones = final.stones()[fight.mask]
                counts.append((stones == fight.mover).sum() - 1.0 * (stones == fight.mover.opponent).sum())
            return np.broadcast_to(np.array(counts, np.float32), lines.captured.shape)

    task = long_term_task(long_term_recipe(pool, {"optimiser.rate": 0.02}))
    task.reward = Stones()
    before = task.validate()
    assert abs(before["gain"]) < 1e-6  # against itself, with the same random numbers
    for _ in range(50):
        task.step()
    after = task.validate()
    assert after["gain"] > 3 * after["half_width"] > 0
    assert after["variance"] > 0 and after["variance_without"] > 0


def test_a_step_counts_its_episodes_and_draws_other_positions(task: LongTermTask) -> None:
    step = task.step()
    assert step.count == task.recipe.play.episodes == 2 * 2 * 3 == task.done
    assert set(step.figures) <= set(task.columns)


def test_without_test_games_nothing_is_validated(pool: Path) -> None:
    assert long_term_task(long_term_recipe(pool, {"data.test": ""})).validate() == {}


def test_export_gives_the_agent_of_the_last_checkpoint(pool: Path, tmp_path: Path) -> None:
    recipe = long_term_recipe(pool)
    task = long_term_task(recipe)
    Run(task, tmp_path / "run").go()
    begun = long_term_task(long_term_recipe(pool, {"run.imitated": 48}))
    Run(begun, tmp_path / "begun").go()
    assert load_agent(tmp_path / "begun")[1].training.startswith(
        "48 lines of the games foretold, then REINFORCE, 48 episodes of"
    )
    card = export([tmp_path / "run"], tmp_path / "agent")
    assert card.training.startswith("REINFORCE, 96 episodes of at most 4 steps on 5x5 positions of")
    assert "points a line gained on the agent it began as" in card.measured
    agent = open_agent(str(tmp_path / "agent"))
    assert agent.card == card and agent.shape == recipe.agent and agent.card.predictor == "fake"
    fights = task._fights(task.train, np.arange(3), np.zeros(3, int))
    for other in (TorchAgent(task.net), trained_agent(tmp_path / "run")):
        lines = []
        for one in (agent, other):
            side = AgentSide(one)
            lines.append(imagine(fights, 4, 5, side, side, np.random.default_rng(5)))
        assert lines[0].moves.tolist() == lines[1].moves.tolist()
    with pytest.raises(InputError, match="exported from one run: 2 were given"):
        export([tmp_path / "run", tmp_path / "run"], tmp_path / "two")


def test_another_kind_of_run_is_no_agent(pool: Path, tmp_path: Path) -> None:
    from training.made_tasks import policy_recipe, policy_task

    Run(policy_task(policy_recipe(pool, {"run.examples": 32, "data.test": ""})), tmp_path).go()
    with pytest.raises(
        InputError, match="is a run of `tengen train policy`, not of `tengen train long-term`"
    ):
        load_agent(tmp_path)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"data.train": []}, "names no pool"),
        ({"play.lines": 0}, "'lines' must be 1 or more"),
        ({"play.steps": 0}, "'steps' must be 1 or more"),
        ({"agent.near": 4}, "near must be an odd number"),
        ({"entropy": -1.0}, "'entropy' must be from 0"),
        ({"optimiser.ema": 0.5}, "not for agents"),
        ({"run.imitated": -1}, "'imitated' must be 0 or more"),
        ({"play.opponent": "both"}, "with both, the agent makes no move"),
        ({"play.reward": "glory"}, "must be one of ownership, lead, captures"),
    ],
)
def test_recipes_that_make_no_sense(pool: Path, change: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        recipe = long_term_recipe(pool, change)
        open_positions(recipe)


def test_predictors_that_do_not_fit(pool: Path) -> None:
    recipe = long_term_recipe(pool)
    with pytest.raises(InputError, match="has no move probabilities"):
        LongTermTask(recipe, FakeEvaluator(heads=("ownership",)), *open_positions(recipe))
    with pytest.raises(InputError, match="has no ownership"):
        LongTermTask(recipe, FakeEvaluator(heads=("policy",)), *open_positions(recipe))
    captures = recipe.changed({"play.reward": "captures"})
    LongTermTask(captures, FakeEvaluator(heads=("policy",)), *open_positions(captures)).step()


@pytest.mark.parametrize("path", sorted(RECIPES.glob("long-term-*.toml")), ids=lambda path: path.stem)
def test_the_recipes_of_the_repository(path: Path) -> None:
    plan = LongTermRecipe.read(path, ["run.episodes=7"])
    assert plan.run.episodes == 7 and plan.play.steps == 15 and 2015 in plan.data.train_filter["not_years"]
    assert AgentNet(plan.agent).parameter_count < 100_000


def test_a_shape_is_a_number_of_weights() -> None:
    small, large = (AgentNet(AgentShape(width=width)).parameter_count for width in (8, 16))
    assert small < large


def test_judged_keeps_lines_apart(task: LongTermTask) -> None:
    judged: Judged = judge(task.net, some_episodes(task))
    assert len({len(part) for part in judged}) == 1 and NET.card.has("ownership")
