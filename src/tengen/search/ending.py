"""The end of a game: when to resign, and when to pass. What an ended game is worth: `tengen.search.ended`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen.go.color import Color
from tengen.go.position import Position
from tengen.go.rules import Scoring
from tengen.go.settle import Settled, settle
from tengen.nets.evaluation import Evaluation
from tengen.nets.evaluator import Evaluator
from tengen.search.capturing import capturing_move
from tengen.search.ended import before_passes, settled_board
from tengen.search.player import Candidate, Root

# Share of the board's points that must have been played before a game is resigned; by a side that gives handicap.
EARLY = 0.2
EARLY_IN_HANDICAP = 0.5
# Of a move that is played instead of a pass: its prior at least, and how much less than the pass it may seem worth.
PLAUSIBLE = 0.02
WORTH_OF_A_PASS = 0.02
HALF_A_POINT = 0.5
LOST = 0.05  # a win rate below which one may as well pass
TRIED = 5  # candidates that are compared with a pass
# Share of the points with stones from which on a board may be settled.
SETTLED_STONES = 0.3


@dataclass(frozen=True, slots=True)
class Resignation:
    """When a game is resigned: lost by win rate and by points, at so many own moves in a row.

    Both are at the game's komi, whatever the search played for; where one is unknown, no game is resigned. A low
    win rate alone is not enough: a game lost by half a point is played out. No game is resigned in its first moves,
    a fifth of the board's points, where nets are often wrong about odd openings. White, who gives handicap stones, is
    lost from the first move on and waits for mistakes: until half of the board's points have been played.
    """

    win_rate: float = 0.05
    points_a_line: float = 0.5
    moves: int = 3

    def is_lost(self, position: Position, root: Root) -> bool:
        mover, size = position.to_move, position.size
        is_giving = mover is Color.WHITE and position.handicap_stones > 0
        if root.win_rate is None or root.lead is None:
            return False
        return (
            root.win_rate.of(mover) < self.win_rate
            and root.lead.of(mover) < -self.points_a_line * size
            and position.move_number >= size * size * (EARLY_IN_HANDICAP if is_giving else EARLY)
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


@dataclass(frozen=True, slots=True, eq=False)
class Outlook:
    """What the rules below need to know of a position beside its search."""

    ownership: npt.NDArray[np.float32] | None
    """[size, size], 1 Black's to -1 White's; 0 where the turn decides; None for a net without ownership."""
    settled: Settled | None
    """None for a board that is not settled."""


def outlook(position: Position, net: Evaluator) -> Outlook:
    """Two evaluations of the net and, where these are clear, playouts."""
    ownership = _safe_ownership(position, net)
    return Outlook(ownership, settled_board(position, ownership))


def is_late(position: Position) -> bool:
    """Whether the rules below may change a move other than a pass. A caller with little time asks `outlook` before."""
    return bool(position.passes or (position.stones() > 0).mean() >= SETTLED_STONES)


def tidy(
    position: Position,
    move: int,
    root: Root,
    net: Evaluator,
    banned: frozenset[int] = frozenset(),
    seen: Outlook | None = None,
) -> int:
    """The move, or a better one where the game is about to end; none of the banned ones.

    `seen` is the outlook of the position, if it is known already.
    """
    if position.pass_ in banned:
        return move
    better = _ending_move(position, move, root, net, seen)
    return move if better in banned else better


def _ending_move(position: Position, move: int, root: Root, net: Evaluator, seen: Outlook | None) -> int:
    """The move, or a better one by these rules.

    - A settled board without neutral points is over: the answer is a pass, unless the search has found a better move.
      Neutral points count under area rules only. After the other's pass they are left if the count is won.
    - Where all stones stand (`Rules.stones_stand`) dead enemy stones are taken off first, unless the other has passed
      and the count is won with every stone alive.
    - The other's pass on a board that is not settled is answered by a move, unless the game is won and no move helps.
    - Under area rules, where playing on costs nothing, a player who is not lost does not pass first while a border is
      open or a neutral point is left.

    Win rates and leads are those at the game's komi; where they are unknown, they decide nothing.
    """
    if move != position.pass_ and not is_late(position):
        return move
    mover, rules = position.to_move, position.rules
    if rules.stones_stand and position.passes and position.score().lead.of(mover) > 0:
        return position.pass_
    seen = seen or outlook(position, net)
    ownership, settled = seen.ownership, seen.settled
    is_complete = settled is not None and (
        rules.scoring is Scoring.TERRITORY or bool((settled.area > 0).all())
    )
    is_won = settled is not None and not rules.stones_stand and settled.score.lead.of(mover) > 0
    if (is_complete or (is_won and position.passes)) and not _is_worth_more(move, position, root):
        move = position.pass_
    if move != position.pass_:
        return move
    if position.passes and settled is None:
        move = _play_on(position, root, net)
    elif not position.passes and not is_complete and rules.scoring is Scoring.AREA:
        move = _close_the_border(position, root)
    if move == position.pass_ and rules.stones_stand:
        dead = settle(position, ownership).dead if settled is None else settled.dead
        return capturing_move(position, dead, ownership)
    return move


def _safe_ownership(position: Position, net: Evaluator) -> npt.NDArray[np.float32] | None:
    """[size, size], 1 Black's to -1 White's: what the net says whoever is to move, 0 where the turn decides.

    A threat that must be answered does not show in the ownership for the side to move.
    """
    boards = [before_passes(position), before_passes(position.copy().play(position.pass_))]
    mine, others = (said.ownership for said in net.evaluate(boards))
    if mine is None or others is None:
        return None
    weaker = np.where(np.abs(mine) < np.abs(others), mine, others)
    return np.where(mine * others > 0, weaker, np.float32(0))


def _is_worth_more(move: int, position: Position, root: Root) -> bool:
    """Does the search say that a move is better than a pass, in a game that is not lost?"""
    rates = _rates(root)
    if move == position.pass_ or move not in rates or position.pass_ not in rates:
        return False
    return rates[move] > max(rates[position.pass_] + WORTH_OF_A_PASS, LOST)


def _rates(root: Root) -> dict[int, float]:
    """The mover's win rates of the candidates."""
    return {c.move: c.win_rate.of(root.to_move) for c in root.candidates if c.win_rate is not None}


def _others(position: Position, root: Root) -> list[Candidate]:
    """The candidates that a player may play instead of a pass, the best first."""
    sensible = sensible_moves(position)
    return [c for c in root.candidates if c.move != position.pass_ and sensible[c.move]]


def _play_on(position: Position, root: Root, net: Evaluator) -> int:
    """The answer to the other's pass on a board that is not settled: the move that gains most by the net.

    A pass if no move gains: always in a won game, and in any other if every likely move costs something. Where all
    stones stand the game is not won by a pass here: that was asked before.
    """
    mover, others = position.to_move, _others(position, root)[:TRIED]
    ended, *after = net.evaluate(
        [before_passes(position.copy().play(move)) for move in (position.pass_, *(c.move for c in others))]
    )

    def gain(said: Evaluation) -> tuple[float, float]:
        """Of the win rate and of the lead, against a pass; 0 where unknown."""
        rate = 0.0 if said.win is None or ended.win is None else said.win.of(mover) - ended.win.of(mover)
        lead = 0.0 if said.lead is None or ended.lead is None else said.lead.of(mover) - ended.lead.of(mover)
        return rate, lead

    gains = [(*gain(said), candidate) for candidate, said in zip(others, after, strict=True)]
    helpful = [g for g in gains if g[0] > WORTH_OF_A_PASS or g[1] > HALF_A_POINT]
    if helpful:
        return max(helpful, key=lambda g: g[:2])[2].move
    is_won = ended.win is not None and ended.win.of(mover) > 1 - LOST
    if is_won and not position.rules.stones_stand:
        return position.pass_
    harmless = [
        c
        for rate, lead, c in gains
        if c.prior >= PLAUSIBLE and rate >= -WORTH_OF_A_PASS and lead >= -HALF_A_POINT
    ]
    return harmless[0].move if harmless else position.pass_


def _close_the_border(position: Position, root: Root) -> int:
    """A likely move instead of the first pass while the border is open, if it is worth as much; else a pass."""
    rate = 0.0 if root.win_rate is None else root.win_rate.of(position.to_move)
    if rate <= LOST or not _is_open(position):
        return position.pass_
    rates = _rates(root)
    least = rates.get(position.pass_, rate) - WORTH_OF_A_PASS
    plausible = (
        c.move for c in _others(position, root) if c.prior >= PLAUSIBLE and rates.get(c.move, 0.0) >= least
    )
    return next(plausible, position.pass_)


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
