"""Tables and figures of the CGI paper, on small nets and games: they run, draw, print both figures, and refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from training.made_ends import made_ends
from training.made_tasks import value_recipe, value_task

from tengen.errors import InputError
from tengen.games.store import GameStore
from tengen.papers import reproduction
from tengen.papers.reproduction import Outcome, Request
from tengen.training.export import declared_card, export, write_net
from tengen.training.net_task import build_recipe_net
from tengen.training.run import Run
from tengen.training.value_recipe import ValueRecipe

NETS = {"vn": "vn", "ml_vn": "ml-vn", "bv_vn": "bv-vn", "bv_ml_vn": "bv-ml-vn", "ordered": "ordered-vn"}
FIGURES = ["figure2", "figure5", "figure6", "figure7", "figure8", "figure9", "figure10"]


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_ends(tmp_path_factory.mktemp("ends") / "ends.parquet", 40)


@pytest.fixture(scope="module")
def nets(pool: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A folder for each net: an exported one for vn and ml_vn, runs for the others."""
    folder = tmp_path_factory.mktemp("nets")
    for key, name in NETS.items():
        table = value_recipe(pool).table() | {"name": key}
        labels = "ml" in name
        table["net"] = {k: v for k, v in table["net"].items() if labels or "label" not in k}
        table["net"]["architecture"] = name
        plan = ValueRecipe.from_table(table, "test").changed({"run.examples": 64, "data.test": ""})
        Run(value_task(plan), folder / f"{key}-run").go()
        if key in ("vn", "ml_vn"):
            export([folder / f"{key}-run"], folder / key)
        else:
            (folder / f"{key}-run").rename(folder / key)
    return {key: str(folder / key) for key in NETS}


def reproduce(
    name: str, pool: Path | None, work: Path, output: Path | None = None, **settings: Any
) -> Outcome:
    return reproduction.find(name).run(Request(work, output, pool, settings, work))


def ours(outcome: Outcome) -> dict[str, tuple[str, str]]:
    return {row.what: (row.published, row.ours) for row in outcome.rows}


def test_they_are_found_by_the_names_of_the_paper() -> None:
    wanted = {
        *(f"cgi-table{n}" for n in range(1, 7)),
        *(f"cgi-{figure}" for figure in FIGURES),
        "cgi-section4e",
    }
    assert wanted <= set(reproduction.names())


def test_table_2_has_every_net_with_intervals_and_differences(
    pool: Path, nets: dict[str, str], tmp_path: Path
) -> None:
    drawing = tmp_path / "figure4.svg"
    outcome = reproduce("cgi-table2", pool, tmp_path, drawing, every=4, reference="fake", **nets)
    assert drawing.read_text().startswith("<?xml")
    rows = ours(outcome)
    for key, title in {"vn": "VN", "ml_vn": "ML-VN", "bv_vn": "BV-VN", "bv_ml_vn": "BV-ML-VN"}.items():
        published, value = rows[f"{title}, mean of MSE(j)"]
        assert published.startswith("0.3")
        figure, low, _, high = value.replace("(", "").replace(")", "").split()
        assert float(low) <= float(figure) <= float(high)
        assert key in nets
    assert rows["ML-VN less VN"][1].endswith(("lower", "higher", "not decided"))
    assert {"reference, mean of MSE(j)", "ordered (ours) less VN", "VN, games that White won"} <= set(rows)
    verdict = {"lower": "holds.", "higher": "does not hold.", "not decided": "not decided."}
    said = rows["ML-VN less VN"][1].split(": ")[1]
    assert f"ML-VN has a lower error than VN: {verdict[said]}" in outcome.notes
    assert sum("has no lower error than" in note for note in outcome.notes) == 2


@pytest.mark.parametrize("name", ["cgi-figure5", "cgi-figure6"])
def test_figures_5_and_6_are_at_another_komi(
    name: str, pool: Path, nets: dict[str, str], tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=r"has 0 games on 5x5 at komi (6|0)\.5 with a player of 6d"):
        reproduce(name, pool, tmp_path, bv_vn=nets["bv_vn"])
    drawing = tmp_path / "figure.png"
    outcome = reproduce(
        name, pool, tmp_path, drawing, komi=7.5, bv_vn=nets["bv_vn"], bv_ml_vn=nets["bv_ml_vn"]
    )
    assert drawing.read_bytes().startswith(b"\x89PNG")
    assert "BV-ML-VN less BV-VN" in ours(outcome)


@pytest.mark.parametrize("key", ["bv_ml_vn", "ordered"])
def test_table_1_counts_pairs_and_rises(pool: Path, nets: dict[str, str], tmp_path: Path, key: str) -> None:
    outcome = reproduce("cgi-table1", pool, tmp_path, tmp_path / "t.png", net=nets[key], every=4, move=6)
    rows = ours(outcome)
    assert rows["v at 7.5"][0] == "0.339738"
    risen = rows["positions in which the win rate rises with komi"][1]
    assert (risen == "0.00%") == (key == "ordered")
    assert rows["games with an even margin"][1].endswith("of 40")


def test_figure_2_figure_7_and_figure_8(pool: Path, nets: dict[str, str], tmp_path: Path) -> None:
    net = nets["bv_ml_vn"]
    rows = ours(reproduce("cgi-figure2", pool, tmp_path, tmp_path / "2.png", net=net, move=6, every=5))
    assert rows["points whose owner is right, the sample"][1].endswith("%")
    rows = ours(reproduce("cgi-figure7", pool, tmp_path, tmp_path / "7.png", net=net, every=5))
    assert rows["d = 0, first position"][0] == "8 %"
    assert rows["d = 7, last position of the sample"][1].endswith(")")
    rows = ours(reproduce("cgi-figure8", None, tmp_path, tmp_path / "8.png", net=net, rollouts=100))
    assert rows["komi 0.5"][0] == "63% (net)"
    assert {path.name for path in tmp_path.glob("*.png")} == {"2.png", "7.png", "8.png"}


def test_figures_9_and_10(pool: Path, nets: dict[str, str], tmp_path: Path) -> None:
    for name, printed in (("cgi-figure9", "6.85 %"), ("cgi-figure10", "2.7 %")):
        outcome = reproduce(name, pool, tmp_path, tmp_path / "s.png", net=nets["bv_ml_vn"], positions=60)
        assert ours(outcome)["lower right (more territory, below 50 %)"][0] == printed


def test_table_3_plays_each_pair_and_goes_on(pool: Path, nets: dict[str, str], tmp_path: Path) -> None:
    settings: dict[str, Any] = {"policy": "fake", "visits": 4, "opening_moves": 2, "concurrency": 1}
    both = {key: nets[key] for key in ("vn", "ml_vn")}
    outcome = reproduce("cgi-table3", pool, tmp_path, matches=2, **settings, **both)
    published, value = ours(outcome)["VN against ML-VN"]
    assert published == "39.6 ± 4.29 %"
    assert "of 2:" in value
    assert "ML-VN is ahead of VN in play: not decided." in outcome.notes  # two games decide nothing
    results = tmp_path / "cgi-table3" / "vn-ml_vn" / "results.jsonl"
    played = results.read_text()
    again = reproduce("cgi-table3", pool, tmp_path, matches=2, **settings, **both)
    assert (again, results.read_text()) == (outcome, played)


def test_table_6_compares_a_plain_net_with_the_multi_labelled_one(
    nets: dict[str, str], tmp_path: Path
) -> None:
    """The same opponent, which has the multi-labelled net, and the same openings in both tables."""
    settings: dict[str, Any] = {
        "policy": "fake",
        "value": nets["ml_vn"],
        "visits": 4,
        "opponent_visits": 2,
        "handicaps": "1",
        "games": 2,
        "opening_moves": 2,
        "concurrency": 1,
    }
    alone = reproduce("cgi-table6", None, tmp_path, vn=nets["vn"], **settings)
    assert ours(alone)["H1, SS-R"][0] == "75.6 ± 5.33 %"
    assert ours(alone)["H1, no dynamic komi"][0] == ""
    assert alone.notes[-1].startswith("Play cgi-table5")
    reproduce("cgi-table5", None, tmp_path, methods="none,ss-r,ml-dk", **settings)
    both = reproduce("cgi-table6", None, tmp_path, vn=nets["vn"], **settings)
    assert both.rows == alone.rows
    assert any(note.startswith("ML-DK is better with the multi-labelled net") for note in both.notes)


@pytest.mark.parametrize(
    ("name", "settings", "reason"),
    [
        ("cgi-table6", {"policy": "fake"}, "--set policy=FOLDER --set vn=FOLDER"),
        ("cgi-table6", {"policy": "fake", "vn": "ml_vn"}, "knows one komi only"),
        ("cgi-table2", {}, "no net is given: --set vn=FOLDER"),
        ("cgi-table1", {"net": "vn"}, "no win rate for every komi"),
        ("cgi-figure2", {"net": "ml_vn"}, r"no ownership \(ownership\): Figure 2"),
        ("cgi-figure9", {"net": "ml_vn"}, "has no ownership"),
        ("cgi-table1", {"net": "ml_vn", "game": 40}, "there are 40 games"),
        ("cgi-table1", {"net": "ml_vn", "move": 999}, "there is no position after 999"),
        ("cgi-table1", {"net": "ml_vn", "years": "then"}, "years is 2015 or 2015-2018"),
        ("cgi-table2", {"ml_vn": "ml_vn", "komi": 99.5}, "has 0 games on 5x5 at komi 99.5"),
        ("cgi-table2", {"ml_vn": "ml_vn", "every": 0}, "must be 1 or more"),
        ("cgi-table3", {"vn": "vn", "ml_vn": "ml_vn"}, "no policy net is given"),
        ("cgi-table3", {"policy": "fake", "vn": "vn"}, "a match needs two value nets"),
    ],
)
def test_what_is_refused(
    name: str, settings: dict[str, Any], reason: str, pool: Path, nets: dict[str, str], tmp_path: Path
) -> None:
    given = {
        key: nets.get(value, value) if isinstance(value, str) else value for key, value in settings.items()
    }
    with pytest.raises(InputError, match=reason):
        reproduce(name, pool, tmp_path, **given)


def test_nets_of_two_boards_and_labels_beyond_the_net_are_refused(
    pool: Path, nets: dict[str, str], tmp_path: Path
) -> None:
    plan = value_recipe(pool, {"net.architecture": "ml-vn", "net.size": 7})
    net = build_recipe_net(plan).eval()
    write_net(net, declared_card(net, "seven", "cgi50"), tmp_path / "seven")
    with pytest.raises(InputError, match="does not play on 5x5"):
        reproduce("cgi-table2", pool, tmp_path, vn=nets["vn"], ml_vn=str(tmp_path / "seven"))
    frame = GameStore.open(pool).frame
    GameStore(frame.with_columns(komi=frame["komi"] + 20)).write(tmp_path / "high.parquet")
    with pytest.raises(InputError, match=r"none of them for komi 27\.5"):
        reproduce("cgi-table2", tmp_path / "high.parquet", tmp_path, ml_vn=nets["ml_vn"], komi=27.5)
