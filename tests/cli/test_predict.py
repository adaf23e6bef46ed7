"""`tengen predict` with the net that ships."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tengen.cli.main import main

GAME = "(;GM[1]SZ[19]PB[Ann]PW[Bo];B[pd];W[dd];B[aa];W[pq])"


def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *args: str) -> tuple[int, str]:
    monkeypatch.setattr(sys, "argv", ["tengen", "predict", *args, "--net", "tengen"])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0), capsys.readouterr().out


def test_each_move_and_each_player(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.sgf"
    path.write_text(GAME)
    code, out = run(capsys, monkeypatch, str(path))
    assert code == 0 and "Black (Ann): 2 moves" in out and "White (Bo): 2 moves" in out
    code, out = run(capsys, monkeypatch, str(path), "--json", "--bagging", "--plot", str(tmp_path / "boards"))
    told = json.loads(out)
    assert code == 0 and [move["vertex"] for move in told["moves"]] == ["Q16", "D16", "A19", "Q3"]
    ranks = [move["rank"] for move in told["moves"]]
    assert max(ranks[0], ranks[1], ranks[3]) < 10 and ranks[2] > 100  # A19 is nobody's third move
    assert len(list((tmp_path / "boards").iterdir())) == 4


def test_a_game_without_moves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty.sgf").write_text("(;GM[1]SZ[9])")
    assert run(capsys, monkeypatch, str(tmp_path / "empty.sgf")) == (2, "")
