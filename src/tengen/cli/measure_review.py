"""`tengen measure review`: how many of one net's biggest mistakes another net finds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter, validators
from rich.table import Table

from tengen.cli.console import console, plain, print_line
from tengen.cli.progress import progress_bar
from tengen.words import counted as so_many

if TYPE_CHECKING:
    from tengen.prediction.shared_mistakes import Compared, Mistake

Count = Annotated[int, Parameter(validator=validators.Number(gte=1))]


def review(
    first: str,
    second: str,
    records: list[Path],
    /,
    *,
    games: Count = 20,
    mistakes: Count = 10,
    visits: Count = 200,
    second_visits: Count = 50,
    where: Annotated[list[str] | None, Parameter(negative=())] = None,
    keep: Path | None = None,
    threads: int | None = None,
    precision: str | None = None,
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Measure how many of the biggest mistakes that one net finds in games another net finds too.

    Both nets review the same games as `tengen review` does. Counted are the moves among the N biggest mistakes of both.
    Printed are the mean over games with its 95 % interval, every game, and the mistakes of the first game.

    Example: tengen measure review b15c192 tengen kgs.parquet --games 20 --keep out/reviews

    Example: tengen measure review b15c192 tengen examples/19x19.sgf --visits 50 --second-visits 50

    Parameters
    ----------
    first
        The net whose mistakes are to be found: a name, a file or the folder of a training run.
    second
        The net that is measured.
    records
        Pools, records, or folders of records.
    games
        At most so many games, drawn with a fixed seed.
    mistakes
        N: at most so many mistakes of a game. A move that loses fewer than 2 points and less than 5 % is none.
    visits
        Positions that the first net's search visits for every move.
    second_visits
        Positions that the second net's search visits for every move.
    where
        key=value that games must meet, all games if not given, as in a recipe's filter: size=[19], min_moves=100 ...
    keep
        A folder for what is found in each game, so that the same net at the same visits does not review it again, and
        a measurement that was stopped goes on. Nothing is kept if not given.
    threads
        Threads of the nets; all cores if not given.
    precision
        fp32, int16 or int8. If not given: the fastest on this machine that is near enough to fp32.
    json_
        Print the figures and every game's mistakes as JSON.
    """
    from tengen.training import machine

    machine.prepare()
    from tengen.nets.runtime import available_threads
    from tengen.prediction.games import check_boards, draw_games, open_games
    from tengen.prediction.predictors import open_net_or_run
    from tengen.prediction.shared_mistakes import Reviewer, SharedMistakes, compare_reviews
    from tengen.settings import set_keys

    cores = threads or available_threads()
    with progress_bar("opening") as bar:
        store = draw_games(open_games(records, set_keys({}, where or [], "--where"), bar.complain), games)
        reviewers = [
            Reviewer(open_net_or_run(net, precision, cores), count, cores, keep)
            for net, count in ((first, visits), (second, second_visits))
        ]
        for reviewer in reviewers:
            check_boards(reviewer.net.card, store)
        compared = compare_reviews(list(store), reviewers[0], reviewers[1], bar)
    figures = SharedMistakes.of(compared, mistakes)
    if json_:
        about = {
            "first": {"net": reviewers[0].net.card.name, "visits": visits},
            "second": {"net": reviewers[1].net.card.name, "visits": second_visits},
            "mistakes": mistakes,
        }
        each = [one.to_json(mistakes) for one in compared]
        print(json.dumps({**about, **figures.to_json(), "each_game": each}, ensure_ascii=False))
        return
    names = [reviewer.net.card.name for reviewer in reviewers]
    shared = figures.shared
    print_line(
        f"{names[0]} at {visits} visits finds {figures.mistakes:.1f} mistakes a game; at most {mistakes} count. "
        f"{names[1]} at {second_visits} visits has {shared.value:.2f} ({shared.low:.2f} to {shared.high:.2f}) of them "
        f"among its own {mistakes} biggest; by chance {figures.chance:.2f}. Means of {so_many(figures.games, 'game')}, "
        "95 % from resampled games."
    )
    console.print(_games_table(compared, names, mistakes))
    console.print(_moves_table(compared[0], names, mistakes))


def _games_table(compared: list[Compared], names: list[str], count: int) -> Table:
    table = Table("game", "moves", *(f"mistakes, {plain(name)}" for name in names), "in both")
    for column in table.columns[1:]:
        column.justify = "right"
    for one in compared:
        title = plain(f"{one.game.black or 'Black'} - {one.game.white or 'White'} {one.game.date}".strip())
        found = [str(len(own[:count])) for own in (one.first, one.second)]
        table.add_row(title, str(len(one.game.moves)), *found, str(len(one.shared(count))))
    return table


def _moves_table(one: Compared, names: list[str], count: int) -> Table:
    """The first net's biggest mistakes of a game, with the place and the loss that the second gives them."""
    title = f"the mistakes of the first game by {plain(names[0])}"
    table = Table(
        "move",
        "",
        "better",
        *(f"loss, {plain(name)}" for name in names),
        f"place, {plain(names[1])}",
        title=title,
    )
    theirs = {own.number: (place, own) for place, own in enumerate(one.second, 1)}
    for own in one.first[:count]:
        place, other = theirs.get(own.number, (None, None))
        shown = "" if place is None else f"{place}" if place <= count else f"({place})"
        table.add_row(
            f"{own.number}",
            f"{own.color} {own.move}",
            own.best,
            _loss(own),
            _loss(other) if other else "none",
            shown,
        )
    return table


def _loss(mistake: Mistake) -> str:
    share = f"{100 * mistake.win_rate_lost:.1f} %"
    return share if mistake.points_lost is None else f"{mistake.points_lost:.1f} points, {share}"
