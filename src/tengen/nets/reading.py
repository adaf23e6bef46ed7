"""What stands between a runtime and an evaluation: a reader for each family of nets.

A reader makes the inputs of its nets, says which outputs it wants, and turns these into readings: numbers in points
and chances, **in the view of the side to move, and as the board was shown to the net**. `NetEvaluator` turns both to
Black's view and to the board as it lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tengen.go.color import Color
from tengen.go.position import Position
from tengen.go.rules import Ko, Scoring
from tengen.nets.evaluation import Floats, RawOutput
from tengen.nets.runtime import Arrays

Doubles = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What a reader must know of n positions of one size.

    komi: float64 [n], what the mover gives: the game's komi if Black is to move, minus the komi if White is.
    decided: bool [n], the rules know no game without result.
    points: of the board.
    """

    komi: Doubles
    decided: Bools
    points: int

    @staticmethod
    def of(positions: Sequence[Position]) -> Asked:
        return Asked(
            np.array([p.rules.komi if p.to_move is Color.BLACK else -p.rules.komi for p in positions]),
            np.array(
                [p.rules.ko is not Ko.SIMPLE and p.rules.scoring is not Scoring.TERRITORY for p in positions],
                bool,
            ),
            positions[0].size ** 2,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Readings:
    """What a net said of n positions of one size, for the mover. None: not in this net, or not asked for.

    policy: float32 [n, moves], logits; the points, and pass last where the net has it.
    win: [n], the chance to win at the komi of the position, or at the one komi that the net knows.
    values: [n, labels], the chance to win at each of the card's komi labels, which rise.
    mean, deviation: [n], of the margin before komi, in points.
    lead: [n], points, komi included.
    ownership: float32 [n, points], 1 the mover's, -1 the other's.
    next_moves: float32 [n, moves, points], logits of the moves after the next one.
    trunk: float32 [n, size, size, channels].
    """

    policy: Floats | None = None
    win: Doubles | None = None
    values: Doubles | None = None
    mean: Doubles | None = None
    deviation: Doubles | None = None
    lead: Doubles | None = None
    ownership: Floats | None = None
    next_moves: Floats | None = None
    trunk: Floats | None = None
    raw: Sequence[RawOutput] | None = None


class Reader(Protocol):
    """Of one family of nets."""

    globals: tuple[str, ...]
    """The global inputs that the net's encoding does not give, names of tengen.planes.globals."""

    def inputs(self, positions: Sequence[Position], symmetries: npt.NDArray[np.uint8]) -> Arrays:
        """What the graph takes for positions of one size."""
        ...

    def outputs(self, there: frozenset[str], trunk: bool) -> tuple[str, ...]:
        """The outputs that the card's heads need, of those that are there; InputError if one is missing."""
        ...

    def win_outputs(self, there: frozenset[str]) -> tuple[str, ...]:
        """The outputs that the win rate alone needs."""
        ...

    def read(self, given: Arrays, asked: Asked) -> Readings:
        """The readings of those outputs that are given."""
        ...


def softmax(logits: Floats) -> Floats:
    """Over the last axis."""
    raised = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(raised / raised.sum(-1, keepdims=True))


def softplus(x: npt.ArrayLike) -> Doubles:
    return np.logaddexp(0.0, np.asarray(x, np.float64))
