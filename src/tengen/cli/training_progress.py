"""How a training run is shown: a bar on a terminal, a line now and then in a file."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:
    from tengen.training.supervised import Progress as State
    from tengen.training.supervised import Report, Trainer

LINE_EVERY = 60.0  # seconds


def describe(state: State) -> str:
    parts = [
        f"loss {state.loss:.4f}",
        f"top-1 {state.top1:.1%}",
        f"{state.examples_per_second:,.0f} examples/s",
        f"input {state.input_share:.1%}",
        f"left {span(state.seconds_left)}",
    ]
    if state.test_top1 is not None:
        parts.insert(2, f"test {state.test_top1:.2%}")
    return "  ".join(parts)


def span(seconds: float) -> str:
    """
    >>> span(3725), span(59)
    ('1:02:05', '0:00:59')
    """
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


@contextmanager
def show_progress(trainer: Trainer) -> Iterator[Report]:
    console = Console(stderr=True)
    net, recipe = trainer.net, trainer.recipe
    console.print(
        f"{recipe.name}: {recipe.net}, {net.parameter_count:,} parameters, {len(trainer.train):,} positions, "
        f"from example {trainer.examples:,} to {recipe.examples:,}",
        highlight=False,
    )
    if not console.is_terminal:
        yield _lines(console)
        return
    columns = (
        BarColumn(),
        TextColumn("{task.percentage:3.0f}%"),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("", total=recipe.examples, completed=trainer.examples)

        def report(state: State) -> None:
            bar.update(task, completed=state.examples, description=describe(state))

        yield report


def _lines(console: Console) -> Report:
    last = 0.0
    tested: float | None = None

    def report(state: State) -> None:
        nonlocal last, tested
        if (
            time.monotonic() - last < LINE_EVERY
            and state.test_top1 == tested
            and state.examples < state.total
        ):
            return
        last, tested = time.monotonic(), state.test_top1
        console.print(f"{state.examples:>11,}  {describe(state)}", highlight=False, soft_wrap=True)

    return report
