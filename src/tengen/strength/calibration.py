"""From what a model says to a rating with an honest interval.

The number is fitted to a scale by a line, as in Section 7.1 of the thesis. The interval is ours: its width grows
where held-out players were missed by more (few moves, an undecided model), and is then stretched until 80 % and
95 % of them lie inside (split conformal prediction).

A calibration belongs to one model on the features of one net, both named by their sha256, and to no other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.errors import InputError

Array = npt.NDArray[np.float64]
LEVELS = (0.80, 0.95)
FOLDS = 10
_TYPICAL_MOVES = 100.0  # of one player in one game: where the logarithms of numbers of moves are 0
_LEAST_MISS = 1e-6
_NORMAL_80 = 1.2815515655446004


class Interval(NamedTuple):
    low: float
    high: float

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float) and self.low <= value <= self.high


@dataclass(frozen=True)
class Calibration:
    """`slope` and `offset` of the line; `width` (3) of ln width = w0 + w1 ln(moves/100) + w2 ln spread.

    `factors` stretch the width to the levels of LEVELS. `temperature` (2) sharpens the chances of rank groups
    as moves come in: logits are multiplied by exp(t0 + t1 ln(moves/100)). `low` and `high` are the ends of what
    the players it was made from were rated, `most_moves` how many moves they were judged by at most (but for one in
    twenty): more are taken for as many, for nobody knows how much surer they make it.
    """

    model_sha256: str
    net_sha256: str
    scale: str
    slope: float
    offset: float
    width: tuple[float, float, float]
    factors: tuple[float, float]
    low: float
    high: float
    samples: int
    temperature: tuple[float, float] = (0.0, 0.0)
    most_moves: float = 1e9

    def check(self, model_sha256: str, net_sha256: str, net_name: str) -> None:
        """Raises InputError unless it is of this model and this net."""
        if self.model_sha256 != model_sha256:
            raise InputError("the calibration is of another strength model: calibrate this one again")
        if self.net_sha256 != net_sha256:
            raise InputError(
                f"the strength model was made for another net than {net_name} (sha256 {net_sha256[:12]}): what it "
                "says of that net's features means nothing"
            )

    def rating(self, raw: float) -> float:
        return self.slope * raw + self.offset

    def _width(self, moves: float, spread: float) -> float:
        counted = np.array([min(moves, self.most_moves)])
        return float(np.exp(_design(counted, np.array([spread])) @ np.array(self.width))[0])

    def intervals(self, rating: float, moves: int, spread: float) -> tuple[Interval, Interval]:
        """The 80 % and the 95 % interval; neither leaves the range that the model knows."""
        width = self._width(moves, spread)
        found = []
        for factor in self.factors:
            low, high = rating - factor * width, rating + factor * width
            found.append(Interval(max(low, min(self.low, rating)), min(high, max(self.high, rating))))
        return found[0], found[1]

    def deviation(self, moves: int, spread: float) -> float:
        """The standard deviation of a normal distribution whose middle 80 % is the 80 % interval."""
        return self.factors[0] * self._width(moves, spread) / _NORMAL_80

    @staticmethod
    def from_table(table: dict[str, Any], source: str) -> Calibration:
        try:
            pairs = {key: tuple(float(n) for n in table[key]) for key in ("width", "factors", "temperature")}
            made = Calibration(**(table | pairs))
            numbers = (
                made.slope,
                made.offset,
                made.low,
                made.high,
                made.most_moves,
                *made.width,
                *made.factors,
                *made.temperature,
            )
            if not all(math.isfinite(n) for n in numbers) or [len(p) for p in pairs.values()] != [3, 2, 2]:
                raise ValueError("a number is missing")
        except (TypeError, ValueError, KeyError) as error:
            raise InputError(f"{source}: not a calibration: {error}") from None
        return made


def fit_line(raw: Array, truth: Array) -> tuple[float, float]:
    """Slope and offset of least squares (Section 7.1).

    >>> fit_line(np.array([0.0, 1.0, 2.0]), np.array([5.0, 7.0, 9.0]))
    (2.0, 5.0)
    """
    centred = raw - raw.mean()
    square = float(centred @ centred)
    if square == 0:
        raise InputError("all raw outputs are the same: no line can be fitted to them")
    slope = float(centred @ (truth - truth.mean())) / square
    return slope, float(truth.mean()) - slope * float(raw.mean())


def _design(moves: Array, spread: Array) -> Array:
    known = np.maximum(spread, 1e-3)
    return np.stack(
        [np.ones(len(moves)), np.log(np.maximum(moves, 1) / _TYPICAL_MOVES), np.log(known)], axis=1
    )


def fit_width(miss: Array, moves: Array, spread: Array) -> tuple[float, float, float]:
    """How far estimates miss, by moves and spread: the likeliest widths if misses are two-sided exponential.

    More moves never make it wider, nor more spread narrower. What is the same for all counts for nothing.
    """
    design = _design(moves, spread)
    use = [0] + [i for i in (1, 2) if np.ptp(design[:, i]) > 1e-6]
    while True:
        weights = np.zeros(3)
        weights[use] = _likeliest(np.abs(miss), design[:, use])
        wrong = {1} & set(use) if weights[1] > 0 else {2} & set(use) if weights[2] < 0 else set()
        if not wrong:
            return float(weights[0]), float(weights[1]), float(weights[2])
        use = [i for i in use if i not in wrong]


def _likeliest(distance: Array, design: Array) -> Array:
    """Weights of ln width that maximise the likelihood of the distances, by Fisher scoring."""
    weights = np.zeros(design.shape[1])
    weights[0] = np.log(max(float(distance.mean()), _LEAST_MISS))
    # A little ridge on the slopes: few players must not make a steep line.
    ridge = 1e-3 * len(distance) * np.diag([0.0] + [1.0] * (design.shape[1] - 1))
    for _ in range(100):
        surprise = np.minimum(distance / np.exp(design @ weights), 10.0) - 1.0
        step = np.linalg.solve(design.T @ design + ridge, design.T @ surprise - ridge @ weights)
        weights = weights + np.clip(step, -1.0, 1.0)
        if np.abs(step).max() < 1e-6:
            break
    return weights


def conformal_factor(miss: Array, width: Array, level: float) -> float:
    """The factor of the width that holds `level` of the misses, with the finite-sample correction.

    >>> conformal_factor(np.arange(1.0, 10.0), np.ones(9), 0.8)
    8.0
    """
    scores = np.sort(np.abs(miss) / width)
    return float(scores[min(math.ceil((len(scores) + 1) * level) - 1, len(scores) - 1)])


def most_moves_of(moves: Array) -> float:
    """What all but one in twenty of the samples have at most."""
    return float(np.quantile(moves, 0.95))


def fit_temperature(logits: Array, moves: Array, group: npt.NDArray[np.int64]) -> tuple[float, float]:
    """The two numbers of `Calibration.temperature` that make the groups that were likeliest."""
    at = np.arange(len(group))

    def cost(t0: float, t1: float) -> float:
        z = logits * sharpening(moves, (t0, t1))[:, None]
        z = z - z.max(1, keepdims=True)
        return float(np.mean(np.log(np.exp(z).sum(1)) - z[at, group]) + 1e-3 * (t0**2 + t1**2))

    best = (0.0, 0.0)
    for step in (0.4, 0.1, 0.025):
        around = [step * k for k in range(-4, 5)]
        choices = [(best[0] + a, best[1] + b) for a in around for b in around]
        best = min(choices, key=lambda pair: cost(*pair))
    return best


def sharpening(moves: Array, temperature: tuple[float, float]) -> Array:
    """What logits from so many moves are multiplied by (n)."""
    return np.asarray(np.exp(temperature[0] + temperature[1] * np.log(np.maximum(moves, 1) / _TYPICAL_MOVES)))


def tempered(logits: Array, moves: Array, temperature: tuple[float, float]) -> Array:
    """Chances of rank groups (n, groups)."""
    z = logits * sharpening(moves, temperature)[:, None]
    z = np.exp(z - z.max(1, keepdims=True))
    return np.asarray(z / z.sum(1, keepdims=True))


def fit_calibration(
    raw: Array,
    truth: Array,
    moves: Array,
    spread: Array,
    *,
    model_sha256: str,
    net_sha256: str,
    scale: str,
    temperature: tuple[float, float] = (0.0, 0.0),
    line: tuple[float, float] | None = None,
    player: npt.NDArray[np.int64] | None = None,
) -> Calibration:
    """From samples whose true rating is known (n each); `line` if slope and offset are given already.

    The factors come from misses that line and width were not fitted to: those of one fold of the players (`player`
    (n) numbers them; every sample its own if None) by a fit to the others.
    """
    if len(raw) < 20:
        raise InputError(f"a calibration needs at least 20 samples, and here are {len(raw)}")
    fold = (np.arange(len(raw)) if player is None else player) % FOLDS

    def fit(kept: npt.NDArray[np.bool_]) -> tuple[tuple[float, float], tuple[float, float, float]]:
        slope, offset = line or fit_line(raw[kept], truth[kept])
        miss = truth[kept] - (slope * raw[kept] + offset)
        return (slope, offset), fit_width(miss, moves[kept], spread[kept])

    miss, width = np.zeros(len(raw)), np.ones(len(raw))
    for k in np.unique(fold):
        out = fold == k
        (slope, offset), weights = fit(~out)
        miss[out] = truth[out] - (slope * raw[out] + offset)
        width[out] = np.exp(_design(moves[out], spread[out]) @ np.array(weights))
    first, second = (conformal_factor(miss, width, level) for level in LEVELS)
    (slope, offset), weights = fit(np.ones(len(raw), dtype=np.bool_))
    return Calibration(
        model_sha256,
        net_sha256,
        scale,
        slope,
        offset,
        weights,
        (first, second),
        float(truth.min()),
        float(truth.max()),
        len(raw),
        temperature,
        most_moves_of(moves),
    )


def coverage(
    calibration: Calibration, raw: Array, truth: Array, moves: Array, spread: Array
) -> tuple[float, float]:
    """The shares of true ratings inside the 80 % and the 95 % interval."""
    inside = np.zeros(2)
    for x, y, n, s in zip(raw.tolist(), truth.tolist(), moves.tolist(), spread.tolist(), strict=True):
        both = calibration.intervals(calibration.rating(x), n, s)
        inside += [y in interval for interval in both]
    return float(inside[0] / len(raw)), float(inside[1] / len(raw))
