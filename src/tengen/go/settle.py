"""Who owns what at the end of a game: the one judge of dead stones and owners.

`tengen score`, GTP, matches, training and `tengen games settle` all ask here. The bounds below were chosen on counted
games of KGS: `benchmarks/settle_agreement.py`, figures in docs/log.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from tengen.go.color import Color
from tengen.go.playouts import playout_statistics
from tengen.go.position import Position
from tengen.go.rules import Scoring, Tax
from tengen.go.score import Score

Board = npt.NDArray[np.float32]

# Guided playouts in all, half of them with each side first.
PLAYOUTS = 256
# A string is dead if the mean owner of its points is below this, from -1 (the enemy's) to 1 (its own). Strings in seki
# must live: playouts put them near 0, with a noise of 0.06. A net beside the playouts halves noise and bound.
DEAD_BELOW = -0.15
# From here on a string or a point is clearly somebody's.
CLEAR = 0.6


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """How a game ends from a position.

    `owner` float32 [size, size]: how sure each point's owner is, from 1 (Black's) to -1 (White's). `dead`: the points
    of all dead strings, in order. `score`: the count under the position's rules with those stones dead. `area` uint8
    [size, size]: the owner of each point by area, whatever the rules: 0 nobody, 1 Black, 2 White. `is_settled`: every
    string is clearly alive or clearly dead, and every other point is clearly its owner's by area or, if it is nobody's,
    a dame: not clearly anyone's, and beside a living stone. Clearly is |owner| of CLEAR or more. A seki is never
    settled: playouts cannot tell it from a fight that is still open.
    """

    owner: Board = field(repr=False)
    dead: tuple[int, ...]
    score: Score
    area: npt.NDArray[np.uint8] = field(repr=False)
    is_settled: bool

    @property
    def margin(self) -> float:
        """Black's points less White's on the board by area, before komi and handicap bonus."""
        return float((self.area == Color.BLACK).sum()) - float((self.area == Color.WHITE).sum())


def settle(
    position: Position,
    ownership: Board | None = None,
    *,
    playouts: int = PLAYOUTS,
    seed: int = 0,
    threads: int = 1,
) -> Settled:
    """Judges which stones are dead and who owns which points if the game ends here.

    `ownership` is a net's, [size, size], 1 Black's to -1 White's; it counts as much as the playouts. Pass-alive strings
    live, and strings in the enemy's pass-alive territory are dead, whatever net and playouts say. Otherwise a string is
    dead if its points mostly end as the enemy's. Playouts read no deep semeai: without a net they may be wrong there.

    >>> position = Position.from_text('''
    ...     . X . O .
    ...     . X . O .
    ...     O X . O .
    ...     . X . O .
    ...     . X . O .
    ... ''')
    >>> [position.vertex(p) for p in settle(position).dead]
    ['A3']
    """
    if ownership is not None and ownership.shape != (position.size, position.size):
        raise ValueError(f"ownership is {ownership.shape}, the board {position.size}x{position.size}")
    if playouts < 2:
        raise ValueError(f"at least two playouts are needed, one with each side first, not {playouts}")
    owner = _played(position, playouts, seed, threads)
    if ownership is not None:
        owner = np.float32(0.5) * (owner + ownership.astype(np.float32))
    for color in Color:
        life = position.pass_alive(color)
        owner[life.stones | life.territory] = _sign(color)
    strings = _strings(position)
    flat = owner.ravel()
    bound = DEAD_BELOW if ownership is None else DEAD_BELOW / 2
    dead = [string for color, string in strings if float(flat[string].mean()) * _sign(color) < bound]
    score = position.score(int(string[0]) for string in dead)
    area = _area(position, score)
    return Settled(
        owner=owner,
        dead=score.dead,
        score=score,
        area=area,
        is_settled=_is_settled(position, owner, strings, score, area),
    )


def _played(position: Position, playouts: int, seed: int, threads: int) -> Board:
    """The mean owner of each point over playouts, half of them with each side first."""
    total = np.zeros((position.size, position.size), np.float32)
    for first in Color:
        board = position.copy()
        board.to_move = first
        found = playout_statistics(board, playouts // 2, seed=seed, policy="guided", threads=threads)
        total += found.ownership
    return np.float32(0.5) * total


def _sign(color: Color) -> int:
    return 1 if color is Color.BLACK else -1


def _strings(position: Position) -> list[tuple[Color, npt.NDArray[np.int64]]]:
    """Each string's colour and points, in the order of their first points."""
    stones = position.stones().ravel()
    seen: set[int] = set()
    strings = []
    for point in np.flatnonzero(stones).tolist():
        if point not in seen:
            string = sorted(position.string(point))
            seen.update(string)
            strings.append((Color(int(stones[point])), np.array(string)))
    return strings


def _area(position: Position, score: Score) -> npt.NDArray[np.uint8]:
    """The owners by area, with the dead stones of a count under any rules."""
    rules = replace(position.rules, scoring=Scoring.AREA, tax=Tax.NONE)
    if rules == position.rules:
        return score.owner
    board = position.copy()
    board.rules = rules
    return board.score(score.dead).owner


def _is_settled(
    position: Position,
    owner: Board,
    strings: list[tuple[Color, npt.NDArray[np.int64]]],
    score: Score,
    area: npt.NDArray[np.uint8],
) -> bool:
    flat = owner.ravel()
    if any(abs(float(flat[string].mean())) < CLEAR for _, string in strings):
        return False
    living = position.stones() > 0
    living.flat[list(score.dead)] = False
    sign = np.array([0, 1, -1])[area]
    is_owned = ~living & (sign != 0)
    is_nobodys = ~living & (sign == 0)
    neutral = (np.abs(owner) < CLEAR) & _beside(living)
    return bool(((owner * sign)[is_owned] >= CLEAR).all() and neutral[is_nobodys].all())


def _beside(points: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Where one of the four neighbours is such a point."""
    wide = np.pad(points, 1)
    beside: npt.NDArray[np.bool_] = wide[:-2, 1:-1] | wide[2:, 1:-1] | wide[1:-1, :-2] | wide[1:-1, 2:]
    return beside
