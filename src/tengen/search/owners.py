"""Ownership over a whole search: mean and deviation of the net's ownership over all leaves; other arrays likewise."""

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


def net_owned(ownership: Boards | None) -> Owned | None:
    """The net's ownership of one position; None for a net without."""
    return None if ownership is None else Owned(ownership, np.zeros_like(ownership))


class OwnerSums:
    """Sums over the leaves below the root, by the root's move that leads to them, of an array that each leaf has.

    A leaf counts once, so a move counts by its visits, as in its win rate. Leaves of an earlier search, which are
    still in the tree, are not counted: for a move without other leaves, `ask` gives the net's ownership after it.
    A net without ownership has none here either: None.
    """

    def __init__(self) -> None:
        self._sums: dict[int, tuple[int, npt.NDArray[np.float64], npt.NDArray[np.float64]]] = {}

    def add(self, move: int, ownership: Boards | None) -> None:
        if ownership is None:
            return
        said = ownership.astype(np.float64)
        count, total, squares = self._sums.get(move, (0, np.zeros_like(said), np.zeros_like(said)))
        self._sums[move] = count + 1, total + said, squares + said**2

    def of(self, move: int, ask: Callable[[], Boards | None]) -> Owned | None:
        """Below one move of the root."""
        if move in self._sums:
            return _owned(*self._sums[move])
        return net_owned(ask())

    def root(self, ask: Callable[[], Boards | None]) -> Owned | None:
        """Below the root, its own evaluation included."""
        own = ask()
        if own is None:
            return None
        said = own.astype(np.float64)
        counts, totals, squares = zip((1, said, said**2), *self._sums.values(), strict=True)
        return _owned(sum(counts), np.sum(totals, axis=0), np.sum(squares, axis=0))


def _owned(count: int, total: npt.NDArray[np.float64], squares: npt.NDArray[np.float64]) -> Owned:
    mean = total / count
    variance = np.maximum(squares / count - mean**2, 0.0)
    return Owned(mean.astype(np.float32), np.sqrt(variance).astype(np.float32))
