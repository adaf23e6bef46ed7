"""Tables and figures about move prediction, on a pool of small games: they run and resume."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from made_games import made_pool

pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from tengen.cli.reproduce import reproduce as command
from tengen.errors import InputError
from tengen.papers import reproduction
from tengen.papers.golois_data import TABLE_1

SMALL = {"width": 8, "examples": 200, "tests": 2, "test_positions": 40}


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_pool(tmp_path_factory.mktemp("pool"), 40)


def reproduce(name: str, pool: Path, work: Path, output: Path | None = None, **settings: Any) -> Any:
    request = reproduction.Request(work, output, pool, SMALL | settings, work)
    return reproduction.find(name).run(request)


def test_they_are_found_by_the_names_of_the_papers() -> None:
    wanted = {"golois-table1", "golois-figure7-8", "golois-bagging", "dann-table2", "dann-figure4"}
    assert wanted <= set(reproduction.names())


def test_golois_table1_has_every_net_and_resumes(pool: Path, tmp_path: Path) -> None:
    drawing = tmp_path / "table1.svg"
    outcome = reproduce("golois-table1", pool, tmp_path, drawing)
    assert outcome.drawn == drawing
    assert drawing.read_text().startswith("<?xml")
    rows = {row.what: row for row in outcome.rows}
    for net, published in TABLE_1.items():
        assert rows[f"{net} after 5 million"].published == f"{published[0]:.2f} %"
        assert rows[f"{net} after 200"].ours.endswith(" %")
    assert any("lead the plain one" in note or "leads the plain one" in note for note in outcome.notes)
    # A second call reads what is there and trains nothing: the logs stay as they are.
    logs = {path: path.read_text() for path in tmp_path.rglob("log.csv")}
    assert len(logs) == 5
    assert reproduce("golois-table1", pool, tmp_path, drawing) == outcome
    assert {path: path.read_text() for path in tmp_path.rglob("log.csv")} == logs


def test_a_table_is_drawn_when_a_drawing_is_asked_for(
    pool: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = [f"{key}={value}" for key, value in (SMALL | {"rows": "b-6c-2fc"}).items()]
    command("dann-table2", output=Path("table2.svg"), pool=pool, set_=settings)
    assert "Drawn: table2.svg" in capsys.readouterr().out
    assert Path("table2.svg").read_text().startswith("<?xml")
    command("dann-table2", pool=pool, set_=settings)
    assert "Drawn" not in capsys.readouterr().out


def test_golois_figures_and_bagging(pool: Path, tmp_path: Path) -> None:
    drawing = tmp_path / "figure.png"
    outcome = reproduce("golois-figure7-8", pool, tmp_path, drawing)
    assert outcome.drawn == drawing
    assert drawing.read_bytes().startswith(b"\x89PNG")
    assert [row.published for row in outcome.rows] == ["57.02 %", "57.69 %", "+0.66 %"]
    bagging = reproduce("golois-bagging", pool, tmp_path)
    assert bagging.rows[2].published == "+0.48 %"
    # The net alone is the net of figure 8.
    assert bagging.rows[0].ours == outcome.rows[1].ours


def test_dann_table2_and_figure4(pool: Path, tmp_path: Path) -> None:
    table = reproduce("dann-table2", pool, tmp_path, rows="b-6c-2fc 6al-2fc-t5", rate=0.05)
    assert [row.what.split()[0] for row in table.rows] == ["b-6c-2fc", "6al-2fc-t5"]
    assert table.rows[1].published == "57.7 % GoGoD, 53.8 % PGD"
    assert "parameters" in table.rows[0].what
    drawing = tmp_path / "figure4.svg"
    figure = reproduce("dann-figure4", pool, tmp_path, drawing, rate=0.05)
    assert drawing.is_file()
    assert table.rows[1].ours.startswith(figure.rows[0].ours)  # the same run


def test_settings_that_are_none(pool: Path, tmp_path: Path) -> None:
    found = reproduction.find("dann-table2")
    assert found.read_settings(["width=32", "examples=1_000", "rate=0.01"]) == {
        "width": 32,
        "examples": 1000,
        "rate": 0.01,
    }
    with pytest.raises(InputError, match="has no setting 'depth': known are width=16"):
        found.read_settings(["depth=3"])
    with pytest.raises(InputError, match="width cannot be 'wide'"):
        found.read_settings(["width=wide"])
    with pytest.raises(InputError, match="has no row '7al-2fc'"):
        reproduce("dann-table2", pool, tmp_path, rows="7al-2fc")
