"""Accuracy: ranks, intervals, phases, bagging."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from nets.net_writer import make_net, packed

from tengen.games.store import GameStore
from tengen.prediction.accuracy import Figures, bagged, interval, measure
from tengen.training.data import Batch, Examples


@pytest.fixture(scope="module")
def examples(pool: Path) -> Examples:
    return Examples(GameStore.open(pool).records(), "golois39")


def test_ranks_and_probabilities() -> None:
    figures = Figures()
    chances = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [0.6, 0.3, 0.1]], np.float32)
    figures.add(chances, np.array([0, 1, 2]), np.array([0, 70, 200]))
    assert figures.ranks.tolist() == [1, 2, 3]
    assert [figures.top(n) for n in (1, 2, 3)] == pytest.approx([1 / 3, 2 / 3, 1])
    assert figures.cross_entropy == pytest.approx(-np.log([0.5, 0.2, 0.1]).mean())
    assert figures.phase(60, 150).ranks.tolist() == [2]


def test_wilsons_interval_against_its_definition() -> None:
    """The shares p for which the observed one is 1.96 deviations away."""
    for share, n in ((0.5, 100), (0.03, 200), (0.999, 1000)):
        for bound in interval(share, n):
            assert abs(share - bound) == pytest.approx(1.96 * (bound * (1 - bound) / n) ** 0.5, rel=1e-9)


def stones_policy(batch: Batch) -> np.ndarray[Any, Any]:
    """Turns with the board: every point's chance is made of its own planes."""
    planes = batch.planes
    score = (
        (planes * np.arange(1, planes.shape[1] + 1)[None, :, None, None] * 0.1)
        .sum(1)
        .reshape(len(planes), -1)
    )
    raised = np.exp(score - score.max(1, keepdims=True))
    return np.asarray(raised / raised.sum(1, keepdims=True), dtype=np.float32)


def corner_policy(batch: Batch) -> np.ndarray[Any, Any]:
    """Does not: always the upper left point, and never passes."""
    planes = batch.planes
    out = np.zeros((len(planes), planes.shape[2] ** 2 + 1), np.float32)
    out[:, 0] = 1
    return out


def test_bagging_changes_nothing_for_a_net_that_turns_with_the_board(examples: Examples) -> None:
    positions = np.arange(0, 200, 7)
    upright = examples.at(positions, np.zeros(len(positions), np.int64))
    np.testing.assert_allclose(bagged(stones_policy, examples, positions), stones_policy(upright), rtol=1e-4)


def test_bagging_spreads_a_net_that_does_not(examples: Examples) -> None:
    mean = bagged(corner_policy, examples, np.arange(3))
    board = mean[0, :25].reshape(5, 5)
    assert [board[0, 0], board[0, 4], board[4, 0], board[4, 4]] == pytest.approx([0.25] * 4)
    assert mean.sum(1) == pytest.approx([1, 1, 1])


def test_measuring_draws_the_same_positions_every_time(examples: Examples) -> None:
    one = measure(stones_policy, examples, 100, batch=30)
    two = measure(stones_policy, examples, 100, batch=100)
    assert len(one) == 100
    assert np.array_equal(one.ranks, two.ranks)
    assert np.array_equal(one.numbers, two.numbers)
    assert len(measure(stones_policy, examples, 10**9)) == len(examples)


def test_a_player_of_first_points_is_found_out(examples: Examples) -> None:
    """The pool's players take the first point they may; so does this 'net', by the planes of liberties."""

    def first_free(batch: Batch) -> np.ndarray[Any, Any]:
        free = batch.planes[:, 2].reshape(len(batch), -1)  # empty points
        chances = free * 0.5 ** np.arange(free.shape[1])
        return np.asarray(chances / chances.sum(1, keepdims=True), dtype=np.float32)

    figures = measure(first_free, examples)
    assert figures.phase(3, 15).top(1) > 0.8  # suicides and kos are the rest
    assert figures.phase(0, 3).top(1) < 0.2


def test_a_katago_net_is_asked_for_the_positions_of_the_games(
    pool: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from tengen.cli.measure import policy as measure
    from tengen.nets.library import open_net
    from tengen.prediction.predictors import examples_for, predict_by

    file = tmp_path / "net.bin.gz"
    file.write_bytes(packed(make_net(8, ("ordinary", "gpool"))))
    net, store = open_net(str(file)), GameStore.open(pool)
    examples = examples_for(net, store.records())
    drawn = np.arange(0, 60, 7)
    seen = predict_by(net)(examples.at(drawn, np.zeros(len(drawn), np.int64)))
    places = zip(examples.games(drawn).tolist(), examples.numbers(drawn).tolist(), strict=True)
    for chances, (game, number) in zip(seen, places, strict=True):
        said = net.evaluate([store.game(game).position(number)])[0].policy
        legal = np.where(said > 0, chances, 0.0)
        np.testing.assert_allclose(legal / legal.sum(), said, atol=1e-5)
    measure(str(file), pool, positions=30, json_=True)
    assert json.loads(capsys.readouterr().out)["figures"]["all"]["positions"] == 30


@pytest.mark.parametrize("inputs", ["[]", '["komi", "rules"]'])
def test_the_command_on_a_trained_and_exported_net(
    pool: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], inputs: str
) -> None:
    pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")
    from tengen.cli.measure import policy as measure
    from tengen.cli.train import export
    from tengen.cli.train import policy as train
    from tengen.errors import InputError

    toml = tmp_path / "run.toml"
    toml.write_text(
        f'[run]\nexamples = 320\n[data]\ntrain = "{pool}"\n[optimiser]\nmethod = "muon"\nbatch = 32\nema = 0.9\n'
        '[net]\narchitecture = "residual"\nencoding = "golois39"\nwidth = 16\nblocks = 1\nnext_moves = 1\n'
        f"globals = {inputs}\n"
    )
    train(toml, output=tmp_path)
    export(tmp_path / "run", output=tmp_path / "net")
    assert (tmp_path / "net" / "weights.safetensors").is_file()
    capsys.readouterr()
    answers = []
    for net in (str(tmp_path / "run"), str(tmp_path / "net")):
        measure(net, pool, top=2, where=["years=[2015]"], positions=100, json_=True)
        answers.append(json.loads(capsys.readouterr().out)["figures"]["all"])
    assert answers[0]["positions"] == 100
    assert answers[0]["top"] == answers[1]["top"]
    assert answers[0]["cross_entropy"] == pytest.approx(answers[1]["cross_entropy"], abs=1e-4)
    measure(str(tmp_path / "net"), pool, bagging=True, positions=20, precision="int8")
    printed = capsys.readouterr().out
    assert "net in int8 on" in printed
    assert "top-3" in printed
    with pytest.raises(InputError, match="knows fp32 alone"):
        measure(str(tmp_path / "run"), pool, precision="int8")
    with pytest.raises(InputError, match="unknown net 'nonsense'"):
        measure("nonsense", pool)
    for name in ("weights.safetensors", "int8.onnx"):
        (tmp_path / "net" / name).write_bytes(b"nonsense")
    with pytest.raises(InputError, match="not the file its card describes"):
        measure(str(tmp_path / "net"), pool)
