"""`tengen tournament`: everyone against everyone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from rich.console import Console
from rich.table import Table

from tengen.cli.progress import progress_bar

app = App(name="tournament", help_epilogue="Example:  tengen tournament players.toml -o out/tournament")


@app.default
def tournament(
    file: Path,
    /,
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
    json_: Annotated[bool, Parameter(name="--json")] = False,
) -> None:
    """Play a tournament and print the cross table; one that was stopped goes on where it was.

    The file is TOML: games (a pair), concurrency, size, rules, komi, handicap, seed, and a table [players]
    with name = "contestant" as `tengen match` takes them.

    Parameters
    ----------
    out
        The folder, with one folder for the match of every pair.
    json_
        Print the result as JSON.
    """
    from tengen.engine.tournament import read_tournament, standings

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
    tallies = {pair: match.tally for pair, match in matches.items()}
    rows = standings(tallies, list(contest.players))
    if json_:
        pairs = [
            {"players": list(pair), "wins": tally.wins, "losses": tally.losses, "draws": tally.draws}
            for pair, tally in tallies.items()
        ]
        table = [{"player": name, "points": points, "games": games} for name, points, games in rows]
        print(json.dumps({"standings": table, "pairs": pairs}, indent=1))
        return
    table_ = Table("", "points", *[str(i + 1) for i in range(len(rows))])
    for place, (name, points, games) in enumerate(rows):
        cells = []
        for other, _, _ in rows:
            tally = tallies.get((name, other))
            if tally is not None:
                cells.append(f"{tally.wins + tally.draws / 2:g}")
            elif (tally := tallies.get((other, name))) is not None:
                cells.append(f"{tally.losses + tally.draws / 2:g}")
            else:
                cells.append("-")
        table_.add_row(f"{place + 1} {name}", f"{points:g}/{games}", *cells)
    Console(highlight=False).print(table_)
