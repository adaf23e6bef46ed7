"""Windows of recent moves against a plain reading of Definition 2."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from strength.made_players import made_pool

from tengen.errors import InputError
from tengen.games.store import GameStore
from tengen.strength.draft import Draft, prepare
from tengen.strength.feature_store import ABOUT, FeatureStore
from tengen.strength.features import MoveFeatures
from tengen.strength.windows import draft_windows, drafted_games, inputs_of, needed_games, pad, stored

SIZES = {"T": 10, "V": 10, "E": 10, "X": 5}


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> tuple[GameStore, Draft]:
    path, _ = made_pool(tmp_path_factory.mktemp("windows"), players=12, games=150, moves=50)
    store = GameStore.open(path)
    return store, prepare(store, sizes=SIZES)


def telltale(store: GameStore, row: int) -> MoveFeatures:
    """Features that identify their move: (row of the game, number of the move from 1)."""
    moves = [(n + 1, m.color.letter == "W") for n, m in enumerate(store.game(row).moves) if m.point < 361]
    trunk = np.array([[row, n] for n, _ in moves], np.float16)
    n = len(moves)
    white, basic = np.array([w for _, w in moves]), np.zeros((n, 6), np.float32)
    return MoveFeatures(trunk[:, 1].astype(np.int16), white, basic, trunk, trunk)


def plain_window(store: GameStore, draft: Draft, game: int, name: str, size: int) -> list[tuple[int, int]]:
    """The player's moves before a game, the most recent first: row of the game, number of the move."""
    found = []
    for earlier in range(game - 1, -1, -1):
        record = store.game(int(draft.results.row[earlier]))
        for n in range(len(record.moves) - 1, -1, -1):
            move = record.moves[n]
            mover = record.black if move.color.letter == "B" else record.white
            if mover == name and move.point < 361:
                found.append((int(draft.results.row[earlier]), n + 1))
    return found[:size]


@pytest.mark.parametrize("size", [5, 30, 500])
def test_windows_are_definition_2(pool: tuple[GameStore, Draft], size: int) -> None:
    store, draft = pool
    games = drafted_games(draft)
    windows = draft_windows(draft, store.records(), games, lambda row: telltale(store, row), "full", size)
    assert len(windows) == 2 * len(games)
    for i, game in enumerate(games.tolist()):
        for side in (0, 1):
            name = draft.results.players[draft.results.sides[game, side]]
            rows = windows.rows[windows.offsets[2 * i + side] : windows.offsets[2 * i + side + 1]]
            found = [tuple(map(int, row)) for row in windows.features[rows]]
            assert found == plain_window(store, draft, game, name, size)


@pytest.mark.parametrize("size", [5, 30, 500])
def test_the_games_needed_are_those_of_the_windows(pool: tuple[GameStore, Draft], size: int) -> None:
    store, draft = pool
    games = drafted_games(draft)
    asked = set()

    def load(row: int) -> MoveFeatures:
        asked.add(row)
        return telltale(store, row)

    draft_windows(draft, store.records(), games, load, "full", size)
    assert set(needed_games(draft, store.records(), games, size).tolist()) == asked


def test_games_without_features_are_counted(pool: tuple[GameStore, Draft]) -> None:
    store, draft = pool
    with pytest.raises(InputError, match="have no features yet: extract them with `tengen strength"):
        draft_windows(draft, store.records(), drafted_games(draft), lambda row: None, "full")


def test_batches_are_padded_and_masked() -> None:
    x, mask = pad([np.ones((2, 3), np.float16), np.zeros((0, 3), np.float16)], 3)
    assert x.shape == (2, 2, 3) and x.dtype == np.float32
    assert mask.tolist() == [[True, True], [False, False]]


def test_a_batch_may_be_cut_to_the_most_recent_moves(pool: tuple[GameStore, Draft]) -> None:
    store, draft = pool
    games = drafted_games(draft)[-3:]
    windows = draft_windows(draft, store.records(), games, lambda row: telltale(store, row), "full")
    whole, _ = windows.batch([0, 1])
    short, mask = windows.batch([0, 1], most=4)
    assert short.shape[1] == 4 and mask.all()
    np.testing.assert_array_equal(short, whole[:, :4])


def test_inputs_by_kind() -> None:
    features = MoveFeatures(
        np.array([1], np.int16),
        np.array([False]),
        np.full((1, 6), 2.0, np.float32),
        np.ones((1, 3), np.float16),
        np.zeros((1, 3), np.float16),
    )
    assert inputs_of(features, "basic").shape == (1, 6)
    assert inputs_of(features, "full").tolist() == [[1, 1, 1]]


def test_relative_inputs_are_the_trunk_what_was_expected_and_what_the_policy_said() -> None:
    basic = np.zeros((3, 6), np.float32)
    basic[:, 2], basic[:, 3] = np.array([0.5, 0.1, 0.0]) - 0.5, np.array([0.5, 0.8, 0.9]) - 0.5
    trunk, expected = np.ones((3, 2), np.float16), np.full((3, 2), 0.25, np.float16)
    features = MoveFeatures(np.arange(3, dtype=np.int16), np.zeros(3, bool), basic, trunk, expected)
    wanted = [
        [1, 1, 0.25, 0.25, np.log(0.5), 0, 1, 0, 0.5],
        [1, 1, 0.25, 0.25, np.log(0.1), np.log(0.1 / 0.8), 0, 0, 0.8],
        [1, 1, 0.25, 0.25, np.log(1e-4), np.log(1e-4 / 0.9), 0, 1, 0.9],
    ]
    np.testing.assert_allclose(inputs_of(features, "relative"), wanted, atol=1e-5)
    without = np.delete(wanted, [2, 3], axis=1)
    np.testing.assert_allclose(inputs_of(features, "joint"), without, atol=1e-5)


def test_a_folder_without_what_was_expected_is_refused_for_relative_inputs(
    pool: tuple[GameStore, Draft], tmp_path: Path
) -> None:
    (tmp_path / "net").mkdir()
    (tmp_path / "net" / ABOUT).write_text('{"version": 1, "trunk": "float16"}')
    with FeatureStore(tmp_path, "net") as features:
        assert stored(pool[0], features, "full")(0) is None  # nothing is in it yet
        with pytest.raises(InputError, match=rf"{re.escape(str(features.folder))}: .* another folder"):
            stored(pool[0], features, "relative")
    with FeatureStore(tmp_path / "new", "net") as features:
        assert stored(pool[0], features, "relative")(0) is None
    one = np.ones((1, 3), np.float16)
    without = MoveFeatures(np.array([1]), np.array([False]), np.zeros((1, 6), np.float32), one, one[:, :0])
    assert inputs_of(without, "full").shape == (1, 3)
    with pytest.raises(ValueError, match="no expected trunk features"):
        inputs_of(without, "relative")
