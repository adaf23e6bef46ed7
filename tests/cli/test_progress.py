"""Bars and lines that say how far a command is, and files that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tengen.cli import progress
from tengen.cli.progress import progress_bar
from tengen.cli.records import read_games
from tengen.errors import InputError

GAME = "(;GM[1]SZ[9];B[ee];W[ec])"


def test_a_file_gets_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    with progress_bar("games") as bar:
        bar.at(1, 1200)
        now += progress.LINE_EVERY
        bar.at(600, 1200, "400 : 200")
        bar.at(700, 1200)
        bar.complain("game 701: [engine] died")
        now += progress.LINE_EVERY
        bar.share(0.5, title="counting")
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == ["games: 600 of 1,200 400 : 200", "game 701: [engine] died", "counting: 50%"]


def test_what_cannot_be_read_is_named_and_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [tmp_path / name for name in ("a.sgf", "broken.sgf", "b.sgf", "missing.sgf")]
    for path in (paths[0], paths[2]):
        path.write_text(GAME)
    paths[1].write_text("(;SZ[9];B[")
    assert [path.name for path, _ in read_games(paths)] == ["a.sgf", "b.sgf"]
    complaints = capsys.readouterr().err.splitlines()
    assert len(complaints) == 2 and "broken.sgf" in complaints[0] and "missing.sgf" in complaints[1]


def test_nothing_that_can_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "broken.sgf").write_text("(;SZ[9];B[")
    with pytest.raises(InputError, match=r"broken\.sgf"):
        read_games([tmp_path / "broken.sgf"])
    with pytest.raises(InputError, match="none of the 2 files"):
        read_games([tmp_path / "broken.sgf", tmp_path / "missing.sgf"])
