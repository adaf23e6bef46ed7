"""Imagined lines: local fights that are played out on real boards, many at once (DANN paper, Figure 3).

A fight is a candidate move and the window around it. After the candidate the sides move in turn, the opponent first. A
move lies in the window, is legal and fills no own eye. A side may stop instead: it plays elsewhere, and the other may
go on. Two stops in a row, or the last step, end a line. Who makes the moves: `tengen.search.imagining_sides`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from tengen.go.color import Color
from tengen.go.position import Position
from tengen.nets.evaluation import Evaluation, Floats
from tengen.nets.evaluator import Evaluator
from tengen.search.ending import sensible_moves

Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]

NO_MOVE = -1  # in a line that has ended; as the last move: a stop
_BATCH = 32  # positions that a net is asked about between two questions whether to stop


class StoppedError(Exception):
    """Nobody waits for the answer any more."""


def never() -> bool:
    """For questions that nobody stops."""
    return False


@dataclass(frozen=True, eq=False)
class Fight:
    """A candidate for the side to move, and the window of `window` x `window` points around it."""

    position: Position
    move: int
    window: int

    @property
    def mover(self) -> Color:
        return self.position.to_move

    @cached_property
    def after(self) -> Position:
        """The position after the candidate."""
        return self.position.copy().play(self.move)

    @cached_property
    def mask(self) -> Bools:
        """[size, size]: the points of the window, which ends at the edge of the board."""
        return window_mask(self.move, self.window, self.position.size)


def fights_at(
    position: Position, policy: Floats, most: int, window: int, banned: frozenset[int] = frozenset()
) -> list[Fight]:
    """The fights of the likeliest candidates by a policy [moves], the likeliest first; none if only a pass is left."""
    sensible = sensible_moves(position)[:-1]
    chances = np.where(sensible, policy[:-1], 0.0)
    chances[[move for move in banned if move != position.pass_]] = 0.0
    order = np.argsort(-chances, kind="stable")[:most].tolist()
    return [Fight(position, move, window) for move in order if chances[move] > 0]


def window_mask(centre: int, window: int, size: int) -> Bools:
    """[size, size]: the points of the window around a point."""
    row, column = divmod(centre, size)
    lines = np.arange(size)
    mask: Bools = (abs(lines - row) <= window // 2)[:, None] & (abs(lines - column) <= window // 2)
    return mask


@dataclass(frozen=True, eq=False)
class Lines:
    """n imagined lines.

    which [n]: the fight of each line. moves [steps, n]: points, pass for a stop, NO_MOVE after the end of the line.
    captured [steps + 1, n]: stones that the candidate's side takes less those it loses, by the candidate and by each
    step. finals: the positions at the end.
    """

    fights: Sequence[Fight]
    which: npt.NDArray[np.intp]
    moves: Ints
    captured: Ints
    finals: Sequence[Position]

    def cut(self, steps: int) -> Lines:
        """The same lines after so many steps at most."""
        if steps >= len(self.moves):
            return self
        finals = []
        for line, fight in enumerate(self.which):
            position = self.fights[fight].after.copy()
            for move in self.moves[:steps, line].tolist():
                if move != NO_MOVE:
                    position.play(move)
            finals.append(position)
        return Lines(self.fights, self.which, self.moves[:steps], self.captured[: steps + 1], finals)

    def line(self, number: int) -> tuple[int, ...]:
        """The moves of a line after the candidate, without the stops at its end."""
        moves = [move for move in self.moves[:, number].tolist() if move != NO_MOVE]
        while moves and moves[-1] == self.finals[number].pass_:
            moves.pop()
        return tuple(moves)


def frequent_line(lines: Sequence[tuple[int, ...]]) -> list[tuple[int, int]]:
    """The line imagined most often: moves, each with the number of lines that have it after the ones before.

    From move to move it follows the most lines, the earliest among equals, as long as two of them agree.

    >>> frequent_line([(3, 4), (7,), (3, 5), (3, 4)])
    [(3, 3), (4, 2)]
    """
    least = min(2, len(lines))
    found: list[tuple[int, int]] = []
    left = list(lines)
    while ways := Counter(line[len(found)] for line in left if len(line) > len(found)):
        move, count = ways.most_common(1)[0]
        if count < least:
            break
        left = [line for line in left if len(line) > len(found) and line[len(found)] == move]
        found.append((move, count))
    return found


class Scene(NamedTuple):
    """The lines that go on, m of n: their numbers `live` [m], their positions, the last move of each [m] (NO_MOVE: a
    stop), the candidates [m] with the window around them, and whether it is the turn of the candidates' side."""

    live: npt.NDArray[np.intp]
    positions: Sequence[Position]
    last: Ints
    centres: Ints
    window: int
    mover_acts: bool


class Side(Protocol):
    """Who makes the moves of one side, or of both."""

    def begin(self, centres: Ints) -> None:
        """n new lines, around these candidates [n]."""
        ...

    def step(self, scene: Scene, rng: np.random.Generator, acts: bool) -> Ints:
        """The moves [m] of the lines that go on: points, or pass for a stop. If it is not this side's turn (`acts`),
        what it returns is not used."""
        ...


def imagine(
    fights: Sequence[Fight],
    lines: int,
    steps: int,
    mover: Side,
    opponent: Side,
    rng: np.random.Generator,
    stop: Callable[[], bool] = never,
) -> Lines:
    """So many lines of each fight, all together, of `steps` steps after the candidate at most.

    The fights are on boards of one size and have one window. Raises StoppedError when `stop` says so.
    """
    which = np.repeat(np.arange(len(fights)), lines)
    fought = [fights[fight] for fight in which.tolist()]
    positions = [fight.after.copy() for fight in fought]
    centres = np.array([fight.move for fight in fought], np.int32)
    moves = np.full((steps, len(which)), NO_MOVE, np.int32)
    captured = np.zeros((steps + 1, len(which)), np.int32)
    taken = [_taken(position, fight.mover) for position, fight in zip(positions, fought, strict=True)]
    captured[0] = taken - np.array([_taken(fight.position, fight.mover) for fight in fought])
    last = centres.copy()
    live = np.arange(len(which))
    for side in dict.fromkeys((mover, opponent)):
        side.begin(centres)
    for step in range(steps):
        if not len(live):
            break
        if stop():
            raise StoppedError
        boards, acts = [positions[i] for i in live], step % 2 == 1
        scene = Scene(live, boards, last[live], centres[live], fights[0].window, acts)
        made = (mover if acts else opponent).step(scene, rng, True)
        if mover is not opponent:
            (opponent if acts else mover).step(scene, rng, False)
        moves[step, live] = made
        for i, position, move in zip(live.tolist(), scene.positions, made.tolist(), strict=True):
            position.play(move)
            last[i] = NO_MOVE if move == position.pass_ else move
            now = _taken(position, fought[i].mover)
            captured[step + 1, i], taken[i] = now - taken[i], now
        live = live[[position.passes < 2 for position in scene.positions]]
    return Lines(fights, which, moves, captured, positions)


def _taken(position: Position, color: Color) -> int:
    """Stones that this side has taken less those it has lost."""
    return position.captured(color.opponent) - position.captured(color)


def evaluate_once(
    net: Evaluator, positions: Sequence[Position], stop: Callable[[], bool] = never
) -> list[Evaluation]:
    """The net's evaluations, where equal records are asked about once. Raises StoppedError when `stop` says so."""
    keys = [(position.record_hash, position.side) for position in positions]
    asked = dict(zip(keys, positions, strict=True))
    boards, found = list(asked.values()), []
    for first in range(0, len(boards), _BATCH):
        if stop():
            raise StoppedError
        found += net.evaluate(boards[first : first + _BATCH])
    known = dict(zip(asked, found, strict=True))
    return [known[key] for key in keys]
