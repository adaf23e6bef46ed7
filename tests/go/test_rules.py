"""Rules as a value."""

from __future__ import annotations

import math

import pytest

from tengen.go.rules import PRESETS, Ko, Rules, Scoring


def test_presets_are_found_however_they_are_written() -> None:
    assert Rules.named("Tromp Taylor") == Rules.named("tromp-taylor") == Rules.named("tromp_taylor")
    assert Rules.named("Japanese").scoring is Scoring.TERRITORY
    assert Rules.named("NZ").ko is Ko.SITUATIONAL


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match="unknown rules 'martian': known are chinese, japanese"):
        Rules.named("martian")


def test_a_preset_keeps_its_name_under_another_komi() -> None:
    for name, rules in PRESETS.items():
        assert rules.with_komi(0.5).name == name
    assert Rules(suicide=True).name is None


@pytest.mark.parametrize("komi", [math.nan, math.inf, -math.inf, 1e9])
def test_komi_must_be_a_sensible_number(komi: float) -> None:
    with pytest.raises(ValueError, match="komi must be a number"):
        Rules(komi=komi)
