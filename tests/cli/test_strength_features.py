"""`tengen strength features` as a user meets it, with a net without a net."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from tengen.cli import main as command
from tengen.games.importing import import_games
from tengen.games.store import GameStore
from tengen.nets import library
from tengen.nets.fake import FakeEvaluator
from tengen.strength.draft import prepare
from tengen.strength.feature_store import FeatureStore, game_key


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def net(monkeypatch: pytest.MonkeyPatch) -> FakeEvaluator:
    net = FakeEvaluator()
    monkeypatch.setattr(library, "open_net", lambda name, precision, threads: net)
    return net


@pytest.fixture
def tengen(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    monkeypatch.setenv("COLUMNS", "120")

    def run(*arguments: str | int | Path) -> Done:
        monkeypatch.setattr(sys, "argv", ["tengen", "strength", "features", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            command.main()
        return Done(int(left.value.code or 0), *capsys.readouterr())

    return run


def make_pool(path: Path, games: int, size: int = 19, moves: int = 60) -> Path:
    lines = []
    for i in range(games):
        body = "".join(
            f";{'BW'[j % 2]}[{chr(97 + (j // 2 + i) % size)}{chr(97 + j // 2 // size + j % 2 * 5)}]"
            for j in range(moves)
        )
        names = f"PB[p{i % 4}]PW[p{(i + 1 + i // 4 % 3) % 4}]"
        lines.append(f"(;SZ[{size}]KM[6.5]{names}DT[2020-01-{1 + i % 28:02}]RE[{'BW'[i % 2]}+R]{body})")
    source = path.with_suffix(".sgfs")
    source.write_text("\n".join(lines))
    import_games([source], path)
    return path


def test_features_are_kept_and_known_the_second_time(
    tengen: Callable[..., Done], net: FakeEvaluator, tmp_path: Path
) -> None:
    pool = make_pool(tmp_path / "pool.parquet", 3, 9, 10)
    first = tengen(pool, "-o", tmp_path / "features", "--limit", 2)
    assert first.returncode == 0, first.stderr
    assert "2 games, 20 moves; 0 games were known" in first.stdout
    second = json.loads(tengen(pool, "-o", tmp_path / "features", "--json").stdout)
    assert (second["games"], second["known"], second["moves"], second["net"]) == (3, 2, 30, "fake-0")
    with FeatureStore(tmp_path / "features", net, write=False) as store:
        assert all(game_key(game) in store for game in GameStore.open(pool))
    assert str(tmp_path / "features") in second["folder"]


def test_boards_the_net_does_not_know_are_counted(
    tengen: Callable[..., Done], net: FakeEvaluator, tmp_path: Path
) -> None:
    pool = make_pool(tmp_path / "pool.parquet", 2, 9, 10)
    net.card = replace(net.card, name="only19", board_sizes=(19,))
    done = tengen(pool, "-o", tmp_path / "features")
    assert done.returncode == 2 and "none of its games is on a board that only19 plays on" in done.stderr
    assert not (tmp_path / "features").exists()


def test_a_draft_asks_only_for_what_its_windows_need(
    tengen: Callable[..., Done], net: FakeEvaluator, tmp_path: Path
) -> None:
    pool = make_pool(tmp_path / "pool.parquet", 40)
    draft = tmp_path / "draft.parquet"
    prepare(GameStore.open(pool), sizes={"T": 1, "V": 1, "E": 1, "X": 1}).write(draft)
    some = json.loads(
        tengen(pool, "-o", tmp_path / "f", "--draft", draft, "--window", 30, "--json", "--limit", 500).stdout
    )
    assert 0 < some["games"] <= 8, "the last game of each side of four games"
    other = make_pool(tmp_path / "other.parquet", 39)
    done = tengen(other, "-o", tmp_path / "f", "--draft", draft)
    assert done.returncode == 2 and "not a draft of" in done.stderr


@pytest.mark.parametrize("option", ["--limit", "--batch", "--window"])
def test_counts_are_positive(
    tengen: Callable[..., Done], net: FakeEvaluator, tmp_path: Path, option: str
) -> None:
    pool = make_pool(tmp_path / "pool.parquet", 1, 9, 10)
    done = tengen(pool, "-o", tmp_path / "f", option, 0)
    assert done.returncode == 2 and "at least 1" in done.stderr


def test_no_pool(tengen: Callable[..., Done], tmp_path: Path) -> None:
    done = tengen(tmp_path / "none.parquet", "-o", tmp_path / "f")
    assert done.returncode == 2 and "no such pool" in done.stderr
