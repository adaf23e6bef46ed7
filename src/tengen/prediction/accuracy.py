"""How well a net predicts the moves of a pool: top-n accuracy and cross-entropy, by phase. No torch."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.progress import Progress, Report, silent
from tengen.training.data import TEST_SEED, Batch, Examples, Ints
from tengen.training.permutation import shuffled

# The inputs of n examples to probabilities [n, size*size], or [n, size*size + 1] with pass last.
Predict = Callable[[Batch], npt.NDArray[np.float32]]

# Moves played before, and what the part of the game is called.
PHASES = (("moves 1-60", 0, 60), ("moves 61-150", 60, 150), ("moves 151-", 150, 100_000))


def interval(share: float, count: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's 95 % interval of a share seen in `count` trials.

    >>> low, high = interval(0.5, 10_000)
    >>> round(low, 4), round(high, 4)
    (0.4902, 0.5098)
    """
    if not count:
        return 0.0, 1.0
    centre = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + (z / (2 * count)) ** 2)
    return centre - half, centre + half


@dataclass
class Figures:
    """Ranks (1: the move was the net's first) and probabilities of the moves that were played."""

    ranks: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    probabilities: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    numbers: Ints = field(default_factory=lambda: np.zeros(0, np.int64))  # moves played before

    def __len__(self) -> int:
        return len(self.ranks)

    def top(self, n: int) -> float:
        """The share of moves among the net's first n."""
        return float((self.ranks <= n).mean()) if len(self) else math.nan

    @property
    def cross_entropy(self) -> float:
        """In nats."""
        return float(-np.log(np.maximum(self.probabilities, 1e-12)).mean()) if len(self) else math.nan

    def phase(self, begin: int, end: int) -> Figures:
        inside = (self.numbers >= begin) & (self.numbers < end)
        return Figures(self.ranks[inside], self.probabilities[inside], self.numbers[inside])

    def by_phase(self) -> dict[str, Figures]:
        """All positions, and those of each part of the game that has any."""
        parts = {"all": self} | {name: self.phase(begin, end) for name, begin, end in PHASES}
        return {name: part for name, part in parts.items() if len(part)}

    def to_json(self, top: int = 3) -> dict[str, Any]:
        """By phase: positions, the shares among the net's first 1, 2, ... `top` moves with intervals, and nats."""
        return {name: part._row(top) for name, part in self.by_phase().items()}

    def _row(self, top: int) -> dict[str, Any]:
        shares = [self.top(n) for n in range(1, top + 1)]
        return {
            "positions": len(self),
            "top": shares,
            "top_interval": [interval(share, len(self)) for share in shares],
            "cross_entropy": self.cross_entropy,
        }

    def add(self, probabilities: npt.NDArray[np.float32], target: Ints, numbers: Ints) -> None:
        played = probabilities[np.arange(len(target)), target]
        # Of equal probabilities the first point comes first, as argmax has it.
        before = np.arange(probabilities.shape[1]) < target[:, None]
        equal = (probabilities == played[:, None]) & before
        ranks = ((probabilities > played[:, None]) | equal).sum(1) + 1
        self.ranks = np.concatenate([self.ranks, ranks])
        self.probabilities = np.concatenate([self.probabilities, played.astype(np.float64)])
        self.numbers = np.concatenate([self.numbers, numbers])


def bagged(predict: Predict, examples: Examples, positions: Ints) -> npt.NDArray[np.float32]:
    """The mean over the eight symmetries, each turned back (section 3.3 of the Golois paper sums them)."""
    total: npt.NDArray[np.float32] | None = None
    for symmetry in range(8):
        batch = examples.at(positions, np.full(len(positions), symmetry))
        seen = predict(batch)
        back = seen[:, examples.carried[symmetry][: seen.shape[1]]]
        total = back if total is None else total + back
    assert total is not None
    return total / np.float32(8)


def measure(
    predict: Predict,
    examples: Examples,
    positions: int = 100_000,
    bagging: bool = False,
    batch: int = 250,
    seed: int = TEST_SEED,
    progress: Report = silent,
) -> Figures:
    """Figures on `positions` positions of the examples, drawn with the seed, not mirrored.

    The same positions as a training run's test with as many of them.
    """
    count = min(positions, len(examples))
    figures = Figures()
    for first in range(0, count, batch):
        drawn = shuffled(np.arange(first, min(first + batch, count)), len(examples), seed)
        upright = examples.at(drawn, np.zeros(len(drawn), np.int64))
        seen = bagged(predict, examples, drawn) if bagging else predict(upright)
        figures.add(seen, upright.target, examples.numbers(drawn))
        progress(Progress("positions", len(figures), count))
    return figures
