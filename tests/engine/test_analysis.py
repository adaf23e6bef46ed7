"""KataGo's JSON protocol: dialogues replayed byte for byte, priorities, termination, errors by field."""

from __future__ import annotations

import io
import json
import os
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen.engine.analysis import AnalysisEngine
from tengen.engine.options import PlayerMaker
from tengen.nets.library import open_net
from tengen.search.player import Limit, Player

GOLDEN = Path(__file__).parents[1] / "golden" / "analysis"
QUERY: dict[str, Any] = {
    "id": "q",
    "moves": [["B", "C3"]],
    "rules": "chinese",
    "boardXSize": 5,
    "boardYSize": 5,
}


def maker() -> PlayerMaker:
    return PlayerMaker("puct", open_net("fake"), {"visits": 16})


def ask(*queries: dict[str, Any] | str, workers: int = 1) -> list[dict[str, Any]]:
    out = io.StringIO()
    engine = AnalysisEngine(maker(), Limit(visits=16), out, workers)
    for query in queries:
        engine.receive(query if isinstance(query, str) else json.dumps(query))
    engine.finish()
    return [json.loads(line) for line in out.getvalue().splitlines()]


@pytest.mark.parametrize("name", sorted(path.stem for path in GOLDEN.glob("*.txt")))
def test_dialogues(name: str) -> None:
    """tests/golden/analysis: queries after `> `, then their answers. TENGEN_GOLDEN=write writes them anew."""
    path = GOLDEN / f"{name}.txt"
    expected = path.read_text()
    dialogue = ""
    for line in expected.splitlines():
        if line.startswith("> "):
            out = io.StringIO()
            engine = AnalysisEngine(maker(), Limit(visits=16), out)
            engine.receive(line[2:])
            engine.finish()
            dialogue += f"{line}\n{out.getvalue()}"
    if os.environ.get("TENGEN_GOLDEN") == "write":
        path.write_text(dialogue)
    assert dialogue == expected


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"id": None}, "id"),
        ({"id": 7}, "id"),
        ({"moves": None}, "moves"),
        ({"moves": [["B"]]}, "moves"),
        ({"moves": [["B", "Z9"]]}, "moves"),
        ({"moves": [["X", "C3"]]}, "moves"),
        ({"moves": [["B", "C3"], ["W", "C3"]]}, "moves"),
        ({"initialStones": [["B", "pass"]]}, "initialStones"),
        ({"initialStones": [["W", "A1"], ["B", "A2"], ["B", "B1"]]}, "initialStones"),
        ({"initialPlayer": "green"}, "initialPlayer"),
        ({"boardXSize": 40}, "boardXSize"),
        ({"boardXSize": "5"}, "boardXSize"),
        ({"boardXSize": 7}, "boardYSize"),
        ({"rules": "martian"}, "rules"),
        ({"rules": {"tax": "ALL"}}, "rules"),
        ({"komi": 0.3}, "komi"),
        ({"komi": "much"}, "komi"),
        ({"komi": 1e300}, "komi"),
        ({"maxVisits": 0}, "maxVisits"),
        ({"maxVisits": 1.5}, "maxVisits"),
        ({"maxVisits": True}, "maxVisits"),
        ({"analyzeTurns": [2]}, "analyzeTurns"),
        ({"analyzeTurns": "all"}, "analyzeTurns"),
        ({"priorities": [1, 2]}, "priorities"),
        ({"priority": "high"}, "priority"),
        ({"avoidMoves": [{"player": "W", "moves": ["C4"]}]}, "avoidMoves"),
        ({"avoidMoves": [], "allowMoves": []}, "allowMoves"),
        ({"overrideSettings": {"maxTime": 0}}, "overrideSettings"),
        ({"overrideSettings": []}, "overrideSettings"),
        ({"includeOwnership": "yes"}, "includeOwnership"),
        ({"includeMovesOwnership": "yes"}, "includeMovesOwnership"),
        ({"reportDuringSearchEvery": 0}, "reportDuringSearchEvery"),
        ({"firstReportDuringSearchAfter": "soon"}, "firstReportDuringSearchAfter"),
        ({"includeNoResultValue": 1}, "includeNoResultValue"),
        ({"overrideSettings": {"maxVisits": "many"}}, "maxVisits"),
        ({"overrideSettings": {"wideRootNoise": -1}}, "overrideSettings"),
        ({"overrideSettings": {"playoutDoublingAdvantage": 3.5}}, "overrideSettings"),
        ({"overrideSettings": {"playoutDoublingAdvantagePla": "green"}}, "overrideSettings"),
        ({"overrideSettings": {"rootSymmetryPruning": 2}}, "overrideSettings"),
        ({"action": "dance"}, "action"),
        ({"action": "terminate"}, "terminateId"),
    ],
)
def test_errors_name_the_field(change: dict[str, Any], field: str) -> None:
    query = {key: value for key, value in (QUERY | change).items() if value is not None}
    [answer] = ask(query)
    assert answer["field"] == field
    assert answer["error"]


@pytest.mark.parametrize("line", ["", "garbage", "[1]", "3", '{"id":', "[" * 100_000])
def test_what_is_no_query_is_an_error_without_id(line: str) -> None:
    answers = ask(line, QUERY)
    assert "error" in answers[0]
    assert answers[-1]["id"] == "q"


def test_every_turn_asked_for_is_answered() -> None:
    query = QUERY | {"moves": [["B", "C3"], ["W", "B2"]], "analyzeTurns": [0, 1, 2]}
    answers = ask(query, workers=2)
    assert sorted(a["turnNumber"] for a in answers) == [0, 1, 2]
    assert {a["turnNumber"]: a["rootInfo"]["currentPlayer"] for a in answers} == {0: "B", 1: "W", 2: "B"}


class Held:
    """A player that waits until it is let go, so that queries queue up behind its first position."""

    def __init__(self, gate: threading.Event, inner: Player) -> None:
        self.gate = gate
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def analyze(self, *args: Any) -> Iterator[Any]:
        self.gate.wait(10)
        return self.inner.analyze(*args)


def held(queries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    gate, out = threading.Event(), io.StringIO()

    class HeldMaker(PlayerMaker):
        def make(self, changes: Mapping[str, Any] | None = None) -> Player:
            return Held(gate, super().make(changes))  # type: ignore[return-value]

    engine = AnalysisEngine(HeldMaker("puct", open_net("fake")), Limit(visits=4), out)
    engine.receive(json.dumps(QUERY | {"id": "first"}))
    while engine.scheduler.waiting:
        pass
    for query in queries:
        engine.receive(json.dumps(query))
    gate.set()
    engine.finish()
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_urgent_queries_come_first() -> None:
    queries = [QUERY | {"id": f"p{p}", "priority": p} for p in (0, 5, -3, 9)]
    assert [a["id"] for a in held(queries)] == ["first", "p9", "p5", "p0", "p-3"]


def test_a_terminated_query_says_that_it_has_no_results() -> None:
    answers = held([QUERY | {"id": "doomed"}, {"id": "t", "action": "terminate", "terminateId": "doomed"}])
    by_id = {a["id"]: a for a in answers}
    assert by_id["doomed"] == {"id": "doomed", "isDuringSearch": False, "noResults": True, "turnNumber": 1}
    assert by_id["t"]["terminateId"] == "doomed"
    assert "moveInfos" in by_id["first"]


def test_views() -> None:
    def rate(view: str) -> float:
        settings = {"overrideSettings": {"reportAnalysisWinratesAs": view}}
        return float(ask(QUERY | settings)[-1]["rootInfo"]["winrate"])

    assert rate("BLACK") == pytest.approx(1 - rate("WHITE"))
    assert rate("SIDETOMOVE") == rate("WHITE")


def test_win_rates_by_komi_fall_and_hold_the_komi_used() -> None:
    root = ask(QUERY)[0]["rootInfo"]
    komi, rates = zip(*root["winrateByKomi"], strict=True)
    assert list(komi) == sorted(komi)
    assert list(rates) == sorted(rates, reverse=True)
    assert root["komiUsed"] == 7.5


def test_avoided_and_allowed_moves() -> None:
    avoided = ask(QUERY | {"avoidMoves": [{"player": "W", "moves": ["B3", "D3"], "untilDepth": 1}]})[0]
    assert not {"B3", "D3"} & {info["move"] for info in avoided["moveInfos"]}
    allowed = ask(QUERY | {"allowMoves": [{"player": "W", "moves": ["B3", "D3"], "untilDepth": 1}]})[0]
    assert {info["move"] for info in allowed["moveInfos"]} <= {"B3", "D3"}


def test_moves_are_avoided_up_to_their_own_depth() -> None:
    """D3 is White's at the root no more, but later; B3 and B2 are not White's before the fifth ply."""
    avoided = [
        {"player": "W", "moves": ["D3"], "untilDepth": 1},
        {"player": "W", "moves": ["B3"], "untilDepth": 5},
        {"player": "W", "moves": ["B2"], "untilDepth": 10**20},
    ]
    [answer] = ask(QUERY | {"avoidMoves": avoided, "maxVisits": 3000, "analysisPVLen": 30})
    lines = [info["pv"] for info in answer["moveInfos"]]
    assert not {"D3", "B3", "B2"} & {line[0] for line in lines}
    assert any("D3" in line[2::2] for line in lines)
    assert not any("B3" in line[:5:2] or "B2" in line[::2] for line in lines)


def test_every_list_of_allowed_moves_holds_up_to_its_depth() -> None:
    allowed = [
        {"player": "W", "moves": ["B3", "D3"], "untilDepth": 1},
        {"player": "W", "moves": ["B3", "D3", "C4"], "untilDepth": 3},
    ]
    [answer] = ask(QUERY | {"allowMoves": allowed, "maxVisits": 300})
    assert {info["move"] for info in answer["moveInfos"]} <= {"B3", "D3"}
    assert all(info["pv"][2] in ("B3", "D3", "C4") for info in answer["moveInfos"] if len(info["pv"]) > 2)


def test_policy_and_ownership_cover_the_board() -> None:
    answer = ask(QUERY | {"includePolicy": True, "includeOwnership": True, "includePVVisits": True})[0]
    assert len(answer["policy"]) == 26
    assert answer["policy"][12] == -1  # taken
    assert sum(p for p in answer["policy"] if p > 0) == pytest.approx(1, abs=1e-3)
    assert len(answer["ownership"]) == 25
    assert all(len(info["pv"]) == len(info["pvVisits"]) for info in answer["moveInfos"])


def test_ownership_of_moves_and_how_far_it_varies() -> None:
    wanted = (
        "includeOwnership",
        "includeOwnershipStdev",
        "includeMovesOwnership",
        "includeMovesOwnershipStdev",
    )
    answer = ask(QUERY | dict.fromkeys(wanted, True))[0]
    for owned in [answer, *answer["moveInfos"]]:
        assert len(owned["ownership"]) == len(owned["ownershipStdev"]) == 25
        assert all(-1 <= x <= 1 for x in owned["ownership"])
        assert all(0 <= x <= 1 for x in owned["ownershipStdev"])
    black, white = (
        ask(QUERY | {"includeMovesOwnership": True, "overrideSettings": {"reportAnalysisWinratesAs": view}})[
            0
        ]
        for view in ("BLACK", "WHITE")
    )
    for one, other in zip(black["moveInfos"], white["moveInfos"], strict=True):
        assert one["ownership"] == [-x for x in other["ownership"]]
        assert "ownershipStdev" not in one
    assert "ownership" not in black


def test_reports_during_the_search() -> None:
    answers = ask(QUERY | {"maxVisits": 400, "reportDuringSearchEvery": 0.0001})
    assert len(answers) > 1
    assert [a["isDuringSearch"] for a in answers] == [True] * (len(answers) - 1) + [False]
    visits = [a["rootInfo"]["visits"] for a in answers]
    assert visits == sorted(visits) and visits[-1] == 400


def test_the_first_report_comes_when_it_is_wanted() -> None:
    query = QUERY | {"maxVisits": 400}
    answers = ask(query | {"firstReportDuringSearchAfter": 0.0001})
    assert [a["isDuringSearch"] for a in answers] == [True, False]
    assert answers[0]["rootInfo"]["visits"] < 100
    waiting = {"firstReportDuringSearchAfter": 600, "reportDuringSearchEvery": 0.0001}
    assert [a["isDuringSearch"] for a in ask(query | waiting)] == [False]


def test_visits_may_be_a_setting() -> None:
    [answer] = ask(QUERY | {"overrideSettings": {"maxVisits": 7}})
    assert answer["rootInfo"]["visits"] == 7


def test_root_noise_spreads_the_visits() -> None:
    def moves(noise: float) -> int:
        settings = {"wideRootNoise": noise, "rootSymmetryPruning": False}
        return len(ask(QUERY | {"maxVisits": 200, "overrideSettings": settings})[0]["moveInfos"])

    assert moves(0) < moves(0.5)


def test_what_has_no_effect_is_warned_of_once() -> None:
    query = QUERY | {"rootPolicyTemperature": 2, "overrideSettings": {"antiMirror": True}}
    answers = ask(query, query, query | {"overrideSettings": {"antiMirror": True, "cpuctExploration": 1.0}})
    assert [a["warning"] for a in answers if "warning" in a] == [
        "Unused settings: antiMirror",
        "Unknown or unused field",
        "Unused settings: cpuctExploration",
    ]


def test_a_net_that_takes_no_playout_doubling_advantage_answers_as_without() -> None:
    query = QUERY | {"overrideSettings": {"playoutDoublingAdvantage": 1.5}}
    warning, first, second = ask(query, query)
    assert warning["warning"] == "Unused settings: playoutDoublingAdvantage: net fake-0 does not take it"
    assert first == second == ask(QUERY)[0]


def test_options_of_the_player_are_settings_and_others_are_warned_of() -> None:
    [answer] = ask(QUERY | {"overrideSettings": {"visits": 5, "batch": 1}})
    assert answer["rootInfo"]["visits"] == 5
    warning, answer = ask(QUERY | {"overrideSettings": {"rollouts": 2, "antiMirror": True}})
    assert warning["warning"] == "Unused settings: antiMirror"
    assert answer["rootInfo"]["visits"] == 16
    [error] = ask(QUERY | {"overrideSettings": {"rollouts": -1}})
    assert error["field"] == "overrideSettings"
    [error] = ask(QUERY | {"overrideSettings": {"batch": "many"}})
    assert "batch must be a whole number" in error["error"]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([*sorted(QUERY), "analyzeTurns", "initialStones", "avoidMoves", "overrideSettings"]),
    json_values,
)
def test_any_value_in_any_field_gets_an_answer(field: str, value: object) -> None:
    answers = ask(QUERY | {"maxVisits": 2, field: value})
    if field == "analyzeTurns" and value == []:
        return
    assert answers
    assert not any("Internal" in str(a.get("error")) for a in answers)


def test_points_by_number_and_by_letter_are_the_same() -> None:
    """Column and row from the upper left: (3,1) of a 5x5 board is D4."""
    lettered, numbered = (ask(QUERY | {"moves": [["B", point]]}) for point in ("D4", "(3,1)"))
    assert lettered == numbered
    (refused,) = ask(QUERY | {"moves": [["B", "(5,1)"]]})
    assert refused["error"] == "Could not parse board location: (5,1)"


@pytest.mark.parametrize(
    ("rules", "komi"),
    [
        ("japanese", 6.5),
        ("chinese-ogs", 7.5),
        ({"scoring": "TERRITORY"}, 6.5),
        ({"score": "AREA"}, 7.5),
        ("koSIMPLEscoreTERRITORY", 6.5),
    ],
)
def test_komi_that_is_not_given_is_the_usual_one(rules: object, komi: float) -> None:
    (answer,) = ask(QUERY | {"rules": rules})
    assert answer["rootInfo"]["komiUsed"] == komi


def test_a_field_that_means_nothing_here_is_said_and_the_query_answered() -> None:
    warning, answer = ask(QUERY | {"rootPolicyTemperature": 2})
    assert warning == {"field": "rootPolicyTemperature", "id": "q", "warning": "Unknown or unused field"}
    assert answer["rootInfo"]["visits"] == 16


def test_a_query_may_name_a_komi_method() -> None:
    """The search has another komi; win rate, lead and their curve are at the game's."""
    stones = {"initialStones": [["B", "C3"], ["B", "B4"]], "moves": [], "komi": 0.5}
    plain, shifted = ask(
        QUERY | stones, QUERY | stones | {"overrideSettings": {"komi_method": "ml-dk", "komi_high": 0.5}}
    )
    assert plain["rootInfo"]["komiUsed"] == 0.5  # `auto` is for moves that are played
    root = shifted["rootInfo"]
    assert root["komiUsed"] != 0.5
    at_game = dict(map(tuple, root["winrateByKomi"]))[0.5]
    assert root["winrate"] == pytest.approx(at_game, abs=1e-4)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"komi_method": "ss-r"}, "komi method ss-r needs rollouts"),
        ({"komi_method": "ml"}, "komi_method must be one of"),
        ({"komi_s": "nan"}, "komi_s must be a number"),
    ],
)
def test_a_komi_method_that_cannot_work_is_the_querys_error(settings: dict[str, Any], reason: str) -> None:
    refused, answered = ask(QUERY | {"overrideSettings": settings}, QUERY)
    assert refused["field"] == "overrideSettings" and reason in refused["error"]
    assert answered["rootInfo"]["visits"] == 16


def test_a_komi_of_nan_is_refused() -> None:
    (answer,) = ask(json.dumps(QUERY)[:-1] + ', "komi": NaN}')
    assert answer["field"] == "komi"
