"""Examples of several pools in stated proportions: each minibatch is of one of them, so that it has one board size.

The examples of a run are cut into blocks of a minibatch each. A hundred blocks are a round, in which each source has
as many blocks as its share says, spread evenly; all rounds are alike. So the source of an example, and its place among
the examples of that source, follow from the example's number alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tengen.errors import InputError
from tengen.training.data import Batch, Examples

ROUND = 100  # blocks


class Mixture:
    """Sources with their shares, which need not add up to 1, in blocks of so many examples."""

    def __init__(self, sources: Sequence[Examples], shares: Sequence[float], block: int) -> None:
        self.sources, self.block = list(sources), block
        counts = blocks_of(shares)
        places = np.array([(k + 0.5) / count for count in counts for k in range(count)])
        owners = np.repeat(np.arange(len(counts)), counts)
        # The source of each block of a round, and how many blocks of that source come before it in the round.
        self.order: npt.NDArray[np.int64] = owners[np.lexsort((owners, places))]
        self._before = np.array([(self.order[:i] == source).sum() for i, source in enumerate(self.order)])
        self._counts = counts

    def __len__(self) -> int:
        return sum(map(len, self.sources))

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(sorted({source.size for source in self.sources}))

    def drawn(self, first: int, count: int, seed: int, symmetries: bool, threads: int = 1) -> Batch:
        """Examples from `first` on, at most to the end of their block."""
        number, inside = divmod(first, self.block)
        turn, place = divmod(number, ROUND)
        source = int(self.order[place])
        own = (turn * self._counts[source] + int(self._before[place])) * self.block + inside
        batch = self.sources[source].drawn(own, min(count, self.block - inside), seed, symmetries, threads)
        return replace(batch, first=first)


def blocks_of(shares: Sequence[float]) -> list[int]:
    """How many blocks of a round each source has: its share, the largest remainders rounded up.

    >>> blocks_of([2, 1, 1])
    [50, 25, 25]
    >>> blocks_of([1, 1, 1])
    [34, 33, 33]
    """
    exact = ROUND * np.asarray(shares, np.float64) / sum(shares)
    counts = np.floor(exact).astype(int)
    counts[np.argsort(counts - exact, kind="stable")[: ROUND - counts.sum()]] += 1
    if not counts.all():
        raise InputError(f"a source has a share below one in {ROUND}: {', '.join(f'{s:g}' for s in shares)}")
    found: list[int] = counts.tolist()
    return found
