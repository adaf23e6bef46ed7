"""What random games from here to the end say of a position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tengen import _native
from tengen.go.color import Color
from tengen.go.position import Position

Policy = Literal["uniform", "guided"]


@dataclass(frozen=True, slots=True)
class PlayoutStatistics:
    """Counts over playouts, in Black's view unless a colour is named. Boards are [size, size], top row first.

    `black_wins` counts Black's wins at the position's komi and handicap bonus, a draw as half a win.
    `margin_mean` and `margin_deviation` are of Black's area less White's, before komi; `margins[m + area]`
    is the number of playouts that ended with margin m. `ownership` is the mean owner of a point at the end,
    from -1 (White's) to 1 (Black's). `criticality` is Coulom's (2009) covariance of owning a point and
    winning. `amaf[color]` is that colour's share of wins when it was the first to play the point ("all moves
    as first", Bruegmann 1993), `amaf_playouts[color]` the number of such playouts; where there are none, the
    value is its share of all wins.
    """

    playouts: int
    black_wins: float
    margin_mean: float
    margin_deviation: float
    margins: npt.NDArray[np.uint32]
    ownership: npt.NDArray[np.float32]
    criticality: npt.NDArray[np.float32]
    amaf: dict[Color, npt.NDArray[np.float32]]
    amaf_playouts: dict[Color, npt.NDArray[np.uint32]]

    def win_share(self, color: Color, komi: float) -> float:
        """The colour's share of wins had the komi been this one (White's points for handicap included)."""
        area = len(self.margins) // 2
        net = np.arange(-area, area + 1) - komi
        black = float(self.margins[net > 0].sum() + self.margins[net == 0].sum() / 2) / self.playouts
        return black if color is Color.BLACK else 1 - black


def playout_statistics(
    position: Position, n: int, *, seed: int = 0, policy: Policy = "uniform", threads: int = 1
) -> PlayoutStatistics:
    """Plays the position out n times. The same seed gives the same answer on any number of threads.

    >>> playout_statistics(Position(9), 100).margins.sum()
    np.uint64(100)
    """
    raw: dict[str, Any] = _native.playout_statistics(position, n, seed, policy, threads)
    return PlayoutStatistics(
        amaf={Color.BLACK: raw.pop("amaf_black"), Color.WHITE: raw.pop("amaf_white")},
        amaf_playouts={
            Color.BLACK: raw.pop("amaf_playouts_black"),
            Color.WHITE: raw.pop("amaf_playouts_white"),
        },
        **raw,
    )


def playout_moves(
    position: Position, *, seed: int = 0, policy: Policy = "uniform", index: int = 0
) -> list[int]:
    """The moves of playout number `index` of those that `playout_statistics` plays for this seed."""
    return _native.playout_moves(position, seed, policy, index)
