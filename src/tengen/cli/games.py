"""`tengen games`: import, show, filter, search, settle and export pools of games."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter
from rich.table import Table

from tengen.cli.console import console, plain, print_line
from tengen.cli.games_find import find
from tengen.cli.games_settle import settle
from tengen.cli.progress import progress_bar

app = App(
    name="games",
    help="""\
Pools of games: import, show, filter, find, settle, export. A pool is one Parquet file.

Example: tengen games import my-games/ -o pool.parquet""",
)

app.command(find)
app.command(settle)


@app.command(name="import")
def import_(
    *paths: Path,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    threads: int | None = None,
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Read games into a pool: folders, .sgf, .sgfs (a game a line), .gib, .ngf, packed or not.

    Packed are .gz, .xz, .bz2, .zip and .tar.* files. Games that are there twice are kept once. Games that cannot be
    read are listed with file, line, move number and reason in POOL.rejects.tsv. Ctrl-C leaves an older pool as it was.

    Example: tengen games import kgs/ fox.sgfs.xz -o pool.parquet

    Parameters
    ----------
    paths
        Files and folders to read; folders with all that is in them.
    output
        The pool to write.
    threads
        Threads to use; all cores if not given. The pool is the same for any number.
    json_
        Print the counts as JSON.
    """
    from tengen.errors import InputError
    from tengen.games.importing import import_games, rejects_path

    if not paths:
        raise InputError(
            "name the files or folders to import, as in: tengen games import kgs/ -o pool.parquet"
        )
    with progress_bar("reading") as bar:
        report = import_games(paths, output, threads, bar)
    rejected = sum(report.rejected.values())
    if json_:
        print(json.dumps(report.to_json(), ensure_ascii=False))
        return
    table = Table("", "games", title=f"{output}", title_justify="left")
    table.columns[1].justify = "right"
    table.add_row("read", f"{report.read:,}")
    table.add_row("kept", f"{report.kept:,}")
    table.add_row("duplicates", f"{report.duplicates:,}")
    table.add_row("rejected", f"{rejected:,}")
    for reason, count in report.rejected.items():
        table.add_row(f"  {reason}", f"{count:,}")
    console.print(table, markup=False)
    others = f"; {report.other_files:,} of other kinds left alone" if report.other_files else ""
    print_line(f"{report.files:,} files read{others}.")
    if rejected:
        print_line(f"Reasons by game: {rejects_path(output)}")


@app.command
def show(
    pool: Path,
    *,
    plot: Path | None = None,
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Count the games of a pool by year, size, komi, handicap, rank, result and player.

    Example: tengen games show pool.parquet --plot pool.png

    Parameters
    ----------
    pool
        A pool that `tengen games import` wrote.
    plot
        Draw the counts to this file (.png, .svg or .pdf).
    json_
        Print the counts as JSON.
    """
    from tengen.games import summary
    from tengen.games.store import GameStore

    counts = summary.Summary.of(GameStore.open(pool))
    if plot:
        summary.plot(counts, plot)
    if json_:
        print(json.dumps(counts.to_json(), ensure_ascii=False))
        return
    print_line(f"{counts.games:,} games, {counts.moves:,} moves, {counts.players:,} players")
    _print_counts(
        "year", counts.years, "size", counts.sizes, "komi", counts.komi, "handicap", counts.handicaps
    )
    _print_counts("rank of players", counts.ranks, "result", counts.results, "games", counts.games_per_player)
    table = Table("player", "games", title="most games", title_justify="left")
    table.columns[1].justify = "right"
    for name, games in counts.busiest.items():
        table.add_row(plain(name), f"{games:,}")
    console.print(table)
    known, other = counts.endings["known"], counts.endings["disagrees"]
    print_line(f"The owners of the last position are known for {known:,} games (tengen games settle).")
    if other:
        print_line(f"For {other:,} more the settled board does not agree with the recorded score.")
    if plot:
        print_line(f"Drawn: {plot}")


@app.command(name="filter")
def filter_(
    pool: Path,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    size: list[int] | None = None,
    min_rank: str | None = None,
    max_rank: str | None = None,
    since: str | None = None,
    until: str | None = None,
    komi: list[float] | None = None,
    min_handicap: int | None = None,
    max_handicap: int | None = None,
    result: list[str] | None = None,
    min_moves: int | None = None,
    max_moves: int | None = None,
    min_time: float | None = None,
    max_time: float | None = None,
    without: list[str] | None = None,
    without_file: Path | None = None,
    ranked: Annotated[bool, Parameter(negative=())] = False,
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Write the games that meet all conditions to a new pool. A condition that is not given lets all games pass.

    Example: tengen games filter kgs.parquet -o even.parquet --min-rank 6d --max-handicap 0 --without 'Zen19*'

    Parameters
    ----------
    pool
        The pool to choose from.
    output
        The pool to write.
    size
        Board size; may be given several times.
    min_rank
        Lowest rank of both players, such as 5k, 6d, 1p.
    max_rank
        Highest rank of both players.
    since
        First day: 2015, 2015-03 or 2015-03-20.
    until
        Last day, in the same forms.
    komi
        Komi; may be given several times.
    min_handicap
        Fewest handicap stones.
    max_handicap
        Most handicap stones: 0 for even games.
    result
        How it ended: score, resign, time, forfeit, win, draw, void, unknown; may be given several times.
    min_moves
        Fewest moves.
    max_moves
        Most moves.
    min_time
        Fewest seconds a move: main time over 90 moves, and overtime.
    max_time
        Most seconds a move.
    without
        A player to leave out, * and ? as in file names; may be given several times.
    without_file
        A file of such names, one a line.
    ranked
        Only games known to count for ranks.
    json_
        Print the counts as JSON.
    """
    from tengen.errors import InputError
    from tengen.games.filters import GameFilter, parse_day, parse_rank
    from tengen.games.store import GameStore
    from tengen.go.result import ResultKind

    names = list(without or ())
    if without_file:
        try:
            names += [
                line.strip() for line in without_file.read_text(encoding="utf-8").splitlines() if line.strip()
            ]
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{without_file}: cannot be read ({error})") from None
    kinds = {kind.value: kind for kind in ResultKind}
    for word in result or ():
        if word not in kinds:
            raise InputError(f"'{word}' is not a result: known are {', '.join(kinds)}")
    wanted = GameFilter(
        size=tuple(size or ()),
        min_rank=parse_rank(min_rank) if min_rank else None,
        max_rank=parse_rank(max_rank) if max_rank else None,
        since=parse_day(since) if since else None,
        until=parse_day(until, end=True) if until else None,
        komi=tuple(komi or ()),
        min_handicap=min_handicap,
        max_handicap=max_handicap,
        result=tuple(kinds[word] for word in result or ()),
        min_moves=min_moves,
        max_moves=max_moves,
        min_time=min_time,
        max_time=max_time,
        without=names,
        ranked=ranked,
    )
    store = GameStore.open(pool)
    chosen = store.filter(*wanted.predicates())
    if not len(chosen):
        raise InputError(f"{pool}: none of its {len(store):,} games meets all conditions")
    chosen.write(output)
    if json_:
        print(json.dumps({"games": len(store), "written": len(chosen), "output": str(output)}))
        return
    print_line(f"{len(chosen):,} of {len(store):,} games written to {output}")


@app.command
def export(
    pool: Path,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Write the games of a pool as SGF: to a new folder, or to one file with a game a line (.sgfs, .sgfs.xz).

    Example: tengen games export pool.parquet -o games.sgfs.xz

    Parameters
    ----------
    pool
        The pool to export.
    output
        A folder that does not exist yet, or a file ending in .sgfs, .sgfs.gz or .sgfs.xz.
    json_
        Print the count as JSON.
    """
    from tengen.games.exporting import export_games
    from tengen.games.store import GameStore

    store = GameStore.open(pool)
    with progress_bar("writing") as bar:
        export_games(store, output, bar)
    if json_:
        print(json.dumps({"written": len(store), "output": str(output)}))
        return
    print_line(f"{len(store):,} games written to {output}")


def _print_counts(*parts: Any) -> None:
    """Columns of counts side by side: title, counts, title, counts, ..."""
    table = Table(show_edge=False, pad_edge=False)
    columns = []
    for title, counts in zip(parts[::2], parts[1::2], strict=True):
        table.add_column(title)
        table.add_column(
            "games" if title != "rank of players" and title != "games" else "players", justify="right"
        )
        columns.append([(value, f"{count:,}") for value, count in counts.items()])
    for i in range(max(len(column) for column in columns)):
        table.add_row(*(cell for column in columns for cell in (column[i] if i < len(column) else ("", ""))))
    console.print(table)
    console.print()
