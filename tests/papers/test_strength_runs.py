"""Figures 5.1 to 5.5 and Table 5.1 of the thesis from real runs and a real search, all of them small."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("optuna")

from strength.test_training import recipe  # noqa: F401
from training.made_tasks import NET

from tengen.errors import InputError
from tengen.papers import reproduction
from tengen.papers.reproduction import Outcome, Request
from tengen.strength.publish import open_objective
from tengen.strength.recipe import StrengthRecipe
from tengen.strength.search import search
from tengen.strength.training import StrengthTask
from tengen.training.run import Run


@pytest.fixture(scope="module")
def made(recipe: StrengthRecipe, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: F811
    folder = tmp_path_factory.mktemp("runs")
    for window in (10, 40):
        plan = recipe.changed({"data.window": window, "run.epochs": 3})
        task = StrengthTask(plan, open_objective(plan, NET))
        Run(task, folder / "runs" / f"window{window}").go()
    plan = recipe.changed({"run.epochs": 1, "run.steps": 2})
    search(plan, open_objective(plan, NET), folder / "search", iterations=2, runs=3)
    return folder


def reproduce(name: str, folder: Path, **settings: object) -> Outcome:
    drawing = folder / f"{name}.png"
    drawing.unlink(missing_ok=True)
    outcome = reproduction.find(name).run(Request(folder, drawing, settings=settings))
    if outcome.drawn:
        assert drawing.read_bytes().startswith(b"\x89PNG")
    return outcome


@pytest.mark.parametrize(("name", "published"), [("thesis-figure5.1", "11"), ("thesis-figure5.5", "19")])
def test_the_progress_of_a_run(made: Path, name: str, published: str) -> None:
    outcome = reproduce(name, made, run=str(made / "runs" / "window40"))
    rows = {row.what: row for row in outcome.rows}
    assert rows["best epoch on V"].published == published
    assert 1 <= int(rows["best epoch on V"].ours) <= int(rows["epochs in all"].ours) == 3
    assert outcome.drawn


def test_windows_side_by_side(made: Path) -> None:
    outcome = reproduce("thesis-figure5.2", made, runs=str(made / "runs"))
    assert [row.what for row in outcome.rows] == ["window of 10 moves", "window of 40 moves", "best window"]
    assert outcome.drawn


def test_the_search_as_marks_and_its_best_point(made: Path) -> None:
    folder = str(made / "search")
    whole = reproduce("thesis-figure5.3", made, search=folder)
    rows = {row.what: row.ours for row in whole.rows}
    assert rows["runs"] == "6"
    assert rows["drawn"] == "6 runs"
    best = reproduce("thesis-figure5.4", made, search=folder, width=0.0)
    assert {row.what: row.ours for row in best.rows}["drawn"] == "1 runs"
    table = reproduce("thesis-table5.1", made, search=folder)
    assert len(table.rows) == 9
    assert table.rows[-1].ours == rows["best log-likelihood on V"]


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("thesis-figure5.1", "run"),
        ("thesis-figure5.2", "runs"),
        ("thesis-figure5.3", "search"),
        ("thesis-table5.1", "search"),
    ],
)
def test_what_is_missing_is_said_with_the_command_that_makes_it(
    tmp_path: Path, name: str, setting: str
) -> None:
    with pytest.raises(InputError, match=r"tengen (train )?strength"):
        reproduction.find(name).run(Request(tmp_path, settings={setting: str(tmp_path / "none")}))
