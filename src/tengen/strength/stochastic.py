"""The stochastic model (thesis, Section 4.3): the player who loses fewer points wins.

The points that a move loses have a normal distribution that depends only on the player. The sums over C moves of each
side are compared. The model has no ratings.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.go.color import Color
from tengen.go.perspective import WinRate
from tengen.ratings.system import Array
from tengen.strength.features import LEAD_SCALE, POINTS_LOSS
from tengen.strength.windows import Windows

GAME_LENGTH = 254  # moves of a counted game, the mean of the thesis' training set (Figure 4.6)
EPSILON = 1e-6


class Losses(NamedTuple):
    """The points that a player's moves lost: number of moves, mean, and variance (over n - 1)."""

    moves: int
    mean: float
    variance: float

    @staticmethod
    def of(points: npt.ArrayLike) -> Losses:
        """From the points that each move lost. Without two moves the variance is NaN, without one the mean too."""
        values = np.asarray(points, dtype=np.float64)
        n = len(values)
        return Losses(
            n, float(values.mean()) if n else math.nan, float(values.var(ddof=1)) if n > 1 else math.nan
        )


@dataclass(frozen=True)
class Stochastic:
    """Equation 4.3; `moves` is C, the moves of each side until the game is counted."""

    moves: int = GAME_LENGTH // 2

    @property
    def name(self) -> str:
        return "stochastic"

    def predict(self, black: Losses, white: Losses) -> WinRate:
        """Black's win probability; 1/2 if a player has fewer than two known moves.

        >>> round(Stochastic().predict(Losses(200, 1.0, 9.0), Losses(200, 1.2, 9.0)).of(Color.BLACK), 4)
        0.7024
        """
        if black.moves < 2 or white.moves < 2:
            return WinRate(0.5, Color.BLACK)
        spread = math.sqrt(self.moves * (black.variance + white.variance) + EPSILON)
        return WinRate(_phi(self.moves * (white.mean - black.mean) / spread), Color.BLACK)

    def predict_games(self, windows: Windows) -> Array:
        """Black's win probability in each game (n); window 2 i is Black's, 2 i + 1 White's.

        The windows have basic features, as from `draft_windows(..., "basic")`.
        """
        points = windows.features[:, POINTS_LOSS].astype(np.float64) / LEAD_SCALE
        sides = [Losses.of(points[windows.rows[a:b]]) for a, b in pairwise(windows.offsets.tolist())]
        pairs = zip(sides[::2], sides[1::2], strict=True)
        return np.array([self.predict(black, white).of(Color.BLACK) for black, white in pairs])


def _phi(x: float) -> float:
    """The cumulative normal distribution."""
    return 0.5 * math.erfc(-x / math.sqrt(2.0))
