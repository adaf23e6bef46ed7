"""Tournaments: the file, the cross table."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tengen import InputError
from tengen.cli.tournament import tournament
from tengen.engine.significance import Tally
from tengen.engine.tournament import Standing, TournamentResult, read_tournament

FILE = """
games = 2
size = 5
komi = 7.5
[players]
one = "puct:net=fake,visits=4"
two = "puct:net=fake,visits=8"
three = "policy:net=fake"
"""


def test_everyone_meets_everyone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.toml").write_text(FILE)
    tournament(tmp_path / "t.toml", out=tmp_path / "out")
    table = capsys.readouterr().out
    assert all(name in table for name in ("one", "two", "three"))
    folders = sorted(p.name for p in (tmp_path / "out").iterdir())
    assert folders == ["one-vs-three", "one-vs-two", "two-vs-three"]


def test_standings_count_both_sides() -> None:
    tallies = {("a", "b"): Tally(3, 1), ("a", "c"): Tally(0, 2, 2), ("b", "c"): Tally()}
    result = TournamentResult(("a", "b", "c"), tallies)
    assert result.standings() == [Standing("c", 3.0, 4), Standing("a", 4.0, 8), Standing("b", 1.0, 4)]


def test_points_by_failures_are_said_beside_the_points(
    tmp_path: Path, bad_engine: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "t.toml"
    file.write_text(f'games = 2\nsize = 5\n[players]\ngood = "policy:net=fake"\nbad = "{bad_engine("dies")}"')
    tournament(file, out=tmp_path / "out", json_=True)
    answer = json.loads(capsys.readouterr().out)
    assert answer["pairs"][0]["summary"] == "0 wins, 0 losses, 2 failures of the second program"
    assert [row["points_by_failure"] for row in answer["standings"]] == [2, 0]
    tournament(file, out=tmp_path / "out")
    assert "2/2 (2 by failure)" in capsys.readouterr().out


def test_komi_is_half_a_point_with_a_handicap(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(FILE.replace("komi = 7.5", "handicap = 1"))
    assert read_tournament(tmp_path / "t.toml").terms.komi == 0.5


@pytest.mark.parametrize(
    "text",
    [
        "games = 2",
        "[players]\na = 'puct:net=fake'",
        "games = 0\n[players]\na = 'puct:net=fake'\nb = 'puct:net=fake'",
        "size = 'big'\n[players]\na = 'puct:net=fake'\nb = 'puct:net=fake'",
        "colour = 3\n[players]\na = 'puct:net=fake'\nb = 'puct:net=fake'",
        "[players]\n'../a' = 'puct:net=fake'\nb = 'puct:net=fake'",
        "[players]\na = 3\nb = 'puct:net=fake'",
        "not toml [",
    ],
)
def test_a_file_that_is_wrong_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(text)
    with pytest.raises(InputError, match=r"t\.toml"):
        read_tournament(tmp_path / "t.toml")
    with pytest.raises(InputError):
        read_tournament(tmp_path / "missing.toml")
