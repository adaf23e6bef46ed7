"""Calibration: from a model's output to a rating with an interval.

A line maps the output to a scale, as in Section 7.1 of the thesis. The interval is ours. Its width is fitted to the
errors on held-out players: it is larger for few moves and for a wide distribution over rank groups. Then it is
stretched until 80 % and 95 % of these players lie inside (split conformal prediction). For ranks, samples of few and
of many moves have the same total weight, so that the interval holds for both. Samples of games are not weighted: short
windows are too rare to weigh more.

A calibration belongs to one model on the features of one net, both identified by their sha256.
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
_TYPICAL_MOVES = 100.0  # of one player in one game; ln(n / this) is used in the formulas
_LEAST_MISS = 1e-6
_FEW = 30
ENOUGH = (100.0, 200.0, 400.0, 800.0, 1600.0, 1e9)  # the values tried for Evidence.enough
_NORMAL_80 = 1.2815515655446004


class Interval(NamedTuple):
    low: float
    high: float

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float) and self.low <= value <= self.high


class Evidence(NamedTuple):
    """The temperature by number of moves: logits of rank groups are multiplied by exp(t0 + t1 ln(n/100)).

    n = moves / (1 + moves / enough) is the effective number of moves. Further moves count less and less, because a
    player can be better or worse than the rank. Moves beyond `most`, the largest number among the players of the
    fit, do not count.
    """

    t0: float = 0.0
    t1: float = 0.0
    enough: float = 1e9
    most: float = 1e9

    def counted(self, moves: Array) -> Array:
        known = np.minimum(moves, self.most)
        return np.asarray(known / (1 + known / self.enough))

    def sharpening(self, moves: Array) -> Array:
        """The factors of logits from `moves` moves (n)."""
        return np.asarray(
            np.exp(self.t0 + self.t1 * np.log(np.maximum(self.counted(moves), 1) / _TYPICAL_MOVES))
        )

    def chances(self, logits: Array, moves: Array) -> Array:
        """Probabilities of the rank groups (n, groups)."""
        z = logits * self.sharpening(moves)[:, None]
        z = np.exp(z - z.max(1, keepdims=True))
        return np.asarray(z / z.sum(1, keepdims=True))


@dataclass(frozen=True)
class Calibration:
    """`slope` and `offset` of the line; `width` (3) of ln width = w0 + w1 ln(n/100) + w2 ln spread.

    n is the effective number of moves by the `evidence`. `factors` stretch the width to the levels of LEVELS. `low`
    and `high` are the lowest and highest rating of the players of the fit.
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
    evidence: Evidence

    def check(self, model_sha256: str, net_sha256: str, net_name: str) -> None:
        """Raises InputError unless the calibration belongs to this model and this net."""
        if self.model_sha256 != model_sha256:
            raise InputError("the calibration belongs to another strength model: calibrate this one again")
        if self.net_sha256 != net_sha256:
            raise InputError(
                f"the strength model was made for another net than {net_name} (sha256 {net_sha256[:12]}): its output "
                "for that net's features means nothing"
            )

    def rating(self, raw: float) -> float:
        return self.slope * raw + self.offset

    def _width(self, moves: float, spread: float) -> float:
        counted = self.evidence.counted(np.array([moves]))
        return float(np.exp(_design(counted, np.array([spread])) @ np.array(self.width))[0])

    def intervals(self, rating: float, moves: int, spread: float) -> tuple[Interval, Interval]:
        """The 80 % and the 95 % interval, both within `low` and `high`."""
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
            lists = {key: tuple(float(n) for n in table[key]) for key in ("width", "factors", "evidence")}
            if [len(each) for each in lists.values()] != [3, 2, 4]:
                raise ValueError("a number is missing")
            made = Calibration(**(table | lists | {"evidence": Evidence(*lists["evidence"])}))
            ends = (made.slope, made.offset, made.low, made.high)
            if not all(math.isfinite(n) for n in (*ends, *(n for each in lists.values() for n in each))):
                raise ValueError("a number is not finite")
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


def balance(moves: Array) -> Array:
    """Weights (n), 1 on average, such that each doubling of the number of moves has the same total weight.

    >>> balance(np.array([100.0, 110.0, 120.0, 1000.0]))
    array([0.66666667, 0.66666667, 0.66666667, 2.        ])
    """
    _, kind, count = np.unique(np.log2(np.maximum(moves, 1)).round(), return_inverse=True, return_counts=True)
    return np.asarray(len(moves) / (len(count) * count[kind]))


def _design(moves: Array, spread: Array) -> Array:
    known = np.maximum(spread, 1e-3)
    return np.stack(
        [np.ones(len(moves)), np.log(np.maximum(moves, 1) / _TYPICAL_MOVES), np.log(known)], axis=1
    )


def fit_width(miss: Array, moves: Array, spread: Array, weight: Array) -> tuple[float, float, float]:
    """The width by moves and spread: maximum likelihood under a two-sided exponential distribution of errors.

    More moves never make it wider, and more spread never narrower. A column that is constant has no weight.
    """
    design = _design(moves, spread)
    use = [0] + [i for i in (1, 2) if np.ptp(design[:, i]) > 1e-6]
    while True:
        weights = np.zeros(3)
        weights[use] = _likeliest(np.abs(miss), design[:, use], weight)
        wrong = {1} & set(use) if weights[1] > 0 else {2} & set(use) if weights[2] < 0 else set()
        if not wrong:
            return float(weights[0]), float(weights[1]), float(weights[2])
        use = [i for i in use if i not in wrong]


def _likeliest(distance: Array, design: Array, weight: Array) -> Array:
    """Weights of ln width that maximise the likelihood of the distances, by Fisher scoring."""
    weights = np.zeros(design.shape[1])
    weights[0] = np.log(max(float(np.average(distance, weights=weight)), _LEAST_MISS))
    counted = design.T * weight
    # A small ridge penalty on the slopes: few players must not cause a steep line.
    ridge = 1e-3 * len(distance) * np.diag([0.0] + [1.0] * (design.shape[1] - 1))
    for _ in range(100):
        surprise = np.minimum(distance / np.exp(design @ weights), 10.0) - 1.0
        step = np.linalg.solve(counted @ design + ridge, counted @ surprise - ridge @ weights)
        weights = weights + np.clip(step, -1.0, 1.0)
        if np.abs(step).max() < 1e-6:
            break
    return weights


def conformal_factor(miss: Array, width: Array, level: float, weight: Array | None = None) -> float:
    """The factor of the width that covers `level` of the errors, with the finite-sample correction.

    >>> conformal_factor(np.arange(1.0, 10.0), np.ones(9), 0.8)
    8.0
    """
    scores = np.abs(miss) / width
    order = np.argsort(scores)
    inside = np.cumsum(np.ones(len(scores)) if weight is None else weight[order])
    at = int(np.searchsorted(inside, level * (len(scores) + 1) - 1e-9))
    return float(scores[order[min(at, len(scores) - 1)]])


def most_moves_of(moves: Array) -> float:
    """The number of moves that at least thirty of the samples have; fewer samples are too few to fit."""
    return float(np.sort(moves)[-min(len(moves), _FEW)])


def fit_evidence(logits: Array, moves: Array, group: npt.NDArray[np.int64]) -> Evidence:
    """The maximum-likelihood evidence for the groups; few and many moves have the same total weight."""
    at, weight, most = np.arange(len(group)), balance(moves), most_moves_of(moves)

    def cost(found: Evidence) -> float:
        z = logits * found.sharpening(moves)[:, None]
        z = z - z.max(1, keepdims=True)
        surprise = np.average(np.log(np.exp(z).sum(1)) - z[at, group], weights=weight)
        return float(surprise + 1e-3 * (found.t0**2 + found.t1**2))

    def best_with(enough: float) -> Evidence:
        best = Evidence(0.0, 0.0, enough, most)
        for step in (0.4, 0.1, 0.025):
            around = [step * k for k in range(-4, 5)]
            choices = [best._replace(t0=best.t0 + a, t1=best.t1 + b) for a in around for b in around]
            best = min(choices, key=cost)
        return best

    return min((best_with(enough) for enough in ENOUGH), key=cost)


def fit_calibration(
    raw: Array,
    truth: Array,
    moves: Array,
    spread: Array,
    *,
    model_sha256: str,
    net_sha256: str,
    scale: str,
    evidence: Evidence | None = None,
    line: tuple[float, float] | None = None,
    balanced: bool = True,
    player: npt.NDArray[np.int64] | None = None,
) -> Calibration:
    """A calibration from samples with known ratings (n each); `line` if slope and offset are given.

    If `balanced`, each number of moves has the same total weight; this needs many samples of each. The factors come
    from cross-validation over players: the errors of each fold under line and width fitted to the other folds.
    `player` (n) numbers the players; if None, each sample is its own player.
    """
    if len(raw) < 20:
        raise InputError(f"a calibration needs at least 20 samples; there are {len(raw)}")
    fold = (np.arange(len(raw)) if player is None else player) % FOLDS
    evidence = evidence or Evidence(most=most_moves_of(moves))
    weight = balance(moves) if balanced else np.ones(len(raw))
    counted = evidence.counted(moves)

    def fit(kept: npt.NDArray[np.bool_]) -> tuple[tuple[float, float], tuple[float, float, float]]:
        slope, offset = line or fit_line(raw[kept], truth[kept])
        miss = truth[kept] - (slope * raw[kept] + offset)
        return (slope, offset), fit_width(miss, counted[kept], spread[kept], weight[kept])

    miss, width = np.zeros(len(raw)), np.ones(len(raw))
    for k in np.unique(fold):
        out = fold == k
        (slope, offset), weights = fit(~out)
        miss[out] = truth[out] - (slope * raw[out] + offset)
        width[out] = np.exp(_design(counted[out], spread[out]) @ np.array(weights))
    first, second = (conformal_factor(miss, width, level, weight) for level in LEVELS)
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
        evidence,
    )


def inside(
    calibration: Calibration, raw: Array, truth: Array, moves: Array, spread: Array
) -> npt.NDArray[np.bool_]:
    """Whether each true rating lies in the 80 % and in the 95 % interval (n, 2)."""
    found = np.zeros((len(raw), 2), dtype=np.bool_)
    for i, (x, y, n, s) in enumerate(
        zip(raw.tolist(), truth.tolist(), moves.tolist(), spread.tolist(), strict=True)
    ):
        found[i] = [y in interval for interval in calibration.intervals(calibration.rating(x), n, s)]
    return found


def coverage(
    calibration: Calibration, raw: Array, truth: Array, moves: Array, spread: Array
) -> tuple[float, float]:
    """The shares of true ratings inside the 80 % and the 95 % interval."""
    first, second = inside(calibration, raw, truth, moves, spread).mean(axis=0).tolist()
    return first, second
