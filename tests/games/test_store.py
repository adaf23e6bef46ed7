from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from games.pools import random_sgf, server_games

from tengen import Color, Game, InputError
from tengen.games.importing import read_games
from tengen.games.store import GameStore


@pytest.fixture
def store(tmp_path: Path) -> GameStore:
    setup = "(;SZ[9]AB[aa][cc]AW[gg]PL[W]RU[GOE];W[ee];B[ff])"
    lines = [*server_games(), setup, random_sgf(7, size=19, root="RU[AGA]")]
    (tmp_path / "games.sgfs").write_text("\n".join(lines))
    return GameStore(read_games([tmp_path / "games.sgfs"])[0])


def test_write_and_open(store: GameStore, tmp_path: Path) -> None:
    store.write(tmp_path / "pool.parquet")
    assert GameStore.open(tmp_path / "pool.parquet").frame.equals(store.frame)
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("keep", [0, 3, 100, 5000, -1])
def test_a_pool_cut_short(store: GameStore, tmp_path: Path, keep: int) -> None:
    store.write(tmp_path / "pool.parquet")
    data = (tmp_path / "pool.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(data[:keep])
    with pytest.raises(InputError, match=r"cut\.parquet: not a pool of games, or cut short"):
        GameStore.open(tmp_path / "cut.parquet")


def test_not_a_pool(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such pool"):
        GameStore.open(tmp_path / "nothing.parquet")
    pl.DataFrame({"x": [1]}).write_parquet(tmp_path / "other.parquet")
    with pytest.raises(InputError, match="column id is missing"):
        GameStore.open(tmp_path / "other.parquet")


def test_games_by_number_and_id(store: GameStore) -> None:
    assert store.game(0).black == "ann" and store[-1].size == 19
    id_ = store.frame["id"][2]
    assert store.find(id_[:12]).black == "柯洁"
    with pytest.raises(IndexError, match="has 6 games"):
        store.game(6)


def test_records_are_the_games(store: GameStore) -> None:
    records = store.records()
    assert len(records) == len(store) == 6
    assert records.moves_flat.dtype == np.uint16 and records.move_offsets.dtype == np.int64
    assert records.komi.dtype == np.float32 and records.sizes.dtype == np.uint8
    for i, game in enumerate(store):
        moves = records.moves_flat[records.move_offsets[i] : records.move_offsets[i + 1]]
        assert np.array_equal(moves, game.packed_moves())
        stones = records.setup_flat[records.setup_offsets[i] : records.setup_offsets[i + 1]]
        black = [int(s) for s in stones if s < 0x8000]
        assert black == game.setup.black
        assert records.sizes[i] == game.size
        assert records.rules_table[records.rules[i]].with_komi(game.komi) == game.rules
        assert records.first_to_move[i] == game.start().to_move
    assert records.winner.tolist()[:4] == [Color.BLACK, Color.WHITE, Color.WHITE, 0]


def test_filter_by_expression(store: GameStore) -> None:
    assert len(store.filter(pl.col("size") == 19)) == 1


def many(n: int = 400) -> GameStore:
    """Games of 40 players, by name only."""
    base = read_frame(random_sgf(1, root="PB[x]PW[y]"))
    frame = pl.concat([base] * n).with_columns(
        id=pl.Series([f"{i:032x}" for i in range(n)]),
        black=pl.Series([f"p{i % 40}" for i in range(n)]),
        white=pl.Series([f"p{(i * 7 + 1) % 40}" for i in range(n)]),
        year=pl.Series([2000 + i % 5 for i in range(n)], dtype=pl.Int16),
    )
    return GameStore(frame)


def read_frame(text: str) -> pl.DataFrame:
    from tengen import _native
    from tengen.games.schema import frame_of

    batch = _native.read_sgf(text.encode())
    return frame_of(batch, pl.Series(["x"]), batch.line)[0]


def test_split_by_game_is_whole_and_the_same_every_time() -> None:
    store = many()
    parts = store.split({"train": 0.8, "test": 0.2})
    assert sum(len(part) for part in parts.values()) == len(store)
    assert not set(parts["train"].frame["id"]) & set(parts["test"].frame["id"])
    assert 40 < len(parts["test"]) < 120
    # A game stays in its part whatever else is in the pool.
    half = GameStore(store.frame[::2]).split({"train": 0.8, "test": 0.2})
    assert set(half["test"].frame["id"]) <= set(parts["test"].frame["id"])
    assert set(store.split({"train": 0.8, "test": 0.2}, seed=1)["test"].frame["id"]) != set(
        parts["test"].frame["id"]
    )


def test_split_by_player_shares_no_player() -> None:
    parts = many().split({"train": 0.7, "test": 0.3}, by="player")
    players = [set(part.frame["black"]) | set(part.frame["white"]) for part in parts.values()]
    assert players[0] and players[1] and not players[0] & players[1]


def test_split_by_year() -> None:
    parts = many().split_by_year({"test": [2003], "train": range(2000, 2003)})
    assert (len(parts["test"]), len(parts["train"])) == (80, 240)


def test_shares_must_add_up() -> None:
    with pytest.raises(ValueError, match="add up to 1"):
        many(4).split({"train": 0.5})


def test_an_id_is_for_good(store: GameStore) -> None:
    """Pools that were written stay comparable with those to come: this must never change."""
    frame = read_frame("(;SZ[9]PB[Ann]PW[Bo]DT[2001-02-03]RE[B+R]AB[cc];W[ee];B[gc])")
    assert frame["id"].to_list() == ["f18e3a0e4cc09e8f314f3dbc0fe93ede"]


def test_stored_games_write_sgf_that_reads_back(store: GameStore) -> None:
    for game in store:
        assert Game.from_sgf(game.to_sgf()) == game


def test_a_pool_for_which_the_disk_has_no_room_is_refused_with_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: object, **more: object) -> None:
        raise pl.exceptions.ComputeError("Invalid thrift: transport error")

    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    with pytest.raises(InputError, match=r"p\.parquet: cannot be written; is the disk full\?"):
        GameStore.from_games([]).write(tmp_path / "p.parquet")
    assert not list(tmp_path.iterdir())
