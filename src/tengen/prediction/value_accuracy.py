"""How well value nets predict results: the statistics of the CGI paper (Wu et al., 2017), section IV. No torch.

Everything is in Black's view: v is from -1 (White wins) to 1 (Black wins), a win rate is (v + 1) / 2, a margin is
Black's points less White's before komi. Section and figure numbers are the paper's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.prediction.resampling import Estimate, game_draws, middle

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def half_mse(values: npt.ArrayLike, results: npt.ArrayLike) -> float:
    """Half of the mean of (z - v)^2, z and v in -1 .. 1: an even guess has 0.5 (section IV.A).

    The paper prints half of the sum; the text to Figure 6 gives 0.5 for an even guess, which is half of the mean.

    >>> half_mse([0.0, 0.0], [1, -1])
    0.5
    """
    return float(np.square(np.asarray(results, float) - np.asarray(values, float)).mean() / 2)


@dataclass(frozen=True, eq=False)
class MoveErrors:
    """Squared errors of v by game and by position of the game: `total` and `count`, float64 [games, positions].

    Column j is the position after `moves[j]` moves; the last one holds all later positions too.
    """

    moves: Ints
    total: Doubles
    count: Doubles

    @staticmethod
    def of(game: Ints, number: Ints, values: Doubles, results: Doubles, last: int) -> MoveErrors:
        """Of positions after `number` moves; those from `last` on are counted as one (the paper: 285)."""
        moves, column = np.unique(np.minimum(number, last), return_inverse=True)
        games, row = np.unique(game, return_inverse=True)
        total, count = np.zeros((2, len(games), len(moves)))
        np.add.at(total, (row, column), np.square(results - values))
        np.add.at(count, (row, column), 1.0)
        return MoveErrors(moves.astype(np.int64), total, count)

    def by_move(self) -> Doubles:
        """MSE(j) [positions] of section IV.A, Figures 4 to 6."""
        return np.asarray(self.total.sum(0) / self.count.sum(0) / 2)

    def average(self) -> Estimate:
        """The mean of MSE(j) over j (Table 2); the interval is from resampled games."""
        drawn = self._resampled()
        return Estimate(float(self.by_move().mean()), *middle(drawn))

    def less(self, other: MoveErrors) -> Estimate:
        """This average less another's on the same positions; the same games are drawn for both."""
        value = float(self.by_move().mean() - other.by_move().mean())
        return Estimate(value, *middle(self._resampled() - other._resampled()))

    def _resampled(self) -> Doubles:
        """The average for games drawn with replacement, [RESAMPLES]; always the same draws."""
        weights = game_draws(len(self.total))
        total, count = weights @ self.total, weights @ self.count
        there = count > 0
        each = np.divide(total, count, out=np.zeros_like(total), where=there) / 2
        return np.asarray(each.sum(1) / there.sum(1))


def expected_margin(labels: Doubles, values: Doubles) -> Doubles:
    """The margin that v_k [n, labels] predict, [n] (section IV.C): k + 0.5, where v_k >= 0 and v_{k+1} < 0.

    Labels are a point apart. If v does not fall everywhere, k is as many labels up as there are values of 0 or more.
    Where no value is, or all are, it is half a point beyond the labels.
    """
    return np.asarray(labels[0] - 0.5 + (values >= 0).sum(1))


def d_predictions(expected: Doubles, margins: Doubles, d: int) -> Bools:
    """Whether each position d-predicts its game's margin (section IV.C): the distance is d or less."""
    return np.abs(expected - margins) <= d


class Scatter(NamedTuple):
    """Territory [n] by ownership against the win rate at a komi (section IV.F, Figures 9 and 10).

    `slope` (win rate a point) and `crossing` (territory at which the line has 50 %) are of the regressed line.
    """

    lower_right: float  # share of positions: more territory than komi, and a win rate below 50 %
    upper_left: float
    slope: float
    crossing: float
    correlation: float


def scatter(territory: Doubles, values: Doubles, komi: float) -> Scatter:
    """Of positions with territory [n], Black's points less White's, and v [n] at the komi."""
    slope, base = np.polyfit(territory, (values + 1) / 2, 1)
    return Scatter(
        lower_right=float(((territory > komi) & (values < 0)).mean()),
        upper_left=float(((territory < komi) & (values > 0)).mean()),
        slope=float(slope),
        crossing=float((0.5 - base) / slope) if slope else float("nan"),
        correlation=float(np.corrcoef(territory, values)[0, 1]),
    )


class Pairing(NamedTuple):
    """Mean steps of the win rate from one komi label to the next (Table 1), in win rate."""

    within: float  # of pairs, v_{2k-0.5} to v_{2k+0.5}: only a rare margin, 2k, lies between them
    between: float  # from a pair to the next


def pairing(labels: Doubles, values: Doubles, size: int) -> Pairing:
    """Of v_k [n, labels], labels a point apart. On boards of even area the rare margins are odd."""
    steps = -np.diff((values + 1) / 2, axis=1).mean(0)
    rare = is_rare(labels[:-1] + 0.5, size)
    return Pairing(float(steps[rare].mean()), float(steps[~rare].mean()))


def is_rare(margins: Doubles, size: int) -> Bools:
    """Whether a margin needs an odd number of neutral points: by area it is even on boards of odd area (III.A)."""
    return np.asarray((margins - size * size) % 2 != 0)


class Rises(NamedTuple):
    """How often v rises with komi, which it should not: shares of positions and of steps, and the greatest rise in
    win rate."""

    positions: float
    steps: float
    greatest: float


def rises(values: Doubles) -> Rises:
    """Of v_k [n, labels] in the order of the labels."""
    steps = np.diff((values + 1) / 2, axis=1)
    up = steps > 0
    return Rises(float(up.any(1).mean()), float(up.mean()), float(max(steps.max(), 0.0)))
