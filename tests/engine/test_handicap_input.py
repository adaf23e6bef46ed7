"""Komi and handicap that cannot be: a clear refusal over GTP, JSON and in matches; the game goes on."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tengen import InputError, Rules
from tengen.engine import contestant
from tengen.engine.analysis import AnalysisEngine
from tengen.engine.gtp import Gtp, Lines
from tengen.engine.match import Match
from tengen.engine.options import PlayerMaker
from tengen.engine.session import Session
from tengen.engine.terms import Terms
from tengen.nets.evaluator import Evaluator
from tengen.nets.fake import FakeEvaluator
from tengen.search.player import Limit

# A net with win rates at komi -12.5 to 27.5, and one that knows komi 7.5 only and no owners.
LABELLED = FakeEvaluator(komi_labels=tuple(k + 0.5 for k in range(-13, 28)))
PLAIN = FakeEvaluator(komi_labels=(7.5,), heads=("policy", "value"))

Talk = Callable[[str], str]


def maker(net: Evaluator) -> PlayerMaker:
    return PlayerMaker("puct", net, {"visits": 4})


def gtp(net: Evaluator, size: int = 9) -> Talk:
    out = io.StringIO()
    engine = Gtp(Session(maker(net).make(), Rules.named("chinese"), size), Lines([]), out)

    def answer(line: str) -> str:
        out.seek(0)
        out.truncate()
        engine.answer(line)
        return out.getvalue().strip()

    return answer


@pytest.mark.parametrize("word", ["nan", "inf", "-inf", "1e400"])
def test_gtp_a_komi_that_is_no_number(word: str) -> None:
    talk = gtp(LABELLED)
    assert talk(f"komi {word}") == f"? syntax error: '{word}' is not a number"
    assert talk("get_komi") == "= 7.5"
    assert talk("genmove b").startswith("= ")


@pytest.mark.parametrize("command", ["komi 28", "komi -13", "kata-set-rule komi 99.5"])
def test_gtp_a_komi_beyond_the_labels(command: str) -> None:
    talk = gtp(LABELLED)
    assert talk("play b E5") == "="
    assert talk(command).startswith("? ")
    assert talk("get_komi") == "= 7.5"
    assert talk("genmove w").startswith("= ")
    assert gtp(PLAIN)("komi 99.5") == "="  # a net for one komi takes any


def test_gtp_says_which_komi_the_net_plays_with() -> None:
    assert gtp(LABELLED)("komi 28") == "? net fake-0 plays with komi from -12.5 to 27.5 only, not 28"


@pytest.mark.parametrize(
    ("size", "command", "reason"),
    [
        (5, "fixed_handicap 2", "no fixed handicap of 2 stones on 5x5: the table has none"),
        (7, "fixed_handicap 5", "no fixed handicap of 5 stones on 7x7: the table has 2 to 4 stones"),
        (9, "fixed_handicap 10", "the table has 2 to 9 stones"),
        (9, "fixed_handicap 1", "no fixed handicap of 1 stones"),
        (3, "place_free_handicap 9", "a free handicap on 3x3 has 2 to 8 stones, not 9"),
        (9, "set_free_handicap E5", "at least two different points"),
        (9, "set_free_handicap E5 Q16", "invalid vertex"),
    ],
)
def test_gtp_a_handicap_on_a_board_too_small(size: int, command: str, reason: str) -> None:
    talk = gtp(FakeEvaluator(), size)
    assert reason in talk(command) and talk(command).startswith("? ")
    assert talk("genmove b").startswith("= ")


@pytest.mark.parametrize(
    ("method", "reason"),
    [
        ("ss-r", "komi method ss-r needs rollouts"),
        ("ss-b", "net fake-0 has no ownership"),
        ("ss-m", "komi method ss-m needs rollouts"),
        ("vs-m", "no win rates at another komi"),
        ("ml-dk", "no win rates at another komi"),
        ("ml", "must be one of auto, none"),
    ],
)
def test_a_method_without_what_it_needs(
    method: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = gtp(PLAIN)
    assert reason in talk(f"tengen-set komi_method {method}")
    assert talk("tengen-get komi_method") == "= auto"
    assert talk("genmove b").startswith("= ")
    (refused, played) = ask(PLAIN, {"overrideSettings": {"komi_method": method}}, {})
    assert refused["field"] == "overrideSettings" and reason in refused["error"]
    assert played["rootInfo"]["visits"] == 4
    monkeypatch.setattr(contestant, "open_net", lambda *given: PLAIN)
    with pytest.raises(InputError, match=reason):
        Match((f"puct:komi_method={method}", "policy"), Terms(size=5), tmp_path / "match")
    assert not (tmp_path / "match").exists()


def ask(net: Evaluator, *changes: dict[str, Any]) -> list[dict[str, Any]]:
    out = io.StringIO()
    engine = AnalysisEngine(maker(net), Limit(visits=4), out)
    for change in changes:
        query = {"id": "q", "moves": [], "rules": "chinese", "boardXSize": 5, "boardYSize": 5} | change
        engine.receive(json.dumps(query))
    engine.finish()
    return [json.loads(line) for line in out.getvalue().splitlines()]


@pytest.mark.parametrize("komi", [float("nan"), float("inf"), "nan", 28.5, -13.5, 1e9])
def test_json_a_komi_that_cannot_be(komi: object) -> None:
    refused, played = ask(LABELLED, {"komi": komi}, {"komi": 6.5})
    assert refused["field"] == "komi" and "Internal" not in refused["error"]
    assert played["rootInfo"]["komiUsed"] == 6.5


def test_json_handicap_stones_beside_the_board() -> None:
    refused, played = ask(LABELLED, {"initialStones": [["B", "A1"], ["B", "G7"]]}, {})
    assert refused["field"] == "initialStones"
    assert played["rootInfo"]["visits"] == 4


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        (Terms(size=9, komi=28.0), "plays with komi from -12.5 to 27.5 only, not 28"),
        (Terms(size=9, komi=float("nan")), "komi must be a number between -1000 and 1000, not nan"),
        (Terms(size=5, komi=0.5, handicap=2), "no fixed handicap of 2 stones on 5x5"),
        (Terms(size=9, komi=0.5, handicap=10), "the table has 2 to 9 stones"),
    ],
)
def test_a_match_is_refused_before_anything_is_written(
    terms: Terms, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contestant, "open_net", lambda *given: LABELLED)
    with pytest.raises(InputError, match=reason):
        Match(("puct:visits=4", "policy"), terms, tmp_path / "match")
    assert not (tmp_path / "match").exists()
