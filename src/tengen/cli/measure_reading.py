"""`tengen measure reading`: problems in which reading decides, judged with and without imagined lines."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter
from rich.table import Table
from rich.text import Text

from tengen.cli.console import console, print_line
from tengen.cli.progress import progress_bar

if TYPE_CHECKING:
    from tengen.prediction.reading_problems import Compared


def reading(
    problems: Annotated[list[Path] | None, Parameter(negative=())] = None,
    /,
    *,
    pool: Annotated[list[Path] | None, Parameter(negative=())] = None,
    net: str | None = None,
    agent: str = "",
    boards: int = 5,
    lines: int = 20,
    steps: int = 15,
    scale: float = 50.0,
    reward: Literal["ownership", "lead", "captures"] | None = None,
    opponent: Literal["self", "predictor", "both"] | None = None,
    threads: int | None = None,
    seed: int = 1,
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Compare judges of a right and a wrong move: the policy p, the net's lead one move ahead, E[R] and S.

    The boards are ladders, capturing races and eye spaces that come with the package; those called hard were chosen
    because the policy of the net that ships is wrong there. With files of trick plays, which
    are set into whole boards as `tengen tricks` does, these as well: the refutation is right, the failure wrong.

    Example: tengen measure reading --net tengen

    Example: tengen measure reading problems/ --pool pool.parquet --net tengen --json

    Parameters
    ----------
    problems
        SGF files of trick plays, or folders of them; none if not given.
    pool
        Pools to look for whole boards of the trick plays in; if not given, they stand alone on the board.
    net
        The net that gives p and judges. If not given: the strongest at hand.
    agent
        The agent that imagines lines: a folder, or the one that ships if empty.
    boards
        At most so many boards a trick play.
    lines
        Lines of each move.
    steps
        Moves of a line after the first, at most.
    scale
        Points of E[R] that make a move e times as good in S.
    reward
        What a line is worth; that of the agent's training if not given.
    opponent
        Who answers in a line, the agent or the net; with both, the net moves for both sides. If not given: as in the
        agent's training.
    threads
        Threads of net and agent; all cores if not given.
    seed
        Of the lines.
    json_
        Print everything as JSON.
    """
    from tengen.errors import InputError
    from tengen.games.problems import boards as find_boards
    from tengen.games.problems import problem_files, read_problem
    from tengen.games.store import GameStore
    from tengen.nets.agent import open_agent
    from tengen.nets.library import open_net
    from tengen.nets.runtime import available_threads
    from tengen.prediction.reading_boards import BOARDS, HARD
    from tengen.prediction.reading_problems import TRICK, compare, drawn_item, summary, trick_item
    from tengen.search.long_term import Reader

    for name, value in (("boards", boards), ("lines", lines)):
        if value < 1:
            raise InputError(f"--{name} must be 1 or more")
    if steps < 0 or scale <= 0:
        raise InputError("--steps must be 0 or more, and --scale above 0")
    cores = threads or available_threads()
    evaluator, player = open_net(net, threads=cores), open_agent(agent, cores)
    rewarded, answered = reward or player.card.reward, opponent or player.card.opponent
    reader = Reader(evaluator, player, rewarded, answered, cores)
    items, skipped = [drawn_item(board) for board in (*BOARDS, *HARD)], []
    with progress_bar("looking for boards") as bar:
        files = problem_files(problems)[0] if problems else []
        stores = [GameStore.open(path) for path in pool or []]
        for number, path in enumerate(files):
            bar.at(number, len(files))
            problem = read_problem(path)
            item = trick_item(problem, find_boards(problem, stores, boards))
            if item is None:
                skipped.append(problem.name)
            else:
                items.append(item)
        compared = compare(items, reader, lines, steps, scale, seed, bar)
    kinds = [
        [one for one in compared if one.kind != TRICK and "hard" not in one.kind],
        [one for one in compared if "hard" in one.kind],
        [one for one in compared if one.kind == TRICK],
    ]
    if json_:
        about = {"net": evaluator.card.name, "agent": player.card.name, "lines": lines, "steps": steps}
        about |= {"scale": scale, "reward": rewarded, "opponent": answered, "skipped": skipped}
        rows = [one.to_json() for one in compared]
        said = [sentence for kind in kinds if kind for sentence in summary(kind)]
        print(json.dumps({**about, "problems": rows, "summary": said}, ensure_ascii=False))
        return
    console.print(
        f"{evaluator.card.name}, agent {player.card.name}: {lines} lines, {steps} steps, scale {scale:g}"
    )
    for kind in kinds:
        if kind:
            _print(kind)
            for sentence in summary(kind):
                print_line(sentence)
    if skipped:
        console.print(
            f"Left out, because the lines differ in a move of the other side: {', '.join(skipped)}."
        )


def _print(compared: list[Compared]) -> None:
    """A row a problem: what each judge says of the right and of the wrong move, red where it prefers the wrong one."""
    judges = list(compared[0].judges)
    table = Table("problem", "kind", *(f"{judge}: right, wrong" for judge in judges))
    for column in table.columns[2:]:
        column.justify = "right"
    for _, group in groupby(compared, key=lambda one: one.kind):
        for one in group:
            cells = []
            for judge in judges:
                right, wrong = one.judges[judge]
                style = "" if one.prefers_right(judge) else "red"
                form = "{:+.1f}, {:+.1f}" if judge in ("lead", "E[R]") else "{:.3f}, {:.3f}"
                cells.append(Text(form.format(right, wrong), style=style))
            table.add_row(one.name, one.kind, *cells)
    console.print(table)
