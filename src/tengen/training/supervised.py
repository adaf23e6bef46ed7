"""Supervised training of policy nets: the task of `tengen train policy`. Needs torch."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from tengen.errors import InputError
from tengen.nets.board_net import BoardNet, build_net
from tengen.planes import encoding
from tengen.training import checkpoint as checkpoints
from tengen.training.averaging import Average
from tengen.training.data import TEST_SEED, Batch, Examples, Prefetcher
from tengen.training.optimisers import Optimisers
from tengen.training.outcomes import outcomes
from tengen.training.pools import open_pools
from tengen.training.recipe import PolicyRecipe
from tengen.training.run import Step, Task
from tengen.training.schedules import schedule_of
from tengen.training.teacher import Teacher
from tengen.training.teacher_losses import teacher_policy_loss, teacher_trunk_loss, teacher_value_loss
from tengen.training.value_losses import margin_loss, owner_loss, win_loss
from tengen.training.winograd import use_winograd


def build_recipe_net(recipe: PolicyRecipe) -> BoardNet:
    """A net of the recipe's architecture, with torch's next random weights."""
    return build_net(recipe.net.architecture, planes=len(encoding(recipe.net.encoding)), **recipe.net.options)


def make_net(recipe: PolicyRecipe) -> BoardNet:
    """The recipe's net with its first weights, which depend on the seed alone."""
    torch.manual_seed(recipe.seed)
    net = build_recipe_net(recipe)
    use_winograd(net)
    return net.to(memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]


def open_examples(recipe: PolicyRecipe) -> tuple[Examples, Examples | None]:
    """The examples for training and for tests. Passes are examples for nets that may pass, and never for tests."""
    data = recipe.data
    with torch.device("meta"):  # shapes only
        net = build_recipe_net(recipe)
    store = open_pools(data.train, data.train_filter)
    ends = (
        outcomes(store, data.train)
        if recipe.losses.margin or recipe.losses.win or recipe.losses.ownership
        else None
    )
    teacher = Teacher(data.teacher) if data.teacher else None
    channels = teacher.channels if teacher else 0
    if net.teacher != channels:
        whose = (
            f"{data.teacher}'s trunk has {channels} channels" if teacher else "the recipe names no teacher"
        )
        raise InputError(f"{whose}, the net has net.teacher={net.teacher}: set it to {channels}")
    check_heads(recipe, net)
    train = Examples(
        store.records(), recipe.net.encoding, net.has_pass, net.next_moves, ends, teacher, globals=net.globals
    )
    if not data.test:
        return train, None
    test = open_pools([data.test], data.test_filter)
    return train, Examples(test.records(), recipe.net.encoding, globals=net.globals)


def check_heads(recipe: PolicyRecipe, net: BoardNet) -> None:
    """Raises InputError if the recipe weighs a head that the net does not have."""
    losses = recipe.losses
    needs: list[tuple[str, object, tuple[str, ...]]] = [
        ("losses.margin", losses.margin, ("margin",)),
        ("losses.win", losses.win, ("value", "values")),
        ("losses.ownership", losses.ownership, ("ownership",)),
        ("losses.teacher_value", losses.teacher_value, ("margin",)),
        ("losses.teacher_value", losses.teacher_value, ("ownership",)),
        ("data.test", recipe.data.test, ("policy",)),
    ]
    for key, wanted, heads in needs:
        if wanted and not any(name in net.heads for name in heads):
            raise InputError(
                f"the recipe's {key} is for nets with the head {' or '.join(heads)}; the net "
                f"'{recipe.net.architecture}' has only {', '.join(net.heads)}"
            )


def criterion(
    recipe: PolicyRecipe, heads: dict[str, Tensor], batch: Batch, komi_labels: Sequence[float] = ()
) -> Tensor:
    """The loss, its mean over the batch, from the raw numbers of the net's heads (tengen.nets.heads).

    `komi_labels` are those of the net's win rates, empty for the games' own komi.
    """
    weights = recipe.losses
    losses: list[Tensor] = []
    if "policy" in heads:
        losses += policy_losses(recipe, heads, batch)
    if batch.endings is not None:
        if weights.margin:
            losses.append(weights.margin * margin_loss(heads["margin"], batch.endings))
        for name in ("value", "values"):
            if weights.win and name in heads:
                assert batch.white is not None
                losses.append(weights.win * win_loss(heads[name], komi_labels, batch.endings, batch.white))
        if weights.ownership:
            losses.append(weights.ownership * owner_loss(heads["ownership"], batch.endings))
    if batch.teacher_targets is not None:
        if weights.teacher_policy:
            losses.append(
                weights.teacher_policy * teacher_policy_loss(heads["teacher_policy"], batch.teacher_targets)
            )
        if weights.teacher_trunk:
            losses.append(
                weights.teacher_trunk * teacher_trunk_loss(heads["teacher_trunk"], batch.teacher_targets)
            )
        if weights.teacher_value:
            judged = teacher_value_loss(heads["margin"], heads["ownership"], batch.teacher_targets)
            losses.append(weights.teacher_value * judged)
    if not losses:
        raise InputError("the recipe gives a weight to none of the net's heads: there is nothing to learn")
    return reduce(torch.add, losses)


def policy_losses(recipe: PolicyRecipe, heads: dict[str, Tensor], batch: Batch) -> list[Tensor]:
    """The losses of the heads `policy` and `next`.

    `mse` is Golois' (section 3.3): the mean over points of the squared difference between the softmax and a
    plane that is one at the move and zero elsewhere.
    """
    weights = recipe.losses
    logits, target = heads["policy"], torch.from_numpy(batch.target)
    if weights.policy == "mse":
        return [F.mse_loss(logits.softmax(1), F.one_hot(target, logits.shape[1]).float())]
    losses = [F.cross_entropy(logits, target, label_smoothing=weights.label_smoothing)]
    if weights.next_moves and "next" in heads:
        following = torch.from_numpy(batch.following).flatten()
        later = F.cross_entropy(heads["next"].flatten(0, 1), following, ignore_index=-1)
        losses.append(weights.next_moves * later)
    return losses


def net_inputs(net: BoardNet, batch: Batch) -> dict[str, Tensor]:
    """What the net takes of a batch: `spatial`, and `global` if it declares global inputs."""
    inputs = {"spatial": torch.from_numpy(batch.planes).contiguous(memory_format=torch.channels_last)}
    if net.globals:
        assert batch.globals is not None
        inputs["global"] = torch.from_numpy(batch.globals)
    return inputs


class PolicyTask(Task):
    """A policy net, its optimisers, its schedule and its averaged weights; the unit is an example."""

    KIND, UNIT = "policy", "examples"
    columns = ("loss", "top1", "rate", "validation_top1", "validation_loss")

    def __init__(self, recipe: PolicyRecipe, train: Examples, test: Examples | None = None) -> None:
        torch.set_num_threads(recipe.threads)
        self.recipe: PolicyRecipe = recipe
        self.train, self.test = train, test
        self.total = recipe.run.examples
        self.log_every, self.checkpoint_every = recipe.run.log_every, recipe.run.checkpoint_every
        self.validate_every = recipe.run.test_every
        self.net = make_net(recipe)
        if self.net.size not in (None, train.size):
            raise InputError(
                f"the net '{recipe.net.architecture}' is for {self.net.size}x{self.net.size}, the games are on "
                f"{train.size}x{train.size}: set net.size={train.size}"
            )
        # The run whose weights were the first ones, and how long it had been trained.
        self.begun: dict[str, Any] = {}
        self.average = Average(self.net, recipe.optimiser.ema)
        self.optimisers = Optimisers(self.net, recipe.optimiser)
        self.schedule = schedule_of(recipe.optimiser, recipe.run.examples)
        self.steps = 0
        self._batches: Iterator[Batch] = iter(())

    def start(self) -> None:
        """Takes over the weights of another run; layers that only this net has keep their random ones."""
        if not self.recipe.run.begin:
            return
        run = Path(self.recipe.run.begin)
        saved = checkpoints.load(run)
        try:
            missing, unknown = self.net.load_state_dict(saved.tensors["net"], strict=False)
        except (RuntimeError, KeyError) as error:
            raise InputError(f"the recipe begins with {run}, which is another net: {error}") from None
        new = {name for name, _ in self.net.named_parameters() if name.startswith(self.net.TRAINING_LAYERS)}
        if other := [*unknown, *(set(missing) - new)]:
            raise InputError(f"the recipe begins with {run}, which is another net: {other[0]} is in one only")
        self.begun = {
            "run": run.name,
            "examples": saved.done,
            "seconds": saved.state["seconds"],
            "begun": saved.state["task"]["begun"],
        }
        self.average = Average(self.net, self.recipe.optimiser.ema)

    @contextmanager
    def running(self) -> Iterator[None]:
        recipe = self.recipe
        with Prefetcher(
            self.train, self.done, self.total, recipe.optimiser.batch, recipe.seed, recipe.data.symmetries
        ) as batches:
            self._batches = iter(batches)
            yield

    def step(self) -> Step:
        asked = time.perf_counter()
        batch = next(self._batches)
        waited = time.perf_counter() - asked
        loss, found = self.learn(batch)
        self.schedule.observe(self.done, len(batch), loss)
        rate = self.recipe.optimiser.rate * self.schedule.factor(self.done)
        return Step(len(batch), {"loss": loss, "top1": found / len(batch), "rate": rate}, waited)

    def learn(self, batch: Batch) -> tuple[float, int]:
        """One step of the optimiser; the loss, and how many moves the net found."""
        heads = self.net(net_inputs(self.net, batch))
        loss = criterion(self.recipe, heads, batch, self.net.card_komi_labels)
        for p in self.net.parameters():
            p.grad = None
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimisers.step(self.schedule.factor(self.done), self.schedule.decay_factor(self.done))
        self.done += len(batch)
        self.steps += 1
        self.average.step(self.steps)
        found = 0
        if "policy" in heads:
            found = int((heads["policy"].argmax(1) == torch.from_numpy(batch.target)).sum())
        return float(loss.detach()), found

    def validate(self, batch: int = 250) -> dict[str, float]:
        """Top-1 accuracy and cross-entropy on the test positions, always the same ones, without symmetries."""
        if self.test is None:
            return {}
        count = min(self.recipe.data.test_positions, len(self.test))
        hits, loss = 0, 0.0
        with (
            self.average.applied(),
            torch.inference_mode(),
            Prefetcher(self.test, 0, count, batch, TEST_SEED, symmetries=False) as made,
        ):
            for one in made:
                logits = self.net(net_inputs(self.net, one))["policy"]
                target = torch.from_numpy(one.target)
                hits += int((logits.argmax(1) == target).sum())
                loss += float(F.cross_entropy(logits, target, reduction="sum"))
        return {"top1": hits / count, "loss": loss / count, "positions": count}

    def state(self) -> tuple[checkpoints.Tensors, dict[str, Any]]:
        tensors = {"net": dict(self.net.state_dict()), "optimiser": self.optimisers.tensors()}
        if self.average.weights:
            tensors["ema"] = self.average.weights
        state = {"steps": self.steps, "schedule": self.schedule.state(), "begun": self.begun}
        return tensors, state | {"size": self.train.size}

    def load(self, tensors: checkpoints.Tensors, state: Mapping[str, Any]) -> None:
        self.net.load_state_dict(tensors["net"])
        self.average.load(tensors.get("ema", {}))
        self.optimisers.load(tensors["optimiser"])
        self.schedule.load(state["schedule"])
        self.steps, self.begun = state["steps"], state["begun"]
