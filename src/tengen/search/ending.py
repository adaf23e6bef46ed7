"""The end of a game: when to resign, what is dead, what the score is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen.go.playouts import playout_statistics
from tengen.go.position import Position
from tengen.go.rules import Scoring
from tengen.go.score import Score
from tengen.nets.evaluator import Evaluator
from tengen.search.player import Root

# Playouts that are asked about the owner of each point. Their word counts as much as the net's.
PLAYOUTS = 256

# Of a move that is played instead of a pass: its prior at least, and how much less than the pass it may seem worth.
PLAUSIBLE = 0.02
WORTH_OF_A_PASS = 0.02
LOST = 0.05  # a win rate below which one may as well pass


@dataclass(frozen=True, slots=True)
class Resignation:
    """When a game is resigned: lost by win rate and by points, at so many own moves in a row.

    Both are at the game's komi, whatever the search played for; where one is unknown, no game is resigned. A low
    win rate alone is not enough: a game lost by half a point is played out. No game is resigned in its first moves,
    a fifth of the board's points, where nets are often wrong about odd openings.
    """

    win_rate: float = 0.05
    points_a_line: float = 0.5
    moves: int = 3

    def is_lost(self, position: Position, root: Root) -> bool:
        mover, size = position.to_move, position.size
        if root.win_rate is None or root.lead is None:
            return False
        return (
            root.win_rate.of(mover) < self.win_rate
            and root.lead.of(mover) < -self.points_a_line * size
            and position.move_number >= size * size / 5
        )


class Patience:
    """Counts the moves of one game at which it looked lost."""

    def __init__(self, terms: Resignation | None) -> None:
        self.terms = terms
        self._lost = 0
        self._last = -1

    def is_over(self, position: Position, root: Root) -> bool:
        """Whether to resign now; to be asked at every own move."""
        if self.terms is None:
            return False
        follows = position.move_number == self._last + 2
        self._lost = self._lost * follows + 1 if self.terms.is_lost(position, root) else 0
        self._last = position.move_number
        return self._lost >= self.terms.moves


def owners(
    position: Position, ownership: npt.NDArray[np.float32] | None, *, seed: int = 0
) -> npt.NDArray[np.float32]:
    """Who owns each point at the end, [size, size], 1 Black's to -1 White's.

    The mean of a net's ownership and of playouts; the playouts alone where there is no net.
    """
    played = playout_statistics(position, PLAYOUTS, seed=seed, policy="guided").ownership
    return played if ownership is None else np.float32(0.5) * (played + ownership)


def dead_stones(position: Position, owner: npt.NDArray[np.float32]) -> list[int]:
    """The points of strings that their enemy owns, in order. A string lives or dies whole."""
    stones = position.stones()
    sign = np.where(stones == 1, 1.0, np.where(stones == 2, -1.0, 0.0))
    mine = (sign * owner).ravel()
    dead: set[int] = set()
    seen: set[int] = set()
    for point in np.flatnonzero(stones.ravel()).tolist():
        if point in seen:
            continue
        string = position.string(point)
        seen.update(string)
        if float(np.mean(mine[string])) < 0:
            dead.update(string)
    return sorted(dead)


def final_score(position: Position, ownership: npt.NDArray[np.float32] | None) -> Score:
    """The count under the game's rules with dead stones as `owners` sees them."""
    return position.score(dead=dead_stones(position, owners(position, ownership)))


def sensible_moves(position: Position) -> npt.NDArray[np.bool_]:
    """[area + 1]: legal moves that fill neither own eyes nor own pass-alive territory; pass is one."""
    sensible = np.zeros(position.size**2 + 1, dtype=bool)
    sensible[position.legal_moves] = True
    own_points = position.pass_alive(position.to_move).territory | _eyes(position)
    sensible[:-1] &= ~own_points.ravel()
    return sensible


def _eyes(position: Position) -> npt.NDArray[np.bool_]:
    """Empty points with own stones on all sides and the enemy on no diagonal, or one away from the edge."""
    stones, size = position.stones(), position.size
    own = np.pad(stones == position.to_move, 1, constant_values=True)
    enemy = np.pad(stones == position.to_move.opponent, 1).astype(int)

    sides = own[:-2, 1:-1] & own[2:, 1:-1] & own[1:-1, :-2] & own[1:-1, 2:]
    corners = enemy[:-2, :-2] + enemy[:-2, 2:] + enemy[2:, :-2] + enemy[2:, 2:]
    edge = np.zeros((size, size), dtype=bool)
    edge[[0, -1], :] = edge[:, [0, -1]] = True
    eyes: npt.NDArray[np.bool_] = (stones == 0) & sides & (corners <= np.where(edge, 0, 1))
    return eyes


def tidy(position: Position, move: int, root: Root, net: Evaluator) -> int:
    """The move, or a better one where the game is about to end.

    Under area rules only, where playing on costs nothing. After the other's pass, a count that is won with every
    stone on the board taken as alive is ended by a pass. Otherwise a pass is not risked while dead enemy stones
    must still be taken off for the win, and a player who is not lost does not pass first while the border is open
    somewhere: the best other candidate is played instead. That last rule reads the win rates at the game's komi, and
    does nothing where they are unknown.
    """
    mover = position.to_move
    if position.rules.scoring is not Scoring.AREA:
        return move
    standing = position.score().lead.of(mover)
    if position.passes == 1 and standing > 0:
        return position.pass_
    if move != position.pass_:
        return move
    sensible = sensible_moves(position)
    others = [c for c in root.candidates if c.move != position.pass_ and sensible[c.move]]
    if not others:
        return move
    rate = 0.0 if root.win_rate is None else root.win_rate.of(mover)
    if position.passes == 0 and rate > LOST and _is_open(position):
        rates = {c.move: c.win_rate.of(mover) for c in root.candidates if c.win_rate is not None}
        least = rates.get(position.pass_, rate) - WORTH_OF_A_PASS
        plausible = [c.move for c in others if c.prior >= PLAUSIBLE and rates.get(c.move, 0.0) >= least]
        if plausible:
            return plausible[0]
    if standing <= 0 and final_score(position, net.evaluate([position])[0].ownership).lead.of(mover) > 0:
        return others[0].move
    return move


def _is_open(position: Position) -> bool:
    """Is there an empty region that touches stones of both colours: a border to be closed, or neutral points?"""
    stones, size = position.stones().tolist(), position.size
    seen: set[tuple[int, int]] = set()
    for start in ((y, x) for y in range(size) for x in range(size) if stones[y][x] == 0):
        if start in seen:
            continue
        seen.add(start)
        region, touched = [start], set()
        while region:
            y, x = region.pop()
            for v, u in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                if not (0 <= v < size and 0 <= u < size) or (v, u) in seen:
                    continue
                if stones[v][u]:
                    touched.add(stones[v][u])
                else:
                    seen.add((v, u))
                    region.append((v, u))
        if len(touched) > 1:
            return True
    return False
