"""How far a command is: a bar on a terminal, gone when the work is done; a line now and then in a file."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from rich.progress import Progress

LINE_EVERY = 60.0  # seconds


class Bar:
    """One line; several, one below the other, by `begin`. Everything is on standard error."""

    def __init__(self, progress: Progress, title: str) -> None:
        self._progress = progress
        self._said = time.monotonic()
        self.begin(title)

    def begin(self, title: str) -> None:
        self._title = title
        self._task = self._progress.add_task(title, total=None, count="", note="")

    def at(self, done: int, total: int, note: str = "", title: str | None = None) -> None:
        """So many of so many; `note` stands behind the bar, a new `title` before it."""
        self._show(done, total, f"{done:,} of {total:,}", note, title)

    def share(self, done: float | None, note: str = "", title: str | None = None) -> None:
        """A share from 0 to 1, or None when nobody knows."""
        if done is None:
            self._show(0, None, "", note, title)
        else:
            self._show(done, 1, f"{done:.0%}", note, title)

    def stage(self, title: str, done: float | None = None) -> None:
        """What is being done, and which share of it is."""
        self.share(done, title=title)

    def _show(self, done: float, total: float | None, count: str, note: str, title: str | None) -> None:
        self._title = title or self._title
        self._progress.update(
            self._task, completed=done, total=total, count=count, note=note, description=self._title
        )
        if self._progress.disable and time.monotonic() - self._said >= LINE_EVERY:
            self._said = time.monotonic()
            self.say(" ".join(part for part in (f"{self._title}:", count, note) if part))

    def complain(self, text: str) -> None:
        self.say(text, "yellow")

    def say(self, text: str, style: str | None = None) -> None:
        """Above the bar, to stay."""
        self._progress.console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)


@contextmanager
def progress_bar(title: str) -> Iterator[Bar]:
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

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
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield Bar(progress, title)
