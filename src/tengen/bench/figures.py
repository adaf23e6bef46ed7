"""What a benchmark prints, and how it takes time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured value beside its peer's, in the same unit and from the same run.

    `ratio` says how many times better than the peer we are: more for a rate, less for a time.
    """

    name: str
    value: float
    unit: str
    peer: str
    peer_value: float

    @property
    def ratio(self) -> float:
        return self.value / self.peer_value if self.unit.endswith("/s") else self.peer_value / self.value

    def to_json(self) -> dict[str, str | float]:
        return {**asdict(self), "ratio": self.ratio}


def seconds_per_run(
    job: Callable[[], object], budget: float, clock: Callable[[], float] = time.process_time
) -> float:
    """The shortest of as many runs of a job as fit in the budget (in seconds), at least two.

    The shortest, since whatever else the machine does can only make a run longer. The clock is the process's
    time on the processor, which other programs do not count for; jobs on several threads need `perf_counter`.
    """
    shortest = float("inf")
    runs = 0
    end = time.perf_counter() + budget
    while runs < 2 or time.perf_counter() < end:
        start = clock()
        job()
        shortest = min(shortest, clock() - start)
        runs += 1
    return shortest
