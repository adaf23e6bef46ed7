from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from games.pools import server_games

from tengen import InputError
from tengen.games.filters import GameFilter, parse_day, parse_rank
from tengen.games.importing import read_games
from tengen.games.store import GameStore
from tengen.games.summary import Summary, plot
from tengen.go.rank import Rank
from tengen.go.result import ResultKind


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> GameStore:
    path = tmp_path_factory.mktemp("games") / "games.sgfs"
    path.write_text("\n".join(server_games()))
    return GameStore(read_games([path])[0])


@pytest.mark.parametrize(
    ("wanted", "lines"),
    [
        (GameFilter(), [1, 2, 3, 4]),
        (GameFilter(size=(19,)), []),
        (GameFilter(size=(9, 19)), [1, 2, 3, 4]),
        (GameFilter(min_rank=Rank.parse("5k")), [1, 2, 3]),
        (GameFilter(min_rank=Rank.parse("1d")), [2]),
        (GameFilter(max_rank=Rank.parse("1d")), [1]),
        (GameFilter(since=datetime.date(2001, 3, 1)), [2]),
        (GameFilter(until=datetime.date(2001, 12, 31)), [1]),
        (GameFilter(komi=(7.5,)), [2, 3, 4]),
        (GameFilter(komi=(6.5, 0.5)), [1]),
        (GameFilter(max_handicap=0), [1, 2, 3, 4]),
        (GameFilter(min_handicap=2), []),
        (GameFilter(result=(ResultKind.RESIGN, ResultKind.TIME)), [2, 3]),
        (GameFilter(min_moves=61), []),
        (GameFilter(max_moves=60), [1, 2, 3, 4]),
        (GameFilter(min_time=30), [1]),
        (GameFilter(max_time=10), []),
        (GameFilter(without=("zen19*",)), [1, 3, 4]),
        (GameFilter(without=("ann", "D?N")), [2]),
        (GameFilter(without=("[a-c]*", "x.y")), [4][:0]),
        (GameFilter(ranked=True), [2]),
    ],
)
def test_filters(store: GameStore, wanted: GameFilter, lines: list[int]) -> None:
    assert store.filter(*wanted.predicates()).frame["line"].to_list() == lines


def test_bad_words() -> None:
    with pytest.raises(InputError, match="is not a date"):
        parse_day("2015-13")
    with pytest.raises(InputError, match="is not a rank"):
        parse_rank("strong")
    assert parse_day("2015-12", end=True) == datetime.date(2015, 12, 31)
    assert parse_day("2015-12-24") == datetime.date(2015, 12, 24)


def test_summary(store: GameStore, tmp_path: Path) -> None:
    summary = Summary.of(store)
    assert (summary.games, summary.moves, summary.players) == (4, 240, 6)
    assert summary.years == {"2001": 1, "2002": 1, "2003": 1, "unknown": 1}
    assert summary.ranks == {"5k": 1, "4k": 1, "1d": 2, "9d": 1, "9p": 1, "unknown": 2}
    assert summary.komi == {"6.5": 1, "7.5": 3}
    assert summary.results == {"resign": 1, "score": 1, "time": 1, "void": 1}
    assert summary.games_per_player == {"1": 4, "2-9": 2, "10-49": 0, "50-199": 0, "200+": 0}
    assert summary.busiest["ann"] == 2
    plot(summary, tmp_path / "pool.png")
    assert (tmp_path / "pool.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(InputError, match=r"\.png"):
        plot(summary, tmp_path / "pool.txt")
    assert [p.name for p in tmp_path.iterdir()] == ["pool.png"]
