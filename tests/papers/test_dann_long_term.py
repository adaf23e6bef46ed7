"""Figure 5 and Table 3 of the DANN paper: they run at a small scale, and go on where they were stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from made_games import made_pool

pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from tengen.engine.outcome import Outcome as Played
from tengen.errors import InputError
from tengen.papers import dann_table3, reproduction
from tengen.papers.dann_long_term import numbers, slug

SMALL: dict[str, Any] = {
    "net": "fake",
    "episodes": "0,200",
    "imitated": 128,
    "judge": "fake",
    "tested": 2,
    "steps": "0,3",
    "positions": 14,
    "tuning": 6,
    "candidates": 3,
    "lines": 2,
    "min_rank": "",
}


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_pool(tmp_path_factory.mktemp("pool"), 40)


def figure5(pool: Path, work: Path, output: Path | None = None, **settings: Any) -> reproduction.Outcome:
    request = reproduction.Request(work, output, pool, SMALL | settings, work)
    return reproduction.find("dann-figure5").run(request)


def test_they_are_found_by_the_names_of_the_paper() -> None:
    assert {"dann-figure5", "dann-table3"} <= set(reproduction.names())


def test_figure_5_by_steps_and_by_episodes_with_its_controls(pool: Path, tmp_path: Path) -> None:
    outcome = figure5(pool, tmp_path, tmp_path / "figure5.svg")
    rows = {row.what: row for row in outcome.rows}
    assert rows["p alone, without LTE"].published == "57.7 % GoGoD, 53.8 % PGD"
    for what in ("S, 0 steps", "S, 3 steps", "S, 3 steps, agent after 0 episodes"):
        assert "±" in rows[what].ours and "scale" in rows[what].ours
    assert "control: p and the net's lead one move ahead" in rows
    for judge in ("p", "E[R], 0 steps", "E[R], 3 steps", "the net's lead one move ahead"):
        assert f"the played move above another candidate, by {judge}" in rows
    assert "14 positions" in outcome.notes[0] and "6 other positions" in outcome.notes[0]
    assert (tmp_path / "figure5.svg").read_text().startswith("<?xml")


def test_figure_5_goes_on_where_it_was_stopped(pool: Path, tmp_path: Path) -> None:
    outcome = figure5(pool, tmp_path)
    files = sorted((tmp_path / "dann-figure5" / "readings").glob("*.jsonl"))
    assert len(files) == 2
    for path in files:
        text = path.read_text()
        assert text.count("\n") == 20
        path.write_text("\n".join(text.split("\n")[:11]) + '\n{"moves": [1')  # killed while it wrote
    assert figure5(pool, tmp_path) == outcome
    assert [path.read_text().count("\n") for path in files] == [20, 20]


def test_figure_5_of_a_given_agent_trains_nothing(pool: Path, tmp_path: Path) -> None:
    outcome = figure5(pool, tmp_path, agent="long-term", steps="2")
    assert not any("episodes" in row.what for row in outcome.rows)
    assert not list(tmp_path.rglob("log.csv"))


def test_settings_that_make_no_sense(pool: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="steps is whole numbers"):
        figure5(pool, tmp_path, steps="many")
    with pytest.raises(InputError, match="Table 3 has no row 'zen'"):
        dann_table3.wanted_rows(dann_table3.SETTINGS | {"rows": "zen"})
    with pytest.raises(InputError, match="need an exported DANN"):
        dann_table3.wanted_rows(dann_table3.SETTINGS | {"rows": "dann-lte"})


def test_numbers_and_names() -> None:
    assert numbers("5, 0,15,5", "steps") == [0, 5, 15]
    assert slug("long-term:net=a/b,lines=20") == "long-term-net-a-b-lines-20"


class FakeMatch:
    """Every game is won by the first contestant but one a group; nothing is played."""

    made: list[tuple[tuple[str, str], Any, Path]] = []  # noqa: RUF012

    def __init__(self, contestants: tuple[str, str], terms: Any, folder: Path) -> None:
        self.made.append((contestants, terms, folder))
        self.outcomes: dict[int, Played] = {}
        self.tally = "none"

    def play(self, games: int, concurrency: int) -> list[Played]:
        for number in range(games):
            self.outcomes[number] = Played(number, 0, "W+R" if number == 0 else "B+R", 200, (120.0, 90.0))
        return list(self.outcomes.values())


def test_table_3_plays_groups_and_gives_puct_the_time_of_lte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dann_table3, "Match", FakeMatch)
    FakeMatch.made.clear()
    settings = {"dann": "out/nets/dann", "games": 4, "groups": 2}
    request = reproduction.Request(tmp_path, None, None, settings, tmp_path)
    outcome = reproduction.find("dann-table3").run(request)
    rows = {row.what: row for row in outcome.rows}
    assert list(rows) == [
        "DANN alone",
        "DANN + LTE",
        "tengen alone",
        "tengen + LTE",
        "tengen + PUCT at the time of LTE",
    ]
    assert rows["DANN + LTE"].published == "100 ±0.0 %"
    assert all(row.ours.startswith("75.0 ±0.0 %") and "1.20 s a move" in row.ours for row in outcome.rows)
    contestants = [made[0] for made in FakeMatch.made]
    assert contestants[0] == ("policy:net=out/nets/dann", "gnugo --mode gtp --level 10 --chinese-rules")
    how = "steps=5,candidates=5,lines=8,reward=lead"
    assert contestants[2][0] == f"long-term:net=out/nets/dann+tengen,{how},scale=15.0,opponent=self"
    assert contestants[6][0] == f"long-term:net=tengen,{how},scale=50.0,opponent=both"
    assert contestants[-1][0] == "puct:net=tengen,time=1.20"
    assert {made[1].seed for made in FakeMatch.made} == {1, 1_000_001}
    assert all(made[1].komi == 7.5 and made[1].rules == "chinese" for made in FakeMatch.made)
    assert len({made[2] for made in FakeMatch.made}) == 10


def test_the_time_of_puct_can_be_given(tmp_path: Path) -> None:
    """So that it stays the same when further games change the mean time of a move with LTE."""
    settings = dann_table3.SETTINGS | {"seconds": 0.25}
    request = reproduction.Request(tmp_path, None, None, settings, tmp_path)
    assert dann_table3.contestant_of(request, settings, "net-puct") == "puct:net=tengen,time=0.25"


def test_dann_alone_needs_no_judge_if_the_reward_needs_none(tmp_path: Path) -> None:
    settings = dann_table3.SETTINGS | {"dann": "d", "reward": "captures", "agent": "out/a"}
    request = reproduction.Request(tmp_path, None, None, settings, tmp_path)
    found = dann_table3.contestant_of(request, settings, "dann-lte")
    assert found.startswith("long-term:net=d,") and found.endswith(",agent=out/a")
