"""How the learning rate goes over a run: a factor of the recipe's rate, as a function of the examples seen.

Only Algorithm 1 looks at the loss; its memory is part of the checkpoint.
"""

from __future__ import annotations

from typing import Any, Protocol

from tengen.training.recipe import PolicyOptimiser


class Schedule(Protocol):
    def factor(self, examples: int) -> float:
        """Of the learning rate for the step that begins after so many examples."""

    def decay_factor(self, examples: int) -> float:
        """Of the weight decay."""

    def observe(self, examples: int, count: int, loss: float) -> None:
        """`count` more examples were learnt with this mean loss; `examples` have now been seen."""

    def state(self) -> dict[str, Any]: ...

    def load(self, state: dict[str, Any]) -> None: ...


class Constant:
    """The same rate throughout."""

    def factor(self, examples: int) -> float:
        return 1.0

    def decay_factor(self, examples: int) -> float:
        return 1.0

    def observe(self, examples: int, count: int, loss: float) -> None:
        pass

    def state(self) -> dict[str, Any]:
        return {}

    def load(self, state: dict[str, Any]) -> None:
        pass


class Stages(Constant):
    """Tenfold less at each of some fractions of the run, weight decay with it, as DANN's setup has it."""

    def __init__(self, fractions: tuple[float, ...], total: int) -> None:
        self.at = [fraction * total for fraction in fractions]

    def factor(self, examples: int) -> float:
        return float(0.1 ** sum(examples >= at for at in self.at))

    def decay_factor(self, examples: int) -> float:
        return self.factor(examples)


class Trapezoid(Constant):
    """Up over `warmup` examples, level, and down to nothing over the last `decay` ones.

    The level part may be as long as one likes: a run is lengthened by a larger total and ended by its decay,
    from the same checkpoints.
    """

    def __init__(self, warmup: int, decay: int, total: int) -> None:
        self.warmup, self.decay, self.total = warmup, decay, total

    def factor(self, examples: int) -> float:
        up = (examples + 1) / self.warmup if self.warmup else 1.0
        down = (self.total - examples) / self.decay if self.decay else 1.0
        return max(0.0, min(1.0, up, down))


class Algorithm1(Constant):
    """Algorithm 1 of the Golois paper.

    A step is 5000 examples. Every 1000 steps the summed error of the last 1000 is compared with that of the
    1000 before; if it fell by less than 0.05 % and the rate is older than 3000 steps, the rate is halved.
    """

    def __init__(self, examples_per_step: int = 5000, window: int = 1000, patience: int = 3000) -> None:
        self.examples_per_step, self.window, self.patience = examples_per_step, window, patience
        self.rate = 1.0
        self.step = 0
        self.last_decrease = 0
        self.errors: list[float] = []  # of the steps of the last two windows
        self._sum, self._count = 0.0, 0

    def factor(self, examples: int) -> float:
        return self.rate

    def observe(self, examples: int, count: int, loss: float) -> None:
        self._sum += loss * count
        self._count += count
        if self._count < self.examples_per_step:
            return
        self.errors.append(self._sum / self._count)
        self._sum, self._count = 0.0, 0
        self.step += 1
        if self.step % self.window:
            return
        self.errors = self.errors[-2 * self.window :]
        if len(self.errors) < 2 * self.window or self.step - self.last_decrease <= self.patience:
            return
        before, last = sum(self.errors[: self.window]), sum(self.errors[self.window :])
        if before - last < 0.0005 * before:
            self.rate /= 2
            self.last_decrease = self.step

    def state(self) -> dict[str, Any]:
        return {
            "rate": self.rate,
            "step": self.step,
            "last_decrease": self.last_decrease,
            "errors": self.errors,
            "sum": self._sum,
            "count": self._count,
        }

    def load(self, state: dict[str, Any]) -> None:
        self.rate, self.step = state["rate"], state["step"]
        self.last_decrease, self.errors = state["last_decrease"], list(state["errors"])
        self._sum, self._count = state["sum"], state["count"]


def schedule_of(how: PolicyOptimiser, total: int) -> Schedule:
    """The schedule of a run of `total` units: examples, or what else the task counts."""
    if how.schedule == "algorithm1":
        return Algorithm1()
    if how.schedule == "stages":
        return Stages(how.stages, total)
    if how.schedule == "trapezoid":
        return Trapezoid(how.warmup, how.decay, total)
    return Constant()
