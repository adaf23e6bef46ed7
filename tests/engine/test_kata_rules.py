"""Rules in KataGo's words."""

from __future__ import annotations

import pytest

from tengen import Rules
from tengen.engine import kata_rules
from tengen.go.rules import PRESETS, Ko


@pytest.mark.parametrize("name", PRESETS)
def test_presets_survive_the_way_there_and_back(name: str) -> None:
    rules = Rules.named(name)
    assert kata_rules.parse(kata_rules.to_object(rules), rules.komi) == rules
    assert kata_rules.parse(name, rules.komi) == rules


def test_katagos_own_presets() -> None:
    assert kata_rules.parse("chinese-ogs", 7.5).ko is Ko.POSITIONAL
    assert kata_rules.parse("ing", 7.5).friendly_pass


@pytest.mark.parametrize(
    "value",
    [
        "martian",
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
