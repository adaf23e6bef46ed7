"""`tengen measure value`, `review` and `boards` on the games of examples."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tengen.cli.main import main


class Measured:
    """What a command printed, and how it ended."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys, self._monkeypatch = capsys, monkeypatch

    def __call__(self, *words: object, code: int = 0) -> str:
        self._monkeypatch.setattr(sys, "argv", ["tengen", "measure", *map(str, words)])
        self._monkeypatch.setenv("COLUMNS", "160")
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = self._capsys.readouterr()
        assert int(ended.value.code or 0) == code, err
        return str(err if code else out)

    def json(self, *words: object) -> Any:
        return json.loads(self(*words, "--json"))


@pytest.fixture
def measured(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Measured:
    return Measured(capsys, monkeypatch)


def test_the_shipped_net_judges_the_games_of_examples(
    measured: Measured, examples: Path, tmp_path: Path
) -> None:
    table = measured.json(
        "value", "tengen", "fake", examples, "--positions", 60, "--plot", tmp_path / "plot.png"
    )
    ours, fake = table["nets"]
    assert (ours["net"], fake["net"], table["games"]) == ("tengen", "fake-0", 7)
    assert ours["phases"]["all"]["positions"] == fake["phases"]["all"]["positions"] == 60
    assert ours["phases"]["all"]["half_mse"]["value"] < 0.3 < fake["phases"]["all"]["half_mse"]["value"]
    assert fake["phases"]["all"]["half_mse_less_first"]["low"] > 0
    end = ours["ends"]["before the passes"]
    assert end["right_winner"]["value"] == 1.0 and end["lead_distance_median"] < 4
    assert (tmp_path / "plot.png").exists()


def test_tables_of_values(measured: Measured, examples: Path) -> None:
    out = measured("value", "fake", examples, "--positions", 20, "--ends", 2, "--counted")
    assert "fake-0: 20 positions of 7 counted games of examples" in out
    for word in (
        "half MSE",
        "right winner",
        "moves 1-60",
        "before the passes",
        "points off",
        "judged",
        "won",
    ):
        assert word in out
    assert "less" not in out
    out = measured("value", "fake", "fake", examples, "--positions", 20, "--ends", 0)
    assert "half MSE less" in out and "passes" not in out


def test_value_says_what_is_wrong(measured: Measured, examples: Path, tmp_path: Path) -> None:
    assert "then the games: tengen measure value tengen pool.parquet" in measured("value", "fake", code=2)
    assert "unknown net 'tengne'" in measured("value", "tengne", examples, code=2)
    assert ".png, .svg, .pdf" in measured("value", "fake", examples, "--plot", "a.txt", code=2)
    timed = tmp_path / "time.sgf"
    timed.write_text("(;SZ[9]RE[B+T];B[cc];W[gg])")
    assert "results: time 1" in measured("value", "fake", timed, code=2)


def test_reviews_compared(measured: Measured, examples: Path) -> None:
    words = ("review", "fake", "fake", examples, "--where", "size=[9]", "--visits", 3, "--second-visits", 3)
    table = measured.json(*words, "--mistakes", 4)
    assert table["games"] == 2 and table["first"] == {"net": "fake-0", "visits": 3}
    assert table["shared"]["value"] == table["first_mistakes"] == 4  # the same net at the same visits
    assert [len(one["first"]) for one in table["each_game"]] == [4, 4]
    out = measured(*words, "--games", 1)
    assert "has 10.00 (10.00 to 10.00) of them among its own 10 biggest" in " ".join(out.split())
    assert "the mistakes of the first game by fake-0" in out


def test_the_shipped_net_reviews(measured: Measured, examples: Path, tmp_path: Path) -> None:
    words = ("review", "tengen", "fake", examples / "9x9.sgf", "--visits", 4, "--second-visits", 2)
    first = measured.json(*words, "--keep", tmp_path)
    assert first["second"]["visits"] == 2 and first["each_game"][0]["first"]
    assert len(list(tmp_path.iterdir())) == 1
    assert measured.json(*words, "--keep", tmp_path) == first


def test_boards_by_size(measured: Measured, examples: Path) -> None:
    table = measured.json("boards", "tengen", "tengen", examples, "--positions", 5)
    assert [row["size"] for row in table["boards"]] == [9, 13, 19]
    assert all(row["lead_distance"]["value"] == 0 for row in table["boards"])
    assert all(row["same_first_move"]["value"] == 1 for row in table["boards"])
    out = measured("boards", "fake", "tengen", examples / "9x9.sgf", "--positions", 5)
    assert "9x9" in out and "same first move" in out


def test_ctrl_c_ends_with_one_line(
    measured: Measured, examples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*words: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tengen.prediction.value_figures.judge", stopped)
    assert measured("value", "fake", examples, code=130) == "tengen: stopped by Ctrl-C\n"
