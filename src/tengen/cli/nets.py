"""`tengen nets`: list, download, convert and measure nets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import App, Parameter
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tengen.cli.progress import progress_bar
from tengen.progress import Progress

app = App(
    name="nets",
    help="""\
Nets: list, show, pull, convert, check, komi, bench.

Example: tengen nets pull b15c192""",
)

_console = Console()

Json = Annotated[bool, Parameter(name="--json", negative=())]


@app.command(name="list")
def list_(*, json_: Json = False) -> None:
    """List the nets that ship, those in the cache, and those that can be pulled.

    Example: tengen nets list

    Parameters
    ----------
    json_
        Print the list as JSON.
    """
    from tengen.nets.listing import list_nets

    rows = list_nets()
    if json_:
        print(json.dumps([row.to_json() for row in rows], ensure_ascii=False))
        return
    table = Table("net", "status", "precisions", "about")
    for row in rows:
        table.add_row(row.name, row.status, row.precisions, row.about)
    _console.print(table)
    if any(row.status == "known" for row in rows):
        _console.print("`tengen nets pull NAME` downloads a known net.", markup=False)


@app.command
def show(name: str, *, json_: Json = False) -> None:
    """Print the card of a net: architecture, source, files, measured figures; and its default precision here.

    Example: tengen nets show b15c192

    Parameters
    ----------
    name
        A net by name, folder or file (.onnx, .bin.gz, .txt.gz), or POLICY-NET+VALUE-NET.
    json_
        Print the card as JSON, with what is the default here under "here".
    """
    from tengen.nets.library import choose_precision, find_card

    card, folder = find_card(name)
    with progress_bar("timing the precisions"):
        choice = choose_precision(card, folder)
    facts = json.loads(card.to_json())
    if json_:
        print(json.dumps({**facts, "here": choice.to_json()}, indent=2))
        return
    table = Table(show_header=False, title=card.name)
    table.add_column(max_width=32)
    table.add_column(overflow="fold")
    for key, value in _lines(
        {key: value for key, value in facts.items() if key not in ("name", "precision")}
    ):
        table.add_row(key, escape(value))
    table.add_row("default here", escape(f"{choice.precision}: {choice.reason}".removeprefix(": ")))
    _console.print(table)


def _lines(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The facts of a card, those within others indented."""
    for key, value in facts.items():
        name = key.replace("_", " ")
        if isinstance(value, dict):
            if value:
                yield name, ""
                yield from ((f"  {inner}", text) for inner, text in _lines(value))
        elif isinstance(value, list):
            if value:
                yield name, ", ".join(str(item) for item in value)
        elif value not in ("", None):
            yield name, f"{value:,}" if type(value) is int else str(value)


@app.command
def pull(name: str) -> None:
    """Download one of KataGo's nets into the cache, ready to use.

    The nets come inside wheels of the PyPI package katrain, are checked by their sha256 and converted to fp32,
    int16 and int8. A pull that was cut off goes on where it was.

    Example: tengen nets pull b15c192

    Parameters
    ----------
    name
        b15c192, b18c384nbt, b18c384nbt-thesis or b10c384h6nbttflrs.
    """
    from tengen.nets.pull import pull as bring

    with progress_bar("") as bar:
        folder = bring(name, bar)
    _console.print(f"{name} is ready in {folder}", markup=False, soft_wrap=True)


@app.command
def convert(
    file: Path,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    precision: Literal["fp32", "int8"] = "fp32",
    json_: Json = False,
) -> None:
    """Convert a KataGo network file to ONNX, with a card beside it.

    Example: tengen nets convert kata1-b6c96.bin.gz -o b6.onnx --precision int8

    Parameters
    ----------
    file
        A KataGo network file, .bin.gz or .txt.gz, of version 8 to 17.
    output
        The .onnx file to write; its card gets the same name and .json.
    precision
        fp32, or int8, which is faster; its differences from fp32 are measured and written on the card.
    json_
        Print the card as JSON.
    """
    from tengen.errors import InputError
    from tengen.files import write_whole
    from tengen.nets.convert import convert as convert_net

    if output.suffix != ".onnx":
        raise InputError(f"{output}: the output must end in .onnx")
    if not output.parent.is_dir():
        raise InputError(f"{output.parent}: there is no such folder")
    with progress_bar("") as bar:
        card = convert_net(file, output.parent, output.stem, (precision,), bar, output.stem)
    write_whole(output.with_suffix(".json"), card.to_json())
    if json_:
        print(card.to_json(), end="")
        return
    _console.print(f"{card.source}: {precision} written to {output}", markup=False, soft_wrap=True)
    for key, value in card.measured.get(f"{precision} against fp32", {}).items():
        _console.print(f"  {key}: {value}", markup=False)


@app.command
def check(
    name: str,
    games: Path,
    *,
    precision: Literal["int16", "int8"] = "int8",
    positions: int = 1000,
    size: int = 19,
    seed: int = 2015,
    write: Annotated[bool, Parameter(negative=())] = False,
    json_: Json = False,
) -> None:
    """Compare a net's int8 or int16 with its fp32 on positions of games that were not used for calibration.

    Example: tengen nets check b15c192 kgs2015.parquet --positions 1000

    Parameters
    ----------
    name
        A net with both precisions: by name, folder or file (.bin.gz for int16).
    games
        A pool (.parquet) or records to draw positions from.
    precision
        int8 or int16, to be compared with fp32.
    positions
        How many positions are drawn.
    size
        Board size of the positions.
    seed
        The same seed draws the same positions.
    write
        Put the figures on the net's card: they decide whether the precision may be its default.
    json_
        Print the figures as JSON.
    """
    from tengen.nets.fidelity import draw_positions, fidelity, games_of, is_faithful
    from tengen.nets.library import open_net, write_fidelity

    with progress_bar("drawing positions") as bar:
        drawn = draw_positions(games_of(games), positions, seed, size)
        bar(Progress(f"evaluating {len(drawn):,} positions twice"))
        figures = fidelity(open_net(name, "fp32"), open_net(name, precision), drawn)
    if write:
        write_fidelity(name, precision, {**figures, "games": games.name}, is_faithful(figures))
    if json_:
        print(json.dumps({"net": name, **figures}))
        return
    table = _figures_table(f"{precision} against fp32", name, figures)
    table.add_row("near enough to be the default", "yes" if is_faithful(figures) else "no")
    _console.print(table)


@app.command
def komi(
    name: str,
    games: Path,
    *,
    positions: int = 300,
    komi: tuple[float, float] = (-20.0, 20.0),
    step: float = 1.0,
    size: int = 19,
    seed: int = 2015,
    json_: Json = False,
) -> None:
    """Measure how often a net's own win rate for Black rises with komi, where it should fall, and by how much.

    `tengen eval` shows the nearest curve that never rises.

    Example: tengen nets komi b15c192 kgs2015.parquet --positions 300

    Parameters
    ----------
    name
        A net of KataGo's, or one with a win rate for each of many komi: a name, a folder or a file.
    games
        A pool (.parquet) or records to draw positions from.
    positions
        How many positions are drawn.
    komi
        The lowest and the highest komi.
    step
        The step from one komi to the next, for nets that take any komi.
    size
        Board size of the positions.
    seed
        The same seed draws the same positions.
    json_
        Print the figures as JSON.
    """
    import numpy as np

    from tengen.errors import InputError
    from tengen.nets.fidelity import draw_positions, games_of, komi_rises
    from tengen.nets.komi import KomiKind
    from tengen.nets.library import open_net
    from tengen.nets.net_evaluator import NetEvaluator

    low, high = komi
    if not (-400 <= low < high <= 400 and 0.5 <= step <= high - low):
        raise InputError(f"--komi {low:g} {high:g} --step {step:g}: not a row of komi")
    net = open_net(name, "fp32")
    if not isinstance(net, NetEvaluator) or net.kind not in (KomiKind.INPUT, KomiKind.LABELS):
        raise InputError(f"{name} neither takes komi as an input nor has komi labels: its curve cannot rise")
    labels = np.arange(low, high + step / 2, step).tolist()
    if net.kind is KomiKind.LABELS:
        labels = [label for label in sorted(net.card.komi_labels) if low <= label <= high]
        if len(labels) < 2:
            raise InputError(f"{name} has no two labels from komi {low:g} to {high:g}")
    with progress_bar("drawing positions") as bar:
        drawn = draw_positions(games_of(games), positions, seed, size)
        figures = komi_rises(net, drawn, labels, bar)
    if json_:
        print(json.dumps({"net": name, **figures}))
        return
    _console.print(_figures_table("win rate by komi", name, figures))


def _figures_table(title: str, name: str, figures: dict[str, float | int]) -> Table:
    table = Table(title, name)
    for key, value in figures.items():
        table.add_row(key.replace("_", " "), f"{value:,}")
    return table


@app.command
def bench(
    name: str,
    *,
    precision: list[str] | None = None,
    threads: list[int] | None = None,
    batch: list[int] | None = None,
    size: int = 19,
    seconds: float = 3.0,
    json_: Json = False,
) -> None:
    """Measure how many positions a second a net evaluates, by batch and threads, against this machine's limit.

    The limit ("roof") is what a large fp32 matrix product reaches in the same run; a share of it above 100 % is
    possible, for Winograd's convolutions multiply less than plain ones do. "Outside the graph" is the share of
    the time that encoding positions, reading outputs and Python take.

    Example: tengen nets bench b15c192 --threads 1 --batch 16

    Parameters
    ----------
    name
        A net by name, folder or file (.onnx, .bin.gz, .txt.gz), or POLICY-NET+VALUE-NET.
    precision
        fp32, int16, int8; all that the net (or both of a pair) has if not given.
    threads
        Numbers of threads; 1 and all cores if not given.
    batch
        Batch sizes; 1 and 16 if not given.
    size
        Board size.
    seconds
        How long each measurement takes.
    json_
        Print the figures as JSON.
    """
    from dataclasses import replace

    from tengen.nets.bench import multiplications, rates, roof
    from tengen.nets.katago_file import read_net
    from tengen.nets.library import precisions_of, source_of
    from tengen.nets.runtime import available_threads

    precisions = precision or precisions_of(name)
    counts = threads or sorted({1, available_threads()})
    limits = {count: roof(count) for count in counts}
    source = source_of(name)
    work = multiplications(read_net(source), size) if source else None
    rows = []
    with progress_bar("measuring") as bar:
        for rate in rates(name, precisions, counts, batch or [1, 16], size, seconds):
            share = work * rate.positions_a_second / limits[rate.threads] if work else None
            rows.append(replace(rate, share_of_roof=share))
            bar(Progress(f"{rate.precision}, {rate.threads} threads, batch {rate.batch}"))
    if json_:
        print(
            json.dumps(
                {"net": name, "size": size, "roof_gflops": limits, "rates": [row.to_json() for row in rows]}
            )
        )
        return
    columns = ("precision", "threads", "batch", "positions/s", "of the roof", "outside the graph")
    table = Table(*columns, title=f"{name}, {size}x{size}")
    for column in table.columns[1:]:
        column.justify = "right"
    for row in rows:
        of_roof = "" if row.share_of_roof is None else f"{row.share_of_roof:.0%}"
        fields = (row.precision, str(row.threads), str(row.batch))
        table.add_row(*fields, f"{row.positions_a_second:.1f}", of_roof, f"{row.outside:.1%}")
    _console.print(table)
    for count, gflops in limits.items():
        _console.print(
            f"roof with {count} thread{'s' if count > 1 else ''}: {gflops:.0f} GFLOP/s", markup=False
        )
