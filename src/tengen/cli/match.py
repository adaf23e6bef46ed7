"""`tengen match`: two programs or players, many games."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from tengen.cli.progress import progress_bar
from tengen.errors import InputError

if TYPE_CHECKING:
    from tengen.engine.outcome import MatchResult

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
    komi: float | None = None,
    handicap: int = 0,
    first_is: Literal["black", "white"] | None = None,
    openings: Path | None = None,
    opening_moves: int = 12,
    from_end: int | None = None,
    time: Annotated[float | None, Parameter(name="--time")] = None,
    byoyomi: Annotated[tuple[float, int] | None, Parameter(name="--byoyomi", negative=())] = None,
    concurrency: int = 1,
    sprt: Annotated[tuple[float, float] | None, Parameter(negative=())] = None,
    seed: int = 0,
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Play a match: every game is kept, and a match that was stopped goes on.

    A contestant is a player of ours, as `puct:net=b15c192,visits=100` or `policy:net=b15c192`, or the command of a GTP
    program in quotes. The options of a player of ours are those that `tengen gtp --set help` lists, and net, precision
    and name. If not given, net is the strongest at hand and visits is 400. A program that fails loses that game; a
    program that cannot start ends the match.

    Parameters
    ----------
    first
        The first contestant. Colours alternate: in games 1, 3, 5, ... it has Black.
    second
        The second contestant.
    games
        Games in all, those already in the folder included.
    out
        The folder: games/NNNN.sgf and .log, results.jsonl, match.json.
    size
        Lines of the board.
    rules
        chinese, japanese, tromp-taylor, aga, new-zealand.
    komi
        White's points. 7.5 if not given, 0.5 with a handicap.
    handicap
        Black's stones, on the points that GTP fixes, and from 13x13 on more than nine on points with room around
        them. 1 means no stone: Black only plays first.
    first_is
        The colour of the first contestant in every game; colours alternate if not given.
    openings
        A pool of games; all games start from the empty board if not given. Each match game starts with the first
        moves of one of them; each opening is played with both colours unless colours are fixed.
    opening_moves
        How many moves of the pool's game are played.
    from_end
        Start so many moves before the end of the pool's games instead of --opening-moves after their start; shorter
        games are left out. Not used if not given.
    time
        Seconds for the whole game, for each side. Without it there is no clock.
    byoyomi
        Seconds a period and number of periods, after the main time; none if not given.
    concurrency
        Games played at once.
    sprt
        Two differences in Elo: stop as soon as a sequential test accepts one of them for the first contestant
        (both kinds of error 5 %). Without it all games are played.
    seed
        The same seed draws the same openings and, for players of ours, the same moves.
    json_
        Print the result as JSON.
    """
    from tengen.engine.match import Match
    from tengen.engine.significance import Sprt
    from tengen.engine.terms import Terms, usual_komi
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
    if from_end is not None and (openings is None or from_end < 1):
        raise InputError("--from-end is a number of moves, 1 or more, and needs --openings")
    terms = Terms(
        size=size,
        rules=rules,
        komi=usual_komi(handicap) if komi is None else komi,
        handicap=handicap,
        openings=str(openings) if openings else "",
        opening_moves=opening_moves,
        from_end=from_end or 0,
        first_is=first_is or "alternate",
        time=control,
        seed=seed,
    )
    contest = Match((first, second), terms, out)
    with progress_bar("games") as bar:

        def show() -> None:
            bar.at(min(len(contest.outcomes), games), games, str(contest.tally))

        show()
        for outcome in contest.play(games, concurrency, test):
            show()
            if outcome.failure:
                bar.complain(f"game {outcome.number + 1}: {outcome.failure}")
    result = contest.result(test)
    if json_:
        print(json.dumps(result.to_json(), indent=1))
    else:
        Console(highlight=False).print(result_table(result))


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


def result_table(result: MatchResult) -> Table:
    from tengen.engine.significance import elo

    tally, times = result.tally, result.seconds_a_move
    table = Table(caption=f"{len(result.outcomes)} games: {tally}")
    table.box, table.pad_edge, table.padding = SIMPLE_HEAD, False, 0  # it fits into 80 columns
    table.add_column("", min_width=17)
    table.add_column("wins + other's failures", width=8)
    for title in ("as B", "as W", "win rate, 95 %", "Elo, 95 %", "s/move"):
        table.add_column(title, no_wrap=True)
    if tally.games:
        with_black, with_white = result.with_black(0), result.with_black(1)
        low, high = tally.interval()
        table.add_row(
            short_name(result.contestants[0]),
            f"{tally.wins} + {tally.failures[1]}",
            f"{with_black[0]:g}/{with_black[1]}",
            f"{with_white[0]:g}/{with_white[1]}",
            f"{tally.score:.1%} ({100 * low:.0f}-{100 * high:.0f})",
            f"{elo(tally.score):+.0f} ({elo(low):.0f}, {elo(high):.0f})",
            f"{times[0]:.3f}",
        )
        table.add_row(
            short_name(result.contestants[1]),
            f"{tally.losses} + {tally.failures[0]}",
            f"{with_white[1] - with_white[0]:g}/{with_white[1]}",
            f"{with_black[1] - with_black[0]:g}/{with_black[1]}",
            f"{1 - tally.score:.1%}",
            "",
            f"{times[1]:.3f}",
        )
    return table
