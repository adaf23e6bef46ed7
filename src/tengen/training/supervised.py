"""The training loop of policy nets: plain, resumable to the bit. Needs torch."""

from __future__ import annotations

import csv
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from tengen.errors import InputError
from tengen.files import Claim
from tengen.nets.board_net import BoardNet, build_net
from tengen.planes import encoding
from tengen.training import checkpoint as checkpoints
from tengen.training.averaging import Average
from tengen.training.data import TEST_SEED, Batch, Examples, Prefetcher
from tengen.training.events import EventFile
from tengen.training.optimisers import Optimisers
from tengen.training.outcomes import outcomes
from tengen.training.pools import open_pools
from tengen.training.recipe import PolicyRecipe
from tengen.training.schedules import schedule_of
from tengen.training.teacher import Teacher
from tengen.training.teacher_losses import hint_loss, judged_loss, taught_loss
from tengen.training.value_losses import margin_loss, owner_loss, win_loss
from tengen.training.winograd import use_winograd


@dataclass
class Progress:
    """How a run stands. `test_top1` and `test_loss` are those of the last test, None before the first."""

    examples: int
    total: int
    loss: float  # of the recipe's criterion, mean since the last report
    top1: float  # on training examples, mean since the last report
    rate: float
    seconds: float  # of training so far, all sittings together
    examples_per_second: float
    input_share: float  # of the time spent waiting for the input
    test_top1: float | None
    test_loss: float | None

    @property
    def seconds_left(self) -> float:
        return (self.total - self.examples) / max(self.examples_per_second, 1e-9)


Report = Callable[[Progress], None]


def make_net(recipe: PolicyRecipe) -> BoardNet:
    """The recipe's net with its first weights, which depend on the seed alone."""
    torch.manual_seed(recipe.seed)
    net = build_net(recipe.net, planes=len(encoding(recipe.encoding)), **recipe.options)
    use_winograd(net)
    return net.to(memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]


def open_examples(recipe: PolicyRecipe) -> tuple[Examples, Examples | None]:
    """What to learn from and what to be tested on; passes are learnt by nets that may pass, never tested."""
    with torch.device("meta"):  # shapes only
        net = build_net(recipe.net, planes=len(encoding(recipe.encoding)), **recipe.options)
    store = open_pools(recipe.train, recipe.train_filter)
    ends = outcomes(store, recipe.train) if recipe.value_weight or recipe.owner_weight else None
    teacher = Teacher(recipe.teacher) if recipe.teacher else None
    channels = teacher.channels if teacher else 0
    if net.teacher != channels:
        whose = (
            f"{recipe.teacher}'s trunk has {channels} channels" if teacher else "the recipe names no teacher"
        )
        raise InputError(f"{whose}, the net has options.teacher={net.teacher}: set it to {channels}")
    check_heads(recipe, net)
    train = Examples(
        store.records(), recipe.encoding, net.has_pass, net.next_moves, ends, teacher, globals=net.globals
    )
    if not recipe.test:
        return train, None
    test = open_pools([recipe.test], recipe.test_filter)
    return train, Examples(test.records(), recipe.encoding, globals=net.globals)


def check_heads(recipe: PolicyRecipe, net: BoardNet) -> None:
    """Raises InputError if the recipe weighs a head that the net does not have."""
    values = ("margin", "value", "values")
    needs: list[tuple[str, object, tuple[str, ...]]] = [
        ("value_weight", recipe.value_weight, values),
        ("owner_weight", recipe.owner_weight, ("ownership",)),
        ("judged_weight", recipe.judged_weight, ("margin",)),
        ("judged_weight", recipe.judged_weight, ("ownership",)),
        ("test", recipe.test, ("policy",)),
    ]
    for key, wanted, heads in needs:
        if wanted and not any(name in net.heads for name in heads):
            raise InputError(
                f"the recipe's {key} is for nets with the head {' or '.join(heads)}; the net '{recipe.net}' has "
                f"only {', '.join(net.heads)}"
            )


def criterion(
    recipe: PolicyRecipe, heads: dict[str, Tensor], batch: Batch, komi_labels: Sequence[float] = ()
) -> Tensor:
    """The loss, its mean over the batch, from the raw numbers of the net's heads (tengen.nets.heads).

    `komi_labels` are those of the net's win rates, empty for the games' own komi.
    """
    losses: list[Tensor] = []
    if "policy" in heads:
        losses += policy_losses(recipe, heads, batch)
    if batch.endings is not None:
        if recipe.value_weight and "margin" in heads:
            losses.append(recipe.value_weight * margin_loss(heads["margin"], batch.endings))
        for name in ("value", "values"):
            if recipe.value_weight and name in heads:
                assert batch.white is not None
                losses.append(
                    recipe.value_weight * win_loss(heads[name], komi_labels, batch.endings, batch.white)
                )
        if recipe.owner_weight:
            losses.append(recipe.owner_weight * owner_loss(heads["ownership"], batch.endings))
    if batch.lesson is not None:
        if recipe.taught_weight:
            losses.append(recipe.taught_weight * taught_loss(heads["teacher_policy"], batch.lesson))
        if recipe.hint_weight:
            losses.append(recipe.hint_weight * hint_loss(heads["teacher_trunk"], batch.lesson))
        if recipe.judged_weight:
            judged = judged_loss(heads["margin"], heads["ownership"], batch.lesson)
            losses.append(recipe.judged_weight * judged)
    if not losses:
        raise InputError("the recipe gives a weight to none of the net's heads: there is nothing to learn")
    return reduce(torch.add, losses)


def policy_losses(recipe: PolicyRecipe, heads: dict[str, Tensor], batch: Batch) -> list[Tensor]:
    """The losses of the heads `policy` and `next`.

    `mse` is Golois' (section 3.3): the mean over points of the squared difference between the softmax and a
    plane that is one at the move and zero elsewhere.
    """
    logits, target = heads["policy"], torch.from_numpy(batch.target)
    if recipe.criterion == "mse":
        return [F.mse_loss(logits.softmax(1), F.one_hot(target, logits.shape[1]).float())]
    losses = [F.cross_entropy(logits, target, label_smoothing=recipe.label_smoothing)]
    if recipe.next_weight and "next" in heads:
        following = torch.from_numpy(batch.following).flatten()
        later = F.cross_entropy(heads["next"].flatten(0, 1), following, ignore_index=-1)
        losses.append(recipe.next_weight * later)
    return losses


def net_inputs(net: BoardNet, batch: Batch) -> dict[str, Tensor]:
    """What the net takes of a batch: `spatial`, and `global` if it declares global inputs."""
    inputs = {"spatial": torch.from_numpy(batch.planes).contiguous(memory_format=torch.channels_last)}
    if net.globals:
        assert batch.globals is not None
        inputs["global"] = torch.from_numpy(batch.globals)
    return inputs


class Trainer:
    """A run: net, optimiser, schedule, examples seen; everything a checkpoint holds."""

    def __init__(
        self, recipe: PolicyRecipe, run: Path, train: Examples, test: Examples | None = None
    ) -> None:
        torch.set_num_threads(recipe.threads)
        self.recipe, self.run, self.train, self.test = recipe, run, train, test
        self.net = make_net(recipe)
        if self.net.size not in (None, train.size):
            raise InputError(
                f"the net '{recipe.net}' is for {self.net.size}x{self.net.size}, the games are on "
                f"{train.size}x{train.size}: set options.size={train.size}"
            )
        # The run whose weights were the first ones, and how long it had learnt.
        self.begun: dict[str, Any] = {}
        if recipe.begin and not checkpoints.checkpoints(run):
            self._begin(Path(recipe.begin))
        self.average = Average(self.net, recipe.ema)
        self.optimisers = Optimisers(self.net, recipe)
        self.schedule = schedule_of(recipe)
        self.examples = 0
        self.steps = 0
        self.seconds = 0.0
        self.test_figures: dict[str, float] = {}
        self.input_seconds = 0.0

    def _begin(self, run: Path) -> None:
        """Takes over the weights of another run; layers that only this net has keep their random ones."""
        saved = checkpoints.load(run)
        try:
            missing, unknown = self.net.load_state_dict(saved.tensors["net"], strict=False)
        except RuntimeError as error:
            raise InputError(f"the recipe begins with {run}, which is another net: {error}") from None
        new = {name for name, _ in self.net.named_parameters() if name.startswith(self.net.TRAINING_LAYERS)}
        if other := [*unknown, *(set(missing) - new)]:
            raise InputError(f"the recipe begins with {run}, which is another net: {other[0]} is in one only")
        self.begun = {
            "run": run.name,
            "examples": saved.examples,
            "seconds": saved.state["seconds"],
            "begun": saved.state.get("begun", {}),
        }

    def resume(self) -> bool:
        """Goes on from the run's last checkpoint, if it has one."""
        if not checkpoints.checkpoints(self.run):
            return False
        saved = checkpoints.load(self.run)
        self.recipe.check_same_run(saved.state["recipe"], self.run)
        try:
            self.net.load_state_dict(saved.tensors["net"])
        except RuntimeError as error:
            raise InputError(f"the checkpoint in {self.run} is of another net: {error}") from None
        self.average.load(saved.tensors.get("ema", {}))
        self.optimisers.load(saved.tensors.get("optimiser", {}))
        self.schedule.load(saved.state["schedule"])
        self.examples, self.steps = saved.state["examples"], saved.state["steps"]
        self.seconds = saved.state["seconds"]
        self.test_figures = saved.state["test"]
        self.begun = saved.state.get("begun", {})
        return True

    def save(self) -> Path:
        tensors = {"net": dict(self.net.state_dict()), "optimiser": self.optimisers.tensors()}
        if self.average.weights:
            tensors["ema"] = self.average.weights
        state = {
            "recipe": self.recipe.table(),
            "examples": self.examples,
            "steps": self.steps,
            "seconds": round(self.seconds, 3),
            "schedule": self.schedule.state(),
            "test": self.test_figures,
            "begun": self.begun,
        }
        return checkpoints.save(self.run, checkpoints.Checkpoint(tensors, state))

    def learn(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """One step; the loss and the number of moves found, still as tensors."""
        heads = self.net(net_inputs(self.net, batch))
        loss = criterion(self.recipe, heads, batch, self.net.card_komi_labels)
        for p in self.net.parameters():
            p.grad = None
        loss.backward()  # type: ignore[no-untyped-call]
        at = self.examples
        self.optimisers.step(self.schedule.factor(at), self.schedule.decay_factor(at))
        self.examples += len(batch)
        self.steps += 1
        self.average.step(self.steps)
        if "policy" not in heads:
            return loss.detach(), torch.zeros((), dtype=torch.int64)
        return loss.detach(), (heads["policy"].argmax(1) == torch.from_numpy(batch.target)).sum()

    def run_test(self, batch: int = 250) -> dict[str, float]:
        """Top-1 accuracy and cross-entropy on the test positions, always the same ones, not mirrored."""
        assert self.test
        count = min(self.recipe.test_positions, len(self.test))
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

    def go(self, report: Report | None = None, report_every: float = 5.0) -> None:
        """Trains to the recipe's number of examples. Ctrl-C and SIGTERM save a checkpoint first."""
        recipe = self.recipe
        loss_sum = torch.zeros(())
        hits = torch.zeros((), dtype=torch.int64)
        counted, waited = 0, 0.0
        began = last = time.perf_counter()
        before = self.seconds
        with (
            Claim(self.run),
            closing(RunLog(self.run, self.examples)) as log,
            stopping() as stop,
            Prefetcher(
                self.train, self.examples, recipe.examples, recipe.batch, recipe.seed, recipe.symmetries
            ) as batches,
        ):
            asked = time.perf_counter()
            for batch in batches:
                waited += time.perf_counter() - asked
                loss, found = self.learn(batch)
                self.schedule.observe(self.examples, len(batch), float(loss))
                loss_sum += loss * len(batch)
                hits += found
                counted += len(batch)
                now = time.perf_counter()
                self.seconds = before + now - began
                done = self.examples >= recipe.examples
                tested = self._due(recipe.test_every, len(batch)) or done
                if tested and self.test is not None:
                    self.test_figures = self.run_test()
                    began += time.perf_counter() - now  # testing is not training time
                    last += time.perf_counter() - now
                    now = time.perf_counter()
                if not np.isfinite(float(loss_sum)):
                    raise InputError(
                        f"the loss is no longer a number after {self.examples:,} examples: the rate "
                        f"{recipe.rate} is too high (the last checkpoint is kept)"
                    )
                if now - last >= report_every or tested or done or stop.is_set():
                    progress = Progress(
                        examples=self.examples,
                        total=recipe.examples,
                        loss=float(loss_sum) / counted,
                        top1=int(hits) / counted,
                        rate=recipe.rate * self.schedule.factor(self.examples),
                        seconds=self.seconds,
                        examples_per_second=counted / max(now - last, 1e-9),
                        input_share=waited / max(now - last, 1e-9),
                        test_top1=self.test_figures.get("top1"),
                        test_loss=self.test_figures.get("loss"),
                    )
                    log.write(progress, tested and self.test is not None)
                    if report:
                        report(progress)
                    last, waited, counted = now, 0.0, 0
                    loss_sum.zero_()
                    hits.zero_()
                if self._due(recipe.checkpoint_every, len(batch)) or done or stop.is_set():
                    self.save()
                if stop.is_set():
                    raise KeyboardInterrupt
                asked = time.perf_counter()

    def _due(self, every: int, count: int) -> bool:
        return self.examples // every > (self.examples - count) // every


@contextmanager
def stopping() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set; the second Ctrl-C interrupts at once."""
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def ask(number: int, frame: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    old = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


class RunLog:
    """The run's figures as CSV and TensorBoard events. Rows after the checkpoint resumed from are dropped."""

    COLUMNS = ("examples", "seconds", "loss", "top1", "rate", "examples_per_second", "test_top1", "test_loss")

    def __init__(self, run: Path, examples: int) -> None:
        run.mkdir(parents=True, exist_ok=True)
        path = run / "log.csv"
        rows: list[list[str]] = []
        if examples and path.is_file():
            with path.open(newline="", encoding="utf-8") as file:
                rows = [
                    row for row in csv.reader(file) if row and row[0].isdigit() and int(row[0]) <= examples
                ]
        temporary = run / ".log.csv"
        with temporary.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([list(self.COLUMNS), *rows])
        temporary.replace(path)
        self._file = path.open("a", newline="", encoding="utf-8")
        self._rows = csv.writer(self._file)
        self._events = EventFile(run / "events")

    def write(self, p: Progress, tested: bool) -> None:
        figures = {
            "loss": p.loss,
            "top1": p.top1,
            "rate": p.rate,
            "examples_per_second": p.examples_per_second,
        }
        if tested and p.test_top1 is not None and p.test_loss is not None:
            figures |= {"test_top1": p.test_top1, "test_loss": p.test_loss}
        row = [f"{figures[c]:.6g}" if c in figures else "" for c in self.COLUMNS[2:]]
        self._rows.writerow([p.examples, f"{p.seconds:.1f}", *row])
        self._file.flush()
        self._events.scalars(p.examples, figures)

    def close(self) -> None:
        self._file.close()
        self._events.close()
