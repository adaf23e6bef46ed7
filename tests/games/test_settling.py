"""Settling the counted games of a pool, once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tengen import Game, InputError, Position
from tengen.games.settling import keep_endings, settle_games, settle_pool
from tengen.games.store import GameStore
from tengen.progress import Progress

# X X X O .   as it ends, 5x5: Black owns the three columns on the left, White two, 15 to 10. Both have eyes.
# . X X O O
# X X X O .
# . X X O O
# X X X O .
BLACK = "".join(f"[{x}{y}]" for x in "bc" for y in "abcde") + "[aa][ac]"
WHITE = "".join(f"[d{y}]" for y in "abcde") + "[ed]"
AREA = np.where(np.arange(25).reshape(5, 5) % 5 < 3, 1, 2)


def ended(komi: float, result: str, rules: str = "Chinese") -> Game:
    text = f"(;GM[1]FF[4]SZ[5]KM[{komi}]RU[{rules}]RE[{result}]AB{BLACK}AW{WHITE};B[ae];W[eb];B[];W[])"
    return Game.from_sgf(text)


def owners(store: GameStore) -> list[bytes | None]:
    return store.frame["final_owner"].to_list()


def test_counted_games_are_settled_and_no_others() -> None:
    games = [ended(2.5, "B+2.5"), ended(0.5, "B+R"), ended(6.5, "W+T"), ended(5.5, "?")]
    settled = settle_games(GameStore.from_games(games))
    assert settled.frame["final_margin"].to_list() == [5.0, None, None, None]
    assert owners(settled) == [AREA.astype(np.uint8).tobytes(), None, None, None]


def test_where_the_record_says_another_score_its_margin_is_kept_and_the_owners_stay_unknown() -> None:
    settled = settle_games(GameStore.from_games([ended(0.5, "B+12.5"), ended(0.5, "W+3.5")]))
    assert settled.frame["final_margin"].to_list() == [13.0, -3.0]
    assert owners(settled) == [None, None]


def test_a_territory_count_is_compared_by_its_own_rules_and_kept_by_area() -> None:
    # Territory is 2 to 3, and Black has placed 13 stones to White's 7.
    settled = settle_games(
        GameStore.from_games([ended(0.5, "W+1.5", "Japanese"), ended(0.5, "B+20.5", "Japanese")])
    )
    assert settled.frame["final_margin"].to_list() == [5.0, 21.0 + 13 - 7]
    assert [owner is None for owner in owners(settled)] == [False, True]


def test_what_is_settled_is_not_tried_again_unless_one_asks() -> None:
    seen: list[int] = []

    def opinion(positions: Sequence[Position]) -> list[None]:
        seen.append(len(positions))
        return [None] * len(positions)

    once = settle_games(GameStore.from_games([ended(2.5, "B+2.5"), ended(0.5, "B+12.5")]), opinion)
    twice = settle_games(once, opinion)
    assert seen == [2] and twice.frame.equals(once.frame)
    settle_games(once, opinion, again=True)
    assert seen == [2, 1]


def test_a_net_is_asked() -> None:
    def white(positions: Sequence[Position]) -> list[np.ndarray]:
        return [np.full((p.size, p.size), -1, np.float32) for p in positions]

    # Nothing is pass-alive: Black's stones are dead if a net says so, and the record disagrees.
    walls = "AB[ba][bb][bc][bd][be]AW[da][db][dc][dd][de]"
    middle = "".join(f";B[c{y}];W[]" for y in "abcde")
    text = f"(;SZ[5]KM[0]RU[Chinese]RE[B+5]{walls}{middle};B[])"
    store = GameStore.from_games([Game.from_sgf(text)])
    assert owners(settle_games(store)) != [None]
    assert owners(settle_games(store, white)) == [None]


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    path = tmp_path / "pool.parquet"
    GameStore.from_games([ended(2.5, "B+2.5"), ended(7.5, "W+2.5"), ended(0.5, "B+R")]).write(path)
    return path


def test_a_pool_is_written_again_whole(pool: Path) -> None:
    said: list[Progress] = []
    settled = settle_pool(pool, report=said.append)
    assert GameStore.open(pool).frame.equals(settled.frame)
    assert (said[-1].done, said[-1].total) == (2, 2)
    written = pool.stat().st_mtime_ns
    settle_pool(pool)
    assert pool.stat().st_mtime_ns == written  # there was nothing to do


def test_an_interruption_leaves_the_old_pool(pool: Path) -> None:
    before = pool.read_bytes()

    def interrupt(progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        settle_pool(pool, report=interrupt)
    assert pool.read_bytes() == before
    assert [path.name for path in pool.parent.iterdir()] == ["pool.parquet"]


def test_what_was_found_elsewhere_is_kept_by_id(pool: Path) -> None:
    whole = GameStore.open(pool)
    part = whole.filter(pl.col("komi") == 7.5)
    keep_endings(pool, settle_games(part))
    kept = GameStore.open(pool)
    assert kept.frame["final_margin"].to_list() == [None, 5.0, None]
    assert kept.frame.drop("final_margin", "final_owner").equals(
        whole.frame.drop("final_margin", "final_owner")
    )
    written = pool.stat().st_mtime_ns
    keep_endings(pool, settle_games(part))
    assert pool.stat().st_mtime_ns == written  # nothing was new


def test_a_link_to_a_pool_stays_a_link(pool: Path, tmp_path: Path) -> None:
    link = tmp_path / "links" / "pool.parquet"
    link.parent.mkdir()
    link.symlink_to(pool)
    settle_pool(link)
    assert link.is_symlink() and GameStore.open(pool).frame["final_margin"][0] == 5.0


def test_a_pool_that_cannot_be_written_is_refused_before_the_work(
    pool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(InputError, match=r"pool\.parquet: cannot be written"):
        settle_pool(pool, report=lambda progress: pytest.fail("the work was begun"))
