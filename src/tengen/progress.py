"""How far a long job is: one form for the command line, JSON and the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Progress:
    """`stage` says what is being done; `done` of `total` steps of it are done.

    `total` is None while it is unknown, and 1 where only a share of the work is known. `note` is what else there is
    to say: "1,204 games", "loss 2.31".
    """

    stage: str
    done: float = 0.0
    total: float | None = None
    note: str = ""

    @property
    def share(self) -> float | None:
        """From 0 to 1; None while the total is unknown."""
        return None if not self.total else min(self.done / self.total, 1.0)

    def to_json(self) -> dict[str, str | float | None]:
        return {"stage": self.stage, "done": self.done, "total": self.total, "note": self.note}


# Called as a job goes on.
Report = Callable[[Progress], None]


def silent(progress: Progress) -> None:
    """Reports to nobody."""


def renamed(report: Report, stage: str) -> Report:
    """Reports under another name of the stage: for a job that does not know what it is done for."""
    return lambda progress: report(replace(progress, stage=stage))


def part_of(report: Report, stage: str, number: int, parts: int) -> Report:
    """Reports on one of several jobs as a part of the whole: number 0 of 3 ends at a third."""
    return lambda p: report(Progress(stage, (number + (p.share or 0.0)) / parts, 1.0, p.note))
