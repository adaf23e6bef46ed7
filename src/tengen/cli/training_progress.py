"""How a training run is shown: a bar on a terminal, a line now and then in a file."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:
    from tengen.training.net_task import NetTask
    from tengen.training.run import Report, RunProgress

LINE_EVERY = 60.0  # seconds


def describe(task: NetTask, state: RunProgress) -> str:
    parts = [
        *task.described(state.figures, state.validation),
        f"{state.per_second:,.0f} examples/s",
        f"input {state.input_share:.1%}",
        f"left {span(state.seconds_left)}",
    ]
    return "  ".join(parts)


def span(seconds: float) -> str:
    """
    >>> span(3725), span(59)
    ('1:02:05', '0:00:59')
    """
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def train_net(make: Callable[[], NetTask], folder: Path, resume: bool) -> None:
    """Trains what `make` gives in the run's folder; `make` is called once the folder is found to be right."""
    from tengen.training.run import Run, check_resume

    check_resume(folder, resume)
    task = make()
    run = Run(task, folder)
    with show_progress(task) as report:
        run.go(report)


@contextmanager
def show_progress(task: NetTask) -> Iterator[Report]:
    console = Console(stderr=True)
    console.print(
        f"{task.recipe.name}: {task.recipe.net.architecture}, {task.net.parameter_count:,} parameters, "
        f"{len(task.train):,} positions, from example {task.done:,} to {task.total:,}",
        highlight=False,
    )
    if not console.is_terminal:
        yield _lines(console, task)
        return
    columns = (
        BarColumn(),
        TextColumn("{task.percentage:3.0f}%"),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console) as bar:
        line = bar.add_task("", total=task.total, completed=task.done)

        def report(state: RunProgress) -> None:
            shown = state.bar
            bar.update(line, completed=shown.done, total=shown.total, description=describe(task, state))

        yield report


def _lines(console: Console, task: NetTask) -> Report:
    last = 0.0

    def report(state: RunProgress) -> None:
        nonlocal last
        if time.monotonic() - last < LINE_EVERY and not state.validated and state.done < state.total:
            return
        last = time.monotonic()
        console.print(f"{state.done:>11,}  {describe(task, state)}", highlight=False, soft_wrap=True)

    return report
