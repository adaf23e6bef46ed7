"""`tengen strength` on records, with a net of fake numbers and a model of the same."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

from strength.made_players import made_features, made_pool, made_ranked_pool, made_sgf
from strength.test_estimate import tiny_model

from tengen.cli.main import main
from tengen.games.store import GameStore
from tengen.nets.fake import FakeEvaluator
from tengen.strength.feature_store import net_key
from tengen.strength.publish import write_model


@pytest.fixture(autouse=True)
def fake_net(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tengen.nets.library.open_net", lambda *args, **kwargs: FakeEvaluator())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four games: p1 in three of them; and a strength model in the user's cache."""
    monkeypatch.setenv("TENGEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("tengen.strength.model.SHIPPED", tmp_path / "none")
    for number, (black, white) in enumerate(((1, 2), (3, 1), (1, 4), (5, 6))):
        text = made_sgf(black, white, "B", number, 40, ("5d", "5d"))
        (tmp_path / f"{number}.sgf").write_text(text)
    model = tiny_model()
    graph = model._influence.model
    assert isinstance(graph, bytes)
    from tengen.strength.export import sha256

    calibration = replace(model.card.calibrations["fox"], model_sha256=sha256(graph))
    card = replace(model.card, sha256=sha256(graph), calibrations={"fox": calibration})
    write_model(card, graph, tmp_path / "cache" / "strength" / "tiny")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *args: str
) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["tengen", "strength", *args])
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


def test_the_report_for_people(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, _ = run(capsys, monkeypatch, "0.sgf", "1.sgf", "2.sgf", "--net", "fake", "--plot", "plot.svg")
    assert code == 0
    assert out.startswith("p1: Fox ")
    for words in (
        "80 %:",
        "95 %:",
        "from 60 moves of 3 games",
        "chances:",
        "raised the estimate",
        "Drawn: plot.svg",
    ):
        assert words in out
    assert out.count("(X)") + out.count("(O)") == 10  # a board for each of the telling moves
    assert "<svg" in (folder / "plot.svg").read_text()


def test_the_report_for_programs(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, _ = run(capsys, monkeypatch, "0.sgf", "1.sgf", "--net", "fake", "--json", "--scale", "egf")
    table = json.loads(out)
    assert code == 0 and table["player"] == "p1" and table["model"] == "tiny"
    assert table["scale"] == "egf" and table["approximate"] is True
    low, high = table["interval80"]
    assert low < table["rating"] < high and len(table["by_game"]) == 2
    assert {"file", "move", "color", "vertex", "influence"} == set(table["raised"][0])


def test_a_weak_player_and_a_small_net_are_said(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    net = FakeEvaluator()
    net.card = replace(net.card, weights=1000)
    monkeypatch.setattr("tengen.nets.library.open_net", lambda *args, **kwargs: net)
    monkeypatch.setattr("tengen.strength.calibration.Calibration.rating", lambda self, raw: self.low - 3)
    code, out, _ = run(capsys, monkeypatch, "0.sgf", "1.sgf", "--net", "fake", "--plot", "plot.svg")
    low = next(line for line in out.splitlines() if line.startswith("p1: Fox "))
    assert code == 0 and "or weaker, 80 %:" in low and low.count("or weaker") == 2
    assert "is a small one. For a stronger one" in " ".join(out.split())
    table = json.loads(run(capsys, monkeypatch, "0.sgf", "1.sgf", "--net", "fake", "--json")[1])
    assert table["beyond"] == table["beyond80"][0] == table["beyond95"][0] == "weaker"
    assert table["rank"].endswith("k") and "small one" not in json.dumps(table)


def test_an_interval_at_the_end_of_the_scale_has_no_width(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tengen.strength.calibration.Calibration.rating", lambda self, raw: self.low - 3.0)
    monkeypatch.setattr("tengen.strength.calibration.Calibration._width", lambda *_: 0.001)
    out = " ".join(run(capsys, monkeypatch, "0.sgf", "1.sgf", "--net", "fake")[1].split())
    assert "5k or weaker, 80 %: 5k or weaker 95 %: 5k or weaker; rating 25.0 or less, from 40 moves" in out


def test_two_players_are_compared(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("--first", "p1", "--second", "p6", "--net", "fake")
    code, out, _ = run(capsys, monkeypatch, "vs", "0.sgf", "1.sgf", "--", "3.sgf", *names)
    assert code == 0 and "p1: Fox" in out and "p6: Fox" in out and "wins an even game with a chance of" in out
    code, _, err = run(capsys, monkeypatch, "vs", "0.sgf", "3.sgf", *names)
    assert code == 2 and "then --, then games of the other" in err


BAD = {
    "nothing.sgf": ("", "empty file"),
    "words.sgf": ("My favourite game was chess.", "nothing.sgf|words.sgf"),
    "chess.sgf": ("(;GM[3]FF[4]PB[Ann]PW[Bo];B[e4])", "chess.sgf"),
    "passes.sgf": ("(;GM[1]SZ[19]PB[p1]PW[Bo];B[];W[])", "p1 made no moves"),
    "small.sgf": ("(;GM[1]SZ[9]PB[p1]PW[Bo];B[ee];W[ec])", "are for 19x19 only"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named_without_a_number(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    text, message = BAD[name]
    (folder / name).write_text(text)
    code, out, err = run(capsys, monkeypatch, name, "--player", "p1", "--net", "fake")
    assert code == 2 and out == "" and err.startswith("tengen: ")
    assert any(words in err for words in message.split("|"))


def test_a_missing_file_and_an_unclear_player(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(capsys, monkeypatch, "x.sgf")[0] == 2
    code, out, err = run(capsys, monkeypatch, "0.sgf", "--net", "fake")
    assert code == 2 and out == "" and "choose one with --player" in err


def test_no_model_for_the_net(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tengen.nets.library.open_net", lambda *args, **kwargs: FakeEvaluator(seed=4))
    code, _, err = run(capsys, monkeypatch, "0.sgf", "--player", "p1", "--net", "other")
    assert code == 2 and "no strength model reads the features of the net fake-4" in err
    code, _, err = run(capsys, monkeypatch, "0.sgf", "--player", "p1", "--net", "other", "--model", "tiny")
    assert code == 2 and "reads features of fake, not of fake-4" in err


def test_from_a_pool_to_a_model(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pool, strength = made_ranked_pool(folder / "ranked", players=8, games=4)
    code, out, _ = run(
        capsys, monkeypatch, "ranks", str(pool), "-o", "even.parquet", "--players", "8", "--games", "4"
    )
    assert code == 0 and "games" in out
    made_features(GameStore.open("even.parquet"), strength, folder / "features", net_key(FakeEvaluator()))
    (folder / "small.toml").write_text(
        '[data]\npool = "even.parquet"\nfeatures = "features"\nnet = "fake"\ntarget = "ranks"\n'
        "[model]\ndepth = 1\nhidden = 8\nquery = 4\ninducing = 2\n"
        "[run]\nsteps = 5\nepochs = 2\n[optimiser]\nbatch = 8\n"
    )
    monkeypatch.setattr(sys, "argv", ["tengen", "train", "strength", "full", "small.toml", "-o", "runs"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    capsys.readouterr()
    code, out, _ = run(capsys, monkeypatch, "export", "runs/small-full", "-o", "made")
    assert code == 0 and "within one" in out
    (folder / "cache" / "strength" / "tiny" / "strength.json").unlink()
    code, out, _ = run(capsys, monkeypatch, "0.sgf", "--player", "p2", "--net", "fake", "--model", "made")
    assert code == 0 and "p2: Fox" in out


def test_table_52_and_the_search_from_the_command_line(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pool, strength = made_pool(folder / "rated", players=30, games=400)
    made_features(GameStore.open(pool), strength, folder / "features", net_key(FakeEvaluator()))
    sizes = ("--training", "60", "--validation", "40", "--test", "40", "--exhibition", "5")
    assert run(capsys, monkeypatch, "prepare", str(pool), "-o", "draft.parquet", *sizes)[0] == 0
    (folder / "small.toml").write_text(
        f'[data]\npool = "{pool}"\nfeatures = "features"\ndraft = "draft.parquet"\nnet = "fake"\n'
        "[model]\ndepth = 1\nhidden = 8\nquery = 4\ninducing = 2\n"
        "[run]\nsteps = 3\nepochs = 1\n[optimiser]\nbatch = 8\n"
    )
    for inputs in ("basic", "full"):
        monkeypatch.setattr(sys, "argv", ["tengen", "train", "strength", inputs, "small.toml", "-o", "runs"])
        with pytest.raises(SystemExit):
            main()
        assert run(capsys, monkeypatch, "export", f"runs/small-{inputs}", "-o", inputs)[0] == 0
    where = ("draft.parquet", "--pool", str(pool), "--features", "features", "--net", "fake")
    code, out, _ = run(
        capsys, monkeypatch, "evaluate", *where, "--basic", "basic", "--full", "full", "--json"
    )
    table = json.loads(out)
    assert code == 0
    assert list(table) == [
        "50:50",
        "Glicko-2",
        "future Glicko-2",
        "stochastic",
        "basic",
        "full",
        "basic, tempered",
        "full, tempered",
        "combined (Glicko-2 and the mean)",
        "combined (Glicko-2 and full)",
    ]
    assert {name: figures["games"] for name, figures in table["full"].items()} == {
        "T": 60,
        "V": 40,
        "E": 40,
        "X": 5,
    }
    assert table["Glicko-2"]["E"]["gain_over_glicko2"] == {"mean": 0, "margin": 0}
    assert table["full"]["E"]["gain_over_glicko2"]["mean"] == pytest.approx(
        table["full"]["E"]["log_likelihood"] - table["Glicko-2"]["E"]["log_likelihood"]
    )
    code, out, _ = run(capsys, monkeypatch, "evaluate", *where, "--full", "full")
    assert code == 0 and "(thesis)" in out and "beyond Glicko-2's" in out
    code, out, err = run(capsys, monkeypatch, "evaluate", *where, "--full", "basic")
    assert code == 2 and "not a full model of ratings" in err
    code, out, _ = run(capsys, monkeypatch, "0.sgf", "--player", "p1", "--net", "fake", "--model", "full")
    assert code == 0 and out.startswith("p1: 1")  # a rating of its pool, no rank
    code, _, err = run(
        capsys, monkeypatch, "0.sgf", "--player", "p1", "--net", "fake", "--model", "full", "--scale", "kgs"
    )
    assert code == 2 and "strength calibrate --scale kgs" in err
    limits = ("--iterations", "1", "--runs", "2", "-o", "searched")
    code, out, _ = run(capsys, monkeypatch, "search", "small.toml", *limits)
    assert code == 0 and "# best of 2 runs" in out and "[model]" in out and "hidden = " in out


def test_a_model_is_fitted_to_a_scale_from_the_command_line(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pool, strength = made_ranked_pool(folder / "ranked", players=4, games=2)
    made_features(GameStore.open(pool), strength, folder / "features", net_key(FakeEvaluator()))
    model = folder / "cache" / "strength" / "tiny"
    given = ("--features", "features", "--scale", "kgs", "--net", "fake")
    code, out, _ = run(capsys, monkeypatch, "calibrate", str(model), str(pool), *given)
    assert code == 0 and out.startswith("kgs = ")
    code, out, _ = run(
        capsys, monkeypatch, "0.sgf", "--player", "p1", "--net", "fake", "--scale", "kgs", "--json"
    )
    assert code == 0 and json.loads(out)["approximate"] is False
