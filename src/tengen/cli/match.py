"""`tengen match`: two programs or players, many games."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter
from rich.console import Console
from rich.table import Table

from tengen.cli.progress import progress_bar
from tengen.errors import InputError

if TYPE_CHECKING:
    from tengen.engine.match import Match
    from tengen.engine.significance import Sprt

app = App(
    name="match",
    help_epilogue='Example:  tengen match puct "gnugo --mode gtp --chinese-rules" --games 20 -o out/gnugo',
)


@app.default
def match(
    first: str,
    second: str,
    /,
    *,
    games: int = 100,
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
    size: int = 19,
    rules: str = "chinese",
    komi: float = 7.5,
    handicap: int = 0,
    openings: Path | None = None,
    opening_moves: int = 12,
    time: Annotated[float | None, Parameter(name="--time")] = None,
    byoyomi: Annotated[tuple[float, int] | None, Parameter(name="--byoyomi")] = None,
    concurrency: int = 1,
    sprt: tuple[float, float] | None = None,
    seed: int = 0,
    json_: Annotated[bool, Parameter(name="--json")] = False,
) -> None:
    """Play a match: colours alternate, every game is kept, a match that was stopped goes on.

    A contestant is a player of ours, as `puct:net=b15c192,visits=100` or `policy:net=b15c192`, or the command
    of a GTP program in quotes.

    Parameters
    ----------
    first, second
        The contestants; in games 1, 3, 5, ... the first has Black.
    games
        Games in all, those already in the folder included.
    out
        The folder: games/NNNN.sgf and .log, results.jsonl, match.json.
    handicap
        Black's stones, on the points GTP fixes.
    openings
        A pool: its games' first moves are the openings, each played with both colours.
    opening_moves
        How many of their moves are played.
    time
        Seconds a side for the game; none: no clock.
    byoyomi
        Seconds a period, and periods, after the main time.
    concurrency
        Games played at once.
    sprt
        Stop as soon as the first's advantage is shown to be nearer to one than to the other of two Elo
        differences (both errors 5 %).
    json_
        Print the result as JSON.
    """
    from tengen.engine.match import Match, Terms
    from tengen.engine.significance import Sprt
    from tengen.search.clock import TimeControl

    if games < 1 or concurrency < 1:
        raise InputError("--games and --concurrency must be 1 or more")
    control = TimeControl()
    if byoyomi is not None:
        control = TimeControl.byoyomi(time or 0, byoyomi[0], byoyomi[1])
    elif time is not None:
        control = TimeControl.absolute(time)
    test = Sprt(*sprt) if sprt else None
    if test and not test.elo0 < test.elo1:
        raise InputError("--sprt needs the smaller difference first")
    if handicap and openings:
        raise InputError("--openings are for even games: leave --handicap out")
    pool = str(openings) if openings else ""
    terms = Terms(size, rules, komi, handicap, pool, opening_moves, control, seed)
    contest = Match((first, second), terms, out)
    with progress_bar("games") as bar:

        def show() -> None:
            tally = contest.tally
            bar.at(min(len(contest.outcomes), games), games, f"{tally.wins} : {tally.losses}")

        show()
        for outcome in contest.play(games, concurrency, test):
            show()
            if outcome.failure:
                bar.complain(f"game {outcome.number + 1}: {outcome.failure}")
    summary = summarize(contest, test)
    if json_:
        print(json.dumps(summary, indent=1))
    else:
        Console(highlight=False).print(result_table(contest, summary))


def summarize(contest: Match, test: Sprt | None) -> dict[str, object]:
    """The result of the first contestant, as --json prints it. Elo beyond the scale is null."""
    from tengen.engine.significance import elo

    tally = contest.tally
    outcomes = contest.outcomes.values()
    summary: dict[str, object] = {
        "contestants": list(contest.contestants),
        "games": len(outcomes),
        "wins": tally.wins,
        "losses": tally.losses,
        "draws": tally.draws,
        "failures": [o.failure for o in outcomes if o.failure],
        "seconds_a_move": [
            round(sum(o.seconds[i] for o in outcomes) / max(sum(o.moves for o in outcomes) / 2, 1), 4)
            for i in (0, 1)
        ],
    }
    for color in (0, 1):
        points = [o.points for o in outcomes if o.black == color and o.points is not None]
        summary[("as_black", "as_white")[color]] = [sum(points), len(points)]
    if tally.games:
        low, high = tally.interval()
        summary |= {"win_rate": tally.score, "interval_95": [low, high]}
        summary["elo"], summary["elo_95"] = _finite(elo(tally.score)), [_finite(elo(low)), _finite(elo(high))]
        if test:
            summary["sprt"] = {"llr": test.log_likelihood_ratio(tally), "accepted": test.verdict(tally)}
    return summary


def _finite(value: float) -> float | None:
    return round(value, 1) if abs(value) < 1e6 else None


def short_name(spec: str) -> str:
    """What a contestant is called in a table: its `name=`, or the beginning of what was typed.

    >>> short_name("puct:net=b15c192,name=fast"), short_name("/usr/games/gnugo --mode gtp --level 10")
    ('fast', 'gnugo --mode gtp…')
    """
    if (named := re.search(r"[:,]name=([^,]+)", spec)) is not None:
        return named[1]
    program, space, rest = spec.partition(" ")
    text = Path(program).name + space + rest
    return text if len(text) <= 17 else text[:16] + "…"


def result_table(contest: Match, summary: dict[str, object]) -> Table:
    from tengen.engine.significance import elo

    tally = contest.tally
    first, second = contest.contestants
    table = Table("", "wins", "as B", "as W", "win rate, 95 %", "Elo, 95 %", "s/move")
    times = summary["seconds_a_move"]
    assert isinstance(times, list)
    if tally.games:
        as_black, as_white = summary["as_black"], summary["as_white"]
        assert isinstance(as_black, list) and isinstance(as_white, list)
        low, high = tally.interval()
        table.add_row(
            short_name(first),
            f"{tally.wins}",
            f"{as_black[0]:g}/{as_black[1]}",
            f"{as_white[0]:g}/{as_white[1]}",
            f"{tally.score:.1%} ({low:.1%}-{high:.1%})",
            f"{elo(tally.score):+.0f} ({elo(low):+.0f}, {elo(high):+.0f})",
            f"{times[0]:.3f}",
        )
        table.add_row(
            short_name(second),
            f"{tally.losses}",
            f"{as_white[1] - as_white[0]:g}/{as_white[1]}",
            f"{as_black[1] - as_black[0]:g}/{as_black[1]}",
            f"{1 - tally.score:.1%}",
            "",
            f"{times[1]:.3f}",
        )
    failures = summary["failures"]
    assert isinstance(failures, list)
    table.caption = f"{summary['games']} games, {tally.draws} draws, {len(failures)} failures of a program"
    return table
