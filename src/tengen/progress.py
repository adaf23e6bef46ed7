"""How far a long job is: one form for the command line, JSON and the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """`stage` says what is being done; `done` of `total` steps of it are done. `total` is None while it is unknown."""

    stage: str
    done: float = 0.0
    total: float | None = None

    @property
    def share(self) -> float | None:
        """From 0 to 1; None while the total is unknown."""
        return None if not self.total else min(self.done / self.total, 1.0)

    def to_json(self) -> dict[str, str | float | None]:
        return {"stage": self.stage, "done": self.done, "total": self.total}


# Called as a job goes on.
Report = Callable[[Progress], None]


def silent(progress: Progress) -> None:
    """Reports to nobody."""
