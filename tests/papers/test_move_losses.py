"""Figures 4.2 and 4.3: drawn of a small pool with ranks, by a net without a net."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tengen.errors import InputError
from tengen.games.importing import import_games
from tengen.nets.card import ModelCard
from tengen.nets.fake import FakeEvaluator
from tengen.papers import move_losses, reproduction
from tengen.papers.reproduction import Request
from tengen.progress import Progress


@pytest.fixture(scope="module")
def ranked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four games each of 12k, 3k and 7d; and one whose players are not of one class."""
    folder = tmp_path_factory.mktemp("ranked")
    lines = []
    for i, (black, white) in enumerate(
        [*[("12k", "11k")] * 4, *[("3k", "1k")] * 4, *[("7d", "9d")] * 4, ("1k", "7d")]
    ):
        body = "".join(
            f";{'BW'[j % 2]}[{chr(97 + (j * 3 + i) % 19)}{chr(97 + j // 19 + j % 2 * 9)}]" for j in range(24)
        )
        lines.append(f"(;SZ[19]KM[6.5]PB[b{i}]PW[w{i}]BR[{black}]WR[{white}]RE[B+R]{body})")
    (folder / "games.sgfs").write_text("\n".join(lines))
    import_games([folder / "games.sgfs"], folder / "pool.parquet")
    return folder / "pool.parquet"


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeEvaluator:
    net = FakeEvaluator()
    monkeypatch.setattr(move_losses, "open_net", lambda name, precision: net)
    return net


@pytest.mark.parametrize("figure", ["4.2", "4.3"])
def test_the_figure_is_drawn_by_class(ranked: Path, tmp_path: Path, fake: FakeEvaluator, figure: str) -> None:
    drawing = tmp_path / "figure.png"
    request = Request(tmp_path, drawing, ranked, {"games": 3}, work=tmp_path)
    outcome = reproduction.find(f"thesis-figure{figure}").run(request)
    assert drawing.read_bytes().startswith(b"\x89PNG")
    classes = {row.what.split(":")[0] for row in outcome.rows if ":" in row.what}
    assert classes == {"double-digit kyu", "single-digit kyu", "7d and above"}
    assert "9 games" in outcome.notes[0] and "fake-0" in outcome.notes[0]
    again = reproduction.find(f"thesis-figure{figure}").run(request)
    assert again.rows == outcome.rows


def test_losses_are_of_the_games_that_were_drawn(ranked: Path, tmp_path: Path, fake: FakeEvaluator) -> None:
    seen: list[Progress] = []
    request = Request(tmp_path, None, ranked, {"games": 9}, work=tmp_path, progress=seen.append)
    found, _ = move_losses.losses_by_class(request)
    assert [each.games for each in found] == [4, 4, 4]
    assert all(len(each.points) == len(each.winrate) == 4 * 24 for each in found)
    assert seen[-1] == Progress("games judged by fake-0", 12, 12)


def test_a_net_that_only_predicts_moves_is_refused(ranked: Path, tmp_path: Path, fake: FakeEvaluator) -> None:
    fake.card = ModelCard("policy", "policy", "golois39", (19,), heads=("policy",))
    with pytest.raises(InputError, match=r"net policy has no win rates \(win_by_komi\)"):
        move_losses.losses_by_class(Request(tmp_path, None, ranked, work=tmp_path))


def test_a_pool_without_ranks_is_refused(tmp_path: Path, fake: FakeEvaluator) -> None:
    (tmp_path / "a.sgf").write_text("(;SZ[19];B[aa];W[bb])")
    import_games([tmp_path / "a.sgf"], tmp_path / "pool.parquet")
    with pytest.raises(InputError, match="ranks"):
        move_losses.losses_by_class(Request(tmp_path, None, tmp_path / "pool.parquet", work=tmp_path))


def test_shares_and_distances() -> None:
    values = np.array([-3.0, 0.0, 0.5, 1.0, 20.0])
    assert move_losses.share(values, 0.0, 1.0) == pytest.approx(0.4)
    weak, strong = np.array([1.0, 3.0]), np.array([0.0, 2.0])
    assert move_losses.spread_apart(weak, strong) == pytest.approx(1.0)


def test_a_path_in_a_setting_keeps_its_underscores() -> None:
    figure = reproduction.find("thesis-figure4.2")
    assert figure.read_settings(["net=my_nets/a_b.onnx", "games=1_000"]) == {
        "net": "my_nets/a_b.onnx",
        "games": 1000,
    }
