"""`tengen measure value`: how well nets judge who wins, on positions of games that ended."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter, validators
from rich.table import Table

from tengen.cli.console import console, plain, print_line
from tengen.cli.measure_cells import figure_table, number, share, signed
from tengen.cli.progress import progress_bar
from tengen.errors import InputError
from tengen.words import counted as so_many

if TYPE_CHECKING:
    from tengen.prediction.reliability import Bin
    from tengen.prediction.value_figures import NetFigures


def value(
    names: list[str],
    /,
    *,
    positions: Annotated[int, Parameter(validator=validators.Number(gte=1))] = 5_000,
    ends: Annotated[int, Parameter(validator=validators.Number(gte=0))] = 500,
    counted: Annotated[bool, Parameter(negative=())] = False,
    where: Annotated[list[str] | None, Parameter(negative=())] = None,
    plot: Path | None = None,
    threads: int | None = None,
    precision: str | None = None,
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Measure how well nets judge positions of games that ended, without search, with 95 % intervals.

    Printed are half of the mean squared error by phase of the game (values from -1 to 1: an even guess has 0.5), how
    often the winner is right, how far the lead at the end is from the count, and whether win rates are calibrated: of
    positions judged 70 to 80 % about 75 % should be won. Games count that were decided on the board, by a count or a
    resignation. Positions are drawn with a fixed seed and judged at the komi and rules of the record. Several nets
    judge the same positions, and their differences from the first are paired.

    A net's win rate is that of equal players. In handicap games the weaker player begins with the better position:
    --where max_handicap=0 leaves these games out.

    Example: tengen measure value tengen b15c192 kgs.parquet --counted --where max_handicap=0

    Example: tengen measure value tengen kgs.parquet --where years=[2015] --plot reliability.png

    Parameters
    ----------
    names
        One net or more, each a name, a file or the folder of a training run; then the games: a pool, a record, or a
        folder of records.
    positions
        How many positions.
    ends
        How many counted games are judged on their last board; 0 for none.
    counted
        Only counted games: no resignations.
    where
        key=value that games must meet, all games if not given, as in a recipe's filter: years=[2015], min_rank=6d,
        max_handicap=0 ...
    plot
        Draw judged win rates against the shares won (.png, .svg, .pdf).
    threads
        Threads of the nets; all cores if not given.
    precision
        fp32, int16 or int8. If not given: the fastest on this machine that is near enough to fp32.
    json_
        Print the figures as JSON.
    """
    if len(names) < 2:
        raise InputError("name one net or more, then the games: tengen measure value tengen pool.parquet")
    if plot is not None:
        from tengen.plots import check_format

        check_format(plot)
    from tengen.training import machine

    machine.prepare()
    from tengen.prediction.games import decided_games, open_games
    from tengen.prediction.predictors import open_net_or_run
    from tengen.prediction.reliability import draw_reliability
    from tengen.prediction.value_figures import measure_values
    from tengen.settings import set_keys

    *chosen, pool = names
    with progress_bar("opening") as bar:
        games = open_games([Path(pool)], set_keys({}, where or [], "--where"), bar.complain)
        store = decided_games(games, counted)
        nets = [open_net_or_run(name, precision, threads) for name in chosen]
        figures = measure_values(nets, store, positions, ends, report=bar)
    titles = distinct_titles([one.net for one in figures], chosen)
    kind = "counted game" if counted else "decided game"
    drawn = so_many(figures[0].phases["all"].error.positions, "position")
    about = f"{drawn} of {so_many(len(store), kind)} of {Path(pool).name}"
    if plot is not None:
        bins = {title: one.reliability for title, one in zip(titles, figures, strict=True)}
        draw_reliability(bins, about, plot)
    if json_:
        table = {"pool": pool, "games": len(store), "counted": counted, "where": where or []}
        rows = [one.to_json(figures[0] if i else None) for i, one in enumerate(figures)]
        print(json.dumps({**table, "nets": rows}, ensure_ascii=False))
        return
    running = ", ".join(
        f"{title} in {one.precision}" if one.precision else title
        for title, one in zip(titles, figures, strict=True)
    )
    print_line(f"{running}: {about}. Intervals (95 %) are from resampled games.")
    named = list(zip(titles, figures, strict=True))
    console.print(phase_table(named))
    if figures[0].ends:
        console.print(end_table(named))
    for title, one in named:
        console.print(reliability_table(title, one.reliability))
    if plot is not None:
        print_line(f"Drawn: {plot}")


def distinct_titles(cards: list[str], typed: list[str]) -> list[str]:
    """The names on the cards; what the user typed where two cards have the same, as checkpoints of one recipe do."""
    return [card if cards.count(card) == 1 else name for card, name in zip(cards, typed, strict=True)]


def phase_table(named: list[tuple[str, NetFigures]]) -> Table:
    """Error and right winner by phase; of several nets also each error less the first net's."""
    (title, first), *others = named
    less = [f"half MSE less {plain(title)}'s"] if others else []
    table = figure_table("", "positions", "net", "half MSE", *less, "right winner")
    for name, part in first.phases.items():
        for own, one in named:
            figures = one.phases[name]
            label = [name, f"{part.error.positions:,}"] if one is first else ["", ""]
            difference = "" if one is first else signed(figures.error.less(part.error))
            cells = [number(figures.error.estimate()), *([difference] if others else [])]
            table.add_row(*label, plain(own), *cells, share(figures.right.share()))
        table.add_section()
    return table


def end_table(named: list[tuple[str, NetFigures]]) -> Table:
    """The last boards of counted games: right winner, and the distance of the lead from the count in points."""
    (title, first), *others = named
    has_leads = any(end.distance for _, one in named for end in one.ends.values())
    leads = ["points off", "median"] if has_leads else []
    if others and has_leads:
        leads.insert(1, f"points off less {plain(title)}'s")
    table = figure_table("end of counted games", "games", "net", "right winner", *leads)
    for name, part in first.ends.items():
        for own, one in named:
            figures = one.ends[name]
            label = [name, f"{part.right.positions:,}"] if one is first else ["", ""]
            cells = [share(figures.right.share())]
            if figures.distance is not None and figures.median is not None:
                cells.append(number(figures.distance.estimate(), 2))
                if others:
                    base = None if one is first else part.distance
                    cells.append("" if base is None else signed(figures.distance.less(base), 2))
                cells.append(f"{figures.median:.2f}")
            table.add_row(*label, plain(own), *cells)
        table.add_section()
    return table


def reliability_table(title: str, bins: list[Bin]) -> Table:
    table = figure_table(f"{plain(title)}: Black's win rate", "judged", "won", "positions")
    for one in bins:
        span = f"{100 * one.low:.0f} to {100 * one.high:.0f} %"
        table.add_row(span, f"{100 * one.judged:.1f} %", share(one.won), f"{one.positions:,}")
    return table
