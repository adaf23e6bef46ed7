"""Working out how the counted games of a pool ended, and keeping it in the pool."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from tengen.errors import InputError
from tengen.games.endings import Area
from tengen.games.schema import ADDED
from tengen.games.store import GameStore
from tengen.go.color import Color
from tengen.go.game import Game
from tengen.go.position import Position
from tengen.go.result import ResultKind
from tengen.go.rules import Scoring
from tengen.go.settle import settle
from tengen.progress import Progress, Report, silent

# A settled board agrees with the record if the two counts under the record's rules differ by no more points than this:
# players mend weaknesses or miscount a little, and a point or two of the owners may be wrong then.
AGREES = 3.0

# Positions to a net's ownership of each, [size, size], 1 Black's to -1 White's.
Ownership = Callable[[Sequence[Position]], Sequence[npt.NDArray[np.float32] | None]]
_BATCH = 16  # positions that a net is asked about at once


def unsettled(again: bool = False) -> pl.Expr:
    """The counted games that nobody has settled yet; `again`: those as well whose board did not agree."""
    is_counted = (pl.col("result") == ResultKind.SCORE.value) & pl.col("margin").is_not_null()
    absent = pl.col("final_owner" if again else "final_margin").is_null()
    return (is_counted & absent).fill_null(False)


def settle_games(
    store: GameStore,
    ownership: Ownership | None = None,
    *,
    again: bool = False,
    threads: int = 1,
    report: Report = silent,
) -> GameStore:
    """The pool with how its counted games ended, where that was absent.

    `ownership` is a net's opinion; without it playouts alone judge. Where the settled count does not agree with the
    record, the margin is the record's and the owners stay unknown.
    """
    todo = np.flatnonzero(store.frame.select(unsettled(again)).to_series().to_numpy())
    margins: list[float | None] = store.frame["final_margin"].to_list()
    owners: list[bytes | None] = store.frame["final_owner"].to_list()
    for first in range(0, len(todo), _BATCH):
        report(Progress("settling", first, len(todo)))
        chosen = todo[first : first + _BATCH].tolist()
        games = [store.game(i) for i in chosen]
        positions = [game.position() for game in games]
        opinions = ownership(positions) if ownership else [None] * len(games)
        for i, game, position, opinion in zip(chosen, games, positions, opinions, strict=True):
            margin, area = ending_of(game, position, opinion, threads)
            margins[i], owners[i] = margin, None if area is None else area.tobytes()
    report(Progress("settling", len(todo), len(todo)))
    columns = [
        pl.Series("final_margin", margins, dtype=pl.Float32),
        pl.Series("final_owner", owners, dtype=pl.Binary),
    ]
    return GameStore(store.frame.with_columns(columns))


def ending_of(
    game: Game, position: Position, opinion: npt.NDArray[np.float32] | None = None, threads: int = 1
) -> tuple[float, Area | None]:
    """A counted game's margin by area before komi, and its owners if the board agrees with the record."""
    found = settle(position, opinion, threads=threads)
    recorded = (game.result.margin or 0.0) * (1 if game.result.winner is Color.BLACK else -1)
    if abs(found.score.lead.of(Color.BLACK) - recorded) <= AGREES:
        return found.margin, found.area
    margin = recorded + game.komi + position.handicap_bonus
    if game.rules.scoring is Scoring.TERRITORY:
        margin += _stones_more(game)
    return margin, None


def _stones_more(game: Game) -> int:
    """Black's stones played and set up less White's: by so much area exceeds territory with prisoners."""
    played = [move.color for move in game.moves if move.point < game.size**2]
    black = len(game.setup.black) + played.count(Color.BLACK)
    return black - len(game.setup.white) - played.count(Color.WHITE)


def settle_pool(
    path: Path,
    ownership: Ownership | None = None,
    *,
    again: bool = False,
    threads: int = 1,
    report: Report = silent,
) -> GameStore:
    """Settles the counted games of a pool and writes it again whole. An interruption leaves the old pool."""
    store = GameStore.open(path)
    if not store.frame.select(unsettled(again).any()).item():
        return store
    check_writable(path)
    settled = settle_games(store, ownership, again=again, threads=threads, report=report)
    settled.write(path.resolve())
    return settled


def check_writable(path: Path) -> None:
    """Raises InputError if the pool cannot be written again."""
    path = path.resolve()
    if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        raise InputError(f"{path}: cannot be written; copy the pool to a folder of yours")


def keep_endings(path: Path, settled: GameStore) -> None:
    """Writes into the pool at `path` how those of its games ended that are in `settled`, by their ids."""
    check_writable(path)
    pool = GameStore.open(path)
    found = settled.frame.filter(pl.col("final_margin").is_not_null()).unique("id").select("id", *ADDED)
    joined = pool.frame.join(found, on="id", how="left", suffix="_found", maintain_order="left")
    # The two go together: what the pool has already stays as it is.
    is_new = pl.col("final_margin").is_null() & pl.col("final_margin_found").is_not_null()
    if not joined.select(is_new.any()).item():
        return
    columns = [
        pl.when(is_new).then(pl.col(f"{name}_found")).otherwise(pl.col(name)).alias(name) for name in ADDED
    ]
    GameStore(joined.with_columns(columns).select(pool.frame.columns)).write(path.resolve())
