"""Who owns the board, over a whole search: the mean of what the net says of every leaf, and how far it varies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Boards = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Owned:
    """[size, size] each: the mean owner, 1 Black's to -1 White's, and the deviation over leaves."""

    mean: Boards
    deviation: Boards


def net_owned(said: Boards) -> Owned:
    """What a net says of one position."""
    return Owned(said, np.zeros_like(said))


class OwnerSums:
    """Sums over the leaves below the root, by the root's move that leads to them.

    A leaf counts once, so a move counts by its visits, as in its win rate. What an earlier search left in the
    tree is not counted: where a move has nothing else, `ask` is asked about the position after it.
    """

    def __init__(self) -> None:
        self._sums: dict[int, tuple[int, npt.NDArray[np.float64], npt.NDArray[np.float64]]] = {}

    def add(self, move: int, ownership: Boards) -> None:
        said = ownership.astype(np.float64)
        count, total, squares = self._sums.get(move, (0, np.zeros_like(said), np.zeros_like(said)))
        self._sums[move] = count + 1, total + said, squares + said**2

    def of(self, move: int, ask: Callable[[], Boards]) -> Owned:
        """Below one move of the root."""
        if move in self._sums:
            return _owned(*self._sums[move])
        return net_owned(ask())

    def root(self, ask: Callable[[], Boards]) -> Owned:
        """Below the root, its own evaluation included."""
        said = ask().astype(np.float64)
        counts, totals, squares = zip((1, said, said**2), *self._sums.values(), strict=True)
        return _owned(sum(counts), np.sum(totals, axis=0), np.sum(squares, axis=0))


def _owned(count: int, total: npt.NDArray[np.float64], squares: npt.NDArray[np.float64]) -> Owned:
    mean = total / count
    variance = np.maximum(squares / count - mean**2, 0.0)
    return Owned(mean.astype(np.float32), np.sqrt(variance).astype(np.float32))
