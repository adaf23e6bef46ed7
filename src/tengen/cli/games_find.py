"""`tengen games find`: where a local pattern was on the board, and what was played next."""

from __future__ import annotations

import json
import string
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from rich.table import Table

from tengen.cli.console import console, plain, print_line
from tengen.cli.progress import progress_bar

if TYPE_CHECKING:
    from tengen.games.find import Continuation, Match
    from tengen.games.pattern import Pattern
    from tengen.games.store import GameStore

_COLUMNS = ("source", "line", "black", "white", "date_written")


def find(
    pattern: Path,
    pool: Path,
    *,
    limit: int = 10,
    threads: int | None = None,
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Search all games of a pool for a local pattern, under the eight symmetries and with colours swapped.

    The pattern is an SGF file (the stones of its first node and the empty points around them) or a drawing: X and O
    stones, . empty, ? anything, | and lines of - for the edges of the board. Each place where it lay counts once a
    game. "won" is the share of games won by the side that played the move, among those with a winner.

    Example: tengen games find joseki.txt pool.parquet --limit 20

    Parameters
    ----------
    pattern
        The pattern, SGF or text.
    pool
        The pool to search.
    limit
        Most games, and most next moves, to list.
    threads
        Threads to use; all cores if not given.
    json_
        Print everything as JSON; the list of games is as long as the limit.
    """
    from tengen.errors import InputError
    from tengen.games.find import continuations
    from tengen.games.find import find as find_pattern
    from tengen.games.pattern import Pattern
    from tengen.games.store import GameStore

    if limit < 0 or (threads is not None and threads < 1):
        raise InputError("--limit must not be negative, and --threads must be positive")
    wanted = Pattern.read(pattern)
    store = GameStore.open(pool)
    with progress_bar("searching") as bar:
        matches = find_pattern(wanted, store, threads, bar)
    rows = continuations(matches, store)
    if json_:
        print(json.dumps(_json(wanted, store, matches, rows, limit), ensure_ascii=False))
        return
    games = len({match.game for match in matches})
    print_line(f"found {len(matches):,} times, in {games:,} of {len(store):,} games")
    if matches:
        letters = _print_continuations(wanted, rows[:limit])
        _print_matches(store, matches[:limit], letters)


def _print_continuations(pattern: Pattern, rows: list[Continuation]) -> dict[tuple[int, int], str]:
    """The pattern with letters where play went on, and a table of them; returns the letters."""
    points = list(dict.fromkeys(row.next for row in rows if row.next))
    letters = dict(zip(points, string.ascii_lowercase, strict=False))
    drawn = str(pattern).splitlines()
    for (x, y), letter in letters.items():
        line = drawn[y + pattern.top]
        column = pattern.left + 2 * x
        drawn[y + pattern.top] = line[:column] + letter + line[column + 1 :]
    print_line("\n".join(["", *drawn, ""]))
    table = Table(show_edge=False, pad_edge=False)
    for title in ("next", "by", "times", "won"):
        table.add_column(title, justify="left" if title in ("next", "by") else "right")
    for row in rows:
        won = f"{row.wins / row.decided:.0%}" if row.decided else ""
        table.add_row(_next(row.next, letters), "XO"[row.color - 1], f"{row.times:,}", won)
    console.print(table)
    console.print()
    return letters


def _print_matches(store: GameStore, matches: list[Match], letters: dict[tuple[int, int], str]) -> None:
    table = Table(show_edge=False, pad_edge=False)
    for title in ("game", "Black", "White", "date"):
        table.add_column(title, overflow="fold")
    table.add_column("after move", justify="right")
    table.add_column("next")
    for match in matches:
        source, line, black, white, date = store.frame.select(_COLUMNS).row(match.game)
        played = "" if match.next_color is None else _next(match.next, letters)
        table.add_row(
            plain(f"{source}:{line}"),
            plain(black or ""),
            plain(white or ""),
            plain(date or ""),
            f"{match.move}",
            played,
        )
    console.print(table)


def _next(point: tuple[int, int] | None, letters: dict[tuple[int, int], str]) -> str:
    return "elsewhere" if point is None else letters.get(point, f"column {point[0] + 1}, row {point[1] + 1}")


def _json(
    pattern: Pattern, store: GameStore, matches: list[Match], rows: list[Continuation], limit: int
) -> dict[str, Any]:
    return {
        "pattern": str(pattern).splitlines(),
        "games": len(store),
        "games_found": len({match.game for match in matches}),
        "matches": len(matches),
        "continuations": [row.to_json() for row in rows],
        "found": [
            {
                **dict(zip(_COLUMNS, store.frame.select(_COLUMNS).row(match.game), strict=True)),
                **match.to_json(),
            }
            for match in matches[:limit]
        ],
    }
