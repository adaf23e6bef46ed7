"""Tournaments: the file, the cross table."""

from __future__ import annotations

from pathlib import Path

import pytest

from tengen import InputError
from tengen.cli.tournament import tournament
from tengen.engine.significance import Tally
from tengen.engine.tournament import read_tournament, standings

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
    assert standings(tallies, ["a", "b", "c"]) == [("c", 3.0, 4), ("a", 4.0, 8), ("b", 1.0, 4)]


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
