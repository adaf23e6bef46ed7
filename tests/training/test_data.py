"""Examples of a pool: the right position, move and symmetry, in an order that needs no memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tengen import Color, _native
from tengen.errors import InputError
from tengen.games.store import GameStore
from tengen.planes import encode, encode_globals
from tengen.training.data import Examples, Prefetcher
from tengen.training.pools import open_pools

SIZE = 5
PASS = SIZE * SIZE


@pytest.fixture(scope="module")
def store(pool: Path) -> GameStore:
    return GameStore.open(pool)


def carry(point: int, symmetry: int) -> int:
    return _native.transform_point(point, SIZE, symmetry)


def test_every_example_is_a_position_with_its_move_and_the_moves_after(store: GameStore) -> None:
    examples = Examples(store.records(), "golois39", passes=True, following=2)
    moves = [(game, n) for game in range(len(store)) for n in range(len(store.game(game).moves))]
    assert len(examples) == len(moves)
    chosen = np.array([0, 5, 17, len(moves) - 1, len(moves) - 2])
    symmetries = np.array([0, 3, 6, 5, 2])
    batch = examples.at(chosen, symmetries)
    for i, (k, symmetry) in enumerate(zip(chosen, symmetries, strict=True)):
        number, n = moves[k]
        game = store.game(number)
        expected = encode("golois39", [game.position(n)], [symmetry])[0]
        assert np.array_equal(batch.planes[i], expected)
        assert batch.target[i] == carry(game.moves[n].point, symmetry)
        for j in (1, 2):
            later = game.moves[n + j].point if n + j < len(game.moves) else PASS
            assert batch.following[i, j - 1] == (-1 if later == PASS else carry(later, symmetry))


def test_examples_carry_the_mover_and_the_global_inputs_by_name(store: GameStore) -> None:
    examples = Examples(store.records(), "golois39", passes=True, globals=("komi", "rank"))
    batch = examples.at(np.arange(6), np.array([0, 3, 6, 5, 2, 1]))
    positions = [store.game(0).position(n) for n in range(6)]
    assert batch.white is not None and batch.globals is not None
    assert batch.white.tolist() == [position.to_move is Color.WHITE for position in positions]
    expected = encode_globals(("komi", "rank"), positions, [(6, 7)] * 6)
    np.testing.assert_array_equal(batch.globals, expected)
    without = Examples(store.records(), "golois39", passes=True).at(np.arange(6), np.zeros(6, np.int64))
    assert without.globals is not None and without.globals.shape == (6, 0)


def test_without_passes_no_target_is_a_pass(store: GameStore) -> None:
    examples = Examples(store.records(), "golois39")
    assert len(examples) == len(Examples(store.records(), "golois39", passes=True)) - len(store)
    batch = examples.drawn(0, len(examples), seed=1, symmetries=True)
    assert batch.target.max() < PASS


def test_an_epoch_shows_every_position_once_and_in_all_symmetries(store: GameStore) -> None:
    examples = Examples(store.records(), "golois39")
    seen = [examples.drawn(first, 100, 7, symmetries=False) for first in range(0, len(examples), 100)]
    targets = np.concatenate([b.target for b in seen])[: len(examples)]
    everything = examples.at(np.arange(len(examples)), np.zeros(len(examples), np.int64)).target
    assert sorted(targets.tolist()) == sorted(everything.tolist())
    turned = examples.drawn(0, len(examples), 7, symmetries=True)
    assert (turned.target != targets).mean() > 0.5


def test_an_example_does_not_depend_on_the_batch_it_is_in(store: GameStore) -> None:
    examples = Examples(store.records(), "golois39", following=2)
    whole = examples.drawn(0, 120, 3, True)
    part = examples.drawn(50, 30, 3, True)
    assert np.array_equal(whole.planes[50:80], part.planes)
    assert np.array_equal(whole.target[50:80], part.target)
    assert np.array_equal(whole.following[50:80], part.following)


def test_prefetching_gives_the_same_batches_in_order(store: GameStore) -> None:
    examples = Examples(store.records(), "golois39")
    with Prefetcher(examples, start=40, stop=155, batch=50, seed=3, symmetries=True) as batches:
        made = list(batches)
    assert [(b.first, len(b)) for b in made] == [(40, 50), (90, 50), (140, 15)]
    assert np.array_equal(made[1].planes, examples.drawn(90, 50, 3, True).planes)


def test_prefetching_ends_when_the_reader_leaves(store: GameStore) -> None:
    examples = Examples(store.records(), "golois39")
    prefetcher = Prefetcher(examples, 0, 1_000_000, 10, 1, True)
    with prefetcher as batches:
        next(iter(batches))
    assert not prefetcher._thread.is_alive()


def test_an_error_behind_reaches_the_reader(store: GameStore) -> None:
    examples = Examples(store.records(), "golois39")
    examples.encoding = "nonsense"
    with Prefetcher(examples, 0, 100, 10, 1, True) as batches, pytest.raises(InputError, match="nonsense"):
        list(batches)


def test_filters_of_a_recipe(pool: Path) -> None:
    assert len(open_pools([pool], {})) == 80
    assert len(open_pools([pool], {"years": [2015]})) == 10
    assert len(open_pools([pool], {"not_years": [2015], "min_rank": "6d", "max_handicap": 0})) == 70
    assert len(open_pools([pool, pool], {"since": "2016"})) == 40


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"min_rank": "7d"}, "no game of .* is left after the filter"),
        ({"min_ranc": "7d"}, "a filter has no key 'min_ranc'"),
        ({"min_rank": "strong"}, "'strong' is not a rank"),
        ({"result": ["blown away"]}, "result = .* cannot be read"),
    ],
)
def test_filters_that_leave_nothing_or_make_no_sense(
    pool: Path, table: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        open_pools([pool], table)


def test_games_on_two_sizes_are_refused(store: GameStore) -> None:
    records = store.records()
    sizes = records.sizes.copy()
    sizes[0] = 9
    import dataclasses

    with pytest.raises(InputError, match="boards of 5x5, 9x9"):
        Examples(dataclasses.replace(records, sizes=sizes), "golois39")
