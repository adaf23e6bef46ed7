"""Self-play: a pool of games that a net plays against itself, to the very end. Needs no torch.

How a game is played: `tengen.training.playing`. A game is a function of the terms, the net and its number, so neither
threads nor a kill change the pool. While it is made, finished games are kept beside it (`tengen.training.parts`):

    POOL.parts/000000.parquet  games, written whole; a game's `line` is its number, from 1

When all games are there, the pool is written in the order of their numbers and the folder goes.
"""

from __future__ import annotations

import dataclasses
import queue
import shutil
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from tengen.errors import InputError
from tengen.files import Claim
from tengen.games.store import GameStore
from tengen.go.position import Position
from tengen.nets.evaluation import Floats
from tengen.nets.evaluator import Evaluator
from tengen.progress import Progress, Report, silent
from tengen.training.parts import PartFolder
from tengen.training.playing import Beginnings, NetPolicy, Played, Terms, play

BATCHES = 4  # of a net that a thread's boards fill
PART_EVERY = 30.0  # seconds
_RATE_OVER = 60.0  # seconds


def selfplay(
    net: Evaluator,
    terms: Terms,
    games: int,
    output: Path,
    *,
    threads: int = 1,
    beginnings: Beginnings | None = None,
    part_every: float = PART_EVERY,
    report: Report = silent,
) -> GameStore:
    """Plays games 1 to `games` and writes the pool; goes on with what an earlier call left in POOL.parts.

    beginnings: what the games begin with; `terms.begin` names it.

    Each thread has its own boards: the net should run on one thread. Ctrl-C keeps the finished games.
    """
    if games < 1:
        raise InputError(f"the number of games must be 1 or more, not {games}")
    if threads < 1:
        raise InputError(f"the number of threads must be 1 or more, not {threads}")
    policy = NetPolicy(net, terms.size)
    parts = Parts(output, net, terms)
    with parts.claimed():
        done = parts.numbers()
        todo = [number for number in range(games) if number not in done]
        if todo:
            _play_parts(parts, policy, todo, games, threads, beginnings, part_every, report)
        return parts.join(games)


class Parts:
    """The finished games of a pool that is being made."""

    def __init__(self, output: Path, net: Evaluator, terms: Terms) -> None:
        self.output, self.terms = output, terms
        self.name = net.card.name
        precision = getattr(net, "precision", "fp32")
        key = {"net": self.name, "sha256": net.card.identity_in(precision), "precision": precision}
        self._parts = PartFolder(output, key | dataclasses.asdict(terms), ("games", "played"), {"begin": ""})
        self.folder = self._parts.folder

    def claimed(self) -> Claim:
        """Claims the folder, after a look at what is there."""
        if self.output.exists() and not self.folder.exists():
            raise InputError(f"{self.output} exists already: choose another name, or remove it")
        return self._parts.claim()

    def numbers(self) -> set[int]:
        """The games that are there."""
        return {
            line - 1 for path in self._parts.files() for line in GameStore.open(path).frame["line"].to_list()
        }

    def write(self, played: Sequence[Played]) -> None:
        """Adds a part. InputError if it cannot be written; the earlier ones are kept."""
        files = self._parts.files()
        number = int(files[-1].stem) + 1 if files else 0
        self._write(self._store(played), self.folder / f"{number:06d}.parquet")

    def _store(self, played: Sequence[Played]) -> GameStore:
        store = GameStore.from_games(
            [one.game(self.terms, self.name, self.name) for one in played],
            [one.margin for one in played],
            [one.owner for one in played],
            source=f"self-play of {self.name}, seed {self.terms.seed}",
        )
        lines = pl.Series("line", [one.number + 1 for one in played], dtype=pl.Int32)
        return GameStore(store.frame.with_columns(lines))

    def _write(self, store: GameStore, path: Path) -> None:
        try:
            store.write(path)
        except InputError as error:
            raise InputError(
                f"{error}; the games that were written before are kept in {self.folder}"
            ) from None

    def join(self, games: int) -> GameStore:
        """Writes the pool of the first `games` games and removes the parts."""
        frame = pl.concat([GameStore.open(path).frame for path in self._parts.files()])
        store = GameStore(frame.filter(pl.col("line") <= games).sort("line"))
        self._write(store, self.output)
        for path in self._parts.files():  # before terms.json, which says whose games they are
            path.unlink()
        shutil.rmtree(self.folder)
        return store


class _StoppedError(Exception):
    """Ends a thread between two moves."""


def _play_parts(
    parts: Parts,
    policy: NetPolicy,
    todo: Sequence[int],
    games: int,
    threads: int,
    beginnings: Beginnings | None,
    part_every: float,
    report: Report,
) -> None:
    finished: queue.Queue[Played | Exception] = queue.Queue()
    stop = threading.Event()
    numbers = iter(todo)  # shared: each number goes to one thread

    def asked(positions: Sequence[Position], seen: npt.NDArray[np.uint8]) -> Floats:
        if stop.is_set():
            raise _StoppedError
        return policy(positions, seen)

    def work() -> None:
        try:
            for played in play(parts.terms, numbers, [asked], BATCHES * policy.batch, beginnings=beginnings):
                finished.put(played)
        except _StoppedError:
            pass
        except Exception as error:  # raised again where games are collected
            finished.put(error)

    workers = [threading.Thread(target=work, daemon=True) for _ in range(threads)]
    for worker in workers:
        worker.start()
    waiting: list[Played] = []
    written = time.monotonic()
    rate = _Rate()
    try:
        for count in range(len(todo)):
            report(Progress("self-play", games - len(todo) + count, games, rate.note(len(todo) - count)))
            played = _next(finished)
            waiting.append(played)
            rate.add(len(played.moves))
            if time.monotonic() - written >= part_every:
                part, waiting = waiting, []  # before: what is interrupted below must not be written twice
                parts.write(part)
                written = time.monotonic()
        report(Progress("self-play", games, games, rate.note(0)))
    finally:
        stop.set()
        for worker in workers:
            worker.join()
        waiting += [one for one in _left(finished) if isinstance(one, Played)]
        if waiting:
            parts.write(waiting)


def _next(finished: queue.Queue[Played | Exception]) -> Played:
    """The next game; a thread's error is raised. Ctrl-C is noticed while it waits."""
    while True:
        try:
            found = finished.get(timeout=0.2)
        except queue.Empty:
            continue
        if isinstance(found, Exception):
            raise found
        return found


def _left(finished: queue.Queue[Played | Exception]) -> Iterator[Played | Exception]:
    while not finished.empty():
        yield finished.get()


class _Rate:
    """Games and positions a second, over the last minute or so."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._seen: deque[tuple[float, int]] = deque()

    def add(self, positions: int) -> None:
        now = time.monotonic()
        self._seen.append((now, positions))
        while now - self._seen[0][0] > _RATE_OVER:
            self._began = self._seen.popleft()[0]

    def note(self, left: int) -> str:
        """The rates, and the time that the games that are left take."""
        if not self._seen:
            return ""
        span = max(time.monotonic() - self._began, 1e-9)
        games, positions = len(self._seen) / span, sum(count for _, count in self._seen) / span
        seconds = int(left / games)
        return (
            f"{games:.1f} games/s, {positions:,.0f} positions/s, "
            f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02} left"
        )
