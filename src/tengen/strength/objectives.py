"""The objectives of strength models: to predict the games of a draft, or the ranks of players. Needs torch.

Both draw the batch of a step from the step's own random numbers, so that a run that was stopped goes on with the same
batches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from tengen.ratings.metrics import accuracy, log_likelihood
from tengen.strength.calibration import Evidence
from tengen.strength.draft import Draft
from tengen.strength.groups import CENTRES, GROUPS
from tengen.strength.losses import game_losses, rank_loss, regularisation, score_slope
from tengen.strength.ranks import RankedMoves, balanced_choice, packs
from tengen.strength.recipe import StrengthRecipe
from tengen.strength.set_transformer import SetModel
from tengen.strength.windows import Floats, Mask, Rows, Windows, pad

RATING_BINS = 20
FEW_SAMPLES = 3 * len(GROUPS)
# Ranks: a share of the sets is shortened, so that the model is also trained on few moves.
SHORT_SHARE, SHORTEST = 0.25, 5
# Ranks, ordered: the variance of a mean of n measurements is that of one divided by n, plus that of the players.
READINGS = Evidence(t1=1.0, enough=400.0)


class Objective(Protocol):
    """A loss for training, and figures on V; `score` among them decides when to stop: the higher the better."""

    LOSSES: ClassVar[tuple[str, ...]]  # the names that `loss` gives
    FIGURES: ClassVar[tuple[str, ...]]  # the names that `validate` gives

    @property
    def inputs(self) -> int: ...
    @property
    def outputs(self) -> int: ...

    @property
    def features(self) -> Rows:
        """All inputs (moves, inputs)."""
        ...

    def loss(self, net: SetModel, rng: np.random.Generator) -> dict[str, Tensor]:
        """The training loss of a random batch as `total`, and its parts."""
        ...

    def validate(self, net: SetModel) -> dict[str, float]: ...


def as_tensors(x: Floats, mask: Mask) -> tuple[Tensor, Tensor]:
    return torch.from_numpy(x), torch.from_numpy(mask)


def outputs_of(
    net: SetModel, windows: Windows, which: npt.NDArray[np.int64], most: int, batch: int = 32
) -> npt.NDArray[np.float32]:
    """The net's outputs for windows (n, outputs); windows of similar size share a batch."""
    order = which[np.argsort(windows.sizes[which], kind="stable")]
    found = np.zeros((len(windows), net(*as_tensors(*windows.batch(which[:1]))).shape[1]), np.float32)
    with torch.inference_mode():
        for first in range(0, len(order), batch):
            some = order[first : first + batch]
            found[some] = net(*as_tensors(*windows.batch(some, most))).numpy()
    return found[which]


@dataclass(eq=False)
class GameObjective:
    """The thesis' task: ratings that predict the draft's games (Section 4.7).

    `games` are the games of the windows, two windows for each game. The net's only output is the normalised rating.
    """

    LOSSES: ClassVar[tuple[str, ...]] = ("total", "score", "rating", "regularisation")
    FIGURES: ClassVar[tuple[str, ...]] = ("score", "log_likelihood", "accuracy", "rating_error")

    recipe: StrengthRecipe
    draft: Draft
    games: npt.NDArray[np.int64]
    windows: Windows

    def __post_init__(self) -> None:
        self.gamma = score_slope(self.draft.deviation)
        self.labels = self.draft.normalised()[self.games].astype(np.float32)
        self.scores = self.draft.results.score[self.games].astype(np.float32)
        sets = self.draft.sets[self.games]
        self.training = np.flatnonzero(sets == "T")
        self.validation = np.flatnonzero(sets == "V")
        middle = self.labels[self.training].mean(1)
        ends = (middle.min(), middle.max() + 1e-6) if len(middle) else (0.0, 1.0)
        bins = ((middle - ends[0]) / (ends[1] - ends[0]) * RATING_BINS).astype(np.int64)
        self.bins = bins  # bin of the mean label of each training game, for balanced sampling over the range

    @property
    def inputs(self) -> int:
        return int(self.windows.features.shape[1])

    @property
    def outputs(self) -> int:
        return 1

    @property
    def features(self) -> Rows:
        return self.windows.features

    def ratings(self, net: SetModel, games: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """Normalised ratings (n, 2) of both players before each game, from windows of the recipe's size."""
        both = np.stack([2 * games, 2 * games + 1], axis=1).ravel()
        return outputs_of(net, self.windows, both, self.recipe.data.window).reshape(-1, 2)

    def loss(self, net: SetModel, rng: np.random.Generator) -> dict[str, Tensor]:
        if self.recipe.data.balanced:
            games = self.training[balanced_choice(self.bins, rng, self.recipe.optimiser.batch)]
        else:
            games = rng.choice(self.training, size=self.recipe.optimiser.batch)
        both = np.stack([2 * games, 2 * games + 1], axis=1).ravel()
        x, mask = as_tensors(*self.windows.batch(both, self.recipe.data.window))
        ratings = net(x, mask).reshape(-1, 2)
        labels, score = torch.from_numpy(self.labels[games]), torch.from_numpy(self.scores[games])
        losses = game_losses(ratings, labels, score, self.gamma)
        theta = regularisation(net)
        total = losses.training(theta, self.recipe.losses.tau_r, self.recipe.losses.tau_theta)
        rating = (losses.black + losses.white) / 2
        return {"total": total, "score": losses.score, "rating": rating, "regularisation": theta}

    def validate(self, net: SetModel) -> dict[str, float]:
        ratings = self.ratings(net, self.validation).astype(np.float64)
        prediction = 1 / (1 + np.exp(-self.gamma * (ratings[:, 0] - ratings[:, 1])))
        score = self.scores[self.validation].astype(np.float64)
        likelihood = log_likelihood(score, prediction)
        error = float(np.mean((ratings - self.labels[self.validation]) ** 2))
        return {
            "score": likelihood,
            "log_likelihood": likelihood,
            "accuracy": accuracy(score, prediction),
            "rating_error": error,
        }


@dataclass(eq=False)
class RankObjective:
    """Our task: the rank group of a player from 1 to `most_games` games; every group is drawn equally often."""

    LOSSES: ClassVar[tuple[str, ...]] = ("total", "cross_entropy", "regularisation")
    FIGURES: ClassVar[tuple[str, ...]] = ("score", "log_likelihood", "exact", "error_in_ranks")

    recipe: StrengthRecipe
    ranked: RankedMoves

    def __post_init__(self) -> None:
        self.training = self.ranked.part("T")
        self.groups = np.array([self.ranked.players[i].group for i in self.training], dtype=np.int64)

    @property
    def inputs(self) -> int:
        return int(self.ranked.windows.features.shape[1])

    @property
    def outputs(self) -> int:
        return len(GROUPS)

    @property
    def features(self) -> Rows:
        return self.ranked.windows.features

    def loss(self, net: SetModel, rng: np.random.Generator) -> dict[str, Tensor]:
        chosen = balanced_choice(self.groups, rng, self.recipe.optimiser.batch)
        sets = []
        for i in chosen:
            own = self.ranked.windows_of[self.training[i]]
            most = min(self.recipe.data.most_games, len(own))
            count = int(np.floor(np.exp(rng.uniform(0, np.log(most + 1)))))
            rows = rng.permutation(self.ranked.moves(rng.choice(own, size=count, replace=False)))
            rows = rows[: self.recipe.data.window]
            if rng.random() < SHORT_SHARE:
                least = min(SHORTEST, len(rows))
                rows = rows[: int(np.exp(rng.uniform(np.log(least), np.log(len(rows) + 1))))]
            sets.append(self.ranked.windows.features[rows])
        logits = net(*as_tensors(*pad(sets, self.inputs)))
        if self.recipe.model.ordered:
            # The ordered layer's number does not say how many moves it is from: its precision is set here.
            worth = READINGS.sharpening(np.array([len(rows) for rows in sets], dtype=np.float64))
            logits = logits * torch.from_numpy(worth[:, None]).float()
        entropy = rank_loss(logits, torch.from_numpy(self.groups[chosen]), self.recipe.losses.smoothing)
        theta = regularisation(net)
        return {
            "total": entropy + self.recipe.losses.tau_theta * theta,
            "cross_entropy": entropy,
            "regularisation": theta,
        }

    def validate(self, net: SetModel) -> dict[str, float]:
        """Means over 1, 5 and 20 games with equal weights; a number with few samples is left out.

        The scale of the logits has no effect on the score, because the calibration sets it.
        """
        figures: list[tuple[float, float, float]] = []
        for count in (1, 5, 20):
            z, g = rank_logits(net, self.ranked, "V", count)
            # else one player would weigh as much as all single games
            if not len(g) or (figures and len(g) < FEW_SAMPLES):
                continue
            log_p = as_sure_as_best(z, g)
            error = np.abs(np.exp(log_p) @ CENTRES - CENTRES[g])
            likelihood = log_p[np.arange(len(g)), g]
            figures.append((likelihood.mean(), (z.argmax(1) == g).mean(), error.mean()))
        likelihood, exact, error = np.mean(figures, axis=0).tolist()
        return {"score": likelihood, "log_likelihood": likelihood, "exact": exact, "error_in_ranks": error}


def log_softmax(logits: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    z = logits.astype(np.float64)
    z -= z.max(-1, keepdims=True)
    return np.asarray(z - np.log(np.exp(z).sum(-1, keepdims=True)))


def as_sure_as_best(
    logits: npt.NDArray[np.floating], group: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Log-probabilities (n, groups) from logits times the factor of maximum likelihood for the groups (n)."""
    tried = (log_softmax(factor * logits) for factor in np.exp(np.arange(-1.5, 2.01, 0.1)))
    return max(tried, key=lambda log_p: float(log_p[np.arange(len(group)), group].mean()))


def rank_logits(
    net: SetModel, ranked: RankedMoves, part: str, count: int, most: int = 2500
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """Logits (n, groups) and groups (n) of the players of a part, from every run of `count` of their games."""
    sets, groups = [], []
    for p in ranked.part(part):
        for pack in packs(ranked.windows_of[p], count):
            sets.append(ranked.moves(pack[::-1])[:most])
            groups.append(ranked.players[p].group)
    if not sets:
        return np.zeros((0, len(GROUPS)), np.float32), np.zeros(0, np.int64)
    windows = Windows.of(ranked.windows.features, sets)
    return outputs_of(net, windows, np.arange(len(sets)), most), np.array(groups, dtype=np.int64)
