"""Makes labels: a strong net evaluates positions of a pool, and what it says is stored. Needs no torch.

Position i of a seed is a function of the pool, the filter, the seed and i, so more positions are added to labels that
are there, and neither threads nor a kill change the file. While it is made, finished parts are kept beside it
(`tengen.training.parts`):

    LABELS.parts/000000512.parquet  the labels of positions 512 .. 1,023

When all labels are there, the file is written and the folder goes. What the columns mean: `tengen.training.labels`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from tengen.errors import InputError
from tengen.files import Claim, replacing
from tengen.games.records import Records
from tengen.games.store import GameStore
from tengen.go.color import Color
from tengen.go.position import Position
from tengen.go.rules import PRESETS, Rules
from tengen.nets.evaluation import Evaluation, given
from tengen.nets.evaluator import Evaluator
from tengen.progress import Progress, Report, silent
from tengen.training.labels import (
    ABOUT,
    CHANCE_UNIT,
    KEPT_MOVES,
    OWNER_UNIT,
    SCHEMA,
    read_about,
    read_frame,
)
from tengen.training.parts import PartFolder
from tengen.training.permutation import mix, shuffled
from tengen.training.pools import predicates

PART = 512  # positions of a part
BATCH = 16  # positions that the net evaluates at once
LAST = 4  # positions of a game that are its end: before both passes, after the first, after the second
# Of a komi that is drawn: the mean distance from the game's, as a share of the points of the board (15 on 19x19).
KOMI_SPREAD = 1 / 24
_VARIED_RULES = ("japanese", "chinese", "japanese", "aga", "tromp-taylor", "new-zealand")

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Draw:
    """Which positions are labelled.

    where: the games, a filter of recipes (tengen.training.pools). ends: the share of positions that is drawn from the
    last four of each game, finished and passed boards. varied: the share of positions for which komi and rules are
    drawn, too, so that a net can learn what they change; the teacher is asked at the game's own for the others.
    """

    seed: int = 1
    ends: float = 0.1
    varied: float = 0.25
    where: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 <= self.ends < 1:
            raise InputError(f"the share of ends must be from 0 to below 1, not {self.ends}")
        if not 0 <= self.varied <= 1:
            raise InputError(f"the share of varied komi and rules must be from 0 to 1, not {self.varied}")


def label(
    pool: Path,
    net: Evaluator,
    output: Path,
    draw: Draw,
    positions: int | None = None,
    *,
    threads: int = 1,
    part: int = PART,
    report: Report = silent,
) -> int:
    """Labels the first so many positions of the draw, all if None, and returns how many there are.

    It goes on with labels that are there. Each thread asks about its own positions: the net should run on one thread.
    """
    if threads < 1 or (positions is not None and positions < 1):
        raise InputError("threads and positions must be 1 or more")
    for head in ("policy", "win_by_komi", "margin", "ownership"):
        net.card.require(head, "labels hold what a teacher says of moves, win rate, margin and owners")
    store = GameStore.open(pool)
    order = Order(store, draw, pool)
    net.card.check_size(order.size)
    wanted = len(order) if positions is None else min(positions, len(order))
    games, numbers = order.first(wanted)
    parts = Parts(output, _about(store, pool, order.size, net, draw))
    with parts.claimed():
        done = parts.done
        with ThreadPoolExecutor(threads) as workers:
            for first, count in parts.missing(wanted, part):
                report(Progress("labels", done, wanted))
                index = np.arange(first, first + count)
                asked = [
                    one
                    for one in np.array_split(index, max(1, -(-count // BATCH)))  # whole batches, nearly
                    if len(one)
                ]
                rows = workers.map(
                    lambda at: _labelled(net, order.records, games[at], numbers[at], at, draw), asked
                )
                parts.write(first, pl.concat(list(rows)))
                done += count
        report(Progress("labels", done, wanted))
        return parts.join()


def _about(store: GameStore, pool: Path, size: int, net: Evaluator, draw: Draw) -> dict[str, Any]:
    precision = str(getattr(net, "precision", net.card.precision))
    return {
        "version": 1,
        "pool": store.identity,
        "pool_name": pool.name,
        "size": size,
        "net": net.card.name,
        "sha256": net.card.identity_in(precision),
        "precision": precision,
        **asdict(draw),
    }


class Order:
    """The positions of a pool in the order in which they are labelled; all games are on one board size."""

    def __init__(self, store: GameStore, draw: Draw, pool: Path) -> None:
        frame = store.frame.with_row_index("row").filter(*predicates(draw.where), pl.col("move_count") > 0)
        sizes = sorted(frame["size"].unique().to_list())
        if not sizes:
            raise InputError(f"no game of {pool} has a move and meets the filter {draw.where}")
        if len(sizes) > 1:
            boards = ", ".join(f"{size}x{size}" for size in sizes)
            raise InputError(f"{pool} has games on boards of {boards}: choose one, --where size=[{sizes[0]}]")
        self.size = int(sizes[0])
        self.records = store.records()
        self.draw = draw
        self._games: Ints = frame["row"].to_numpy().astype(np.int64)
        lengths = frame["move_count"].to_numpy().astype(np.int64) + 1
        self._ends = np.minimum(lengths, LAST)
        self._bounds = np.concatenate([[0], np.cumsum(lengths)])  # of the positions of all games in a row
        self._end_bounds = np.concatenate([[0], np.cumsum(self._ends)])

    def __len__(self) -> int:
        return int(self._bounds[-1])

    def first(self, count: int) -> tuple[Ints, Ints]:
        """The first so many positions: the games' rows in the pool, and the moves played before, int64 [count]."""
        tried = count
        while True:
            flat = self._drawn(tried)
            _, places = np.unique(flat, return_index=True)
            if len(places) >= count:
                break
            tried *= 2
        flat = flat[np.sort(places)[:count]]
        game = np.searchsorted(self._bounds, flat, side="right") - 1
        return self._games[game], flat - self._bounds[game]

    def _drawn(self, count: int) -> Ints:
        """So many positions, numbers among those of all games in a row; some come twice."""
        seed = self.draw.seed
        index = np.arange(count)
        ending = _chance(index, 8 * seed + 1) < self.draw.ends
        flat = np.empty(count, np.int64)
        flat[~ending] = shuffled(np.arange(int((~ending).sum())), len(self), seed)
        end = shuffled(np.arange(int(ending.sum())), int(self._end_bounds[-1]), seed)
        game = np.searchsorted(self._end_bounds, end, side="right") - 1
        flat[ending] = self._bounds[game + 1] - 1 - (end - self._end_bounds[game])
        return flat


def _chance(index: Ints, key: int) -> npt.NDArray[np.float64]:
    """A number from 0 to below 1 for each."""
    numbers: npt.NDArray[np.float64] = mix(index.astype(np.uint64), key) / 2.0**64
    return numbers


def _varied(rules: Rules, size: int, index: int, draw: Draw) -> tuple[Rules, str | None]:
    """Komi and rules at which the teacher is asked about position `index`, and the preset if they were drawn."""
    keys = (8 * draw.seed + k for k in (2, 3, 4, 5))
    whether, side, distance, which = (float(_chance(np.array([index]), key)[0]) for key in keys)
    if whether >= draw.varied:
        return rules, None
    away = -np.log1p(-distance) * KOMI_SPREAD * size**2 * (1 if side < 0.5 else -1)
    furthest = size**2 / 2
    komi = float(np.clip(round(2 * (rules.komi + away)) / 2, -furthest, furthest))
    preset = _VARIED_RULES[int(which * len(_VARIED_RULES))]
    return PRESETS[preset].with_komi(komi), preset


def _labelled(
    net: Evaluator, records: Records, games: Ints, numbers: Ints, index: Ints, draw: Draw
) -> pl.DataFrame:
    """Rows of the file for some positions of the draw; the net sees each in a random symmetry."""
    positions: list[Position] = []
    presets: list[str | None] = []
    for game, number, i in zip(games.tolist(), numbers.tolist(), index.tolist(), strict=True):
        position = records.position(game, number)
        position.rules, preset = _varied(position.rules, position.size, i, draw)
        positions.append(position)
        presets.append(preset)
    symmetries = (mix(index.astype(np.uint64), 8 * draw.seed + 6) % np.uint64(8)).astype(int).tolist()
    said = net.evaluate(positions, symmetries=symmetries)
    moves, chances = zip(*map(_policy, said), strict=True)
    margins = [given(one.margin) for one in said]
    black = Color.BLACK
    return pl.DataFrame(
        {
            "game": games,
            "number": numbers,
            "komi": [position.rules.komi for position in positions],
            "rules": presets,
            "moves": moves,
            "chances": chances,
            "win": [given(one.win).of(black) for one in said],
            "lead": [given(one.lead).of(black) for one in said],
            "mean": [margin.mean for margin in margins],
            "deviation": [margin.deviation for margin in margins],
            "owner": [np.rint(given(one.ownership) * OWNER_UNIT).astype(np.int8).tobytes() for one in said],
        },
        schema=SCHEMA,
    )


def _policy(said: Evaluation) -> tuple[bytes, bytes]:
    """The columns `moves` and `chances`."""
    policy = given(said.policy)
    order = np.argsort(-policy, kind="stable")[:KEPT_MOVES]
    moves, chances = np.full(KEPT_MOVES, len(policy) - 1, "<u2"), np.zeros(KEPT_MOVES, "<u2")
    moves[: len(order)], chances[: len(order)] = order, np.rint(policy[order] * CHANCE_UNIT)
    return moves.tobytes(), chances.tobytes()


class Parts:
    """The labels that are there, and those of a file that is being made."""

    def __init__(self, output: Path, about: Mapping[str, Any]) -> None:
        self.output, self.about = output, dict(about)
        # The pool's file may have another name.
        terms = {key: value for key, value in about.items() if key != "pool_name"}
        self._parts = PartFolder(output, terms, ("labels", "made"))

    def claimed(self) -> Claim:
        """Claims the folder, after a look at what is there."""
        if self.output.exists():
            self._parts.check(read_about(self.output), self.output)
        claim = self._parts.claim()
        try:
            self._have = len(read_frame(self.output)) if self.output.exists() else 0
        except BaseException:
            claim.release()
            raise
        return claim

    def _files(self) -> list[tuple[int, Path]]:
        """The first position of each part, and its file; those that the whole file has already are left out."""
        found = [(int(path.stem), path) for path in self._parts.files()]
        return sorted((first, path) for first, path in found if first >= self._have)

    def _spans(self) -> list[tuple[int, int]]:
        return [(0, self._have), *((first, len(read_frame(path))) for first, path in self._files())]

    @property
    def done(self) -> int:
        return sum(count for _, count in self._spans())

    def missing(self, wanted: int, part: int) -> Iterator[tuple[int, int]]:
        """(first, count) of the parts that are still to be made."""
        spans = [*self._spans(), (wanted, 0)]
        for (first, count), (following, _) in pairwise(spans):
            for start in range(first + count, min(following, wanted), part):
                yield start, min(part, following - start, wanted - start)

    def write(self, first: int, rows: pl.DataFrame) -> None:
        with replacing(self._parts.folder / f"{first:09d}.parquet") as temporary:
            rows.write_parquet(temporary, compression="zstd")

    def join(self) -> int:
        """Writes the file and removes the parts; how many labels there are."""
        files = self._files()
        if files or not self._have:
            frames = [read_frame(self.output)] if self._have else []
            frames += [read_frame(path) for _, path in files]
            whole = pl.concat(frames)
            with replacing(self.output) as temporary:
                whole.write_parquet(temporary, compression="zstd", metadata={ABOUT: json.dumps(self.about)})
            self._have = len(whole)
        shutil.rmtree(self._parts.folder)
        return self._have
