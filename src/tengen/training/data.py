"""From pools of games to minibatches: planes are made at the moment of use, by threads behind the training.

Example i of a run is a function of the pools, the seed and i alone, so a resumed run sees the same next batch.
"""

from __future__ import annotations

import copy
import queue
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from tengen import _native
from tengen.errors import InputError
from tengen.games.records import Records
from tengen.go.position import Position
from tengen.planes import encode_record_globals, encode_records, white_to_move
from tengen.training.labels import Labels
from tengen.training.machine import give_way
from tengen.training.outcomes import Endings, Outcomes, endings
from tengen.training.permutation import mix, shuffled
from tengen.training.teacher import Teacher, TeacherTargets

TEST_SEED = 2015  # of the order in which positions of a test pool are drawn

_POINT = 0x3FFF  # a packed move without its colour

Ints = npt.NDArray[np.int64]
# What the head `policy` learns: the move that was played, the teacher's policy, or nothing.
Learns = Literal["played", "teacher", "none"]
# Whose win rate is learnt from positions with labels: the teacher's, or that of the players, from the results.
LearnsWin = Literal["teacher", "results"]


@dataclass
class Batch:
    """Examples `first` .. `first + n - 1` of a run.

    planes float32 [n, planes, size, size] and globals float32 [n, k], the global inputs by name if the examples have
    some, else those of the encoding, k 0 where it has none; white [n], whether White is to move; target [n], the move
    played (`size * size` is pass, -1 at the end of a record); following [n, k], the k moves after it, -1 where there is
    none or it is a pass; how the games ended, where the examples know it; what the teacher says, where there is one;
    what the head `policy` learns, and whose win rate. All in the example's symmetry.
    """

    first: int
    planes: npt.NDArray[np.float32]
    target: Ints
    following: Ints
    endings: Endings | None = None
    teacher_targets: TeacherTargets | None = None
    globals: npt.NDArray[np.float32] | None = None
    white: npt.NDArray[np.bool_] | None = None
    learns: Learns = "played"
    learns_win: LearnsWin = "teacher"

    def __len__(self) -> int:
        return len(self.target)


class Examples:
    """The positions of some games, on one board size, with the move that was played in each.

    Without `passes`, positions in which the player passed are left out. `outcomes` are of the same games. `globals`
    are names of global inputs (tengen.planes.globals). With `labels` of the same games the positions are those that
    have labels, and komi and rules are those at which the teacher was asked.
    """

    def __init__(
        self,
        records: Records,
        encoding: str,
        passes: bool = False,
        following: int = 0,
        outcomes: Outcomes | None = None,
        teacher: Teacher | None = None,
        globals: Sequence[str] = (),
        labels: Labels | None = None,
        learns: Learns = "played",
        learns_win: LearnsWin = "teacher",
    ) -> None:
        if not len(records.sizes):
            raise InputError("the pool has no game left after the filter: there is nothing to learn from")
        sizes = np.unique(records.sizes)
        if len(sizes) > 1:
            boards = ", ".join(f"{s}x{s}" for s in sizes)
            raise InputError(f"the pool has games on boards of {boards}: filter it by size first")
        self.records, self.encoding, self.following = records, encoding, following
        self.outcomes, self.teacher, self.globals = outcomes, teacher, tuple(globals)
        self.labels, self.learns, self.learns_win = labels, learns, learns_win
        self.size = int(sizes[0])
        if labels is None:
            points = records.moves_flat & _POINT
            flat = np.arange(len(points)) if passes else np.flatnonzero(points < self.size**2)
            games = np.searchsorted(records.move_offsets, flat, side="right") - 1
            numbers = flat - records.move_offsets[games]
        else:
            games, numbers = labels.games, labels.numbers
        # Of each position: its game, and how many moves were played before it.
        self._games, self._numbers = games.astype(np.int32), numbers.astype(np.int32)
        if not len(games):
            raise InputError("the pool has games, but none with a move: there is nothing to learn from")
        self.carried = np.array(
            [[_native.transform_point(p, self.size, s) for p in range(self.size**2 + 1)] for s in range(8)]
        )

    def __len__(self) -> int:
        return len(self._games)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Of the boards."""
        return (self.size,)

    def chosen(self, games: npt.NDArray[np.bool_], each: int = 0, seed: int = 0) -> Examples:
        """The positions of these games [games], of each at most `each`, drawn by the seed; all if `each` is 0."""
        wanted = games[self._games]
        if each:
            flat = self.records.move_offsets[self._games] + self._numbers
            order = np.lexsort((mix(flat.astype(np.uint64), 8 * seed + 6), self._games))
            ordered = self._games[order]
            # The place of each position among those of its game, in the order drawn.
            place = np.empty(len(order), np.int64)
            place[order] = np.arange(len(order)) - np.searchsorted(ordered, ordered)
            wanted &= place < each
        other = copy.copy(self)
        other._games, other._numbers = self._games[wanted], self._numbers[wanted]
        other.labels = self.labels and self.labels.only(wanted)
        return other

    def numbers(self, positions: Ints) -> Ints:
        """How many moves were played before each of these positions."""
        return self._numbers[positions].astype(np.int64)

    def games(self, positions: Ints) -> Ints:
        """The games of these positions."""
        return self._games[positions].astype(np.int64)

    def position(self, position: int, symmetry: int = 0) -> Position:
        """One of the positions (0 .. len-1) as a board, in a symmetry."""
        return self.records.position(int(self._games[position]), int(self._numbers[position]), symmetry)

    def played(self, position: int) -> int:
        """The move that was played in one of the positions."""
        flat = self.records.move_offsets[self._games[position]] + self._numbers[position]
        return int(self.records.moves_flat[flat] & _POINT)

    def played_on(self, position: int, count: int) -> Ints:
        """The moves of the game from one of the positions on, `count` at most."""
        game = self._games[position]
        first = self.records.move_offsets[game] + self._numbers[position]
        last = min(first + count, self.records.move_offsets[game + 1])
        return (self.records.moves_flat[first:last] & _POINT).astype(np.int64)

    def at(self, positions: Ints, symmetries: Ints, first: int = 0, threads: int = 1) -> Batch:
        """The examples of these positions (0 .. len-1), each in its symmetry."""
        records = self.records
        games, numbers = self.games(positions), self.numbers(positions)
        encoded = encode_records(self.encoding, records, games, numbers, symmetries, threads)
        later = (records.move_offsets[games] + numbers)[:, None] + np.arange(1, self.following + 1)
        inside = later < records.move_offsets[games + 1][:, None]
        points = (records.moves_flat[np.where(inside, later, 0)] & _POINT).astype(np.int64)
        known = inside & (points < self.size**2)
        white, carried = white_to_move(records, games, numbers), self.carried[symmetries]
        return Batch(
            first,
            encoded.planes,
            encoded.targets.astype(np.int64),
            np.where(known, self.carried[symmetries[:, None], np.where(known, points, 0)], -1),
            None if self.outcomes is None else endings(self.outcomes, games, white, carried[:, :-1]),
            self._teacher_targets(positions, symmetries, white),
            self._globals(positions) if self.globals else encoded.globals,
            white,
            self.learns,
            self.learns_win,
        )

    def _teacher_targets(
        self, positions: Ints, symmetries: Ints, white: npt.NDArray[np.bool_]
    ) -> TeacherTargets | None:
        if self.labels is not None:
            return self.labels.targets(positions, white, self.carried[symmetries])
        if self.teacher is None:
            return None
        return self.teacher.targets(self.records, self.games(positions), self.numbers(positions), symmetries)

    def _globals(self, positions: Ints) -> npt.NDArray[np.float32]:
        records, games, numbers = self.records, self.games(positions), self.numbers(positions)
        if self.labels is None:
            return encode_record_globals(self.globals, records, games, numbers)
        rules = self.labels.rule_codes(positions, records.rules[games])
        return encode_record_globals(
            self.globals, records, games, numbers, self.labels.komi[positions], rules
        )

    def drawn(self, first: int, count: int, seed: int, symmetries: bool, threads: int = 1) -> Batch:
        """Examples `first` .. of the run with that seed: an order of all positions, then another one, ..."""
        index = np.arange(first, first + count)
        turn = (mix(index.astype(np.uint64), 8 * seed + 7) % np.uint64(8)).astype(np.int64)
        return self.at(
            shuffled(index, len(self), seed), turn if symmetries else np.zeros_like(turn), first, threads
        )


class Drawing(Protocol):
    """What gives a run its examples: `Examples`, or several of them (`tengen.training.mixture`)."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Of the boards."""
        ...

    def __len__(self) -> int: ...

    def drawn(self, first: int, count: int, seed: int, symmetries: bool, threads: int = 1) -> Batch:
        """The next batch of the run with that seed, from example `first` on: `count` examples, or fewer."""
        ...


class Prefetcher:
    """Makes the batches of a run in a thread, some ahead of the reader; to be used in a `with`."""

    def __init__(
        self,
        examples: Drawing,
        start: int,
        stop: int,
        batch: int,
        seed: int,
        symmetries: bool,
        ahead: int = 4,
    ) -> None:
        self._queue: queue.Queue[Batch | Exception | None] = queue.Queue(maxsize=ahead)
        self._stopping = threading.Event()
        self._thread = threading.Thread(
            target=self._make, args=(examples, start, stop, batch, seed, symmetries), daemon=True
        )

    def __enter__(self) -> Prefetcher:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stopping.set()
        while self._thread.is_alive():  # it may wait for room in the queue
            try:
                self._queue.get(timeout=0.05)
            except queue.Empty:
                continue
        self._thread.join()

    def __iter__(self) -> Iterator[Batch]:
        while (batch := self._queue.get()) is not None:
            if isinstance(batch, Exception):
                raise batch
            yield batch

    def _make(
        self, examples: Drawing, start: int, stop: int, batch: int, seed: int, symmetries: bool
    ) -> None:
        try:
            give_way()
            first = start
            while first < stop:
                if self._stopping.is_set():
                    return
                made = examples.drawn(first, min(batch, stop - first), seed, symmetries)
                self._queue.put(made)
                first += len(made)
            self._queue.put(None)
        except Exception as error:  # raised again where the batches are read
            self._queue.put(error)
