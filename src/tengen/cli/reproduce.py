"""`tengen reproduce`: the papers' tables and figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tengen.cli.progress import progress_bar

app = App(
    name="reproduce",
    help_epilogue="""\
Example: tengen reproduce

Example: tengen reproduce thesis-figure4.4 -o figure4.4.png

Example: tengen reproduce thesis-figure4.4 --pool results.csv

Example: tengen reproduce golois-table1 --set width=64 --set examples=200000

Example: tengen reproduce cgi-table5 --set net=tengen --set size=13 --set handicaps=2,4 --set games=100""",
)

_console = Console()


@app.default
def reproduce(
    name: str | None = None,
    *,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    pool: Path | None = None,
    data: Path = Path("../shared/data"),
    set_: Annotated[list[str] | None, Parameter(name=["--set", "-s"], negative=())] = None,
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Make a paper's table or figure again, with the published numbers beside ours. Without a name, list them all.

    Parameters
    ----------
    name
        The table or figure: thesis-figure4.4, for example. All are listed if not given.
    output
        The drawing to write (.png, .svg, .pdf); if not given, out/NAME.png for figures and none for tables and
        sections.
    pool
        A pool, for figures that can be drawn of any pool; the one that the paper's figure needs, in the folder of
        --data, if not given.
    data
        The folder of real games.
    set_
        key=value: a setting of the reproduction, such as the size of a net; an unknown key lists them all.
    json_
        Print the numbers as JSON.
    """
    from tengen.papers import reproduction
    from tengen.training import machine

    machine.prepare()  # some train nets
    if name is None:
        table = Table("name", "what")
        for each in map(reproduction.find, reproduction.names()):
            table.add_row(each.name, each.title)
        _console.print(table)
        return
    found = reproduction.find(name)
    is_drawn = "-table" not in name and "-section" not in name
    drawing = output or (Path("out") / f"{name}.png" if is_drawn else None)
    if drawing is not None:
        from tengen.plots import check_format

        check_format(drawing)
    settings = found.read_settings(set_ or [])
    with progress_bar(found.name) as bar:
        outcome = found.run(reproduction.Request(data, drawing, pool, settings, progress=bar))
    if json_:
        print(json.dumps({"name": name, **outcome.to_json()}, ensure_ascii=False))
        return
    table = Table("", "published", "ours", title=f"{found.name}: {found.title}", title_justify="left")
    for row in outcome.rows:
        table.add_row(*map(Text, row))
    _console.print(table)
    for note in outcome.notes:
        _console.print(Text(note))
    if outcome.drawn:
        _console.print(Text(f"Drawn: {outcome.drawn}"))
    elif output:
        _console.print(Text(f"Nothing is drawn: {found.name} has no drawing"))
