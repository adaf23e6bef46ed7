"""`tengen rate`, `tengen strength prepare` and `tengen reproduce` as a user meets them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
import pytest

from tengen.cli import main as command


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


Command = Callable[..., Done]


@pytest.fixture
def tengen(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs the command in this process, in a wide terminal."""
    monkeypatch.setenv("COLUMNS", "120")

    def run(*arguments: str | int | Path) -> Done:
        monkeypatch.setattr(sys, "argv", ["tengen", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            command.main()
        return Done(int(left.value.code or 0), *capsys.readouterr())

    return run


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    lines = ["date,black,white,result"]
    for i in range(400):
        b, w = rng.choice(10, 2, replace=False)
        black_wins = (b < w) != (rng.random() < 0.25)
        lines.append(f"2020-{1 + i // 40:02}-{1 + i % 28:02},p{b},p{w},{'B' if black_wins else 'W'}+R")
    lines.append("2020-11-01,p1,p1,B+R")
    path = tmp_path_factory.mktemp("rate") / "results.csv"
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize("system", ["elo", "glicko2", "whr"])
def test_the_strongest_come_first_and_faults_are_told(tengen: Command, results: Path, system: str) -> None:
    done = tengen("rate", results, "--system", system, "--top", 3)
    assert done.returncode == 0, done.stderr
    assert "401 games read, 400 rated, 10 players" in done.stdout
    assert "1 left out: a player against himself (row 401)" in done.stdout
    assert "put in order" in done.stdout
    shown = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("│")]
    assert shown[0] == "p0"
    assert len(shown) == 3


def test_the_table_says_whose_ranks_it_shows(tengen: Command, results: Path) -> None:
    assert (
        "The ranks are those of OGS: they only fit ratings from its games." in tengen("rate", results).stdout
    )
    assert "EGF rank" in tengen("rate", results, "--scale", "egf").stdout


def test_ratings_histories_and_drawings_are_written(tengen: Command, results: Path, tmp_path: Path) -> None:
    files = {name: tmp_path / "out" / name for name in ("r.parquet", "h.csv", "c.png")}
    written = ["-o", files["r.parquet"], "--history", files["h.csv"], "--plot", files["c.png"]]
    done = tengen("rate", results, *written, "--player", "p3", "--player", "p4", "--json")
    assert done.returncode == 0, done.stderr
    players = pl.read_parquet(files["r.parquet"])
    assert players.columns == [
        "player", "rating", "deviation", "volatility", "rank", "rank_number", "games", "last_game",
    ]  # fmt: skip
    assert len(players) == 10 and players["games"].sum() == 800
    history = pl.read_csv(files["h.csv"])
    assert len(history) == 800
    last = history.filter(pl.col("player") == "p3").tail(1)
    assert last["rating"].item() == pytest.approx(players.filter(pl.col("player") == "p3")["rating"].item())
    assert files["c.png"].read_bytes().startswith(b"\x89PNG")
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == sorted(files)
    said = json.loads(done.stdout)
    assert {row["player"] for row in said["players"]} == {"p3", "p4"}
    assert said["pool"]["left_out"] == {"a player against himself": 1}


def test_systems_are_compared_on_the_same_games(tengen: Command, results: Path, tmp_path: Path) -> None:
    plot = tmp_path / "compare.svg"
    done = tengen(
        "rate",
        "compare",
        results,
        "--system",
        "elo",
        "--system",
        "glicko2",
        "--tune",
        "--plot",
        plot,
        "--json",
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert [each["name"] for each in said["systems"]] == [
        "50:50",
        "elo",
        "glicko2",
        "elo, tuned",
        "glicko2, tuned",
    ]
    assert {each["games"] for each in said["systems"]} == {80} == {said["held_out"]}
    assert said["systems"][0]["log_likelihood"] == pytest.approx(np.log(0.5))
    assert said["systems"][2]["log_likelihood"] > said["systems"][0]["log_likelihood"]
    assert set(said["tuned"]["elo"]) == {"k"}
    assert plot.read_text().startswith("<?xml")
    table = tengen("rate", "compare", results, "--system", "elo")
    assert "80 held-out games of 400" in table.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.csv"], "no such file"),
        (["results.csv", "--system", "trueskill"], "no rating system is called 'trueskill'"),
        (["results.csv", "--system", "glicko2", "--k", "20"], "--k is Elo's"),
        (["results.csv", "--system", "elo", "--k", "-1"], "--k is Elo's"),
        (["results.csv", "--system", "elo", "--period-days", "7"], "--period-days is Glicko-2's"),
        (["results.csv", "--scale", "chess"], "no scale of ranks for such ratings is called 'chess'"),
        (["results.csv", "--scale", "kgs"], "there are ogs, egf"),
        (["results.csv", "--player", "Nobody"], "no player is called 'Nobody'"),
        (["results.csv", "--player", "P3."], "did you mean 'p3'?"),
        (["results.csv", "-o", "out.xlsx"], "tables are written as"),
        (["results.csv", "--plot", "out.doc"], "drawings are written as"),
        (["empty.csv"], "none of its games can be rated"),
        (["compare", "results.csv", "--tune", "--held-out", "1"], "nothing is left to tune on"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line_of_reasons(
    tengen: Command,
    results: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    message: str,
) -> None:
    (tmp_path / "results.csv").write_text(results.read_text())
    (tmp_path / "empty.csv").write_text("black,white,result\na,a,B+R\n")
    monkeypatch.chdir(tmp_path)
    done = tengen("rate", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["empty.csv", "results.csv"], "no partial output"


def test_help_has_examples(tengen: Command) -> None:
    for words in (["rate"], ["rate", "compare"], ["strength", "prepare"], ["reproduce"]):
        assert "Example: tengen" in tengen(*words, "--help").stdout


def test_a_figure_is_drawn_from_any_pool(tengen: Command, results: Path, tmp_path: Path) -> None:
    listed = tengen("reproduce")
    assert "thesis-figure4.4" in listed.stdout
    drawing = tmp_path / "figure.png"
    done = tengen("reproduce", "thesis-figure4.4", "--pool", results, "-o", drawing)
    assert done.returncode == 0, done.stderr
    assert "around 73" in done.stdout
    assert drawing.read_bytes().startswith(b"\x89PNG")
    assert tengen("reproduce", "thesis-figure9.9").returncode == 2
    missing = tengen("reproduce", "thesis-figure4.1", "--data", tmp_path)
    assert missing.returncode == 2 and "not there" in missing.stderr


def test_curves_of_a_pool_without_dates_are_drawn_over_the_games(tengen: Command, tmp_path: Path) -> None:
    path = tmp_path / "undated.csv"
    path.write_text("black,white,score\nA,B,1\nB,C,0\nC,A,1\n")
    done = tengen("rate", path, "--plot", tmp_path / "curves.svg")
    assert done.returncode == 0, done.stderr
    drawing = (tmp_path / "curves.svg").read_text()
    assert "games played" in drawing and "1970" not in drawing


def test_every_system_is_compared_unless_others_are_named(tengen: Command, results: Path) -> None:
    entries = json.loads(tengen("rate", "compare", results, "--json").stdout)["systems"]
    names = [entry["name"] for entry in entries]
    assert names[0] == "50:50" and {"elo", "glicko2", "bradley-terry", "whr"} <= set(names)
    few = json.loads(tengen("rate", "compare", results, "--json", "--system", "elo").stdout)["systems"]
    assert [entry["name"] for entry in few] == ["50:50", "elo"]
