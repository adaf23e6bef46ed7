"""Supervised training of policy nets: the task of `tengen train policy`. Needs torch."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
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
from tengen.training.teacher_losses import hint_loss, judged_loss, taught_loss
from tengen.training.value_losses import margin_loss, owner_loss
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
    ends = outcomes(store) if recipe.losses.margin or recipe.losses.ownership else None
    teacher = Teacher(data.teacher) if data.teacher else None
    channels = teacher.channels if teacher else 0
    if net.teacher != channels:
        whose = (
            f"{data.teacher}'s trunk has {channels} channels" if teacher else "the recipe names no teacher"
        )
        raise InputError(f"{whose}, the net has net.teacher={net.teacher}: set it to {channels}")
    train = Examples(store.records(), recipe.net.encoding, net.has_pass, net.next_moves, ends, teacher)
    if not data.test:
        return train, None
    test = open_pools([data.test], data.test_filter)
    return train, Examples(test.records(), recipe.net.encoding)


def criterion(recipe: PolicyRecipe, heads: dict[str, Tensor], batch: Batch) -> Tensor:
    """The loss, its mean over the batch.

    `mse` is Golois' (section 3.3): the mean over points of the squared difference between the softmax and a
    plane that is one at the move and zero elsewhere.
    """
    losses = recipe.losses
    logits, target = heads["policy"], torch.from_numpy(batch.target)
    if losses.policy == "mse":
        return F.mse_loss(logits.softmax(1), F.one_hot(target, logits.shape[1]).float())
    loss = F.cross_entropy(logits, target, label_smoothing=losses.label_smoothing)
    if losses.next_moves and "next" in heads:
        following = torch.from_numpy(batch.following).flatten()
        later = F.cross_entropy(heads["next"].flatten(0, 1), following, ignore_index=-1)
        loss = loss + losses.next_moves * later
    if batch.endings is not None:
        if losses.margin:
            loss = loss + losses.margin * margin_loss(heads["margin"], batch.endings)
        if losses.ownership:
            loss = loss + losses.ownership * owner_loss(heads["owner"], batch.endings)
    if batch.lesson is not None:
        if losses.teacher_policy:
            loss = loss + losses.teacher_policy * taught_loss(heads["taught"], batch.lesson)
        if losses.teacher_trunk:
            loss = loss + losses.teacher_trunk * hint_loss(heads["hint"], batch.lesson)
        if losses.teacher_value:
            judged = judged_loss(heads["margin"], heads["owner"], batch.lesson)
            loss = loss + losses.teacher_value * judged
    return loss


def as_tensor(planes: np.ndarray[Any, Any]) -> Tensor:
    return torch.from_numpy(planes).contiguous(memory_format=torch.channels_last)


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
        self.schedule = schedule_of(recipe)
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
        lessons = {name for name, _ in self.net.named_parameters() if name.startswith(self.net.LESSONS)}
        if other := [*unknown, *(set(missing) - lessons)]:
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
        heads = self.net(as_tensor(batch.planes))
        loss = criterion(self.recipe, heads, batch)
        for p in self.net.parameters():
            p.grad = None
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimisers.step(self.schedule.factor(self.done), self.schedule.decay_factor(self.done))
        self.done += len(batch)
        self.steps += 1
        self.average.step(self.steps)
        return float(loss.detach()), int((heads["policy"].argmax(1) == torch.from_numpy(batch.target)).sum())

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
                logits = self.net(as_tensor(one.planes))["policy"]
                target = torch.from_numpy(one.target)
                hits += int((logits.argmax(1) == target).sum())
                loss += float(F.cross_entropy(logits, target, reduction="sum"))
        return {"top1": hits / count, "loss": loss / count, "positions": count}

    def state(self) -> tuple[checkpoints.Tensors, dict[str, Any]]:
        tensors = {"net": dict(self.net.state_dict()), "optimiser": self.optimisers.tensors()}
        if self.average.weights:
            tensors["ema"] = self.average.weights
        return tensors, {"steps": self.steps, "schedule": self.schedule.state(), "begun": self.begun}

    def load(self, tensors: checkpoints.Tensors, state: Mapping[str, Any]) -> None:
        self.net.load_state_dict(tensors["net"])
        self.average.load(tensors.get("ema", {}))
        self.optimisers.load(tensors["optimiser"])
        self.schedule.load(state["schedule"])
        self.steps, self.begun = state["steps"], state["begun"]
