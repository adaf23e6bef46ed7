"""Files and folders that a user names."""

from __future__ import annotations

from pathlib import Path

import pytest

from tengen.cli.records import read_games
from tengen.errors import InputError

GAME = "(;GM[1]SZ[9];B[ee];W[ec])"


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


def test_a_folder_stands_for_its_records(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for name in ("b.sgf", "a.SGF", "deep/c.sgf", "notes.txt"):
        (tmp_path / name).write_text(GAME)
    assert [path.name for path, _ in read_games([tmp_path])] == ["a.SGF", "b.sgf", "c.sgf"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="without"):
        read_games([tmp_path / "empty"])
