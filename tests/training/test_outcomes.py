"""How games ended, as targets: margins, winners, owners, in the mover's view and the example's symmetry."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path

import numpy as np
import pytest

from tengen import _native
from tengen.games.importing import read_games
from tengen.games.store import GameStore
from tengen.training.data import Examples
from tengen.training.outcomes import UNKNOWN, outcomes
from tengen.training.pools import open_pools

# X X X O .   as it ends, 5x5: Black owns the three columns on the left, White two, 15 to 10. Both have eyes.
# . X X O O
# X X X O .
# . X X O O
# X X X O .
BLACK = "".join(f"[{x}{y}]" for x in "bc" for y in "abcde") + "[aa][ac]"
WHITE = "".join(f"[d{y}]" for y in "abcde") + "[ed]"
ENDED = f"(;GM[1]FF[4]SZ[5]KM[{{komi}}]RE[{{result}}]AB{BLACK}AW{WHITE};B[ae];W[eb];B[];W[])"


def pool(folder: Path, *games: tuple[float, str]) -> GameStore:
    text = "\n".join(ENDED.format(komi=komi, result=result) for komi, result in games)
    (folder / "games.sgfs").write_text(text)
    return GameStore(read_games([folder / "games.sgfs"])[0])


def test_counted_and_resigned_games(tmp_path: Path) -> None:
    store = pool(tmp_path, (2.5, "B+2.5"), (7.5, "W+2.5"), (0.5, "B+R"), (6.5, "W+T"), (5.5, "?"))
    found = outcomes(store)
    np.testing.assert_array_equal(found.margin, [5, 5, np.nan, np.nan, np.nan])
    np.testing.assert_array_equal(found.winner, [1, -1, 1, 0, 0])  # a clock decides nothing on the board
    np.testing.assert_array_equal(found.row, [0, 1, -1, -1, -1])
    expected = np.where(np.arange(25) % 5 < 3, 1, -1)
    np.testing.assert_array_equal(found.owner, [expected, expected])


def test_owners_are_dropped_where_the_record_says_another_score(tmp_path: Path) -> None:
    found = outcomes(pool(tmp_path, (0.5, "B+12.5")))
    assert found.margin[0] == 13
    assert found.row[0] == -1


def test_what_the_pool_says_is_read_not_worked_out(tmp_path: Path) -> None:
    """Self-play knows the end of every game, of resigned ones too."""
    games = list(pool(tmp_path, (2.5, "B+2.5"), (0.5, "B+R"), (6.5, "W+T")))
    area = np.zeros((5, 5), np.uint8)
    store = GameStore.from_games(games, [3.0, 25.0, None], [area + 1, area + 2, None])
    found = outcomes(store, say=lambda text: pytest.fail(text))
    np.testing.assert_array_equal(found.margin, [3, 25, np.nan])
    np.testing.assert_array_equal(found.row, [0, 1, -1])
    np.testing.assert_array_equal(found.owner, [np.ones(25), -np.ones(25)])


def test_what_is_worked_out_is_kept_in_the_pool(tmp_path: Path) -> None:
    """Also that a board did not agree with its record: the next start has nothing to do."""
    path = tmp_path / "pool.parquet"
    pool(tmp_path, (2.5, "B+2.5"), (0.5, "B+12.5"), (0.5, "B+R")).write(path)
    said: list[str] = []
    first = outcomes(open_pools([path], {}), [path], say=said.append)
    assert len(said) == 1 and "settling 2 counted games" in said[0]
    again = outcomes(open_pools([path], {}), [path], say=lambda text: pytest.fail(text))
    for one, other in zip(astuple(first), astuple(again), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_filtered_run_keeps_what_it_found_and_leaves_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "pool.parquet"
    pool(tmp_path, (2.5, "B+2.5"), (7.5, "W+2.5")).write(path)
    outcomes(open_pools([path], {"komi": [7.5]}), [path, path], say=lambda text: None)
    assert GameStore.open(path).frame["final_margin"].to_list() == [None, 5.0]


def test_a_pool_that_cannot_be_written_costs_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pool.parquet"
    pool(tmp_path, (2.5, "B+2.5")).write(path)
    before = path.read_bytes()
    monkeypatch.setattr("os.access", lambda path, mode: False)
    said: list[str] = []
    found = outcomes(open_pools([path], {}), [path], say=said.append)
    assert found.margin[0] == 5 and path.read_bytes() == before
    assert len(said) == 2 and "pool.parquet" in said[1] and "`tengen games settle`" in said[1]


@pytest.mark.parametrize("symmetry", range(8))
def test_examples_see_their_own_view(tmp_path: Path, symmetry: int) -> None:
    store = pool(tmp_path, (2.5, "B+2.5"), (0.5, "W+R"))
    examples = Examples(store.records(), "golois39", passes=True, outcomes=outcomes(store))
    batch = examples.at(np.arange(8), np.full(8, symmetry))
    ends = batch.endings
    assert ends is not None
    np.testing.assert_array_equal(ends.margin[:4], [5, -5, 5, -5])
    np.testing.assert_array_equal(ends.komi, [2.5, -2.5, 2.5, -2.5, 0.5, -0.5, 0.5, -0.5])
    np.testing.assert_array_equal(ends.won, [1, -1, 1, -1, -1, 1, -1, 1])
    for point in range(25):
        black = 1 if point % 5 < 3 else -1
        there = _native.transform_point(point, 5, symmetry)
        assert ends.owner[0, there] == black
        assert ends.owner[1, there] == -black
    assert (ends.owner[4:] == UNKNOWN).all()
