from __future__ import annotations

from pathlib import Path

import pytest

from tengen.cli.main import main


def show(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    monkeypatch.setattr("sys.argv", ["tengen", "show", *map(str, words)])
    with pytest.raises(SystemExit) as leave:
        main()
    assert not leave.value.code
    return capsys.readouterr().out


def test_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.sgf"
    path.write_text(
        "(;SZ[5]PB[Ann]BR[5k]PW[Bo]KM[6.5]RU[Japanese]DT[2001-02-03]RE[W+R];B[aa];W[ab];B[cc];W[ba];B[])"
    )
    assert (
        show(monkeypatch, capsys, path)
        == """\
   A B C D E
 5 . O . . . 5
 4 O . . . . 4
 3 . . X . . 3
 2 . . . . . 2
 1 . . . . . 1
   A B C D E

Black  Ann (5k), 0 captured
White  Bo, 1 captured
2001-02-03, komi 6.5, japanese rules
Result W+R
Move 5 of 5: Black pass; White to play
"""
    )
    assert "Move 1 of 5: Black A5; White to play" in show(monkeypatch, capsys, path, "--move", "1")
    assert "Move 4 of 5" in show(monkeypatch, capsys, path, "--move", "-1")
    assert "Before the first of 5 moves" in show(monkeypatch, capsys, path, "--move", "0")


def test_no_such_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.sgf"
    path.write_text("(;SZ[5];B[aa])")
    monkeypatch.setattr("sys.argv", ["tengen", "show", str(path), "--move", "9"])
    with pytest.raises(SystemExit) as leave:
        main()
    assert leave.value.code == 2
    assert "has 1 moves: there is no move 9" in capsys.readouterr().err
