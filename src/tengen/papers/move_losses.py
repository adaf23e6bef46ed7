"""What moves lose by the net's judgement, by the rank of who played them (Figures 4.2 and 4.3 of the thesis)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.errors import InputError
from tengen.games.importing import import_games
from tengen.games.store import GameStore
from tengen.go.game import Game
from tengen.nets.library import open_net
from tengen.papers.reproduction import Request
from tengen.progress import Progress, renamed
from tengen.strength.feature_store import FeatureStore
from tengen.strength.features import features_of, must_judge

Array = npt.NDArray[np.float64]
FOX = "fox_ranked/fox_ranked_candidating.sgfs.xz"
SETTINGS: dict[str, Any] = {
    "net": "b15c192",  # by name or file; it must judge positions, not only moves
    "precision": "",  # the net's usual one if empty
    "games": 60,  # of each class: ten are too few to tell them apart
    "seed": 0,
}
# Classes by the ranks' numbers: 1k is 0, 1d is 1. The thesis has the first two, and all dan players as one.
CLASSES = {
    "double-digit kyu": (-40, -9),
    "single-digit kyu": (-8, 0),
    "1d to 3d": (1, 3),
    "4d to 6d": (4, 6),
    "7d and above": (7, 40),
}
COLORS = ["#b5423c", "#d98c3f", "#8fae6b", "#4a6785", "#2f2f3a"]
LEAST_MOVES = 20


@dataclass(frozen=True, eq=False)
class MoveLosses:
    """Of one class of players: what each of their moves lost, in points and in win rate (n)."""

    name: str
    games: int
    points: Array
    winrate: Array


def losses_by_class(request: Request) -> tuple[list[MoveLosses], list[str]]:
    """The classes the pool has games of, weakest first; and what the reader must know."""
    settings = {**SETTINGS, **request.settings}
    if settings["games"] < 1:
        raise InputError(f"games must be at least 1, not {settings['games']}")
    store = _pool(request)
    chosen = {name: rows for name in CLASSES if (rows := _rows(store, name, settings)) is not None}
    if not chosen:
        raise InputError("no even games between players of one class: their ranks must be in the pool")
    evaluator = open_net(settings["net"], settings["precision"] or None)
    must_judge(evaluator)
    total = sum(len(rows) for rows in chosen.values())
    done = 0
    out = []
    with FeatureStore(request.work / "features", evaluator) as kept:
        for name, rows in chosen.items():
            points, winrate = [], []
            for found in features_of(_games(store, rows), evaluator, kept):
                points.append(found.points_loss)
                winrate.append(found.winrate_loss)
                done += 1
                request.progress(Progress(f"games judged by {evaluator.card.name}", done, total))
            columns = (np.concatenate(column).astype(np.float64) for column in (points, winrate))
            out.append(MoveLosses(name, len(rows), *columns))
    moves = sum(len(each.points) for each in out)
    precision = getattr(evaluator, "precision", "fp32")
    notes = [
        f"{total:,} games, {moves:,} moves, judged by {evaluator.card.name} ({precision}) without search. "
        "Classes are of the ranks in the records, the thesis' of OGS ratings; its net is b18c384nbt."
    ]
    return out, notes


def _pool(request: Request) -> GameStore:
    if request.pool is not None:
        return GameStore.open(request.pool)
    path = request.work / "fox_ranked_candidating.parquet"
    if not path.is_file():
        import_games([request.file(FOX)], path, progress=renamed(request.progress, "importing the games"))
    return GameStore.open(path)


def _rows(store: GameStore, name: str, settings: dict[str, Any]) -> list[int] | None:
    """Some even games between players of the class; None if there are none."""
    low, high = CLASSES[name]
    frame = store.frame
    fit = (frame["handicap"] < 2) & (frame["move_count"] >= LEAST_MOVES) & (frame["size"] == 19)
    for side in ("black_rank_number", "white_rank_number"):
        fit &= frame[side].is_between(low, high).fill_null(False)
    rows = np.flatnonzero(fit.to_numpy())
    if not len(rows):
        return None
    rng = np.random.default_rng(settings["seed"])
    return sorted(rng.permutation(rows)[: settings["games"]].tolist())


def _games(store: GameStore, rows: list[int]) -> Iterator[Game]:
    for row in rows:
        yield store.game(row)


def share(values: Array, low: float, high: float) -> float:
    """The share of values in [low, high)."""
    return float(np.mean((values >= low) & (values < high)))


def spread_apart(weak: Array, strong: Array) -> float:
    """How far two classes are apart: the difference of the means in units of their common deviation."""
    return float((weak.mean() - strong.mean()) / np.sqrt((weak.var() + strong.var()) / 2))
