"""`tengen tournament`: everyone against everyone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter
from rich.console import Console
from rich.table import Table

from tengen.cli.progress import progress_bar

if TYPE_CHECKING:
    from tengen.engine.tournament import TournamentResult

app = App(name="tournament", help_epilogue="Example:  tengen tournament players.toml -o out/tournament")


@app.default
def tournament(
    file: Path,
    /,
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Play a tournament and print the cross table; one that was stopped goes on where it was.

    The file is TOML: games (a pair), concurrency, size, rules, komi, handicap, openings, opening_moves, from_end,
    seed, and a table [players] with name = "contestant" as `tengen match` takes them.

    Parameters
    ----------
    file
        The TOML file.
    out
        The folder, with one folder for the match of every pair.
    json_
        Print the result as JSON.
    """
    from tengen.engine.tournament import TournamentResult, read_tournament

    contest = read_tournament(file)
    matches = {pair: contest.match(pair, out) for pair in contest.pairs}
    with progress_bar("games") as bar:

        def show(players: str) -> None:
            done = sum(min(len(match.outcomes), contest.games) for match in matches.values())
            bar.at(done, contest.games * len(matches), players)

        for pair, match in matches.items():
            players = " - ".join(pair)
            show(players)
            for outcome in match.play(contest.games, contest.concurrency):
                show(players)
                if outcome.failure:
                    bar.complain(f"{players}, game {outcome.number + 1}: {outcome.failure}")
    result = TournamentResult(tuple(contest.players), {pair: match.tally for pair, match in matches.items()})
    if json_:
        print(json.dumps(result.to_json(), indent=1))
    else:
        Console(highlight=False).print(cross_table(result))


def cross_table(result: TournamentResult) -> Table:
    """Points of each against each; what was won by failures of the other program is said beside it."""
    rows = result.standings()
    table = Table("", "points", *[str(i + 1) for i in range(len(rows))], "own failures")
    for place, row in enumerate(rows, 1):
        cells = []
        for other in rows:
            tally = result.of(row.player, other.player) if other is not row else None
            cells.append("-" if tally is None else _points(tally.points[0], tally.failures[1]))
        points = _points(row.points, row.by_failure, f"/{row.games}")
        table.add_row(f"{place} {row.player}", points, *cells, str(row.failures))
    return table


def _points(points: float, by_failure: int, games: str = "") -> str:
    return f"{points:g}{games}" + (f" ({by_failure} by failure)" if by_failure else "")
