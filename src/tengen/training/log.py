"""A run's figures as CSV and TensorBoard events."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tengen.errors import InputError
from tengen.files import replacing
from tengen.training.events import EventFile


class Means:
    """Means of a task's figures over some steps, each over the steps that have it, and the time that these took."""

    def __init__(self, state: Mapping[str, Any] | None = None) -> None:
        self.count: int = state["count"] if state else 0
        self.sums: dict[str, float] = dict(state["sums"]) if state else {}
        # Units of the steps that have each figure.
        self.counts: dict[str, int] = dict.fromkeys(self.sums, self.count)
        self.counts |= state.get("counts", {}) if state else {}
        self.seconds = 0.0
        self.waited = 0.0  # for the input

    def add(self, count: int, figures: Mapping[str, float], seconds: float, waited: float) -> None:
        """A step of `count` units whose figures are means over them."""
        self.count += count
        self.seconds += seconds
        self.waited += waited
        for name, value in figures.items():
            self.sums[name] = self.sums.get(name, 0.0) + value * count
            self.counts[name] = self.counts.get(name, 0) + count

    def figures(self) -> dict[str, float]:
        return {name: total / self.counts[name] for name, total in self.sums.items()}

    def state(self) -> dict[str, Any]:
        """As JSON, without the clock: `Means(state)` goes on with it."""
        return {"count": self.count, "sums": self.sums, "counts": self.counts}


class Log:
    """`log.csv` and `events/` of a run. Rows after the checkpoint from which the run goes on are dropped.

    The first column is how much was done, in the task's unit, the second the seconds of training.
    """

    def __init__(self, folder: Path, unit: str, columns: Sequence[str], done: int) -> None:
        self._path = folder / "log.csv"
        head = (unit, "seconds", *columns)
        self._columns = tuple(columns)
        rows = [row for row in _read(self._path, head) if int(row[0]) <= done]
        with replacing(self._path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([head, *rows])
        with self._full_disk():
            self._file = self._path.open("a", newline="", encoding="utf-8")
            self._events = EventFile(folder / "events")

    def write(self, done: int, seconds: float, figures: Mapping[str, float]) -> None:
        """One row; the cells of columns without a figure stay empty."""
        row = [f"{figures[c]:.6g}" if c in figures else "" for c in self._columns]
        with self._full_disk():
            csv.writer(self._file).writerow([done, f"{seconds:.1f}", *row])
            self._file.flush()
            self._events.scalars(done, figures)

    def close(self) -> None:
        self._file.close()
        self._events.close()

    @contextmanager
    def _full_disk(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise InputError(
                f"{self._path}: cannot be written ({error.strerror or error}); the last checkpoint is kept"
            ) from None


def _read(path: Path, head: Sequence[str]) -> list[list[str]]:
    """The rows of a log, but not one that a kill left unfinished; none of a log with other columns."""
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        found, *rows = list(csv.reader(file)) or [[]]
    if list(found) != list(head):
        return []
    return [row for row in rows if len(row) == len(head) and row[0].isdigit()]
