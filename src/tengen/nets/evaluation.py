"""What a net says of a position, always in Black's view or in a value that asks for whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from tengen import _native
from tengen.go.color import Color
from tengen.go.perspective import Lead, WinRate
from tengen.go.position import Position

Floats = npt.NDArray[np.float32]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Margin:
    """Black's points less White's before komi, as a distribution: mean and standard deviation.

    Under area scoring the points are the area. White's handicap bonus, where the rules give one, is counted.
    """

    mean: float
    deviation: float


@dataclass(frozen=True, slots=True)
class RawOutput:
    """What the net itself said, for the side to move: nothing of it is turned to Black's view.

    The chances to win, to lose and to end without result; points with komi counted. None: not in this net.
    """

    win: float
    loss: float
    no_result: float
    score_mean: float
    score_deviation: float
    lead: float
    variance_time: float | None = None  # KataGo: how much of the game is still open, in moves
    shortterm_win_error: float | None = None
    shortterm_score_error: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """A net's judgement of one position. A head that the net does not have is None, never a made-up value.

    policy: float32 [size * size + 1], the chance of each move of the side to move, pass last; the sum is 1 and
        illegal moves have 0.
    win: the chance to win at the position's own komi; a game without result counts half.
    lead: points by which a side is ahead, komi included.
    margin: Black's points less White's at the end of the game, before komi.
    win_by_komi: float32 [labels], Black's chance at each komi of komi_labels, P(margin > komi); it never rises.
        There are komi_labels where there is win_by_komi.
    ownership: float32 [size, size], the top row first: 1 Black's, -1 White's.
    next_moves: float32 [moves, size * size], the chance of each point to be played at the second, third ... move
        from here; colours alternate, so the first row is the opponent's answer.
    trunk: float32 [channels, size, size], in the view of the side to move; only on request.
    """

    to_move: Color
    size: int
    policy: Floats | None = None
    win: WinRate | None = None
    lead: Lead | None = None
    margin: Margin | None = None
    komi_labels: Floats | None = None
    win_by_komi: Floats | None = None
    ownership: Floats | None = None
    next_moves: Floats | None = None
    trunk: Floats | None = None
    raw: RawOutput | None = None

    def top_moves(self, count: int = 10) -> list[tuple[int, float]]:
        """The likeliest moves, best first: (point, chance); none for a net without a policy."""
        if self.policy is None:
            return []
        order = np.argsort(-self.policy, kind="stable")[:count]
        return [(int(point), float(self.policy[point])) for point in order if self.policy[point] > 0]

    def to_json(self) -> dict[str, Any]:
        """In Black's view; what the net does not have is null."""
        board, black = Position(self.size), Color.BLACK
        return {
            "to_move": self.to_move.letter,
            "black_win_rate": None if self.win is None else self.win.of(black),
            "black_lead": None if self.lead is None else self.lead.of(black),
            "black_margin": None
            if self.margin is None
            else {"mean": self.margin.mean, "deviation": self.margin.deviation},
            "moves": [{"move": board.vertex(p), "policy": chance} for p, chance in self.top_moves()],
            "black_ownership": None
            if self.ownership is None
            else [[round(float(v), 4) for v in row] for row in self.ownership],
            "komi": None if self.komi_labels is None else [float(k) for k in self.komi_labels],
            "black_win_rate_by_komi": None
            if self.win_by_komi is None
            else [float(w) for w in self.win_by_komi],
        }


def given(head: T | None) -> T:
    """A head that must be there, because the caller has asked the card for it (`ModelCard.require`)."""
    if head is None:
        raise ValueError("the net does not have this head: call card.require before")
    return head


def falling(curves: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """The curves that never rise, [labels] or [n, labels], nearest to the given ones by least squares (pool adjacent
    violators).

    >>> falling([0.75, 0.25, 0.5, 0.125]).tolist()
    [0.75, 0.375, 0.375, 0.125]
    """
    rows = np.array(curves, np.float64, order="C")
    _native.make_falling(np.atleast_2d(rows))
    return rows


def rises(curve: npt.ArrayLike, tolerance: float = 0.0) -> bool:
    """Does the curve go up anywhere by more than the tolerance?"""
    values = np.asarray(curve, dtype=np.float64)
    return bool((np.diff(values) > tolerance).any())
