"""Algorithm 4.1 of the thesis: Adam, a learning rate that decays each epoch, early stopping. Needs torch.

Two slips of the thesis are not followed: the decay is printed as eta <- (1 - beta) eta with beta near 1 (0.995 in
Table 5.1), which would end learning after one epoch, so eta <- beta eta; and a batch's gradients are summed,
which Adam does not notice, so means are taken.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tengen.errors import InputError
from tengen.files import Claim
from tengen.strength.groups import CENTRES
from tengen.strength.recipe import StrengthRecipe
from tengen.strength.ridge import fit_ranks, fit_ratings
from tengen.strength.scaling import scaling_of
from tengen.strength.set_transformer import MeanPooled, SetModel, SetTransformer
from tengen.strength.tasks import GameTask, RankTask, Task
from tengen.training import checkpoint as checkpoints
from tengen.training.averaging import Average
from tengen.training.events import EventFile
from tengen.training.supervised import stopping


@dataclass(frozen=True)
class Progress:
    """How a run stands after a step, or after the epoch that `figures` are of."""

    step: int
    epoch: int
    epochs: int
    losses: dict[str, float]
    rate: float
    seconds: float
    figures: dict[str, float]
    best: float
    stale: int


Report = Callable[[Progress], None]


class DivergedError(InputError):
    """The loss is no longer a number."""


def build_model(recipe: StrengthRecipe, inputs: int, outputs: int) -> SetModel:
    """The recipe's net with its initial weights, which depend only on the seed."""
    torch.manual_seed(recipe.seed)
    centres = torch.from_numpy(CENTRES - CENTRES.mean()).float() if recipe.ordered else None
    if recipe.model != "set-transformer":
        depth = recipe.depth if recipe.model == "mean" else 0
        return MeanPooled(inputs, outputs, hidden=recipe.hidden, depth=depth, centres=centres)
    return SetTransformer(
        inputs,
        outputs,
        depth=recipe.depth,
        hidden=recipe.hidden,
        query=recipe.query,
        inducing=recipe.inducing,
        centres=centres,
    )


class Trainer:
    """A run: net, optimiser, the best weights so far; all that a checkpoint holds."""

    def __init__(self, recipe: StrengthRecipe, task: Task, run: Path | None = None) -> None:
        torch.set_num_threads(recipe.threads)
        self.recipe, self.task, self.run = recipe, task, run
        self.net = build_model(recipe, task.inputs, task.outputs)
        scaling = scaling_of(task.features, recipe.whitened)
        self.net.centre.copy_(torch.from_numpy(scaling.centre))
        self.net.scaling.copy_(torch.from_numpy(scaling.matrix))
        # What is solved in one go has no steps to average.
        self.average = Average(self.net, 0.0 if recipe.model == "ridge" else recipe.ema)
        self.adam = torch.optim.Adam(self.net.parameters(), lr=recipe.rate)
        self.steps = 0
        self.seconds = 0.0
        self.best_score = -np.inf
        self.best: dict[str, Tensor] = {k: v.clone() for k, v in self.net.state_dict().items()}
        self.best_epoch = 0
        self.stale = 0
        self.figures: dict[str, float] = {}

    @property
    def epoch(self) -> int:
        """Epochs that are complete."""
        return self.steps // self.recipe.steps

    @property
    def done(self) -> bool:
        return self.epoch >= self.recipe.epochs or self.stale >= self.recipe.patience

    def go(self, report: Report | None = None) -> dict[str, float]:
        """Trains until the patience or the epochs end; the figures of the best epoch.

        Ctrl-C and SIGTERM save a checkpoint first.
        """
        began, before = time.perf_counter(), self.seconds
        sums: dict[str, float] = {}
        counted = 0
        log: Log | None = None
        with ExitStack() as held:
            if self.run:
                held.enter_context(Claim(self.run))
                log = held.enter_context(closing(Log(self.run, self.steps)))
            if self.recipe.model == "ridge":
                self._solve()
            stop = held.enter_context(stopping())
            while not self.done:
                losses = self._step()
                counted += 1
                for key, value in losses.items():
                    sums[key] = sums.get(key, 0.0) + value
                self.seconds = before + time.perf_counter() - began
                ended = self.steps % self.recipe.steps == 0
                if ended:
                    self._end_epoch()
                    self.seconds = before + time.perf_counter() - began
                if ended or stop.is_set():
                    means = {key: value / counted for key, value in sums.items()}
                    if log:
                        log.write(self, means)
                    if self.run:
                        self.save()
                    sums, counted = {}, 0
                if report:
                    figures = self.figures if ended else {}
                    report(
                        Progress(
                            self.steps,
                            self.epoch,
                            self.recipe.epochs,
                            losses,
                            self._rate(),
                            self.seconds,
                            figures,
                            self.best_score,
                            self.stale,
                        )
                    )
                if stop.is_set():
                    raise KeyboardInterrupt
        return self.figures | {"score": self.best_score, "epoch": self.best_epoch}

    def _solve(self) -> None:
        """In place of all training."""
        assert isinstance(self.net, MeanPooled)
        if isinstance(self.task, RankTask):
            fit_ranks(self.task.ranked, self.task.training, self.net)
        else:
            assert isinstance(self.task, GameTask)
            fit_ratings(self.task, self.net)
        self.steps = self.recipe.steps * self.recipe.epochs
        self._end_epoch()
        if self.run:
            self.save()

    def best_net(self) -> SetModel:
        """theta*: the net with the weights of the best epoch."""
        net = build_model(self.recipe, self.task.inputs, self.task.outputs)
        net.load_state_dict(self.best)
        return net.eval()

    def _rate(self) -> float:
        return self.recipe.rate * self.recipe.decay**self.epoch

    def _step(self) -> dict[str, float]:
        rng = np.random.default_rng([self.recipe.seed, self.steps])
        for group in self.adam.param_groups:
            group["lr"] = self._rate()
        losses = self.task.loss(self.net, rng)
        self.adam.zero_grad()
        losses["total"].backward()  # type: ignore[no-untyped-call]
        self.adam.step()
        self.steps += 1
        self.average.step(self.steps)
        found = {key: value.item() for key, value in losses.items()}
        if not np.isfinite(found["total"]):
            raise DivergedError(
                f"the loss is no longer a number after {self.steps:,} steps: the rate {self.recipe.rate} is too "
                "high (the last checkpoint is kept)"
            )
        return found

    def _end_epoch(self) -> None:
        with self.average.applied():
            self.figures = self.task.validate(self.net)
            if self.figures["score"] > self.best_score:
                self.best_score, self.best_epoch, self.stale = self.figures["score"], self.epoch, 0
                self.best = {k: v.clone() for k, v in self.net.state_dict().items()}
            else:
                self.stale += 1

    def save(self) -> None:
        assert self.run
        names = dict(self.net.named_parameters())
        optimiser = {
            f"{name}/{key}": value
            for name, p in names.items()
            for key, value in self.adam.state.get(p, {}).items()
            if isinstance(value, Tensor)
        }
        state = {
            "recipe": self.recipe.table(),
            "examples": self.steps,
            "seconds": round(self.seconds, 3),
            "best_score": self.best_score if np.isfinite(self.best_score) else None,
            "best_epoch": self.best_epoch,
            "stale": self.stale,
            "figures": self.figures,
            "inputs": self.task.inputs,
            "outputs": self.task.outputs,
        }
        tensors = {"net": dict(self.net.state_dict()), "best": self.best, "optimiser": optimiser}
        if self.average.weights:
            tensors["ema"] = self.average.weights
        checkpoints.save(self.run, checkpoints.Checkpoint(tensors, state))

    def resume(self) -> bool:
        """Goes on from the run's last checkpoint, if it has one."""
        if not self.run or not checkpoints.checkpoints(self.run):
            return False
        saved = checkpoints.load(self.run)
        self.recipe.check_same_run(saved.state["recipe"], self.run)
        try:
            self.net.load_state_dict(saved.tensors["net"])
        except RuntimeError as error:
            raise InputError(f"the checkpoint in {self.run} is of another net: {error}") from None
        self.average.load(saved.tensors.get("ema", {}))
        parameters = dict(self.net.named_parameters())
        for name, value in saved.tensors["optimiser"].items():
            parameter, _, key = name.rpartition("/")
            self.adam.state[parameters[parameter]][key] = value.clone()
        state = saved.state
        self.best = saved.tensors["best"]
        self.steps, self.seconds = state["examples"], state["seconds"]
        self.best_score = -np.inf if state["best_score"] is None else state["best_score"]
        self.best_epoch, self.stale, self.figures = state["best_epoch"], state["stale"], state["figures"]
        return True


def load_trained(folder: Path) -> tuple[SetModel, StrengthRecipe, dict[str, Any]]:
    """The best net of a run, its recipe, and the state of its last checkpoint."""
    saved = checkpoints.load(folder)
    if "best" not in saved.tensors or "inputs" not in saved.state:
        raise InputError(f"{folder} is no run of `tengen train strength`")
    recipe = StrengthRecipe.from_table(saved.state["recipe"], str(folder))
    net = build_model(recipe, saved.state["inputs"], saved.state["outputs"])
    try:
        net.load_state_dict(saved.tensors["best"])
    except RuntimeError as error:
        raise InputError(f"the checkpoint in {folder} does not fit its recipe: {error}") from None
    return net.eval(), recipe, saved.state


class Log:
    """A run's figures, one row an epoch, as CSV and TensorBoard events; rows after the checkpoint are dropped."""

    def __init__(self, run: Path, steps: int) -> None:
        run.mkdir(parents=True, exist_ok=True)
        self._path = run / "log.csv"
        self._rows: list[dict[str, str]] = []
        if steps and self._path.is_file():
            head, *lines = self._path.read_text(encoding="utf-8").splitlines()
            rows = [dict(zip(head.split(","), line.split(","), strict=False)) for line in lines]
            self._rows = [row for row in rows if row.get("step", "").isdigit() and int(row["step"]) <= steps]
        self._events = EventFile(run / "events")

    def write(self, trainer: Trainer, losses: dict[str, float]) -> None:
        figures = {f"train_{key}": value for key, value in losses.items()}
        if trainer.steps % trainer.recipe.steps == 0:
            figures |= {f"validation_{key}": value for key, value in trainer.figures.items()}
        row = {"step": str(trainer.steps), "epoch": str(trainer.epoch), "seconds": f"{trainer.seconds:.1f}"}
        self._rows.append(row | {key: f"{value:.6g}" for key, value in figures.items()})
        columns = list(dict.fromkeys(key for one in self._rows for key in one))
        lines = [",".join(columns), *(",".join(one.get(key, "") for key in columns) for one in self._rows)]
        temporary = self._path.with_name(".log.csv")
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
        temporary.replace(self._path)
        self._events.scalars(trainer.steps, figures)

    def close(self) -> None:
        self._events.close()
