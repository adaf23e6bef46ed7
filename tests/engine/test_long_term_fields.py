"""What the player long-term says of its candidates, in the protocols and in the log of a match."""

from __future__ import annotations

import io
import json
import re

from tengen import Game, open_net
from tengen.engine import dialects
from tengen.engine.analysis import AnalysisEngine
from tengen.engine.contestant import make_contestant
from tengen.engine.dialects import parse_request
from tengen.engine.options import PlayerMaker
from tengen.search.player import Limit, Question, last_report

OPTIONS = {"lines": 2, "steps": 3, "candidates": 3}
MAKER = PlayerMaker("long-term", open_net("fake"), OPTIONS)


def test_json_answers_have_reward_spread_and_score_of_each_candidate() -> None:
    out = io.StringIO()
    engine = AnalysisEngine(MAKER, Limit(visits=7), out, 1)
    query = {"id": "q", "moves": [["B", "C3"]], "rules": "chinese", "boardXSize": 5, "boardYSize": 5}
    engine.receive(json.dumps(query))
    engine.finish()
    infos = json.loads(out.getvalue())["moveInfos"]
    assert len(infos) == 3 and [info["visits"] for info in infos] == [2, 2, 2]
    for info in infos:
        assert set(info["longTerm"]) == {"reward", "rewardStdev", "score"} and info["pv"][0] == info["move"]
    assert abs(sum(info["longTerm"]["score"] for info in infos) - 1) < 1e-6


def test_rewards_are_in_the_view_that_was_asked_for() -> None:
    rewards = []
    for view in ("BLACK", "WHITE"):
        out = io.StringIO()
        engine = AnalysisEngine(MAKER, Limit(visits=7), out, 1)
        settings = {"reportAnalysisWinratesAs": view}
        query = {"id": "q", "moves": [["B", "C3"]], "rules": "chinese", "boardXSize": 5, "boardYSize": 5}
        engine.receive(json.dumps(query | {"overrideSettings": settings}))
        engine.finish()
        rewards.append([info["longTerm"]["reward"] for info in json.loads(out.getvalue())["moveInfos"]])
    assert rewards[0] == [-reward for reward in rewards[1]]


def test_kata_analyze_has_them_as_pairs_of_words() -> None:
    game = Game(size=5)
    root = last_report(MAKER.make(), game, Question())
    text = dialects.katago(game.position(), root, parse_request([], game.position()))
    found = re.findall(r"longTermReward (-?[\d.]+) longTermStdev ([\d.]+) longTermScore ([\d.]+) ", text)
    assert len(found) == 3
    puct = last_report(PlayerMaker("puct", open_net("fake"), {}).make(), game, Question(Limit(visits=3)))
    assert "longTerm" not in dialects.katago(game.position(), puct, parse_request([], game.position()))


def test_the_log_of_a_match_has_p_reward_and_score_of_the_move() -> None:
    log: list[str] = []
    side = make_contestant("long-term:net=fake,lines=2,steps=2,candidates=2", log.append)
    game = Game(size=5)
    side.begin(game, 1)
    side.move(game, None)
    assert re.fullmatch(r"1 B \w+ visits 5 .* p 0\.\d+ reward [+-][\d.]+ ±[\d.]+ score [01]\.\d+", log[0])
