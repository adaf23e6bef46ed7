"""`tengen selfplay`: a pool from the command line, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tengen.cli.commands import make_app
from tengen.errors import InputError
from tengen.games.store import GameStore


def run(*words: str) -> None:
    make_app(["selfplay"])(["selfplay", *words], result_action="return_value")


def test_it_writes_a_pool_and_prints_its_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pool = tmp_path / "pool.parquet"
    run("--net", "fake", "--games", "6", "--size", "5", "-o", str(pool), "--threads", "2", "--json")
    figures = json.loads(capsys.readouterr().out)
    store = GameStore.open(pool)
    assert figures["games"] == len(store) == 6
    assert figures["moves"] == store.frame["move_count"].sum()
    run("--net", "fake", "--games", "6", "--size", "5", "-o", str(tmp_path / "other.parquet"))
    assert "6 games" in capsys.readouterr().out
    assert GameStore.open(tmp_path / "other.parquet").frame.equals(store.frame)


def test_games_begin_with_those_of_a_pool(tmp_path: Path) -> None:
    first, pool = tmp_path / "first.parquet", tmp_path / "pool.parquet"
    words = ["--net", "fake", "--games", "8", "--size", "5"]
    run(*words, "-o", str(first))
    run(*words, "-o", str(pool), "--begin", str(first), "--seed", "2")
    openings = {tuple(game.moves[:2]) for game in GameStore.open(first)}
    assert sum(tuple(game.moves[:2]) in openings for game in GameStore.open(pool)) > 4
    with pytest.raises(InputError, match="begins on an empty 7x7 board"):
        run("--net", "fake", "--games", "1", "--size", "7", "-o", str(tmp_path / "x"), "--begin", str(first))


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--net", "no-such-net", "--games", "1"], "unknown net 'no-such-net'"),
        (["--net", "fake", "--games", "0"], "the number of games must be 1 or more"),
        (["--net", "fake", "--games", "1", "--size", "1"], "a board has 2 to 19 lines"),
        (
            ["--net", "fake", "--games", "1", "--rules", "chinese"],
            "have superko: tromp-taylor, aga, new-zealand",
        ),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, words: list[str], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        run(*words, "-o", str(tmp_path / "pool.parquet"))
    assert not list(tmp_path.iterdir())
