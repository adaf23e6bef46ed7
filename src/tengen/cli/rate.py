"""`tengen rate`: ratings from the results of a pool, and how good they are."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tengen.cli.progress import progress_bar

if TYPE_CHECKING:
    from tengen.progress import Report as ReportProgress
    from tengen.ratings.compare import Entry
    from tengen.ratings.metrics import Quality
    from tengen.ratings.read_results import Report
    from tengen.ratings.results import Results
    from tengen.ratings.system import RatingSystem

app = App(name="rate")

_console = Console()
_Json = Annotated[bool, Parameter(name="--json", negative=())]


@app.default
def rate(
    pool: Path,
    *,
    system: str = "glicko2",
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    history: Path | None = None,
    plot: Path | None = None,
    player: Annotated[list[str] | None, Parameter(negative=())] = None,
    top: int = 20,
    min_games: int = 0,
    k: float | None = None,
    period_days: float | None = None,
    scale: str = "ogs",
    json_: _Json = False,
) -> None:
    """Rate the players of a pool.

    Example: tengen rate results.tsv --system glicko2 -o ratings.parquet

    Example: tengen rate games/ --system elo --k 20 --plot curves.png --player Shusaku --player Jowa

    Example: tengen rate compare results.tsv --tune

    Parameters
    ----------
    pool
        A table of results (.csv, .tsv, also compressed; .parquet), a pool of games, or game records.
        A table has columns for black, white, and result (as in SGF), score (1, 0.5, 0) or winner; and where
        known date, id, handicap, komi, size, rules. Games are rated in the order of their dates.
    system
        elo, elo-normal, glicko2 (one game a rating period, as on OGS), glicko2-ogs (predicts as OGS does),
        glicko2-weekly, bradley-terry, whr.
    output
        Write all players to this file (.parquet or .csv).
    history
        Write every player's rating after every game to this file (.parquet or .csv).
    plot
        Draw the ratings of the players named, or of the first five, to this file (.png, .svg, .pdf).
    player
        A player to draw and to show; may be given several times. If not given, the strongest are shown.
    top
        How many players to show.
    min_games
        Show only players with so many games or more.
    k
        Elo's K; 32 if not given.
    period_days
        Length of Glicko-2's rating period; each game is one if not given.
    scale
        Whose ranks are shown beside the ratings: ogs or egf. They are right for all games of that organisation only;
        players of another server, or of a club, have other ranks.
    json_
        Print players and counts as JSON.
    """
    import numpy as np

    from tengen.errors import InputError
    from tengen.plots import check_format
    from tengen.ratings import plots
    from tengen.ratings.metrics import quality
    from tengen.ratings.scales import NUMBERED
    from tengen.ratings.tables import history_table, players_json, players_table
    from tengen.settings import did_you_mean

    chosen = _system(system, k, period_days)
    if scale not in NUMBERED:
        raise InputError(
            f"no scale of ranks for such ratings is called '{scale}': there are {', '.join(NUMBERED)}"
        )
    for path in (output, history):
        if path is not None and path.suffix not in (".parquet", ".csv"):
            raise InputError(f"{path}: tables are written as .parquet or .csv")
    if plot is not None:
        check_format(plot)
    games, report = _read(pool)
    for name in player or ():
        if name not in games.players:
            raise InputError(f"{pool}: no player is called '{name}'{did_you_mean(name, games.players)}")
    with progress_bar(f"rating {len(games):,} games") as bar:
        ratings = _with_progress(chosen, bar).rate(games)
    table = players_table(ratings, NUMBERED[scale])
    shown = (
        table.filter(table["player"].is_in(player)) if player else table.filter(table["games"] >= min_games)
    )
    shown = shown.head(max(top, len(player or ())))

    for path, contents in ((output, table), (history, None)):
        if path is not None:
            _write(history_table(ratings) if contents is None else contents, path)
    if plot is not None:
        plots.draw_curves(ratings, player or shown["player"].head(5).to_list(), plot, report.dated)

    known = ~np.isnan(ratings.prediction)
    predicted = quality(games.score[known], ratings.prediction[known])
    if json_:
        about = {"pool": report.to_json(), "system": system, "scale": scale}
        rows = players_json(shown)
        print(json.dumps({**about, "players": rows, "predicted": predicted.to_json()}, ensure_ascii=False))
        return
    _print_report(report)
    if predicted.games:
        _console.print(f"Predicted before each game: {_quality_text(predicted)}", highlight=False)
    out = _table("player", "rating", "±", "volatility", f"{scale.upper()} rank", "games")
    for row in shown.iter_rows(named=True):
        volatility = f"{row['volatility']:.4f}" if row.get("volatility") is not None else ""
        deviation = f"{row['deviation']:.0f}" if row.get("deviation") is not None else ""
        cells = (f"{row['rating']:.0f}", deviation, volatility, row["rank"], f"{row['games']:,}")
        out.add_row(Text(_printable(row["player"])), *cells)
    _console.print(out)
    _console.print(
        f"The ranks are those of {scale.upper()}: they only fit ratings from its games.", highlight=False
    )
    for path in (output, history, plot):
        if path is not None:
            _console.print(Text(f"Written: {path}"))


@app.command
def compare(
    pool: Path,
    *,
    system: Annotated[list[str] | None, Parameter(negative=())] = None,
    held_out: float = 0.2,
    first: int | None = None,
    min_games: int = 0,
    tune: Annotated[bool, Parameter(negative=())] = False,
    plot: Path | None = None,
    json_: _Json = False,
) -> None:
    """Compare rating systems: each game is predicted from those before it, and the last games count.

    The command prints accuracy and mean log-likelihood over the held-out games (equations 2.4 and 2.5 of the
    thesis; a prediction of one half counts as a prediction that White wins), and the same by the number of earlier
    games. With --json or --plot it adds the calibration curve.

    Example: tengen rate compare results.tsv --held-out 0.2 --tune --plot compare.png

    Parameters
    ----------
    pool
        Results or games, as for `tengen rate`.
    system
        A system to compare; may be given several times. All if not given: whr takes by far the longest, a
        minute or so for a million games.
    held_out
        The share of the games, the latest, that counts.
    first
        Use only so many games, the earliest; all if not given.
    min_games
        Count only games whose players both have so many earlier ones.
    tune
        Also choose constants for Elo and Glicko-2 on the games before the held-out ones.
    plot
        Draw the calibration curves and the log-likelihood by experience to this file.
    json_
        Print everything as JSON.
    """
    import numpy as np

    from tengen.errors import InputError
    from tengen.plots import check_format
    from tengen.ratings import compare as comparing
    from tengen.ratings import plots
    from tengen.ratings.tuning import TUNABLE
    from tengen.ratings.tuning import tune as tune_system

    names = system or [n for n in comparing.SYSTEMS if n != "glicko2-tygem"]
    systems = [(name, comparing.system_named(name)) for name in names]
    if plot is not None:
        check_format(plot)
    if tune and held_out == 1:
        raise InputError("nothing is left to tune on when all games are held out: choose a smaller share")
    games, report = _read(pool)
    if first is not None:
        games = games.head(first)
    counted = comparing.held_out(games, held_out, min_games)
    entries = [comparing.measure("50:50", np.full(len(games), 0.5), games, counted)]
    for name, each in systems:
        with progress_bar(f"{name}: {len(games):,} games") as bar:
            entries.append(comparing.judge(name, _with_progress(each, bar), games, counted))
    constants = {}
    if tune:
        training = np.arange(len(games)) < comparing.training_games(games, held_out)
        training &= (games.earlier_games >= min_games).all(axis=1)
        for name in TUNABLE:
            with progress_bar(f"tuning {name}") as bar:
                tuned = tune_system(name, games, training, bar)
            constants[name] = dict(tuned.constants)
            entries.append(comparing.judge(f"{name}, tuned", tuned.system, games, counted))
    if plot is not None:
        plots.draw_comparison(entries, plot)
    if json_:
        result = comparing.Comparison(report, len(games), int(counted.sum()), entries, constants)
        print(json.dumps(result.to_json()))
        return
    _print_report(report)
    _print_entries(entries, len(games), int(counted.sum()), min_games)
    for name, chosen in constants.items():
        text = ", ".join(f"{key} {value:.4g}" for key, value in chosen.items())
        _console.print(f"Tuned {name}: {text}", highlight=False)
    if plot is not None:
        _console.print(Text(f"Drawn: {plot}"))


def _system(name: str, k: float | None, period_days: float | None) -> RatingSystem:
    from dataclasses import replace

    from tengen.errors import InputError
    from tengen.ratings.compare import system_named
    from tengen.ratings.elo import Elo
    from tengen.ratings.glicko2 import Glicko2
    from tengen.ratings.whole_history import WholeHistory

    system = system_named(name)
    if k is not None:
        if not isinstance(system, Elo) or not 0 < k < math.inf:
            raise InputError("--k is Elo's, a number above 0: use it with --system elo or elo-normal")
        system = replace(system, k=k)
    if period_days is not None:
        if not isinstance(system, Glicko2) or not 0 < period_days < math.inf:
            raise InputError("--period-days is Glicko-2's, a number above 0: use it with --system glicko2")
        system = replace(system, period_days=period_days)
    # Nobody sees predictions of single games here, and they take longer than the ratings.
    return replace(system, predicts=False) if isinstance(system, WholeHistory) else system


def _with_progress(system: RatingSystem, progress: ReportProgress) -> RatingSystem:
    from dataclasses import replace

    from tengen.ratings.whole_history import WholeHistory

    return replace(system, progress=progress) if isinstance(system, WholeHistory) else system


def _read(path: Path) -> tuple[Results, Report]:
    from tengen.errors import InputError
    from tengen.ratings.read_results import read_results

    with progress_bar(f"reading {path}") as bar:
        pool, report = read_results(path, bar)
    if not len(pool):
        raise InputError(f"{path}: none of its games can be rated:\n  " + "\n  ".join(report.lines()))
    return pool, report


def _write(table: Any, path: Path) -> None:
    from tengen.files import replacing

    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary:
        if path.suffix == ".csv":
            table.write_csv(temporary)
        else:
            table.write_parquet(temporary)


def _print_report(report: Report) -> None:
    for line in report.lines():
        _console.print(Text(line))


def _quality_text(quality: Quality) -> str:
    return f"{quality.accuracy:.2%} of {quality.games:,} winners, log-likelihood {quality.log_likelihood:.5f}"


def _table(first: str, *others: str) -> Table:
    """A table with names on the left and numbers to the right."""
    table = Table(first, *others)
    for column in table.columns[1:]:
        column.justify = "right"
    return table


def _print_entries(entries: list[Entry], games: int, counted: int, min_games: int) -> None:
    after = f", players with {min_games} earlier games" if min_games else ""
    table = _table("system", "accuracy", "log-likelihood", "seconds")
    _console.print(f"{counted:,} held-out games of {games:,}{after}:", highlight=False)
    for entry in entries:
        accuracy, likelihood = f"{entry.quality.accuracy:.2%}", f"{entry.quality.log_likelihood:.5f}"
        table.add_row(entry.name, accuracy, likelihood, f"{entry.seconds:.2f}")
    _console.print(table)
    table = _table("system", *(row.label for row in entries[0].by_earlier_games))
    _console.print("log-likelihood by earlier games of the less experienced player:", highlight=False)
    table.add_row("[dim]games", *(f"[dim]{row.quality.games:,}" for row in entries[0].by_earlier_games))
    for entry in entries:
        table.add_row(entry.name, *(f"{row.quality.log_likelihood:.4f}" for row in entry.by_earlier_games))
    _console.print(table)


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)
