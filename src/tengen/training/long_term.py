"""Training of the agent of long-term evaluation: the task of `tengen train long-term`. Needs torch.

REINFORCE (DANN paper, equations 3 to 5). A step takes some positions of real games and the predictor's candidates
there, imagines M lines of each, and moves the weights along the mean over the lines of

    sum over steps t of  d log pi(u_t | s_1:t) * (R_t - b_t),     u_t = (l_t, a_t)

with R_t the reward from step t on, in the view of the side that acts. The baseline b_t is learnt by squared error
beside it. If the agent plays both sides, all actions count, each for its own side. If the predictor is the opponent,
the agent acts for the candidate's side, and at the opponent's steps only where it looks counts.

The first `run.imitated` episodes are lines of the games themselves (tengen.training.imitation), whose moves the agent
learns to foretell: from random moves, REINFORCE would need far more lines than it can be given here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from tengen.nets.agent import AgentShape, AgentStep
from tengen.nets.agent_net import AgentNet
from tengen.nets.evaluation import Floats, given
from tengen.nets.evaluator import Evaluator
from tengen.planes.glimpse import ENCODING, Glimpses
from tengen.search.imagining import Fight, Lines, Side, fights_at, imagine
from tengen.search.imagining_sides import NOT_DRAWN, AgentSide, Looked, PredictorSide
from tengen.search.rewards import REWARDS
from tengen.training import checkpoint as checkpoints
from tengen.training.data import TEST_SEED, Examples
from tengen.training.export_agent import LONG_TERM
from tengen.training.imitation import followed, lines_of_games
from tengen.training.long_term_recipe import LongTermRecipe
from tengen.training.optimisers import Optimisers
from tengen.training.permutation import mix, shuffled
from tengen.training.pools import open_pools
from tengen.training.run import Step, Task
from tengen.training.schedules import schedule_of

_GROUPS = 16  # parts of a test's lines whose gradients are compared


class TorchAgent:
    """An agent in training, as imagined lines ask it."""

    def __init__(self, net: AgentNet) -> None:
        self.net = net

    @property
    def shape(self) -> AgentShape:
        return self.net.shape

    @torch.inference_mode()
    def step(self, seen: Glimpses, numbers: Floats, state: Floats) -> AgentStep:
        said = self.net(*(torch.from_numpy(part) for part in (*seen, numbers, state)))
        return AgentStep(*(part.numpy() for part in said))


class Episodes(NamedTuple):
    """Imagined lines, what the agent saw and drew in them, and R_t of every step in its view, [steps, lines]."""

    lines: Lines
    looked: Sequence[Looked]
    rewards: Floats


class Judged(NamedTuple):
    """The episodes by the agent's present weights, one number each for every step of every line.

    log_chance: log pi(u_t); reward: R_t; baseline: b_t; entropy: of the choices; line: its number.
    """

    log_chance: Tensor
    reward: Tensor
    baseline: Tensor
    entropy: Tensor
    line: Tensor


def judge(net: AgentNet, episodes: Episodes) -> Judged:
    """Goes through the episodes again, with gradients. The encoder takes all steps at once, the core one by one."""
    looked = episodes.looked
    near, far, numbers = (
        torch.from_numpy(np.concatenate(parts))
        for parts in (
            [one.seen.near for one in looked],
            [one.seen.far for one in looked],
            [one.numbers for one in looked],
        )
    )
    glimpse, by_map = net.encode(near, far)
    inputs = torch.cat([glimpse, numbers], 1)
    state = torch.zeros(len(episodes.lines.which), net.shape.hidden)
    states, first = [], 0
    for one in looked:
        live = torch.from_numpy(one.live)
        new = net.core(inputs[first : first + len(live)], state[live])
        state = state.index_copy(0, live, new)
        states.append(new)
        first += len(live)
    actions, places, baseline = net.decide(torch.cat(states), inputs, by_map)
    action = torch.from_numpy(np.concatenate([one.action for one in looked]))
    by_action, action_entropy = _chances(actions, [one.may_play for one in looked], action.clamp(min=0))
    place = torch.from_numpy(np.concatenate([one.place for one in looked]))
    by_place, place_entropy = _chances(places, [one.may_look for one in looked], place.clamp(min=0))
    acted, aimed = action != NOT_DRAWN, place != NOT_DRAWN
    rewards = np.concatenate([episodes.rewards[t, one.live] for t, one in enumerate(looked)])
    return Judged(
        torch.where(aimed, by_place, 0.0) + torch.where(acted, by_action, 0.0),
        torch.from_numpy(rewards),
        baseline,
        place_entropy + torch.where(acted, action_entropy, 0.0),
        torch.from_numpy(np.concatenate([one.live for one in looked])),
    )


def _chances(logits: Tensor, allowed: Sequence[Any], drawn: Tensor) -> tuple[Tensor, Tensor]:
    """log P of what was drawn [m], and the entropy of the draw [m], over what was allowed."""
    barred = ~torch.from_numpy(np.concatenate(list(allowed)))
    logs = logits.masked_fill(barred, -math.inf).log_softmax(1)
    entropy = -(logs.exp() * logs.masked_fill(barred, 0.0)).sum(1)
    return logs.gather(1, drawn[:, None])[:, 0], entropy


def _likeliest(looked: Looked) -> npt.NDArray[np.int64]:
    """The likeliest action [m] of those that could be drawn."""
    return np.asarray(np.where(looked.may_play, looked.said.actions, -np.inf).argmax(1))


def policy_loss(judged: Judged, lines: int, with_baseline: bool = True) -> Tensor:
    """Minus equation 5 (equation 4 with R_t in place of R if there is no baseline): its gradient is what is wanted."""
    advantage = judged.reward - judged.baseline.detach() if with_baseline else judged.reward
    return -(judged.log_chance * advantage).sum() / lines


def gradient_variance(net: AgentNet, judged: Judged, lines: int, with_baseline: bool) -> float:
    """The variance of the policy's gradient from one line, summed over all weights.

    Every _GROUPS-th line makes a group; the variance of the groups' mean gradients, times the lines of a group,
    estimates that of a single line.
    """
    groups = min(_GROUPS, lines)
    weights = [p for name, p in net.named_parameters() if not name.startswith("baseline")]
    found = []
    for group in range(groups):
        part = Judged(*(values[judged.line % groups == group] for values in judged))
        loss = policy_loss(part, lines // groups, with_baseline)
        grads = torch.autograd.grad(loss, weights, retain_graph=True)
        found.append(torch.cat([grad.flatten() for grad in grads]).double())
    return float(torch.stack(found).var(0).sum()) * (lines // groups)


class LongTermTask(Task):
    """An agent, its optimiser, and the positions whose fights it imagines; the unit is an episode."""

    KIND, UNIT = LONG_TERM, "episodes"
    columns = (
        "reward",
        "steps",
        "entropy",
        "baseline_error",
        "explained",
        "foretold",
        "rate",
        "validation_gain",
        "validation_half_width",
        "validation_variance",
        "validation_variance_without",
    )

    def __init__(
        self, recipe: LongTermRecipe, predictor: Evaluator, train: Examples, test: Examples | None = None
    ) -> None:
        torch.set_num_threads(recipe.threads)
        self.recipe: LongTermRecipe = recipe
        self.train, self.test = train, test
        self.total = recipe.run.episodes
        self.log_every, self.checkpoint_every = recipe.run.log_every, recipe.run.checkpoint_every
        self.validate_every = recipe.run.test_every
        predictor.card.require("policy", "it is to name the candidates")
        predictor.card.check_size(train.size)
        self.predictor = predictor
        self.reward = REWARDS[recipe.play.reward](predictor)
        self.net, self.start_net = self._new_net(), self._new_net()
        self.optimisers = Optimisers(self.net, recipe.optimiser)
        self.schedule = schedule_of(recipe.optimiser, self.total)

    def _new_net(self) -> AgentNet:
        """The agent with its first weights, which depend on the seed alone."""
        torch.manual_seed(self.recipe.seed)
        return AgentNet(self.recipe.agent)

    def step(self) -> Step:
        play = self.recipe.play
        number = self.done // play.episodes
        index = np.arange(number * play.positions, (number + 1) * play.positions)
        turned = (mix(index.astype(np.uint64), 8 * self.recipe.seed + 7) % np.uint64(8)).astype(int)
        if not self.recipe.data.symmetries:
            turned[:] = 0
        fights = self._fights(self.train, shuffled(index, len(self.train), self.recipe.seed), turned)
        rng = np.random.default_rng([self.recipe.seed, number])
        factor = self.schedule.factor(self.done)
        figures: dict[str, float] = {}
        if self.done < self.recipe.run.imitated:
            return self._imitate(number, rng, self.recipe.imitation_rate / self.recipe.optimiser.rate)
        if not all(bool(p.isfinite().all()) for p in self.net.parameters()):
            figures["reward"] = math.nan  # nothing can be drawn any more: the run ends with a reason
        elif fights:
            figures = self._learn(self._episodes(fights, rng), factor)
        self.done += play.episodes
        return Step(play.episodes, {**figures, "rate": self.recipe.optimiser.rate * factor})

    def _imitate(self, number: int, rng: np.random.Generator, factor: float) -> Step:
        """One step of the optimiser towards the lines of the games, as many as a step has episodes."""
        recipe, count = self.recipe, self.recipe.play.episodes
        index = np.arange(number * count, (number + 1) * count)
        turned = (mix(index.astype(np.uint64), 8 * recipe.seed + 5) % np.uint64(8)).astype(int)
        if not recipe.data.symmetries:
            turned[:] = 0
        drawn = shuffled(index, len(self.train), recipe.seed)
        fights, moves = followed(
            self.train, drawn.tolist(), turned.tolist(), recipe.play.steps, recipe.agent.window
        )
        figures: dict[str, float] = {}
        if fights:
            lines, looked = lines_of_games(
                fights, moves, AgentSide(TorchAgent(self.net), recipe.threads, record=True), rng
            )
            judged = judge(self.net, Episodes(lines, looked, np.zeros(lines.moves.shape, np.float32)))
            self._move(-judged.log_chance.sum() / len(fights), factor)
            shown = np.concatenate([one.action for one in looked])
            right = np.concatenate([_likeliest(one) for one in looked]) == shown
            figures = {
                "steps": len(shown) / len(fights),
                "entropy": float(judged.entropy.detach().mean()),
                "foretold": float(right[shown != NOT_DRAWN].mean()),
            }
        self.done += count
        return Step(count, {**figures, "rate": recipe.optimiser.rate * factor})

    def _fights(self, examples: Examples, positions: Any, symmetries: Any) -> list[Fight]:
        """The predictor's candidates at these positions of the games; none where only a pass is left."""
        boards = [
            examples.position(int(position), int(symmetry))
            for position, symmetry in zip(positions, symmetries, strict=True)
        ]
        window, most = self.recipe.agent.window, self.recipe.play.candidates
        return [
            fight
            for board, said in zip(boards, self.predictor.evaluate(boards), strict=True)
            for fight in fights_at(board, given(said.policy), most, window)
        ]

    def _episodes(self, fights: list[Fight], rng: np.random.Generator) -> Episodes:
        play = self.recipe.play
        agent = AgentSide(TorchAgent(self.net), self.recipe.threads, record=True)
        other = agent if play.opponent == "self" else PredictorSide(self.predictor)
        lines = imagine(fights, play.lines, play.steps, agent, other, rng)
        rewards = self.reward.to_go(lines)[1:].copy()
        if play.opponent == "self":
            rewards[::2] *= -1  # the opponent acts first
        return Episodes(lines, agent.looked, rewards)

    def _learn(self, episodes: Episodes, factor: float) -> dict[str, float]:
        """One step of the optimiser; means over the lines, of the baseline's error over their steps."""
        count = len(episodes.lines.which)
        judged = judge(self.net, episodes)
        error = (judged.reward - judged.baseline).square()
        bonus = self.recipe.entropy * judged.entropy.sum() / count
        loss = policy_loss(judged, count) + error.sum() / count - bonus
        self._move(loss, factor)
        spread = float(judged.reward.var(correction=0))
        return {
            "reward": self.reward_of(episodes),
            "steps": len(judged.reward) / count,
            "entropy": float(judged.entropy.detach().mean()),
            "baseline_error": float(error.detach().mean()),
            "explained": 1 - float(error.detach().mean()) / spread if spread else 0.0,
        }

    def _move(self, loss: Tensor, factor: float) -> None:
        for p in self.net.parameters():
            p.grad = None
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimisers.step(factor, self.schedule.decay_factor(self.done))

    def reward_of(self, episodes: Episodes) -> float:
        """What the steps of a line bring the candidate's side, in the mean."""
        mean = float(episodes.rewards[0].mean())
        return -mean if self.recipe.play.opponent == "self" else mean

    def validate(self) -> dict[str, float]:
        """On positions that are not trained on, always the same ones with the same random numbers.

        gain: points a line by which the agent does better than the one it began as: half the difference between its
        lines for the candidate's side with the other as the opponent, and the reverse; if the predictor is the
        opponent, the difference of the rewards against it. half_width: of its 95 % interval. variance,
        variance_without: of the gradient, with the baseline and without it.
        """
        if self.test is None:
            return {}
        count = min(self.recipe.data.test_positions, len(self.test))
        chosen = shuffled(np.arange(count), len(self.test), TEST_SEED)
        fights = self._fights(self.test, chosen, np.zeros(count, int))
        if not fights:
            return {}
        gains = self._gains(fights)
        episodes = self._episodes(fights, np.random.default_rng(TEST_SEED))
        judged, lines = judge(self.net, episodes), len(episodes.lines.which)
        return {
            "gain": float(gains.mean()),
            "half_width": 1.96 * float(gains.std()) / math.sqrt(len(gains)),
            "variance": gradient_variance(self.net, judged, lines, True),
            "variance_without": gradient_variance(self.net, judged, lines, False),
            "positions": count,
        }

    def _gains(self, fights: list[Fight]) -> Floats:
        """The gain in each fight, see `validate`."""
        play = self.recipe.play
        now, begun = (AgentSide(TorchAgent(net), self.recipe.threads) for net in (self.net, self.start_net))

        def played(mover: Side, opponent: Side) -> Floats:
            lines = imagine(fights, play.lines, play.steps, mover, opponent, np.random.default_rng(TEST_SEED))
            whole = self.reward.to_go(lines)[0].reshape(len(fights), play.lines)
            return np.asarray(whole.mean(1), np.float32)

        if play.opponent == "predictor":
            predictor = PredictorSide(self.predictor)
            return played(now, predictor) - played(begun, predictor)
        return np.asarray((played(now, begun) - played(begun, now)) / 2, np.float32)

    def state(self) -> tuple[checkpoints.Tensors, dict[str, Any]]:
        tensors = {"net": dict(self.net.state_dict()), "optimiser": self.optimisers.tensors()}
        return tensors, {"schedule": self.schedule.state(), "size": self.train.size}

    def load(self, tensors: checkpoints.Tensors, state: Mapping[str, Any]) -> None:
        self.net.load_state_dict(tensors["net"])
        self.optimisers.load(tensors.get("optimiser", {}))
        self.schedule.load(state["schedule"])


def open_positions(recipe: LongTermRecipe) -> tuple[Examples, Examples | None]:
    """The positions of the recipe's games, for training and for tests."""
    data = recipe.data
    train = Examples(open_pools(data.train, data.train_filter).records(), ENCODING)
    if not data.test:
        return train, None
    return train, Examples(open_pools([data.test], data.test_filter).records(), ENCODING)
