"""`tengen match`: what is printed, and that failures are never hidden in a win rate."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from tengen.cli.match import match, result_table
from tengen.engine.outcome import MatchResult, Outcome
from tengen.errors import InputError
from tengen.go.game import Game

PLAYER = "policy:net=fake"


def test_the_line_of_a_win_rate_says_how_much_of_it_is_failures() -> None:
    won = [Outcome(n, 0, "B+R", 30, (1, 1)) for n in range(3)]
    failed = [Outcome(n, 0, "B+F", 3, (1, 1), "other: crash: it ended") for n in (3, 4)]
    console = Console(file=io.StringIO(), width=200)
    console.print(result_table(MatchResult(("us", "other"), (*won, *failed))))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    [line] = [line for line in text.splitlines() if "100.0% (" in line]
    assert line.split()[:4] == ["us", "3", "+", "2"]
    assert "5 games: 3 wins, 0 losses, 2 failures of the second program" in text


def test_komi_is_half_a_point_with_a_handicap_unless_it_is_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def komi(folder: str, **options: float) -> float:
        match(PLAYER, PLAYER, games=1, size=9, out=tmp_path / folder, json_=True, **options)  # type: ignore[arg-type]
        assert json.loads(capsys.readouterr().out)["games"] == 1
        return Game.from_sgf(tmp_path / folder / "games" / "0001.sgf").komi

    assert [komi("even"), komi("first", handicap=1), komi("three", handicap=3)] == [7.5, 0.5, 0.5]
    assert komi("given", handicap=2, komi=-5.5) == -5.5


def test_from_end_needs_a_pool(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--from-end"):
        match(PLAYER, PLAYER, out=tmp_path / "m", from_end=10)
