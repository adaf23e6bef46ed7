"""The order of examples: every one once an epoch, another order each time, and no memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.training.permutation import mix, shuffled


@given(n=st.integers(1, 2000), seed=st.integers(0, 1000), epoch=st.integers(0, 50))
def test_every_epoch_has_every_position_once(n: int, seed: int, epoch: int) -> None:
    order = shuffled(np.arange(epoch * n, (epoch + 1) * n), n, seed)
    assert sorted(order.tolist()) == list(range(n))


def test_epochs_and_seeds_have_orders_of_their_own() -> None:
    n = 1000
    first, second = shuffled(np.arange(n), n, 1), shuffled(np.arange(n, 2 * n), n, 1)
    other = shuffled(np.arange(n), n, 2)
    for a, b in ((first, second), (first, other), (first, np.arange(n))):
        assert (a == b).mean() < 0.02


def test_it_can_be_entered_anywhere() -> None:
    whole = shuffled(np.arange(5000), 777, 3)
    assert np.array_equal(whole[1234:1300], shuffled(np.arange(1234, 1300), 777, 3))


def test_neighbours_are_spread() -> None:
    """The first tenth of an epoch is spread evenly over the positions."""
    n = 100_000
    counts = np.histogram(shuffled(np.arange(n // 10), n, 5), bins=20, range=(0, n))[0]
    assert counts.min() > 400
    assert counts.max() < 600


def test_mix_spreads_the_symmetries_evenly() -> None:
    counts = np.bincount((mix(np.arange(80_000, dtype=np.uint64), 9) % np.uint64(8)).astype(int), minlength=8)
    assert counts.min() > 9_600
    assert counts.max() < 10_400


def test_nothing_cannot_be_shuffled() -> None:
    with pytest.raises(ValueError, match="nothing"):
        shuffled(np.arange(1), 0, 1)
