"""Several pools in stated proportions: each minibatch of one of them, and an order that needs no memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from training.made_ends import made_ends

from tengen.errors import InputError
from tengen.games.store import GameStore
from tengen.training.data import Examples, Prefetcher
from tengen.training.mixture import Mixture, blocks_of


@pytest.fixture(scope="module")
def sources(pool: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Examples]:
    """Of 5x5 and of 7x7."""
    other = made_ends(tmp_path_factory.mktemp("ends") / "ends.parquet", 8, size=7)
    return [Examples(GameStore.open(path).records(), "golois39") for path in (pool, other)]


def test_every_minibatch_has_one_size_and_sources_have_their_shares(sources: list[Examples]) -> None:
    mixture = Mixture(sources, [3, 1], block=4)
    assert mixture.sizes == (5, 7) and len(mixture) == sum(map(len, sources))
    sides = [mixture.drawn(4 * i, 4, 1, True).planes.shape[-1] for i in range(200)]
    assert (sides.count(5), sides.count(7)) == (150, 50)
    assert all(sides[4 * i : 4 * i + 4].count(7) == 1 for i in range(50))  # spread evenly


def test_each_source_shows_its_examples_in_its_own_order(sources: list[Examples]) -> None:
    mixture = Mixture(sources, [3, 1], block=4)
    drawn = [mixture.drawn(4 * i, 4, 1, True) for i in range(240)]
    for source in sources:
        own = [batch for batch in drawn if batch.planes.shape[-1] == source.size]
        for i, batch in enumerate(own):
            assert np.array_equal(batch.planes, source.drawn(4 * i, 4, 1, True).planes)


def test_a_batch_ends_with_its_block(sources: list[Examples]) -> None:
    """A run that went on from the middle of a block is in step again after one short batch."""
    mixture = Mixture(sources, [1, 1], block=8)
    whole, part = mixture.drawn(8, 8, 1, True), mixture.drawn(11, 8, 1, True)
    assert (part.first, len(part)) == (11, 5)
    assert np.array_equal(whole.planes[3:], part.planes)
    with Prefetcher(mixture, start=11, stop=30, batch=8, seed=1, symmetries=True) as batches:
        assert [(b.first, len(b)) for b in batches] == [(11, 5), (16, 8), (24, 6)]


def test_shares_are_rounded_to_hundredths() -> None:
    assert blocks_of([0.55, 0.15, 0.15, 0.15]) == [55, 15, 15, 15]
    assert sum(blocks_of([1] * 7)) == 100
    with pytest.raises(InputError, match="below one in 100"):
        blocks_of([1000, 1])
