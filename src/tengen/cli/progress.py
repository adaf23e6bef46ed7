"""A job's progress on a terminal: a bar, gone when the work is done; in a file, a line now and then."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console

from tengen.progress import Progress

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

LINE_EVERY = 60.0  # seconds


class Bar:
    """One line on standard error. It is a `tengen.progress.Report`: jobs call it with their progress."""

    def __init__(self, rich: RichProgress, stage: str) -> None:
        self._rich = rich
        self._written = time.monotonic()
        self._stage = stage
        self._task = rich.add_task(stage, total=None, count="", note="")

    def __call__(self, progress: Progress) -> None:
        if progress.stage != self._stage:  # its time is counted anew
            self._stage = progress.stage
            self._rich.reset(self._task)
        count = count_text(progress)
        self._rich.update(
            self._task,
            completed=progress.done,
            total=progress.total,
            count=count,
            note=progress.note,
            description=progress.stage,
        )
        if self._rich.disable and time.monotonic() - self._written >= LINE_EVERY:
            self._written = time.monotonic()
            self.say(" ".join(part for part in (f"{progress.stage}:", count, progress.note) if part))

    def at(self, done: int, total: int, note: str = "", stage: str | None = None) -> None:
        """So many of so many, of the present stage unless another is named."""
        self(Progress(stage or self._stage, done, total, note))

    def complain(self, text: str) -> None:
        """A warning above the bar, which stays."""
        self.say(text, "yellow")

    def say(self, text: str, style: str | None = None) -> None:
        """A line above the bar, which stays."""
        self._rich.console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)


def count_text(progress: Progress) -> str:
    """
    >>> count_text(Progress("games", 600, 1200)), count_text(Progress("reading", 0.25, 1))
    ('600 of 1,200', '25%')
    """
    if progress.total is None:
        return ""
    if progress.total > 1:
        return f"{progress.done:,.0f} of {progress.total:,.0f}"
    return f"{progress.share or 0:.0%}"


@contextmanager
def progress_bar(stage: str) -> Iterator[Bar]:
    """Shows the progress of a job: `with progress_bar("games") as bar: import_games(..., progress=bar)`."""
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[count]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}", markup=False),
    )
    console = Console(stderr=True)
    with RichProgress(*columns, console=console, transient=True, disable=not console.is_terminal) as rich:
        yield Bar(rich, stage)
