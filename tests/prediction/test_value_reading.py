"""Positions of a pool and what nets say of them, in Black's view."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from training.made_ends import made_ends

from tengen.errors import InputError
from tengen.games.store import GameStore
from tengen.go.color import Color
from tengen.nets.evaluation import given
from tengen.nets.fake import FakeEvaluator
from tengen.prediction.value_reading import Positions, black_territory, black_values


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> GameStore:
    path: Path = made_ends(tmp_path_factory.mktemp("ends") / "ends.parquet", 6)
    return GameStore.open(path)


def test_every_tenth_position_of_some_games(store: GameStore) -> None:
    positions = Positions.every(store, games=4, every=10, seed=1)
    assert len(np.unique(positions.game)) == 4
    assert (positions.number % 10 == 0).all()
    lengths = store.frame["move_count"].to_numpy()
    assert (positions.number < lengths[positions.game]).all()
    assert len(positions.drawn(3, seed=2)) == 3


def test_results_and_margins_are_the_games_own(store: GameStore) -> None:
    positions = Positions.every(store, games=6, every=100, seed=1)
    assert positions.game.tolist() == list(range(6))
    margins = store.frame["final_margin"].to_numpy()
    assert np.array_equal(positions.margins(), margins)
    assert np.array_equal(positions.results(), np.sign(margins - 7.5))


def test_values_are_black_s_from_minus_1_to_1(store: GameStore) -> None:
    net = FakeEvaluator()
    positions = Positions.every(store, games=6, every=7, seed=1)
    boards = positions.at(slice(None))
    values = black_values(net, positions, [7.5])
    wins = [given(one.win).of(Color.BLACK) for one in net.evaluate(boards)]
    assert values[:, 0] == pytest.approx(2 * np.array(wins) - 1, abs=1e-5)
    owners = [given(one.ownership).sum() for one in net.evaluate(boards)]
    assert black_territory(net, positions) == pytest.approx(owners)


def test_games_without_moves_have_no_positions(store: GameStore) -> None:
    empty = GameStore(store.frame.with_columns(move_count=0 * store.frame["move_count"]))
    with pytest.raises(InputError, match="no game of the pool has a move"):
        Positions.every(empty, 6, 10, 1)
