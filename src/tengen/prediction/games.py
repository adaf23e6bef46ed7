"""Games to measure nets on: pools, or records in files and folders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tengen.errors import InputError
from tengen.games.importing import nothing_kept, read_games
from tengen.games.store import GameStore
from tengen.go.result import ResultKind
from tengen.nets.card import ModelCard
from tengen.training.data import TEST_SEED
from tengen.training.outcomes import DECIDED
from tengen.training.permutation import shuffled
from tengen.training.pools import predicates

POOL = ".parquet"
_NAMED = 5  # records that are named if they cannot be read


def open_games(
    paths: Sequence[Path], where: dict[str, Any], say: Callable[[str], None] = lambda text: None
) -> GameStore:
    """The games of pools and records that pass a recipe's filter; InputError if there is none.

    `say` gets a line for each record that cannot be read.
    """
    wanted = predicates(where)
    frames = [GameStore.open(path).frame for path in paths if path.suffix == POOL]
    records = [path for path in paths if path.suffix != POOL]
    if records:
        frame, rejects, report = read_games(records)
        if not len(frame):
            raise InputError(nothing_kept(rejects, report))
        for file, line, _, reason in rejects.head(_NAMED).iter_rows():
            say(f"left out: {file}: line {line}: {reason}")
        if len(rejects) > _NAMED:
            say(f"and {len(rejects) - _NAMED:,} more")
        frames.append(frame)
    store = GameStore(pl.concat(frames)).filter(*wanted, pl.col("move_count") > 0)
    if not len(store):
        names = ", ".join(map(str, paths))
        raise InputError(
            f"no game of {names} has a move" + (f" and meets the filter {where}" if where else "")
        )
    return store


def draw_games(store: GameStore, count: int, seed: int = TEST_SEED) -> GameStore:
    """So many games, drawn by the seed, in the order of the store."""
    rows = np.sort(shuffled(np.arange(min(count, len(store))), len(store), seed))
    return GameStore(store.frame[rows])


def is_decided() -> pl.Expr:
    """The games that the board decided: counted, won by resignation, or won for a reason that is not given."""
    return pl.col("result").is_in([kind.value for kind in DECIDED]) & pl.col("winner").is_not_null()


def is_counted() -> pl.Expr:
    """The games that one side won by a count."""
    return is_decided() & (pl.col("result") == ResultKind.SCORE.value) & pl.col("margin").is_not_null()


def decided_games(store: GameStore, counted: bool = False) -> GameStore:
    """The games that the board decided, or only those that were counted; InputError if there is none."""
    chosen = store.filter(is_counted() if counted else is_decided())
    if not len(chosen):
        ends = ", ".join(
            f"{kind} {count:,}" for kind, count in store.frame["result"].value_counts(sort=True).iter_rows()
        )
        what = "was counted" if counted else "was decided on the board, by a count or a resignation"
        other = "leave out --counted, or " if counted and len(store.filter(is_decided())) else ""
        raise InputError(f"no game {what} (results: {ends}): {other}give games with such results")
    return chosen


def check_boards(card: ModelCard, store: GameStore) -> None:
    """Raises InputError if the net cannot judge all games: for their boards, or for their komi."""
    try:
        for size in store.frame["size"].unique().sort().to_list():
            card.check_size(size)
        for komi in store.frame["komi"].unique().sort().to_list():
            card.check_komi(komi)
    except InputError as error:
        raise InputError(
            f"{error}: choose games, for example --where size=[19] or --where komi=[7.5]"
        ) from None
