"""The thesis' figures: from small pools everywhere, and with their numbers where the data are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tengen.papers import reproduction
from tengen.papers.reproduction import Request


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    lines = ["date,black,white,result,moves"]
    for i in range(1500):
        b, w = rng.choice(20, 2, replace=False)
        winner = "B" if (b < w) != (rng.random() < 0.25) else "W"
        reason = "R" if i % 3 else "2.5"
        lines.append(f"2020-{1 + i // 140:02}-{1 + i % 28:02},p{b},p{w},{winner}+{reason},{200 + i % 100}")
    path = tmp_path_factory.mktemp("papers") / "results.csv"
    path.write_text("\n".join(lines))
    return path


def test_names_follow_the_modules() -> None:
    names = reproduction.names()
    assert names.index("thesis-figure4.1") < names.index("thesis-figure4.4") < names.index("thesis-figure5.6")
    assert all(reproduction.find(name).title for name in names)


@pytest.mark.parametrize("figure", ["4.1", "4.4", "4.5", "4.6", "5.6", "5.7"])
def test_every_figure_is_drawn_from_a_pool_of_ones_own(results: Path, tmp_path: Path, figure: str) -> None:
    drawing = tmp_path / "figure.png"
    outcome = reproduction.find(f"thesis-figure{figure}").run(Request(tmp_path, drawing, results))
    assert outcome.drawn == drawing
    assert drawing.read_bytes().startswith(b"\x89PNG")
    assert all(row.published and row.ours for row in outcome.rows)


def test_the_lengths_of_counted_games(results: Path, tmp_path: Path) -> None:
    rows = reproduction.find("thesis-figure4.6").run(Request(tmp_path, None, results)).rows
    assert rows[0].ours == "500"
    assert rows[1].ours == f"{np.mean([200 + i % 100 for i in range(0, 1500, 3)]):.1f} moves"


@pytest.mark.data
@pytest.mark.parametrize("figure", ["5.8", "5.9"])
def test_the_full_models_figures_are_of_its_published_predictions(
    shared_data: Path, tmp_path: Path, figure: str
) -> None:
    drawing = tmp_path / "figure.png"
    outcome = reproduction.find(f"thesis-figure{figure}").run(Request(shared_data, drawing))
    assert drawing.read_bytes().startswith(b"\x89PNG")
    if figure == "5.9":
        assert {row.published for row in outcome.rows[:3]} == {row.ours for row in outcome.rows[:3]}


@pytest.mark.data
def test_table_5_2_as_far_as_the_published_games_carry(shared_data: Path) -> None:
    rows = reproduction.find("thesis-table5.2").run(Request(shared_data)).rows
    assert len(rows) == 9
    for row in rows:
        alpha, lambda_ = (float(x.strip("%")) for x in row.published.split(", "))
        accuracy, likelihood = (float(x.strip("%")) for x in row.ours.split(", "))
        assert round(accuracy, 1) == alpha, row
        assert likelihood == pytest.approx(lambda_, abs=0.0051), row


@pytest.mark.data
def test_the_deviation_settles_near_that_of_the_thesis(shared_data: Path) -> None:
    rows = reproduction.find("thesis-figure4.4").run(Request(shared_data)).rows
    assert rows[0].ours == "350"
    assert float(rows[-1].ours) == pytest.approx(73, abs=5)
