"""The figures of `tengen bench core`. Adding one is adding a function to FIGURES."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
from sgfmill import sgf as sgfmill_sgf

from tengen import _native
from tengen.bench import plain
from tengen.bench.figures import Figure, seconds_per_run
from tengen.games.records import Records
from tengen.go.playouts import playout_moves
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.planes.encode import encode_records

SIZE = 19
AREA = SIZE * SIZE
WHITE_BIT = 0x8000
# Guided playouts a second on one core of a machine like ours; Pachi is no package we could run beside.
PACHI = 2500
CHINESE = Rules.named("chinese")


@dataclass(frozen=True, slots=True)
class Bench:
    """What figures are measured with: 19x19 games without setup stones, and the seconds for each timing."""

    records: Records
    made_up: bool
    seconds: float

    def games(self) -> list[list[int]]:
        """The packed moves, game by game."""
        return [
            self.records.moves_flat[start:end].tolist() for start, end in pairwise(self.records.move_offsets)
        ]


def made_up_records(count: int = 100, length: int = 220) -> Records:
    """Games of guided playouts, for benches without a pool."""
    games = []
    for index in range(count):
        points = playout_moves(Position(SIZE), policy="guided", index=index)[:length]
        games.append([p | (WHITE_BIT if i % 2 else 0) for i, p in enumerate(points)])
    offsets = np.cumsum([0, *map(len, games)]).astype(np.int64)
    return Records(
        sizes=np.full(count, SIZE, np.uint8),
        moves_flat=np.array([move for game in games for move in game], np.uint16),
        move_offsets=offsets,
        setup_flat=np.array([], np.uint16),
        setup_offsets=np.zeros(count + 1, np.int64),
        komi=np.full(count, CHINESE.komi, np.float32),
        first_to_move=np.ones(count, np.uint8),
        winner=np.zeros(count, np.uint8),
        rules=np.zeros(count, np.uint8),
        rules_table=(CHINESE,),
    )


def _playouts_per_second(policy: str, threads: int, seconds: float, clock: Callable[[], float]) -> float:
    # Runs of a few milliseconds: on a busy machine, some of them are not interrupted.
    n = threads * (50 if policy == "guided" else 200)
    job = partial(_native.playout_statistics, Position(SIZE), n, 0, policy, threads)
    return n / seconds_per_run(job, seconds, clock)


def playouts(bench: Bench) -> Iterator[Figure]:
    rng = random.Random(0)
    peer = 1 / seconds_per_run(lambda: plain.uniform_playout(SIZE, rng), bench.seconds)
    uniform = _playouts_per_second("uniform", 1, bench.seconds, time.process_time)
    yield Figure("uniform playouts", uniform, "/s", "sgfmill's board", peer)
    one, two = (_playouts_per_second("uniform", n, bench.seconds, time.perf_counter) for n in (1, 2))
    yield Figure("uniform, 2 threads", two, "/s", "1 thread", one)
    guided = _playouts_per_second("guided", 1, bench.seconds, time.process_time)
    yield Figure("guided playouts", guided, "/s", "Pachi, as stated", PACHI)


def play(bench: Bench) -> Iterator[Figure]:
    games = [[move & ~WHITE_BIT for move in game] for game in bench.games()[:50] if _alternates(game)]
    theirs = [[(p // SIZE, p % SIZE, "bw"[i % 2]) for i, p in enumerate(game) if p != AREA] for game in games]
    moves = sum(map(len, games))

    def ours() -> None:
        for game in games:
            position = Position(SIZE)
            for point in game:
                position.play(point)

    def peer() -> None:
        for game in theirs:
            plain.play_game(game, SIZE)

    nanoseconds = 1e9 / moves
    yield Figure(
        "play from Python",
        seconds_per_run(ours, bench.seconds) * nanoseconds,
        "ns",
        "sgfmill's board",
        seconds_per_run(peer, bench.seconds) * nanoseconds,
    )


def replay(bench: Bench) -> Iterator[Figure]:
    records = bench.records
    few = records.move_offsets[: min(len(records), 50) + 1]

    def from_python() -> None:
        for start, end in pairwise(few):
            position = Position(SIZE)
            for move in records.moves_flat[start:end].tolist():
                position.play_as(2 if move & WHITE_BIT else 1, move & ~WHITE_BIT)

    peer = int(few[-1]) / seconds_per_run(from_python, bench.seconds)
    for name, checked in (("replay, checked", True), ("replay, unchecked", False)):
        job = partial(
            _native.replay, records.moves_flat, records.move_offsets, SIZE, CHINESE.native(), checked
        )
        rate = len(records.moves_flat) / seconds_per_run(job, bench.seconds)
        yield Figure(name, rate, "moves/s", "from Python", peer)


def planes(bench: Bench) -> Iterator[Figure]:
    """golois39 against alphago48, on real games only: those of playouts are full of ladders."""
    if bench.made_up:
        return
    lengths = np.diff(bench.records.move_offsets)[:20]
    games = np.concatenate([np.full(len(range(0, n, 10)), i) for i, n in enumerate(lengths)])
    moves = np.concatenate([np.arange(0, n, 10) for n in lengths])

    def microseconds(name: str) -> float:
        job = partial(encode_records, name, bench.records, games, moves)
        return seconds_per_run(job, bench.seconds) * 1e6 / len(games)

    yield Figure("golois39 planes", microseconds("golois39"), "us", "alphago48", microseconds("alphago48"))


def reading(bench: Bench) -> Iterator[Figure]:
    texts = [_sgf(game) for game in bench.games()[:50]]
    data = b"\n".join(texts)

    def sgfmill() -> None:
        for text in texts[:20]:
            for node in sgfmill_sgf.Sgf_game.from_bytes(text).get_main_sequence():
                node.get_move()

    yield Figure(
        "reading SGF",
        len(texts) / seconds_per_run(lambda: _native.read_sgf(data, threads=1), bench.seconds),
        "games/s",
        "sgfmill",
        min(20, len(texts)) / seconds_per_run(sgfmill, bench.seconds),
    )


FIGURES: Sequence[Callable[[Bench], Iterator[Figure]]] = (playouts, play, replay, planes, reading)


def _alternates(game: list[int]) -> bool:
    return all(bool(move & WHITE_BIT) == bool(i % 2) for i, move in enumerate(game))


def _sgf(game: list[int]) -> bytes:
    letters = "abcdefghijklmnopqrs"

    def node(move: int) -> str:
        point = move & ~WHITE_BIT
        where = "" if point == AREA else letters[point % SIZE] + letters[point // SIZE]
        return f";{'W' if move & WHITE_BIT else 'B'}[{where}]"

    return f"(;GM[1]FF[4]SZ[{SIZE}]KM[7.5]{''.join(map(node, game))})".encode()
