"""A random order of N things that can be entered anywhere: example i of a run needs no example before it.

A Feistel network over the least even number of bits that holds N, walked until it lands below N. Each epoch
has its own order, every position comes once an epoch, and a run resumes from the count of examples alone.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_U64 = npt.NDArray[np.uint64]


def mix(x: _U64 | np.uint64, key: int) -> _U64:
    """A random-looking 64-bit number of a counter and a key (splitmix64's finaliser)."""
    with np.errstate(over="ignore"):
        z = np.asarray(x, dtype=np.uint64) + np.uint64((key * 0x9E3779B97F4A7C15) & (2**64 - 1))
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(z ^ (z >> np.uint64(31)))


def shuffled(index: npt.NDArray[np.int64], n: int, seed: int) -> npt.NDArray[np.int64]:
    """Where the counters `index` (any whole numbers from 0) fall among 0 .. n-1.

    >>> sorted(shuffled(np.arange(5), 5, seed=1).tolist())
    [0, 1, 2, 3, 4]
    """
    if n < 1:
        raise ValueError("nothing to shuffle")
    epoch = (index // n).astype(np.uint64)
    place = (index % n).astype(np.uint64)
    half = max(1, ((n - 1).bit_length() + 1) // 2)
    out = _feistel(place, epoch, half, seed)
    outside = np.flatnonzero(out >= n)
    while len(outside):
        out[outside] = _feistel(out[outside], epoch[outside], half, seed)
        outside = outside[out[outside] >= n]
    return out.astype(np.int64)


def _feistel(x: _U64, epoch: _U64, half: int, seed: int) -> _U64:
    mask, shift = np.uint64((1 << half) - 1), np.uint64(half)
    left, right = x >> shift, x & mask
    for i in range(4):
        left, right = right, left ^ (mix(right ^ (epoch << np.uint64(32)), 8 * seed + i) & mask)
    return (left << shift) | right
