"""`tengen regress`: GNU Go's regression suites."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from rich.console import Console
from rich.table import Table

from tengen.cli.player_options import Set
from tengen.cli.progress import progress_bar
from tengen.errors import InputError

app = App(
    name="regress",
    help_epilogue="Example:  tengen regress gnugo-3.8-regression.tar.xz nngs --net b15c192 --visits 32",
)


@app.default
def regress(
    path: Path,
    /,
    *suites: str,
    net: str | None = None,
    precision: str | None = None,
    player: str = "puct",
    visits: int | None = None,
    every: int = 1,
    set_: Set = None,
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Answer the move problems of GNU Go's regression suites, and count by suite.

    Parameters
    ----------
    path
        The folder with the .tst files and the games, or the archive of it.
    suites
        The files to take, without .tst; all of them if none is named.
    net
        A net by name (`tengen nets list`), folder or file. If not given: the strongest at hand, which is the small
        one that ships, tengen, until `tengen nets pull b15c192` has brought another.
    precision
        fp32, int16 or int8. If not given: the fastest on this machine that is near enough to fp32.
    player
        puct searches; policy plays the net's move.
    visits
        Positions that the search visits for a problem; 32 if not given.
    every
        Take one problem in so many.
    set_
        key=value: any option of the player. `--set help` lists them.
    json_
        Print all answers as JSON; null where a problem cannot be set up.
    """
    from tengen.cli.player_options import player_maker, wants_help

    if wants_help(set_, player):
        return
    from tengen.engine.regression import Answered, answer, read_suite, suites_folder
    from tengen.engine.session import CommandError, Session
    from tengen.go.rules import Rules

    if every < 1:
        raise InputError("--every must be 1 or more")
    answers: list[Answered] = []
    with suites_folder(path) as folder:
        files = [folder / f"{suite}.tst" for suite in suites] if suites else sorted(folder.glob("*.tst"))
        for file in files:
            if not file.is_file():
                raise InputError(f"{path}: there is no suite '{file.stem}'")
        problems = [problem for file in files for problem in read_suite(file)[::every]]
        maker = player_maker(player, net, precision, None, set_, {"visits": visits}, {"visits": 32})
        chosen = maker.make()
        session = Session(chosen, Rules.named("japanese").with_komi(5.5))
        with progress_bar("problems") as bar:
            for number, problem in enumerate(problems):
                bar.at(number, len(problems), stage=problem.suite)
                move: str | None = None
                try:
                    move = answer(problem, session, folder)
                except (CommandError, InputError, ValueError) as error:
                    bar.complain(f"{problem.suite} {problem.number}: {error}")
                answers.append(Answered(problem, move))
    if json_:
        print(json.dumps([each.to_json() for each in answers], indent=1))
        return
    table = Table("suite", "problems", chosen.name, "GNU Go 3.8")
    for suite in [*dict.fromkeys(each.problem.suite for each in answers), None]:
        rows = [each for each in answers if each.move is not None and suite in (None, each.problem.suite)]
        if rows:
            n = len(rows)
            ours, theirs = (
                sum(each.is_right for each in rows),
                sum(each.problem.gnugo_solves for each in rows),
            )
            table.add_row(suite or "all", f"{n}", f"{ours} ({ours / n:.0%})", f"{theirs} ({theirs / n:.0%})")
    Console(highlight=False).print(table)
