"""`tengen bench core`: that it measures what it says, not how much."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tengen.bench import plain
from tengen.bench.core import made_up_records
from tengen.bench.figures import Figure
from tengen.cli.commands import make_app
from tengen.errors import InputError
from tengen.go.playouts import playout_statistics
from tengen.go.position import Position


def test_a_ratio_above_one_is_better_for_rates_and_times_alike() -> None:
    assert Figure("", 20, "/s", "", 10).ratio == 2
    assert Figure("", 10, "ns", "", 20).ratio == 2


def test_the_peer_plays_the_same_kind_of_playout() -> None:
    """Means over 5x5 playouts agree within what chance allows: they are the same random variable."""
    rng = random.Random(1)
    n = 300
    mean = sum(plain.uniform_playout(5, rng) for _ in range(n)) / n
    ours = playout_statistics(Position(5), 5000)
    assert abs(mean - ours.margin_mean) < 4 * ours.margin_deviation / n**0.5


def test_made_up_games_are_legal() -> None:
    records = made_up_records(count=3, length=100)
    for i in range(3):
        position = Position(19)
        position.play_all(records.moves_flat[records.move_offsets[i] : records.move_offsets[i + 1]])
        assert position.move_number == 100


def test_bench_core_prints_every_figure_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    make_app(["bench"])(["bench", "core", "--seconds", "0.01", "--json"], result_action="return_value")
    figures = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert {"uniform playouts", "guided playouts", "play from Python", "replay, checked"} <= set(figures)
    for row in figures.values():
        assert row["value"] > 0 and row["peer_value"] > 0 and row["ratio"] > 0
    assert figures["uniform playouts"]["ratio"] > 100


def test_bad_options_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--seconds"):
        make_app(["bench"])(["bench", "core", "--seconds", "0"], result_action="return_value")
    with pytest.raises(InputError, match="no such pool"):
        make_app(["bench"])(
            ["bench", "core", "--pool", str(tmp_path / "none.parquet")], result_action="return_value"
        )
