"""Reinforcement learning of policy nets: the task of `tengen train reinforce`. Needs torch.

REINFORCE as CGI's paper describes AlphaGo's (section II.A) and uses it without a baseline (III.A). In each iteration
the net plays some games against an opponent drawn from the pool of its past selves, whose first member is the
supervised policy. Its weights move along the mean over the games of

    sum over its moves t of  d log P(a_t | s_t) * (z_t - v(s_t))

with z the result, 1 or -1 for the net, and v the baseline. P is the distribution that the move was drawn from: over the
playable moves, at the temperature of play. Every so many iterations the net joins the pool.

Games are played by `tengen.training.playing`, as in self-play.
"""

from __future__ import annotations

import copy
import dataclasses
import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from tengen import _native
from tengen.errors import InputError
from tengen.games.records import Records
from tengen.go.color import Color
from tengen.go.game import WHITE_BIT
from tengen.go.position import Position
from tengen.nets.board_net import BoardNet
from tengen.nets.evaluation import Floats, given
from tengen.nets.evaluator import Evaluator
from tengen.planes import encode, encode_globals
from tengen.planes.encode import encode_records
from tengen.planes.globals import encode_record_globals
from tengen.training import checkpoint as checkpoints
from tengen.training.export import REINFORCE, load_trained
from tengen.training.optimisers import Optimisers
from tengen.training.permutation import mix
from tengen.training.playing import Played, Policy, Terms, game_seeds, play, symmetries
from tengen.training.recipe import NetChoice
from tengen.training.reinforce_recipe import ReinforceRecipe
from tengen.training.run import Step, Task
from tengen.training.schedules import schedule_of
from tengen.training.winograd import use_winograd

_TEST_SEED = 1 << 40  # added to the recipe's: games of a measurement are none of training


class TorchPolicy:
    """The policy of a net that is being trained."""

    def __init__(self, net: BoardNet, encoding: str, threads: int) -> None:
        self.net, self.encoding, self.threads = net, encoding, threads

    @torch.inference_mode()
    def __call__(self, positions: Sequence[Position], seen: npt.NDArray[np.uint8]) -> Floats:
        planes = encode(self.encoding, positions, seen, self.threads)
        numbers = encode_globals(self.net.globals, positions) if self.net.globals else None
        return np.asarray(self.net(_inputs(planes, numbers))["policy"])


def _inputs(planes: Floats, numbers: Floats | None) -> dict[str, Tensor]:
    inputs = {"spatial": torch.from_numpy(planes).contiguous(memory_format=torch.channels_last)}
    return inputs if numbers is None else inputs | {"global": torch.from_numpy(numbers)}


@dataclasses.dataclass(frozen=True, eq=False)
class Moves:
    """The net's moves in some games: m of them, passes left out.

    games, numbers, symmetries [m]: where they are, and how the net saw the board; targets [m]: the moves, and playable
    [m, points]: what they were drawn from, both in the symmetry; results [m]: 1, -1, or 0 for a draw.
    """

    games: npt.NDArray[np.int64]
    numbers: npt.NDArray[np.int64]
    symmetries: npt.NDArray[np.uint8]
    targets: npt.NDArray[np.int64]
    playable: npt.NDArray[np.bool_]
    results: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.games)


def learner_won(played: Played, komi: float) -> int:
    """1 if the first of two policies has won, -1 if it has lost, 0 for a draw."""
    black = int(np.sign(played.margin - komi))
    return black if played.number % 2 == 0 else -black


def moves_of(played: Sequence[Played], terms: Terms) -> Moves:
    """The moves of the first of two policies."""
    points = terms.size**2
    carried = np.array(
        [[_native.transform_point(p, terms.size, s) for p in range(points + 1)] for s in range(8)]
    )
    games, numbers, seen, targets, playable, results = [], [], [], [], [], []
    for i, one in enumerate(played):
        mine = np.arange(one.number % 2, len(one.moves), 2)
        mine = mine[one.playable[mine].any(1)]
        seed = game_seeds(terms, np.full(len(mine), one.number))
        turned = symmetries(seed, mine)
        games.append(np.full(len(mine), i))
        numbers.append(mine)
        seen.append(turned)
        targets.append(carried[turned, one.moves[mine] & (WHITE_BIT - 1)])
        playable.append(one.playable[mine].astype(bool))
        results.append(np.full(len(mine), learner_won(one, terms.komi), np.float32))
    joined = (np.concatenate(part) for part in (games, numbers, seen, targets, playable, results))
    return Moves(*joined)


def records_of(played: Sequence[Played], terms: Terms) -> Records:
    count = len(played)
    return Records(
        sizes=np.full(count, terms.size, np.uint8),
        moves_flat=np.concatenate([one.moves for one in played]),
        move_offsets=np.cumsum([0, *(len(one.moves) for one in played)], dtype=np.int64),
        setup_flat=np.empty(0, np.uint16),
        setup_offsets=np.zeros(count + 1, np.int64),
        komi=np.full(count, terms.komi, np.float32),
        first_to_move=np.full(count, int(Color.BLACK), np.uint8),
        winner=np.zeros(count, np.uint8),
        rules=np.zeros(count, np.uint8),
        rules_table=(terms.game_rules,),
    )


def baseline_values(
    net: Evaluator, played: Sequence[Played], moves: Moves, terms: Terms, batch: int = 256
) -> npt.NDArray[np.float32]:
    """The value -1 to 1 of the position before each move, for the side that makes it, float32 [m]."""
    before = list(_positions(played, moves, terms))
    values = []
    for part in _parts(len(before), batch):
        for position, said in zip(before[part], net.evaluate(before[part]), strict=True):
            values.append(2 * given(said.win).of(position.to_move) - 1)
    return np.array(values, np.float32)


def _positions(played: Sequence[Played], moves: Moves, terms: Terms) -> Iterator[Position]:
    """The positions before the moves, which are in the order of games and numbers."""
    for i, one in enumerate(played):
        wanted = set(moves.numbers[moves.games == i].tolist())
        position = terms.start()
        for number, move in enumerate(one.moves.tolist()):
            if number in wanted:
                yield position.copy()
            position.play(move & (WHITE_BIT - 1))


class ReinforceTask(Task):
    """A policy net, its optimisers and the pool of its past selves; the unit is an iteration."""

    KIND, UNIT = REINFORCE, "iterations"
    columns = ("loss", "wins", "moves", "opponent", "rate", "validation_win_rate", "validation_half_width")

    def __init__(self, recipe: ReinforceRecipe, baseline: Evaluator | None = None) -> None:
        torch.set_num_threads(recipe.threads)
        self.recipe: ReinforceRecipe = recipe
        self.total = recipe.run.iterations
        self.log_every, self.checkpoint_every = recipe.run.log_every, recipe.run.checkpoint_every
        self.validate_every = recipe.run.test_every
        self.terms = recipe.play.terms(recipe.seed)
        begin = Path(recipe.run.begin)
        self.net, policy, saved = load_trained(begin)
        self.net_choice: NetChoice = policy.net
        self.begun = {
            "run": begin.name,
            "done": saved.done,
            "unit": "iterations" if saved.kind == REINFORCE else "examples",
            "seconds": saved.state["seconds"],
        }
        if "policy" not in self.net.heads:
            raise InputError(
                f"the recipe begins with {begin}, a net without a policy: there are no moves to draw"
            )
        if self.net.size not in (None, self.terms.size):
            raise InputError(
                f"the net of {begin} is for {self.net.size}x{self.net.size}, the games are on "
                f"{self.terms.size}x{self.terms.size}: set play.size={self.net.size}"
            )
        if baseline is not None:
            baseline.card.require("win_by_komi", "the baseline of REINFORCE is a win rate")
            baseline.card.check_size(self.terms.size)
        self.baseline = baseline
        use_winograd(self.net)
        self.net = self.net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        # Running statistics of norms stay those of the supervised net: batches of games are not like its examples.
        self.net.eval()
        self.past: list[dict[str, Tensor]] = [self._weights()]
        self._other = copy.deepcopy(self.net)  # plays with the weights of the opponent
        self.optimisers = Optimisers(self.net, recipe.optimiser)
        self.schedule = schedule_of(recipe.optimiser, self.total)

    def _weights(self) -> dict[str, Tensor]:
        return {name: value.clone() for name, value in self.net.state_dict().items()}

    def step(self) -> Step:
        rate = self.recipe.optimiser.rate * self.schedule.factor(self.done)
        if not all(bool(p.isfinite().all()) for p in self.net.parameters()):
            self.done += 1
            return Step(1, {"loss": math.nan, "rate": rate})
        games = self.recipe.play.games
        opponent = int(mix(np.uint64(self.done), 4 * self.recipe.seed + 3) % np.uint64(len(self.past)))
        numbers = range(self.done * games, (self.done + 1) * games)
        asked = time.perf_counter()
        played = self._games(self.terms, numbers, opponent)
        waited = time.perf_counter() - asked
        moves = moves_of(played, self.terms)
        advantage = moves.results
        if self.baseline is not None:
            advantage = advantage - baseline_values(self.baseline, played, moves, self.terms)
        loss = self._learn(records_of(played, self.terms), moves, advantage, games)
        self.done += 1
        if self.done % self.recipe.run.join_every == 0:
            self.past.append(self._weights())
        figures = {
            "loss": loss,
            "wins": won_share(played, self.terms.komi),
            "moves": float(np.mean([len(one.moves) for one in played])),
            "opponent": opponent,
            "rate": rate,
        }
        return Step(1, figures, waited)

    def _games(self, terms: Terms, numbers: Iterable[int], opponent: int) -> list[Played]:
        """Games against a member of the pool, in the order of their numbers."""
        self._other.load_state_dict(self.past[opponent])
        threads, encoding = self.recipe.threads, self.net_choice.encoding
        sides: list[Policy] = [TorchPolicy(net, encoding, threads) for net in (self.net, self._other)]
        numbers = list(numbers)
        return sorted(play(terms, numbers, sides, len(numbers), threads), key=lambda one: one.number)

    def _learn(self, records: Records, moves: Moves, advantage: npt.NDArray[np.float32], games: int) -> float:
        """One step of the optimiser; the loss, -log P * advantage, summed over moves, its mean over games."""
        for p in self.net.parameters():
            p.grad = None
        total = 0.0
        for part in _parts(len(moves), self.recipe.optimiser.batch):
            encoded = encode_records(
                self.net_choice.encoding,
                records,
                moves.games[part],
                moves.numbers[part],
                moves.symmetries[part],
                self.recipe.threads,
            )
            numbers = (
                encode_record_globals(self.net.globals, records, moves.games[part], moves.numbers[part])
                if self.net.globals
                else None
            )
            logits = self.net(_inputs(encoded.planes, numbers))["policy"][:, : self.terms.size**2]
            barred = ~torch.from_numpy(moves.playable[part])
            chances = (logits / self.terms.temperature).masked_fill(barred, -math.inf).log_softmax(1)
            drawn = chances.gather(1, torch.from_numpy(moves.targets[part])[:, None])[:, 0]
            loss = -(drawn * torch.from_numpy(advantage[part])).sum() / games
            loss.backward()  # type: ignore[no-untyped-call]
            total += float(loss.detach())
        self.optimisers.step(self.schedule.factor(self.done), self.schedule.decay_factor(self.done))
        return total

    def validate(self) -> dict[str, float]:
        """The share of games won against the start, a draw half a win, and half the width of its 95 % interval."""
        count = self.recipe.play.test_games
        terms = self.recipe.play.test_terms(self.recipe.seed + _TEST_SEED)
        share = won_share(self._games(terms, range(count), 0), terms.komi)
        return {
            "win_rate": share,
            "half_width": 1.96 * math.sqrt(max(share * (1 - share), 0.25 / count) / count),
        }

    def state(self) -> tuple[checkpoints.Tensors, dict[str, Any]]:
        past = {f"{i}/{name}": value for i, one in enumerate(self.past) for name, value in one.items()}
        tensors = {"net": dict(self.net.state_dict()), "optimiser": self.optimisers.tensors(), "past": past}
        net = dataclasses.asdict(self.net_choice)
        return tensors, {
            "net": net,
            "begun": self.begun,
            "size": self.terms.size,
            "past": len(self.past),
            "schedule": self.schedule.state(),
        }

    def load(self, tensors: checkpoints.Tensors, state: Mapping[str, Any]) -> None:
        self.net.load_state_dict(tensors["net"])
        self.optimisers.load(tensors.get("optimiser", {}))
        self.schedule.load(state["schedule"])
        past = tensors["past"]
        names = list(self.net.state_dict())
        self.past = [{name: past[f"{i}/{name}"] for name in names} for i in range(state["past"])]
        self.begun = state["begun"]


def won_share(played: Sequence[Played], komi: float) -> float:
    """Of the first of two policies; a draw is half a win."""
    return float(np.mean([(learner_won(one, komi) + 1) / 2 for one in played]))


def _parts(count: int, batch: int) -> Iterator[slice]:
    return (slice(first, first + batch) for first in range(0, count, batch))
