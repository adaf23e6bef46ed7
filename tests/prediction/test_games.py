"""Which games nets are measured on."""

from __future__ import annotations

from pathlib import Path

import pytest
from training.made_ends import made_ends

from tengen.errors import InputError
from tengen.games.store import GameStore
from tengen.go.game import Game
from tengen.nets.fake import FakeEvaluator
from tengen.prediction.games import check_boards, decided_games, draw_games, is_counted, open_games

RESULTS = ("B+2.5", "W+R", "B+", "W+T", "0", "B+F", "?")


def played(result: str, size: int = 5, komi: float = 7.5) -> Game:
    return Game.from_sgf(f"(;SZ[{size}]KM[{komi}]RE[{result}]PB[{result}];B[cc];W[bb])")


def test_decided_games_are_counted_or_won_by_resignation_or_without_a_reason() -> None:
    store = GameStore.from_games([played(result) for result in RESULTS])
    assert decided_games(store).frame["black"].to_list() == ["B+2.5", "W+R", "B+"]
    assert decided_games(store, counted=True).frame["black"].to_list() == ["B+2.5"]
    assert store.filter(is_counted()).frame["black"].to_list() == ["B+2.5"]


def test_games_without_such_results_are_refused_with_what_they_have() -> None:
    with pytest.raises(InputError, match=r"no game was decided on the board.*results: time 2\): give games"):
        decided_games(GameStore.from_games([played("W+T"), played("B+T")]))
    with pytest.raises(InputError, match=r"no game was counted \(results: resign 1\): leave out --counted"):
        decided_games(GameStore.from_games([played("W+R")]), counted=True)


def test_pools_and_records_are_read_together(tmp_path: Path, examples: Path) -> None:
    pool = made_ends(tmp_path / "pool.parquet", 3)
    assert len(open_games([pool], {})) == 3
    assert len(open_games([pool, examples / "9x9.sgf"], {})) == 4
    assert set(open_games([examples], {"size": [9, 13]}).frame["size"]) == {9, 13}


def test_records_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "good.sgf").write_text("(;SZ[9];B[cc])")
    (tmp_path / "bad.sgf").write_text("(;SZ[9];B[")
    said: list[str] = []
    assert len(open_games([tmp_path], {}, said.append)) == 1
    assert len(said) == 1 and "bad.sgf" in said[0]
    with pytest.raises(InputError, match=r"bad\.sgf"):
        open_games([tmp_path / "bad.sgf"], {})


def test_no_game_left_is_an_error_that_names_the_filter(examples: Path) -> None:
    with pytest.raises(InputError, match=r"no game of .*9x9\.sgf has a move and meets the filter .*19"):
        open_games([examples / "9x9.sgf"], {"size": [19]})


def test_games_are_drawn_by_the_seed_in_their_order() -> None:
    store = GameStore.from_games([played("B+2.5", size) for size in range(5, 19)])
    drawn = draw_games(store, 4).frame["size"].to_list()
    assert len(drawn) == 4 and drawn == sorted(drawn) and drawn != [5, 6, 7, 8]
    assert draw_games(store, 4).frame["size"].to_list() == drawn
    assert len(draw_games(store, 100)) == len(store)


def test_a_net_that_cannot_judge_the_games_is_named_with_what_to_do() -> None:
    card = FakeEvaluator(komi_labels=(5.5, 6.5, 7.5)).card
    check_boards(card, GameStore.from_games([played("B+2.5")]))
    with pytest.raises(
        InputError, match=r"fake-0 plays with komi from 5.5 to 7.5 only, not 0.5: .*--where komi="
    ):
        check_boards(card, GameStore.from_games([played("B+2.5"), played("W+2.5", komi=0.5)]))
