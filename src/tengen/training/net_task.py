"""What training tasks of nets on the games of pools have in common: examples, optimisers, averages. Needs torch."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from tengen.errors import InputError
from tengen.nets.board_net import BoardNet, build_net
from tengen.nets.library import WEIGHTS, find_card
from tengen.planes import encoding
from tengen.training import checkpoint as checkpoints
from tengen.training.averaging import Average
from tengen.training.data import Batch, Drawing, Examples, Prefetcher
from tengen.training.norms import use_native_norms, use_settled_norms
from tengen.training.optimisers import Optimisers
from tengen.training.recipe import NetRecipe
from tengen.training.response import use_native_response
from tengen.training.run import Step, Task
from tengen.training.schedules import schedule_of
from tengen.training.winograd import use_winograd


def build_recipe_net(recipe: NetRecipe) -> BoardNet:
    """A net of the recipe's architecture, with torch's next random weights."""
    return build_net(recipe.net.architecture, planes=len(encoding(recipe.net.encoding)), **recipe.net.options)


def make_net(recipe: NetRecipe) -> BoardNet:
    """The recipe's net with its first weights, which depend on the seed alone."""
    torch.manual_seed(recipe.seed)
    net = build_recipe_net(recipe)
    use_winograd(net)
    use_native_norms(net)
    use_native_response(net)
    return net.to(memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]


def first_weights(begin: str) -> tuple[Mapping[str, Tensor], dict[str, Any]]:
    """The weights of a run's last checkpoint, or of an exported net (name or folder), and what a card says of it."""
    if not checkpoints.checkpoints(Path(begin)) and not (Path(begin) / "state.json").is_file():
        try:
            card, folder = find_card(begin)
            return load_file(folder / WEIGHTS), {"net": card.name, "training": card.training}
        except (InputError, OSError, SafetensorError) as error:
            raise InputError(
                f"the recipe begins with {begin}, which is no run and no net of ours: {error}"
            ) from None
    saved = checkpoints.load(Path(begin))
    begun = {
        "run": Path(begin).name,
        "examples": saved.done,
        "seconds": saved.state["seconds"],
        "begun": saved.state["task"]["begun"],
    }
    return saved.tensors["net"], begun


def net_inputs(net: BoardNet, batch: Batch) -> dict[str, Tensor]:
    """What the net takes of a batch: `spatial`, and `global` if it declares global inputs."""
    inputs = {"spatial": torch.from_numpy(batch.planes).contiguous(memory_format=torch.channels_last)}
    if net.globals:
        assert batch.globals is not None
        inputs["global"] = torch.from_numpy(batch.globals)
    return inputs


class NetTask(Task):
    """A net, its optimisers, its schedule and its averaged weights; the unit is an example."""

    UNIT = "examples"
    RECIPE: ClassVar[type[NetRecipe]]

    def __init__(self, recipe: NetRecipe, train: Drawing, test: Examples | None = None) -> None:
        torch.set_num_threads(recipe.threads)
        self.recipe: NetRecipe = recipe
        self.train, self.test = train, test
        self.total = recipe.run.examples
        self.log_every, self.checkpoint_every = recipe.run.log_every, recipe.run.checkpoint_every
        self.validate_every = recipe.run.test_every
        self.net = make_net(recipe)
        for size in (*train.sizes, *(test.sizes if test else ())):
            if self.net.size not in (None, size):
                raise InputError(
                    f"the net '{recipe.net.architecture}' is for {self.net.size}x{self.net.size}, the games are on "
                    f"{size}x{size}: set net.size={size}"
                )
        if len(train.sizes) > 1:
            use_settled_norms(self.net, max(train.sizes))
        # The run whose weights were the first ones, and how long it had been trained; or the net.
        self.begun: dict[str, Any] = {}
        self.average = Average(self.net, recipe.optimiser.ema)
        self.optimisers = Optimisers(self.net, recipe.optimiser)
        self.schedule = schedule_of(recipe.optimiser, recipe.run.examples)
        self.steps = 0
        self._batches: Iterator[Batch] = iter(())

    @abstractmethod
    def judge(self, heads: dict[str, Tensor], batch: Batch) -> tuple[Tensor, dict[str, float]]:
        """The loss, its mean over the batch, and further figures of the step (means over the batch)."""

    @staticmethod
    @abstractmethod
    def measured(validation: Mapping[str, float]) -> dict[str, float]:
        """The figures of the last validation as a net's card has them."""

    @staticmethod
    @abstractmethod
    def described(figures: Mapping[str, float], validation: Mapping[str, float]) -> list[str]:
        """What a line of progress says: figures of the last steps, and of the last validation if there is one."""

    def start(self) -> None:
        """Takes over the weights of another run or net; layers that only this net has keep their random ones."""
        begin = self.recipe.run.begin
        if not begin:
            return
        weights, begun = first_weights(begin)

        def examples() -> dict[str, Tensor]:
            drawn = self.train.drawn(0, self.recipe.optimiser.batch, self.recipe.seed, False)
            return net_inputs(self.net, drawn)

        try:
            other = self.net.take_over(weights, examples)
        except (RuntimeError, KeyError) as error:
            raise InputError(f"the recipe begins with {begin}, which is another net: {error}") from None
        if other:
            raise InputError(
                f"the recipe begins with {begin}, which is another net: {other[0]} is in one only"
            )
        self.begun = begun
        self.average = Average(self.net, self.recipe.optimiser.ema)

    @contextmanager
    def running(self) -> Iterator[None]:
        recipe = self.recipe
        with Prefetcher(
            self.train, self.done, self.total, recipe.optimiser.batch, recipe.seed, recipe.games.symmetries
        ) as batches:
            self._batches = iter(batches)
            yield

    def step(self) -> Step:
        asked = time.perf_counter()
        batch = next(self._batches)
        waited = time.perf_counter() - asked
        figures = self.learn(batch)
        self.schedule.observe(self.done, len(batch), figures["loss"])
        rate = self.recipe.optimiser.rate * self.schedule.factor(self.done)
        return Step(len(batch), {**figures, "rate": rate}, waited)

    def learn(self, batch: Batch) -> dict[str, float]:
        """One step of the optimiser; its loss and the other figures."""
        heads = self.net(net_inputs(self.net, batch))
        loss, figures = self.judge(heads, batch)
        for p in self.net.parameters():
            p.grad = None
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimisers.step(self.schedule.factor(self.done), self.schedule.decay_factor(self.done))
        self.done += len(batch)
        self.steps += 1
        self.average.step(self.steps)
        return {"loss": float(loss.detach()), **figures}

    def state(self) -> tuple[checkpoints.Tensors, dict[str, Any]]:
        tensors = {"net": dict(self.net.state_dict()), "optimiser": self.optimisers.tensors()}
        if self.average.weights:
            tensors["ema"] = self.average.weights
        state = {"steps": self.steps, "schedule": self.schedule.state(), "begun": self.begun}
        return tensors, state | {"sizes": list(self.train.sizes)}

    def load(self, tensors: checkpoints.Tensors, state: Mapping[str, Any]) -> None:
        self.net.load_state_dict(tensors["net"])
        self.average.load(tensors.get("ema", {}))
        self.optimisers.load(tensors["optimiser"])
        self.schedule.load(state["schedule"])
        self.steps, self.begun = state["steps"], state["begun"]
