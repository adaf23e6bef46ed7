"""The fields of KataGo's answers: none is missing where the net has what it needs, none is made up where it has not."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tengen import Color, Game, Position, Rules, open_net
from tengen.engine import dialects
from tengen.engine.analysis import AnalysisEngine
from tengen.engine.dialects import Request, parse_request
from tengen.engine.options import PlayerMaker
from tengen.engine.position_hash import position_hashes
from tengen.nets.evaluation import Evaluation, RawOutput
from tengen.nets.evaluator import Evaluator
from tengen.nets.fake import FakeEvaluator
from tengen.nets.library import cards
from tengen.search.player import Limit, Question, last_report

# What KataGo 1.18.1 answers to a query that asks for everything, human-like play aside.
MOVE_INFO = {
    *(
        "move",
        "visits",
        "edgeVisits",
        "winrate",
        "scoreMean",
        "scoreStdev",
        "scoreLead",
        "scoreSelfplay",
        "prior",
    ),
    *("utility", "lcb", "utilityLcb", "weight", "edgeWeight", "order", "playSelectionValue", "noResultValue"),
    *("pv", "pvVisits", "pvEdgeVisits", "ownership", "ownershipStdev"),
}
ROOT_INFO = {
    *("winrate", "scoreLead", "scoreSelfplay", "scoreStdev", "utility", "visits", "weight", "currentPlayer"),
    *("thisHash", "symHash", "rawWinrate", "rawLead", "rawScoreSelfplay", "rawScoreSelfplayStdev"),
    *("rawNoResultProb", "rawStWrError", "rawStScoreError", "rawVarTimeLeft"),
}
ANSWER = {
    *("id", "isDuringSearch", "turnNumber", "moveInfos", "rootInfo", "ownership", "ownershipStdev", "policy"),
}
MODEL = {"name", "internalName", "maxBatchSize", "usesHumanSLProfile", "usingFP16", "version"}
GTP_INFO = MOVE_INFO - {"edgeWeight", "playSelectionValue", "ownership", "ownershipStdev"}
GTP_ROOT = {
    *("visits", "utility", "winrate", "scoreMean", "scoreStdev", "scoreLead", "scoreSelfplay", "weight"),
    *("rawStWrError", "rawStScoreError", "rawVarTimeLeft"),
}
# Of these, what only an output of KataGo's newer nets gives.
ERRORS = {"rawStWrError", "rawStScoreError", "rawVarTimeLeft"}
NO_RESULT = {"noResultValue", "rawNoResultProb"}

EVERYTHING: dict[str, Any] = {
    "id": "q",
    "moves": [["B", "C3"], ["W", "E2"]],
    "rules": "chinese",
    "boardXSize": 5,
    "boardYSize": 5,
    "includePolicy": True,
    "includePVVisits": True,
    "includeOwnership": True,
    "includeOwnershipStdev": True,
    "includeMovesOwnership": True,
    "includeMovesOwnershipStdev": True,
    "includeNoResultValue": True,
}


class Complete(FakeEvaluator):
    """With the outputs that KataGo's nets of version 9 and later have. No such net ships or can be pulled."""

    def __init__(self) -> None:
        super().__init__()
        self.card = replace(self.card, settings={"version": 14})

    def evaluate(self, positions: Sequence[Position], **wanted: Any) -> list[Evaluation]:
        return [
            replace(said, raw=RawOutput(0.5, 0.4, 0.1 / (2 + p.move_number), 1.0, 10.0, 0.5, 40.0, 0.25, 1.5))
            for said, p in zip(super().evaluate(positions, **wanted), positions, strict=True)
        ]


def ask(net: Evaluator, *queries: dict[str, Any], player: str = "puct") -> list[dict[str, Any]]:
    out = io.StringIO()
    engine = AnalysisEngine(PlayerMaker(player, net), Limit(visits=20), out)
    for query in queries:
        engine.receive(json.dumps(query))
    engine.finish()
    return [json.loads(line) for line in out.getvalue().splitlines()]


def words_of(part: str) -> set[str]:
    """The keys of one report of kata-analyze; what follows a list's key are its values."""
    words = part.split()
    return {w for w in words if w[0].islower() and w != "pass"}


@pytest.mark.parametrize("player", ["puct", "policy"])
def test_an_answer_has_every_field(player: str) -> None:
    [answer] = ask(Complete(), EVERYTHING, player=player)
    assert set(answer) >= ANSWER
    assert set(answer["rootInfo"]) >= ROOT_INFO
    assert all(set(info) >= MOVE_INFO for info in answer["moveInfos"])


def test_the_net_and_the_version_are_described() -> None:
    models, version = ask(
        Complete(), {"id": "m", "action": "query_models"}, {"id": "v", "action": "query_version"}
    )
    assert set(models["models"][0]) == MODEL
    assert set(version) == {"id", "action", "version", "git_hash"}
    assert "version" not in ask(FakeEvaluator(), {"id": "m", "action": "query_models"})[0]["models"][0]


def test_a_line_of_gtp_has_every_field() -> None:
    player = PlayerMaker("puct", Complete(), {"visits": 20}).make()
    game = Game(size=5, rules=Rules.named("chinese"))
    keys = "rootInfo true pvVisits true pvEdgeVisits true noResultValue true"
    request = parse_request(keys.split(), game.position())
    root = last_report(player, game, replace(request.question(), limit=Limit(visits=20)))
    infos, root_info = dialects.katago(game.position(), root, request).split(" rootInfo ")
    for info in infos.split("info ")[1:]:
        assert words_of(info) >= GTP_INFO
    assert words_of(root_info) == GTP_ROOT


def test_an_output_that_the_net_does_not_have_gives_no_field() -> None:
    [answer] = ask(FakeEvaluator(), EVERYTHING)
    found = set(answer["rootInfo"]).union(*answer["moveInfos"])
    assert not found & (ERRORS | NO_RESULT)
    assert found >= (MOVE_INFO | ROOT_INFO) - ERRORS - NO_RESULT
    [answer] = ask(FakeEvaluator(heads=("policy",)), EVERYTHING, player="policy")
    known = {"move", "visits", "edgeVisits", "weight", "edgeWeight", "prior", "order", "playSelectionValue"}
    assert all(set(info) == known | {"pv", "pvVisits", "pvEdgeVisits"} for info in answer["moveInfos"])
    assert set(answer["rootInfo"]) == {
        *("currentPlayer", "visits", "weight", "komiUsed", "thisHash", "symHash"),
    }


def test_superko_leaves_no_game_without_result() -> None:
    """So 0 is known without an output of the net; under simple ko nothing is."""
    [answer] = ask(FakeEvaluator(), EVERYTHING | {"rules": "tromp-taylor"})
    assert answer["rootInfo"]["rawNoResultProb"] == 0
    assert {info["noResultValue"] for info in answer["moveInfos"]} == {0}


def test_the_chance_of_no_result_is_the_mean_over_the_leaves_below_a_move() -> None:
    [answer] = ask(Complete(), EVERYTHING | {"maxVisits": 2})
    [info] = answer["moveInfos"]
    assert info["noResultValue"] == pytest.approx(0.1 / 5)
    assert answer["rootInfo"]["rawNoResultProb"] == pytest.approx(0.1 / 4)
    [answer] = ask(Complete(), EVERYTHING | {"maxVisits": 3})
    deeper = [info for info in answer["moveInfos"] if info["visits"] == 2]
    assert all(info["noResultValue"] == pytest.approx((0.1 / 5 + 0.1 / 6) / 2) for info in deeper)


def test_errors_of_the_win_rate_are_those_of_a_chance() -> None:
    """The net gives them for a value from -1 to 1."""
    [answer] = ask(Complete(), EVERYTHING)
    root = answer["rootInfo"]
    assert (root["rawStWrError"], root["rawStScoreError"], root["rawVarTimeLeft"]) == (0.125, 1.5, 40.0)


def test_values_follow_the_view_and_their_names() -> None:
    black, white = (
        ask(FakeEvaluator(), EVERYTHING | {"overrideSettings": {"reportAnalysisWinratesAs": view}})[0]
        for view in ("BLACK", "WHITE")
    )
    assert black["rootInfo"]["rawWinrate"] == pytest.approx(1 - white["rootInfo"]["rawWinrate"], abs=1e-5)
    assert black["rootInfo"]["rawLead"] == -white["rootInfo"]["rawLead"]
    assert black["rootInfo"]["rawScoreSelfplay"] == -white["rootInfo"]["rawScoreSelfplay"]
    for info in black["moveInfos"]:
        assert info["scoreMean"] == info["scoreLead"]
        assert info["visits"] == info["edgeVisits"] == info["weight"] == info["edgeWeight"]


def test_the_order_follows_the_selection_value() -> None:
    for visits in (5, 20, 60, 200):
        [answer] = ask(FakeEvaluator(), EVERYTHING | {"maxVisits": visits})
        values = [info["playSelectionValue"] for info in answer["moveInfos"]]
        assert values == sorted(values, reverse=True)
        assert all(info["playSelectionValue"] >= info["visits"] for info in answer["moveInfos"])


def test_moves_that_symmetry_makes_equal_are_copies_of_one() -> None:
    [answer] = ask(FakeEvaluator(), EVERYTHING | {"moves": [["B", "C3"]], "maxVisits": 60})
    infos = {info["move"]: info for info in answer["moveInfos"]}
    copies = [info for info in infos.values() if "isSymmetryOf" in info]
    assert copies
    names = {name for name in MOVE_INFO if name not in ("move", "order", "pv", "ownership", "ownershipStdev")}
    for copy in copies:
        original = infos[copy["isSymmetryOf"]]
        assert "isSymmetryOf" not in original
        assert {n: copy.get(n) for n in names} == {n: original.get(n) for n in names}
        assert sorted(copy["ownership"]) == sorted(original["ownership"])
        assert copy["pv"][0] == copy["move"] and len(copy["pv"]) == len(original["pv"])
    searched = [info for info in infos.values() if "isSymmetryOf" not in info]
    assert sum(info["visits"] for info in searched) == answer["rootInfo"]["visits"] - 1
    every = ask(
        FakeEvaluator(), EVERYTHING | {"moves": [], "overrideSettings": {"rootSymmetryPruning": False}}
    )
    assert not any("isSymmetryOf" in info for info in every[0]["moveInfos"])


def test_names_of_positions() -> None:
    """Symmetric positions share one name; the side to move and a ko make another position."""
    corner, other = (position_hashes(Position(9).play(vertex)) for vertex in ("C4", "F7"))
    assert corner[0] != other[0] and corner[1] == other[1]
    assert len(corner[0]) == len(corner[1]) == 32
    passed = position_hashes(Position(9).play("C4").play("pass"))
    assert not set(passed) & set(corner)
    before_ko = Position.from_text(". X O . .\n X . X O .\n . X O . .\n . . . . .\n . . . . .", Color.WHITE)
    taken = before_ko.copy().play("B4")
    assert taken.ko is not None
    same_stones = Position(5).set_stones(
        [p for p, c in enumerate(taken.stones().ravel()) if c == 1],
        [p for p, c in enumerate(taken.stones().ravel()) if c == 2],
        to_move=Color.BLACK,
    )
    assert not set(position_hashes(taken)) & set(position_hashes(same_stones))


@pytest.mark.skipif(
    "b15c192" not in cards(),
    reason="NOT RUN: b15c192 is not in the cache; `tengen nets pull b15c192` brings it",
)
@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, (0.448639, -0.003038, -0.020264, 11.321826, 0.000234)),
        (
            {"playoutDoublingAdvantage": 2, "playoutDoublingAdvantagePla": "BLACK"},
            (0.826057, 2.071752, 2.866528, 11.176303, 0.000201),
        ),
        (
            {"playoutDoublingAdvantage": 2, "playoutDoublingAdvantagePla": "WHITE"},
            (0.078324, -2.011773, -2.953111, 10.571761, 0.000078),
        ),
        ({"playoutDoublingAdvantage": 2}, (0.826057, 2.071752, 2.866528, 11.176303, 0.000201)),
    ],
)
def test_raw_values_are_those_of_katago(settings: dict[str, Any], expected: tuple[float, ...]) -> None:
    """KataGo 1.18.1 with the same net on an empty 9x9 board, Chinese rules, komi 7."""
    query = {"id": "q", "moves": [], "rules": "chinese", "komi": 7, "boardXSize": 9, "boardYSize": 9}
    answers = ask(open_net("b15c192", "fp32"), query | {"maxVisits": 1, "overrideSettings": settings})
    assert len(answers) == 1, "nothing to warn of"
    root = answers[0]["rootInfo"]
    names = ("rawWinrate", "rawLead", "rawScoreSelfplay", "rawScoreSelfplayStdev", "rawNoResultProb")
    assert [root[name] for name in names] == pytest.approx(expected, abs=1e-4)


def test_a_request_for_everything_costs_nothing_that_was_not_asked_for() -> None:
    """A question of a game asks the net for its leaves only."""
    root = last_report(PlayerMaker("puct", FakeEvaluator()).make(), Game(size=5), Question(Limit(visits=5)))
    assert root.evaluation is None
    assert all(c.no_result is None and c.symmetry_of is None for c in root.candidates)
    assert Request(Color.BLACK).question().evaluation is False
