"""The simplest models, solved directly: ridge regression of the rating or rank on the mean move.

For ratings that predict games this is sufficient: Bradley-Terry needs the expected rating. For ranks, a regression
from few moves shrinks to the middle, however many games of a player are given later. So the slope of the regression
against the true rank is measured on players outside of the fit, and divided out. The result is an unbiased, noisy
measurement x of the rank. With variance v, the group with middle c has the logit (c x - c^2 / 2) / v, linear in x.
The calibration determines how the logits sharpen with more moves. Both models are `MeanPooled` without depth. Needs
torch.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from tengen.errors import InputError
from tengen.strength.groups import CENTRES
from tengen.strength.objectives import GameObjective
from tengen.strength.ranks import RankedMoves
from tengen.strength.scaling import Scaling
from tengen.strength.set_transformer import MeanPooled

Array = npt.NDArray[np.float64]
FOLDS = 8
PENALTIES = tuple(10.0**k for k in np.arange(-3.0, 1.01, 0.25))  # times the number of samples


class Fit(NamedTuple):
    """The unbiased measurement `weights @ x + offset` from mean moves x, its variance, and the best penalty."""

    weights: Array
    offset: float
    variance: float
    penalty: float


def solve(x: Array, y: Array, weight: Array, penalty: float) -> tuple[Array, float]:
    """Weighted ridge regression of y (n) on x (n, d), without a penalty on the offset."""
    total = weight.sum()
    x_mean, y_mean = weight @ x / total, float(weight @ y / total)
    centred = x - x_mean
    gram = (centred * weight[:, None]).T @ centred + penalty * total * np.eye(x.shape[1])
    w = np.linalg.solve(gram, (centred * weight[:, None]).T @ (y - y_mean))
    return w, y_mean - float(w @ x_mean)


def fit(x: Array, y: Array, weight: Array, fold: npt.NDArray[np.int64]) -> Fit:
    """Chooses the penalty and measures the shrinkage by cross-validation."""
    penalty, held = _best_penalty(x, y, weight, fold)
    y_mean, held_mean = float(weight @ y / weight.sum()), float(weight @ held / weight.sum())
    answer = float(weight @ ((held - held_mean) * (y - y_mean)) / (weight @ (y - y_mean) ** 2))
    if answer <= 0.01:
        raise InputError("the features do not depend on the rank: more games are needed")
    reading = (held - held_mean) / answer + y_mean
    variance = float(weight @ (reading - y) ** 2 / weight.sum())
    w, b = solve(x, y, weight, penalty)
    return Fit(w / answer, (b - held_mean) / answer + y_mean, variance, penalty)


def _best_penalty(x: Array, y: Array, weight: Array, fold: npt.NDArray[np.int64]) -> tuple[float, Array]:
    """The penalty with the best cross-validated predictions, and these predictions (n)."""
    best: tuple[float, float, Array] | None = None
    for penalty in PENALTIES:
        held = np.zeros(len(y))
        for k in np.unique(fold):
            w, b = solve(x[fold != k], y[fold != k], weight[fold != k], penalty)
            held[fold == k] = x[fold == k] @ w + b
        error = float(weight @ (held - y) ** 2)
        if best is None or error < best[0]:
            best = error, penalty, held
    assert best is not None
    return best[1:]


def fit_ratings(objective: GameObjective, net: MeanPooled) -> float:
    """Fits a linear `net` to the labels of T's players, one sample a game; returns the best penalty."""
    scaling = Scaling(net.centre.numpy(), net.scaling.numpy())
    x, y, fold = [], [], []
    for game in objective.training.tolist():
        for side in (0, 1):
            rows = objective.windows.window(2 * game + side)[: objective.recipe.data.window]
            if len(rows):
                x.append(scaling.of(objective.windows.features[rows].mean(axis=0, dtype=np.float64)))
                y.append(float(objective.labels[game, side]))
                fold.append(int(objective.draft.results.sides[objective.games[game], side]) % FOLDS)
    if len(x) < 4 * FOLDS:
        raise InputError(f"{len(x)} windows are too few for a ridge regression")
    samples, labels, weight = np.array(x), np.array(y), np.ones(len(x))
    penalty, _ = _best_penalty(samples, labels, weight, np.array(fold))
    w, b = solve(samples, labels, weight, penalty)
    assert isinstance(net.leave, nn.Linear)
    with torch.no_grad():
        net.leave.weight.copy_(torch.from_numpy(w[None]))
        net.leave.bias.fill_(b)
    return penalty


def fit_ranks(ranked: RankedMoves, training: list[int], net: MeanPooled) -> Fit:
    """Fits a linear `net` to the training players, one sample a game; every group has the same weight."""
    scaling = Scaling(net.centre.numpy(), net.scaling.numpy())
    x, group, fold = [], [], []
    for number, p in enumerate(training):
        for window in ranked.windows_of[p]:
            rows = ranked.moves(np.array([window]))
            if len(rows):
                x.append(scaling.of(ranked.windows.features[rows].mean(axis=0, dtype=np.float64)))
                group.append(ranked.players[p].group)
                fold.append(number % FOLDS)
    if len(x) < 4 * FOLDS:
        raise InputError(f"{len(x)} games are too few for a ridge regression")
    groups = np.array(group)
    found = fit(np.array(x), CENTRES[groups], 1.0 / np.bincount(groups)[groups], np.array(fold))
    middle = CENTRES.mean()
    c = CENTRES - middle
    assert isinstance(net.leave, nn.Linear)
    with torch.no_grad():
        net.leave.weight.copy_(torch.from_numpy(c[:, None] * found.weights / found.variance))
        net.leave.bias.copy_(torch.from_numpy((c * (found.offset - middle) - c**2 / 2) / found.variance))
    return found
