"""`tengen tricks`: the estimated strength of those who fall for a trick play, and of those who refute it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tengen.cli.progress import progress_bar

if TYPE_CHECKING:
    from tengen.games.problems import Board, Problem
    from tengen.games.store import GameStore
    from tengen.strength.tricks import Trick

app = App(
    name="tricks",
    help_epilogue="""\
Example: tengen games import my-games/ -o pool.parquet

Example: tengen tricks problems/ --pool pool.parquet --page tricks.html""",
)
_console = Console(highlight=False)


@app.default
def tricks(
    problems: list[Path],
    /,
    *,
    pool: Annotated[list[Path], Parameter(negative=())],
    net: str | None = None,
    model: str | None = None,
    scale: Literal["fox", "kgs", "ogs", "egf"] | None = None,
    boards: int = 5,
    page: Path | None = None,
    plot: Path | None = None,
    threads: int | None = None,
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Rate the right and the wrong answer to trick plays by the moves alone (thesis, Section 7.2).

    A problem is an SGF file: stones of a part of the board, then two lines, first the refutation, then the failure.
    It is set into whole boards of games in which that part occurred, captures included, and the strength model rates
    the solver's moves of each line. Where no game has the trick, boards without its last move are used. Ratings from so
    few moves are close to the middle of the scale: what counts is which of the two is higher.

    Parameters
    ----------
    problems
        SGF files, or folders of them. Ratings of others in a folder's trickratings.csv (Nr, Failure, Refutation)
        are printed beside ours.
    pool
        Pools to look for whole boards in, as `tengen games import` makes them.
    net
        The net that evaluates the moves; the one that ships if not given.
    model
        A strength model by name or folder; the one that goes with the net if not given.
    scale
        The server whose ratings are printed; that of the model's training games if not given.
    boards
        At most so many boards a problem; ratings are means over them.
    page
        Write a page with all problems drawn (.html).
    plot
        Draw both ratings of all problems, as figure 7.5 of the thesis (.png, .svg, .pdf).
    threads
        Threads of the net; all cores if not given.
    json_
        Print everything as JSON.
    """
    from tengen.errors import InputError
    from tengen.games.problems import problem_files, read_problem
    from tengen.games.store import GameStore
    from tengen.nets.library import open_net
    from tengen.strength.model import default_net, find_model
    from tengen.strength.tricks_page import draw_ratings, write_page

    if boards < 1:
        raise InputError("--boards must be 1 or more")
    if plot is not None:
        from tengen.plots import check_format

        check_format(plot)
    files, published = problem_files(problems)
    read = [read_problem(path) for path in files]
    evaluator = open_net(net or default_net(model), threads=threads)
    strength = find_model(evaluator, model)
    stores = [GameStore.open(path) for path in pool]
    found = judge_all(read, stores, boards, evaluator, strength, scale)
    used = found[0].judged[0].failure.scale
    if page is not None:
        write_page(found, published, page)
    if plot is not None:
        draw_ratings(found, used, plot)
    if json_:
        table = {"net": evaluator.card.name, "model": strength.card.name, "scale": used}
        print(
            json.dumps(
                table | {"problems": [trick.to_json(published.get(trick.problem.name)) for trick in found]},
                ensure_ascii=False,
            )
        )
        return
    _print(found, published, used)
    for path in (page, plot):
        if path is not None:
            _console.print(Text(f"Written: {path}"))


def judge_all(
    problems: list[Problem],
    stores: list[GameStore],
    boards: int,
    evaluator: Any,
    model: Any,
    scale: str | None,
) -> list[Trick]:
    """Finds boards and rates both lines, with a bar for each."""
    from tengen.games.problems import boards as find_boards
    from tengen.strength.tricks import judge

    with progress_bar("looking for boards") as bar:
        set_: list[tuple[Problem, list[Board]]] = []
        for number, problem in enumerate(problems):
            bar.at(number, len(problems))
            set_.append((problem, find_boards(problem, stores, boards)))
        return judge(set_, evaluator, model, scale=scale, progress=bar)


def _print(tricks: list[Trick], published: dict[str, tuple[float, float]], scale: str) -> None:
    from tengen.games.problems import FOUND
    from tengen.strength.tricks_page import rating_text, summary

    table = Table("problem", "failure", "refutation", "points by the net", "boards")
    if published:
        table.add_column("failure, thesis")
        table.add_column("refutation, thesis")
    for column in table.columns[1:4] + table.columns[5:]:
        column.justify = "right"
    for trick in tricks:
        how = trick.judged[0].board.how
        row: list[str | Text] = [
            Text(trick.problem.name, style="" if trick.as_expected else "red"),
            rating_text(trick.failure),
            rating_text(trick.refutation),
            f"{trick.gain:+.1f}",
            f"{len(trick.judged)}" + (f", {how}" if how != FOUND else ""),
        ]
        if trick.problem.name in published:
            row += [f"{rating:.0f}" for rating in published[trick.problem.name]]
        table.add_row(*row)
    _console.print(table)
    _console.print(f"Ratings: {scale}. {summary(tricks)}")
    beside = [published[t.problem.name] for t in tricks if t.problem.name in published]
    if beside:
        above = sum(refutation > failure for failure, refutation in beside)
        same = sum(
            t.as_expected == (published[t.problem.name][1] > published[t.problem.name][0])
            for t in tricks
            if t.problem.name in published
        )
        _console.print(f"In the thesis in {above} of {len(beside)}; both say the same of {same}.")
    hows = Counter(trick.judged[0].board.how for trick in tricks)
    _console.print("Boards: " + ", ".join(f"{count} {how}" for how, count in hows.most_common()) + ".")
