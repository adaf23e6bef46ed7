"""Algorithm 4.1 of the thesis: Adam, a rate that decays by the epoch, early stopping. Needs torch.

Two slips of the thesis are not followed: the decay is printed as eta <- (1 - beta) eta with beta near 1 (0.995 in
Table 5.1), which would end the training after one epoch, so eta <- beta eta; and a batch's gradients are summed,
which makes no difference to Adam, so means are taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tengen.errors import InputError
from tengen.strength.groups import CENTRES
from tengen.strength.objectives import GameObjective, Objective, RankObjective
from tengen.strength.recipe import StrengthRecipe
from tengen.strength.ridge import fit_ranks, fit_ratings
from tengen.strength.scaling import scaling_of
from tengen.strength.set_transformer import MeanPooled, SetModel, SetTransformer
from tengen.training import checkpoint as checkpoints
from tengen.training.averaging import Average
from tengen.training.optimisers import load_state_tensors, state_tensors
from tengen.training.run import Step, Task


def build_model(recipe: StrengthRecipe, inputs: int, outputs: int) -> SetModel:
    """The recipe's net with its first weights, which depend on the seed alone."""
    torch.manual_seed(recipe.seed)
    shape = recipe.model
    centres = torch.from_numpy(CENTRES - CENTRES.mean()).float() if shape.ordered else None
    if shape.kind != "set-transformer":
        depth = shape.depth if shape.kind == "mean" else 0
        return MeanPooled(inputs, outputs, hidden=shape.hidden, depth=depth, centres=centres)
    return SetTransformer(
        inputs,
        outputs,
        depth=shape.depth,
        hidden=shape.hidden,
        query=shape.query,
        inducing=shape.inducing,
        centres=centres,
    )


class StrengthTask(Task):
    """A strength model, its optimiser and its weights after the best epoch; the unit is a step."""

    KIND, UNIT = "strength", "steps"

    def __init__(self, recipe: StrengthRecipe, objective: Objective) -> None:
        torch.set_num_threads(recipe.threads)
        self.recipe: StrengthRecipe = recipe
        self.objective = objective
        self.total = recipe.run.epochs * recipe.run.steps
        self.log_every = self.checkpoint_every = self.validate_every = recipe.run.steps
        figures = (f"validation_{name}" for name in objective.FIGURES)
        self.columns = (*objective.LOSSES, "rate", *figures)
        self.net = build_model(recipe, objective.inputs, objective.outputs)
        scaling = scaling_of(objective.features, recipe.model.whitened)
        self.net.centre.copy_(torch.from_numpy(scaling.centre))
        self.net.scaling.copy_(torch.from_numpy(scaling.matrix))
        # What is solved in one step has no steps to average.
        self.average = Average(self.net, 0.0 if recipe.model.kind == "ridge" else recipe.optimiser.ema)
        self.adam = torch.optim.Adam(self.net.parameters(), lr=recipe.optimiser.rate)
        self.best_score = -np.inf
        self.best: dict[str, Tensor] = {k: v.clone() for k, v in self.net.state_dict().items()}
        self.best_epoch = 0
        self.stale = 0  # epochs since the best one

    @property
    def epoch(self) -> int:
        """Epochs that are complete."""
        return self.done // self.recipe.run.steps

    @property
    def rate(self) -> float:
        return self.recipe.optimiser.rate * self.recipe.optimiser.decay**self.epoch

    @property
    def finished(self) -> bool:
        return self.done >= self.total or self.stale >= self.recipe.run.patience

    def step(self) -> Step:
        if self.recipe.model.kind == "ridge":
            return self._solve()
        rate = self.rate
        for group in self.adam.param_groups:
            group["lr"] = rate
        losses = self.objective.loss(self.net, np.random.default_rng([self.recipe.seed, self.done]))
        self.adam.zero_grad()
        losses["total"].backward()  # type: ignore[no-untyped-call]
        self.adam.step()
        self.done += 1
        self.average.step(self.done)
        return Step(1, {key: value.item() for key, value in losses.items()} | {"rate": rate})

    def _solve(self) -> Step:
        """All of the training at once."""
        assert isinstance(self.net, MeanPooled)
        if isinstance(self.objective, RankObjective):
            fit_ranks(self.objective.ranked, self.objective.training, self.net)
        else:
            assert isinstance(self.objective, GameObjective)
            fit_ratings(self.objective, self.net)
        self.done = self.total
        return Step(self.total, {})

    def validate(self) -> dict[str, float]:
        with self.average.applied():
            figures = self.objective.validate(self.net)
            if figures["score"] > self.best_score:
                self.best_score, self.best_epoch, self.stale = figures["score"], self.epoch, 0
                self.best = {k: v.clone() for k, v in self.net.state_dict().items()}
            else:
                self.stale += 1
        return figures

    def best_net(self) -> SetModel:
        """theta*: the net with the weights of the best epoch."""
        net = build_model(self.recipe, self.objective.inputs, self.objective.outputs)
        net.load_state_dict(self.best)
        return net.eval()

    def state(self) -> tuple[checkpoints.Tensors, dict[str, Any]]:
        tensors = {
            "net": dict(self.net.state_dict()),
            "best": self.best,
            "optimiser": state_tensors(self.net, self.adam),
        }
        if self.average.weights:
            tensors["ema"] = self.average.weights
        return tensors, {
            "best_score": self.best_score if np.isfinite(self.best_score) else None,
            "best_epoch": self.best_epoch,
            "stale": self.stale,
            "inputs": self.objective.inputs,
            "outputs": self.objective.outputs,
        }

    def load(self, tensors: checkpoints.Tensors, state: Mapping[str, Any]) -> None:
        self.net.load_state_dict(tensors["net"])
        self.average.load(tensors.get("ema", {}))
        load_state_tensors(tensors["optimiser"], self.net, self.adam)
        self.best = tensors["best"]
        self.best_score = -np.inf if state["best_score"] is None else state["best_score"]
        self.best_epoch, self.stale = state["best_epoch"], state["stale"]


def load_trained(folder: Path) -> tuple[SetModel, StrengthRecipe, dict[str, Any]]:
    """The best net of a run, its recipe, and the task's state at the last checkpoint."""
    saved = checkpoints.load(folder)
    if saved.kind != StrengthTask.KIND:
        raise InputError(f"{folder} is no run of `tengen train strength`")
    recipe = StrengthRecipe.from_table(saved.state["recipe"], str(folder))
    state: dict[str, Any] = saved.state["task"]
    net = build_model(recipe, state["inputs"], state["outputs"])
    try:
        net.load_state_dict(saved.tensors["best"])
    except RuntimeError as error:
        raise InputError(f"the checkpoint in {folder} does not fit its recipe: {error}") from None
    return net.eval(), recipe, state
