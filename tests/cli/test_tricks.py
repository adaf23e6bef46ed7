"""`tengen tricks` with the net and the strength model that ship, on a made problem."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tengen.cli.main import main
from tengen.errors import InputError
from tengen.games.importing import import_games
from tengen.papers.reproduction import Request, find

PROBLEM = "(;GM[1]SZ[19]AB[qd][oc]AW[pc][pd](;B[pb];W[qb];B[ob])(;B[pe];W[qc];B[rd]))"
GAME = "(;GM[1]SZ[19]KM[6.5];B[qd];W[pc];B[oc];W[pd];B[dp];W[dd])"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "problems").mkdir()
    for name in ("problem2", "problem10"):
        (tmp_path / "problems" / f"{name}.sgf").write_text(PROBLEM)
    (tmp_path / "problems" / "trickratings.csv").write_text(
        "Nr,Failure,Refutation\n2,1500.5,1700\n10,1800,1600\n"
    )
    (tmp_path / "games.sgfs").write_text(GAME)
    import_games([tmp_path / "games.sgfs"], tmp_path / "pool.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *args: str
) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["tengen", "tricks", *args])
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


def test_both_lines_are_rated_on_the_board_of_the_game(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    code, out, _ = run(
        capsys,
        monkeypatch,
        "problems",
        "--pool",
        "pool.parquet",
        "--page",
        "page.html",
        "--plot",
        "p.svg",
        "--json",
    )
    assert code == 0
    found = json.loads(out)
    assert [one["problem"] for one in found["problems"]] == ["problem2", "problem10"]
    first, second = found["problems"]
    assert first["published"] == {"failure": 1500.5, "refutation": 1700.0}
    [board] = first["boards"]
    assert (board["how"], board["move"]) == ("in games", 4)
    assert board["source"].endswith("games.sgfs:1")
    # Three moves say little: both ratings are near the middle, but not the same.
    assert first["failure"] != first["refutation"]
    assert first["failure"] == board["failure"]
    # The same problem twice. Sums of floats depend on the batch that a position is in, in their last digits.
    [other] = second["boards"]
    assert {**other, "points": board["points"]} == board
    assert other["points"] == pytest.approx(board["points"], abs=1e-4)
    assert [second[key] for key in ("failure", "refutation")] == [
        first[key] for key in ("failure", "refutation")
    ]
    assert second["points"] == other["points"] and first["points"] == board["points"]
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 4
    assert "In the thesis: 1700 and 1500" in page
    assert (folder / "p.svg").stat().st_size > 1000


def test_the_table_for_people_says_how_often_the_refutation_is_higher(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    code, out, _ = run(
        capsys, monkeypatch, "problems/problem2.sgf", "--pool", "pool.parquet", "--boards", "1"
    )
    assert code == 0
    assert "rated above the failure in" in out
    assert "thesis" not in out


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (("nowhere", "--pool", "pool.parquet"), "nowhere: no such file"),
        (("empty", "--pool", "pool.parquet"), "no SGF file"),
        (("problems", "--pool", "missing.parquet"), "missing.parquet"),
        (("problems", "--pool", "pool.parquet", "--boards", "0"), "--boards"),
        (("problems", "--pool", "pool.parquet", "--plot", "p.gif"), "p.gif"),
    ],
)
def test_what_is_wrong_is_said_before_any_work(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    args: tuple[str, ...],
    complaint: str,
) -> None:
    (folder / "empty").mkdir()
    code, _, err = run(capsys, monkeypatch, *args)
    assert code == 2
    assert complaint in err


def test_ratings_of_others_that_cannot_be_read(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    (folder / "problems" / "trickratings.csv").write_text("Nr,Failure\n2,x\n")
    code, _, err = run(capsys, monkeypatch, "problems", "--pool", "pool.parquet")
    assert code == 2
    assert "Nr, Failure and Refutation" in err


def test_a_problem_on_a_small_board_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    (folder / "small.sgf").write_text("(;GM[1]SZ[9]AB[gf]AW[hf](;B[hh])(;B[fg]))")
    code, _, err = run(capsys, monkeypatch, "small.sgf", "--pool", "pool.parquet")
    assert code == 2
    assert "19x19 only" in err


def test_the_tables_of_the_thesis_beside_ours(folder: Path) -> None:
    (folder / "problems").rename(folder / "trickplay")
    drawing = folder / "table7.png"
    outcome = find("thesis-table7").run(Request(folder, drawing, folder / "pool.parquet"))
    assert [(row.what, row.published) for row in outcome.rows] == [
        ("problem2", "1500 and 1700"),
        ("problem10", "1800 and 1600"),
        ("refutation above failure", "1 of 2"),
    ]
    assert outcome.drawn == drawing
    assert drawing.read_bytes().startswith(b"\x89PNG")
    (folder / "trickplay" / "trickratings.csv").unlink()
    with pytest.raises(InputError, match="trickratings"):
        find("thesis-table7").run(Request(folder, None, folder / "pool.parquet"))
