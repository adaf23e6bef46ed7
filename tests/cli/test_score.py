"""`tengen score`, from the file to the printed count."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from tengen.cli.main import main
from tengen.nets.fake import FakeEvaluator

# Black holds the left, White the right; a dead white stone at B4, dame at C2 and C1.
GAME = """(;SZ[5]KM[0.5]RU[Japanese]RE[B+4.5]
    AB[ba][bc][cc][cb][ca][bd][be]AW[da][db][dc][dd][cd][de][bb]PL[B];B[];W[])"""


def run(monkeypatch: pytest.MonkeyPatch, *words: str | Path) -> int:
    monkeypatch.setattr("sys.argv", ["tengen", "score", *map(str, words)])
    with pytest.raises(SystemExit) as leave:
        main()
    return int(leave.value.code or 0)


@pytest.fixture
def game(tmp_path: Path) -> Path:
    path = tmp_path / "game.sgf"
    path.write_text(GAME)
    return path


def test_the_count_is_drawn(
    game: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, game, "--dead", "B4") == 0
    assert (
        capsys.readouterr().out
        == """\
   A B C D E
 5 x X X O o 5
 4 x @ X O o 4
 3 x X X O o 3
 2 x X O O o 2
 1 x X . O o 1
   A B C D E
X O stones, # @ dead stones, x o points, . nobody's
Black: 7 (6 points + 1 prisoners)
White: 5.5 (5 points + 0 prisoners + 0.5 komi)
Result: B+1.5
Dead stones, given: B4
Counted by japanese rules after move 2 of 2; the record says B+4.5
"""
    )


def test_dead_stones_are_guessed_unless_they_are_given(
    game: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, game) == 0
    assert "Dead stones, guessed: B4" in capsys.readouterr().out
    assert run(monkeypatch, game, "--dead", "none") == 0
    assert "Dead stones, given: none" in capsys.readouterr().out


def test_a_net_is_heard_beside_the_playouts(
    game: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class White(FakeEvaluator):
        """Gives every point to White."""

        def evaluate(self, positions, **options):  # type: ignore[no-untyped-def]
            said = super().evaluate(positions, **options)
            return [dataclasses.replace(e, ownership=-np.ones((5, 5), np.float32)) for e in said]

    monkeypatch.setattr("tengen.nets.library.open_net", lambda name: White())
    assert run(monkeypatch, game, "--net", "white", "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["dead"] == [] and facts["net"] == "white"


def test_the_net_that_judges_is_named_and_a_board_it_has_not_learnt(
    game: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, game, "--net", "tengen") == 0
    out = capsys.readouterr().out
    assert "Dead stones, guessed by playouts and the net tengen:" in out
    assert "do not rely on it on 5x5. For a stronger one:" in out


def test_rules_and_komi_may_be_others_than_the_records(
    game: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, game, "--dead", "b4", "--rules", "chinese", "--komi", "3", "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts == {
        "file": str(game),
        "move": 2,
        "rules": "chinese",
        "scoring": "area",
        "komi": 3.0,
        "handicap_bonus": 0.0,
        "black": 13.0,
        "white": 14.0,
        "result": "W+1",
        "recorded_result": "B+4.5",
        "dead": ["B4"],
        "dead_stones_are": "given",
        "is_settled": None,
        "owner": ["BBBWW", "BBBWW", "BBBWW", "BBWWW", "BB.WW"],
    }


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--dead", "A1"], "--dead: A1 is empty"),
        (["--dead", "B4", "--net", "fake"], "give one of the two"),
        (["--net", "no-such-net"], "no-such-net"),
        (["--dead", "Z9"], "--dead: 'Z9' is not a vertex of a 5x5 board"),
        (["--rules", "martian"], "unknown rules 'martian'"),
        (["--komi", "nan"], "komi must be a number"),
        (["--move", "3"], "the game has 2 moves"),
    ],
)
def test_what_cannot_be_used_is_named(
    game: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    message: str,
) -> None:
    assert run(monkeypatch, game, *words) == 2
    output = capsys.readouterr()
    assert message in output.err and output.out == ""


def test_help_shows_an_example(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    run(monkeypatch, "--help")
    assert "tengen score game.sgf --rules japanese --dead D4,Q16" in capsys.readouterr().out
