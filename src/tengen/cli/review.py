"""`tengen review`: annotated records and a page for each game."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tengen.errors import InputError

app = App(name="review", help_epilogue="Example:  tengen review examples/9x9.sgf -o out/review --visits 50")


@app.default
def review(
    games: list[Path],
    /,
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
    net: str | None = None,
    precision: str | None = None,
    visits: int = 50,
    rollouts: int = 0,
    threads: int = 1,
    again: bool = False,
) -> None:
    """Review games: for each an annotated SGF and a page with graphs, mistakes and ownership.

    Games whose page is there already are left alone, so that a review that was stopped can be gone on with.

    Parameters
    ----------
    games
        SGF, GIB or NGF files.
    out
        The folder for NAME.sgf and NAME.html.
    net
        The net that is asked; `tengen nets list` shows them.
    visits
        Positions looked at for every move.
    again
        Review games that have been reviewed, too.
    """
    from tengen.engine.report import page
    from tengen.engine.review import annotate, make_review, review_positions
    from tengen.files import write_whole
    from tengen.go.game import Game
    from tengen.go.sgf import sgf_tree
    from tengen.search.open_net import open_net
    from tengen.search.registry import make_player

    if visits < 1:
        raise InputError("--visits must be 1 or more")
    stems = [path.name.split(".")[0] for path in games]
    if twice := {stem for stem in stems if stems.count(stem) > 1}:
        raise InputError(
            f"two games would be written to {sorted(twice)[0]}.html: review them into two folders"
        )
    records = [Game.from_file(path) for path in games]  # complain before the work begins
    evaluator = open_net(net, precision, threads)
    out.mkdir(parents=True, exist_ok=True)
    console = Console(stderr=True, highlight=False)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("moves", total=sum(len(record.moves) + 1 for record in records))
        for path, stem, record in zip(games, stems, records, strict=True):
            target = out / f"{stem}.html"
            if target.exists() and not again:
                progress.update(task, advance=len(record.moves) + 1, description=stem)
                continue
            player = make_player("puct", evaluator, visits=visits, rollouts=rollouts, threads=threads)
            roots = []
            for root in review_positions(record, player, visits):
                roots.append(root)
                progress.update(task, advance=1, description=stem)
            result = make_review(record, roots, f"{player.name}, {visits} visits a move")
            tree = sgf_tree(path if path.name.lower().endswith(".sgf") else record.to_sgf())
            write_whole(out / f"{stem}.sgf", annotate(result, tree))
            write_whole(target, page(result))
            console.print(f"{target}: {len(result.mistakes())} mistakes shown", markup=False)
