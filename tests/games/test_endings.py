"""How games ended, in the pool: written, kept, read back."""

from __future__ import annotations

import lzma
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from games.pools import random_sgf, server_games

from tengen import Color, Game, InputError
from tengen.games.exporting import export_games
from tengen.games.importing import read_games
from tengen.games.schema import ADDED
from tengen.games.store import GameStore


def area(seed: int, size: int = 9) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 3, (size, size)).astype(np.uint8)


@pytest.fixture
def games() -> list[Game]:
    return [Game.from_sgf(text) for text in server_games()]


@pytest.fixture
def store(games: list[Game]) -> GameStore:
    """Four games: owners and margin known, a margin alone, nothing, both again."""
    return GameStore.from_games(games, [12.0, -3.5, None, 7.0], [area(0), None, None, area(3)], source="made")


def test_games_written_with_their_ends_come_back_as_they_were(
    store: GameStore, games: list[Game], tmp_path: Path
) -> None:
    store.write(tmp_path / "pool.parquet")
    back = GameStore.open(tmp_path / "pool.parquet")
    assert list(back) == [replace(game, first_to_move=Color.BLACK) for game in games]
    assert back.frame["source"].to_list() == ["made"] * 4 and back.frame["line"].to_list() == [1, 2, 3, 4]
    ends = back.endings()
    np.testing.assert_array_equal(ends.margin, np.array([12, -3.5, np.nan, 7], np.float32))
    np.testing.assert_array_equal(ends.row, [0, -1, -1, 1])
    signs = np.array([0, 1, -1])
    np.testing.assert_array_equal(ends.owner, [signs[area(0).ravel()], signs[area(3).ravel()]])
    assert (ends.margin.dtype, ends.owner.dtype, ends.row.dtype) == (np.float32, np.int8, np.int64)


def test_without_ends_it_is_the_pool_that_an_import_makes(games: list[Game], tmp_path: Path) -> None:
    (tmp_path / "games.sgfs").write_text("\n".join(" ".join(g.to_sgf().splitlines()) for g in games))
    imported = read_games([tmp_path / "games.sgfs"])[0].drop("source")
    assert GameStore.from_games(games).frame.drop("source").equals(imported)
    assert GameStore.from_games([]).endings().owner.shape == (0, 0)


def test_a_pool_from_before_the_columns_opens(store: GameStore, tmp_path: Path) -> None:
    store.frame.drop(ADDED).write_parquet(tmp_path / "old.parquet")
    old = GameStore.open(tmp_path / "old.parquet")
    assert old.frame.schema == store.frame.schema
    ends = old.endings()
    assert np.isnan(ends.margin).all() and (ends.row == -1).all() and ends.owner.shape == (0, 81)
    assert len(pl.concat([old.frame, store.frame])) == 8


def test_a_column_of_another_type_is_refused(store: GameStore, tmp_path: Path) -> None:
    store.frame.with_columns(final_margin=pl.lit("much")).write_parquet(tmp_path / "bad.parquet")
    with pytest.raises(InputError, match="column final_margin is missing or of another type"):
        GameStore.open(tmp_path / "bad.parquet")


def test_filters_and_splits_keep_them(store: GameStore) -> None:
    some = store.filter(pl.col("final_owner").is_not_null())
    np.testing.assert_array_equal(some.endings().margin, [12, 7])
    parts = store.split({"one": 0.5, "two": 0.5})
    kept = pl.concat([part.frame for part in parts.values()]).select("id", *ADDED).sort("id")
    assert kept.equals(store.frame.select("id", *ADDED).sort("id"))


@pytest.mark.parametrize("name", ["out.sgfs.xz", "folder"])
def test_exported_games_mark_the_owners_in_their_last_node(
    store: GameStore, tmp_path: Path, name: str
) -> None:
    export_games(store, tmp_path / name)
    if name == "folder":
        texts = [path.read_text() for path in sorted((tmp_path / name).iterdir())]
    else:
        texts = lzma.decompress((tmp_path / name).read_bytes()).decode().splitlines()
    assert ["TB[" in text and "TW[" in text for text in texts] == [True, False, False, True]
    y, x = divmod(int(np.flatnonzero(area(0) == Color.BLACK)[0]), 9)
    assert f"TB[{'abcdefghi'[x]}{'abcdefghi'[y]}]" in texts[0]
    assert [Game.from_sgf(text) for text in texts] == list(store)


def test_boards_of_two_sizes_are_not_one_array() -> None:
    two = [Game.from_sgf(random_sgf(1, size=size)) for size in (9, 13)]
    store = GameStore.from_games(two, [1.0, 1.0], [area(1), area(1, 13)])
    with pytest.raises(InputError, match="boards of 9x9, 13x13"):
        store.endings()
    assert store.filter(pl.col("size") == 13).endings().owner.shape == (1, 169)


def test_broken_owners_are_named(store: GameStore) -> None:
    for broken in (b"\x00" * 80, b"\x07" * 81):
        frame = store.frame.with_columns(final_owner=pl.Series([broken] * 4))
        with pytest.raises(InputError, match=f"game {frame['id'][0]}: its final_owner is not one byte"):
            GameStore(frame).endings()


def test_what_does_not_fit_the_games_is_refused(games: list[Game]) -> None:
    with pytest.raises(ValueError, match="4 games, 1 margins"):
        GameStore.from_games(games, [1.0])
    with pytest.raises(ValueError, match=r"game 1 is on 9x9, its owners are \(5, 5\)"):
        GameStore.from_games(games, owners=[area(1, 5), None, None, None])
    with pytest.raises(ValueError, match="0 nobody, 1 Black, 2 White"):
        GameStore.from_games(games[:1], owners=[area(1) + 3])
    games[1].moves.insert(7, games[1].moves[3])
    with pytest.raises(InputError, match="game 2, move 8"):
        GameStore.from_games(games)
