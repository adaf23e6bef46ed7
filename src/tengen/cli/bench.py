"""`tengen bench`: how fast this machine runs Tengen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from tengen.cli.progress import progress_bar

if TYPE_CHECKING:
    from tengen.games.records import Records

app = App(
    name="bench",
    help="""\
Measure how fast this machine runs Tengen; `tengen nets bench` does the same for a net.

Example: tengen bench core --seconds 2""",
)


@app.command
def core(
    *,
    pool: Path | None = None,
    seconds: float = 1.0,
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Time the native core: playouts, play, replay, planes, reading; each beside a peer in the same run.

    Example: tengen bench core --seconds 2 --json

    Parameters
    ----------
    pool
        Games to replay and encode, as `tengen games import` makes them; if not given, games are made by playouts.
    seconds
        Time to spend on each timing; the best of the runs that fit is printed.
    json_
        Print the figures as JSON.
    """
    from rich.console import Console
    from rich.table import Table

    from tengen.bench.core import FIGURES, Bench, made_up_records
    from tengen.bench.figures import Figure
    from tengen.errors import InputError

    if not 0 < seconds <= 600:
        raise InputError(f"--seconds must be between 0 and 600, not {seconds:g}")
    bench = Bench(_records(pool) if pool else made_up_records(), made_up=pool is None, seconds=seconds)
    figures: list[Figure] = []
    with progress_bar("timing") as bar:
        for number, measure in enumerate(FIGURES):
            bar.at(number, len(FIGURES))
            figures += measure(bench)
    if json_:
        print(json.dumps([figure.to_json() for figure in figures], indent=2))
        return
    table = Table(title="19x19, one core unless said", title_justify="left")
    table.add_column(no_wrap=True)
    for column in ("measured", "ratio", "peer's"):
        table.add_column(column, justify="right")
    table.add_column("peer", no_wrap=True)
    for f in figures:
        table.add_row(f.name, f"{_number(f.value)} {f.unit}", _number(f.ratio), _number(f.peer_value), f.peer)
    Console().print(table)


def _records(pool: Path) -> Records:
    import polars as pl

    from tengen.errors import InputError
    from tengen.games.store import GameStore

    usable = GameStore.open(pool).filter(
        pl.col("size") == 19, pl.col("setup").bin.size() == 0, pl.col("move_count") >= 50
    )
    if not len(usable):
        raise InputError(f"{pool}: has no 19x19 games of 50 moves or more without setup stones")
    return GameStore(usable.frame.head(2000)).records()


def _number(value: float) -> str:
    """Three or four digits that a person can read.

    >>> _number(23660214), _number(29151.3), _number(92.14), _number(4.87)
    ('23.7M', '29,151', '92.1', '4.87')
    """
    if value >= 1e6:
        return f"{value / 1e6:.1f}M"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
