"""Rules in KataGo's words."""

from __future__ import annotations

import pytest

from tengen import Rules
from tengen.engine import kata_rules
from tengen.go.rules import PRESETS, Ko, Scoring


@pytest.mark.parametrize("name", PRESETS)
def test_presets_survive_the_way_there_and_back(name: str) -> None:
    rules = Rules.named(name)
    assert kata_rules.parse(kata_rules.to_object(rules), rules.komi) == rules
    assert kata_rules.parse(name, rules.komi) == rules


def test_katagos_own_presets() -> None:
    assert kata_rules.parse("chinese-ogs", 7.5).ko is Ko.POSITIONAL
    assert kata_rules.parse("ing", 7.5).friendly_pass


def test_scoring_has_two_names() -> None:
    for key in ("score", "scoring"):
        rules = kata_rules.parse({"tax": "SEKI", "ko": "SIMPLE", key: "TERRITORY"}, 6.5)
        assert rules.scoring is Scoring.TERRITORY


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("koSIMPLEscoreAREAtaxNONEsui0whbNfpok1", "chinese"),
        ("koSIMPLEscoreTERRITORYtaxSEKIsui0", "japanese"),
        ("koPOSITIONALscoreAREAtaxNONEsui1", "tromp-taylor"),
        ("koSITUATIONAL scoringAREA sui0 button0 whbN-1 fpok1", "aga"),
    ],
)
def test_all_rules_in_one_word(word: str, name: str) -> None:
    assert kata_rules.parse(word, 7.5) == Rules.named(name).with_komi(7.5)


@pytest.mark.parametrize(
    "value",
    [
        "martian",
        "koSIMPLEscoreAREAtaxALL",
        "koSIMPLEscoreAREAbutton1",
        "koSIMPLEscoreAREAmoon0",
        "whb5",
        "",
        "{not json",
        '{"ko":"SPIGHT"}',
        '{"tax":"ALL","scoring":"AREA"}',
        '{"hasButton":true}',
        '{"colour":"red"}',
        '{"suicide":3}',
        [],
        7,
    ],
)
def test_what_cannot_be_played_is_refused(value: object) -> None:
    with pytest.raises(ValueError):
        kata_rules.parse(value, 7.5)
