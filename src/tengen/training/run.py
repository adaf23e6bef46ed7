"""Run: one harness for everything that trains. Needs torch.

A `Task` is what is trained (a policy net, a strength model, ...); a `Run` gives it a folder:

    FOLDER/checkpoints/    the last two checkpoints, see `tengen.training.checkpoint`
           log.csv         a row now and then, and one for every validation
           events/         the same figures for TensorBoard
           lock            one process at a time

A run may be killed at any moment and goes on from its last checkpoint to the same weights, bit for bit, and the same
rows of the log: all that a step depends on is in the task's state, and rows are written at fixed counts.

The state of a checkpoint is JSON: `kind` of the task, `recipe`, `done`, `seconds`, `validation` (figures of the last
one), `since` (the means since the last row of the log) and `task` (the task's own).
"""

from __future__ import annotations

import math
import signal
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from tengen.errors import InputError
from tengen.files import Claim
from tengen.progress import Progress
from tengen.training import checkpoint as checkpoints
from tengen.training.checkpoint import Checkpoint, Tensors
from tengen.training.log import Log, Means
from tengen.training.recipe import Recipe


@dataclass(frozen=True)
class Step:
    """One step of a task: how many units it did, figures (means over these units), seconds it waited for its input."""

    count: int
    figures: dict[str, float]
    waited: float = 0.0


class Task(ABC):
    """What a run trains. All counts are in the task's own unit: examples, steps, games.

    A step may depend on nothing but `done`, the recipe and what `state` gives; what it writes outside (games of
    self-play) it writes under a name made of `done`, so that a step that is done again replaces it.
    """

    KIND: ClassVar[str]  # `tengen train KIND` trains it
    UNIT: ClassVar[str]

    recipe: Recipe
    total: int  # The run ends here, unless `finished` says otherwise.
    done: int = 0  # `step` counts it up; a run sets it to the checkpoint's when it goes on.
    columns: tuple[
        str, ...
    ] = ()  # Of the log: figures of `step`, and of `validate` with "validation_" before them.
    log_every: int
    checkpoint_every: int
    validate_every: int

    @property
    def finished(self) -> bool:
        return self.done >= self.total

    @abstractmethod
    def step(self) -> Step: ...

    def validate(self) -> dict[str, float]:
        """Figures on data that is not trained on; empty if there is none. It may update the task's best weights."""
        return {}

    @abstractmethod
    def state(self) -> tuple[Tensors, dict[str, Any]]:
        """Everything that the next step depends on: tensors by file and name, and JSON."""

    @abstractmethod
    def load(self, tensors: Tensors, state: Mapping[str, Any]) -> None:
        """Takes a state back, after `done` was set. RuntimeError, KeyError: it is of another net."""

    def start(self) -> None:  # noqa: B027
        """Called instead of `load` where there is no checkpoint yet."""

    def running(self) -> AbstractContextManager[None]:
        """Held while steps are made: for threads that make the input."""
        return nullcontext()


@dataclass(frozen=True)
class RunProgress:
    """How a run stands."""

    unit: str
    done: int
    total: int
    figures: dict[str, float]  # of the task's steps, means since the last report
    validation: dict[str, float]  # of the last validation, empty before the first
    validated: bool  # whether that was just now
    seconds: float  # of training, all sittings together, without validation
    per_second: float  # units, since the last report
    input_share: float  # of the time since the last report: spent waiting for the input

    @property
    def seconds_left(self) -> float:
        return (self.total - self.done) / max(self.per_second, 1e-9)

    @property
    def bar(self) -> Progress:
        return Progress("training", self.done, self.total)


Report = Callable[[RunProgress], None]


class DivergedError(InputError):
    """The loss is no longer a number."""


class Run:
    """A task and its folder, at the last checkpoint if there is one. Without a folder nothing is kept."""

    def __init__(self, task: Task, folder: Path | None = None) -> None:
        self.task, self.folder = task, folder
        self.seconds = 0.0
        self.validation: dict[str, float] = {}
        self._since = Means()
        self._loaded: Path | None = None
        if not self._restore():
            task.start()

    @property
    def resumed(self) -> bool:
        return self._loaded is not None

    def go(self, report: Report | None = None, report_every: float = 5.0) -> None:
        """Trains until the task is finished. Ctrl-C and SIGTERM save a checkpoint first, and then interrupt."""
        task, log = self.task, None
        shown, last = Means(), time.perf_counter()
        with ExitStack() as held:
            stop = held.enter_context(stopping())
            if self.folder:
                held.enter_context(Claim(self.folder))
                self._restore()  # another process may have gone on with it
                log = held.enter_context(closing(Log(self.folder, task.UNIT, task.columns, task.done)))
            held.enter_context(task.running())
            while not task.finished:
                before, began = task.done, time.perf_counter()
                step = task.step()
                took = time.perf_counter() - began
                self.seconds += took
                self._check(step)
                for means in (self._since, shown):
                    means.add(step.count, step.figures, took, step.waited)
                found = task.validate() if self._due(task.validate_every, before) else {}
                self.validation = found or self.validation
                if found or self._due(task.log_every, before):
                    figures = self._since.figures() | {f"validation_{k}": v for k, v in found.items()}
                    if log:
                        log.write(task.done, self.seconds, figures)
                    self._since = Means()
                now = time.perf_counter()
                if now - last >= report_every or found or task.finished or stop.is_set():
                    if report:
                        report(self._progress(shown, bool(found)))
                    shown, last = Means(), now
                if self._due(task.checkpoint_every, before) or stop.is_set():
                    self.save()
                if stop.is_set():
                    raise KeyboardInterrupt

    def save(self) -> None:
        """Writes a checkpoint, if the run has a folder."""
        if not self.folder:
            return
        tensors, own = self.task.state()
        state = {
            "kind": self.task.KIND,
            "recipe": self.task.recipe.table(),
            "done": self.task.done,
            "seconds": round(self.seconds, 3),
            "validation": self.validation,
            "since": self._since.state(),
            "task": own,
        }
        self._loaded = checkpoints.save(self.folder, Checkpoint(tensors, state))

    def _restore(self) -> bool:
        """Goes to the last checkpoint of the folder, unless the run is there; False if there is none."""
        found = checkpoints.checkpoints(self.folder) if self.folder else []
        if not self.folder or not found or found[-1] == self._loaded:
            return bool(found)
        saved = checkpoints.load(found[-1])
        if saved.kind != self.task.KIND:
            raise InputError(
                f"{self.folder} is a run of `tengen train {saved.kind}`, not of `tengen train {self.task.KIND}`"
            )
        self.task.recipe.check_same_run(saved.state["recipe"], self.folder)
        self.task.done = saved.done
        try:
            self.task.load(saved.tensors, saved.state["task"])
        except (RuntimeError, KeyError) as error:
            raise InputError(f"the checkpoint in {self.folder} is of another net: {error}") from None
        self.seconds, self.validation = saved.state["seconds"], saved.state["validation"]
        self._since = Means(saved.state["since"])
        self._loaded = found[-1]
        return True

    def _due(self, every: int, before: int) -> bool:
        """Whether the step that began at `before` passed a multiple of `every`, or was the last one."""
        return self.task.finished or self.task.done // every > before // every

    def _check(self, step: Step) -> None:
        if all(map(math.isfinite, step.figures.values())):
            return
        cause = f": the rate {step.figures['rate']:g} is too high" if "rate" in step.figures else ""
        raise DivergedError(
            f"the loss is no longer a number after {self.task.done:,} {self.task.UNIT}{cause} "
            "(the last checkpoint is kept)"
        )

    def _progress(self, shown: Means, validated: bool) -> RunProgress:
        return RunProgress(
            unit=self.task.UNIT,
            done=self.task.done,
            total=self.task.total,
            figures=shown.figures(),
            validation=self.validation,
            validated=validated,
            seconds=self.seconds,
            per_second=shown.count / max(shown.seconds, 1e-9),
            input_share=shown.waited / max(shown.seconds, 1e-9),
        )


def check_resume(folder: Path, resume: bool) -> None:
    """InputError if a run that is there would be overwritten, or one that is not there resumed."""
    found = checkpoints.checkpoints(folder)
    if found and not resume:
        raise InputError(
            f"{folder} has a checkpoint already: --resume to go on, or --set name=... for another run"
        )
    if resume and not found:
        raise InputError(f"{folder} has no checkpoint to resume from")


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
