"""Rules as KataGo's protocols write them: a preset's name, or an object with one field a rule."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from tengen.go.rules import HandicapBonus, Ko, Rules, Scoring, Tax

# The one tax that can be counted with each scoring.
_TAX = {Scoring.AREA: Tax.NONE, Scoring.TERRITORY: Tax.SEKI}
_BONUSES = {"0": HandicapBonus.NONE, "N": HandicapBonus.STONES, "N-1": HandicapBonus.STONES_LESS_ONE}

# Presets of KataGo that ours lack, as what they differ in.
_VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "chinese-ogs": ("chinese", {"ko": Ko.POSITIONAL}),
    "chinese-kgs": ("chinese", {"ko": Ko.POSITIONAL}),
    "ing": ("tromp-taylor", {"friendly_pass": True}),
}


def to_object(rules: Rules) -> dict[str, Any]:
    """As `kata-get-rules` answers; komi is not part of it.

    >>> to_object(Rules.named("aga"))["whiteHandicapBonus"]
    'N-1'
    """
    return {
        "friendlyPassOk": rules.friendly_pass,
        "hasButton": False,
        "ko": rules.ko.name,
        "scoring": rules.scoring.name,
        "suicide": rules.suicide,
        "tax": rules.tax.name,
        "whiteHandicapBonus": next(k for k, v in _BONUSES.items() if v is rules.handicap_bonus),
    }


def parse(value: object, komi: float) -> Rules:
    """From a preset's name or an object (or its JSON text); what we cannot play is refused by ValueError."""
    if isinstance(value, str):
        text = value.strip()
        if not text.startswith("{"):
            return _named(text).with_komi(komi)
        try:
            value = json.loads(text)
        except ValueError:
            raise ValueError("rules that begin with { must be JSON") from None
    if not isinstance(value, dict):
        raise ValueError("rules are a name or an object")
    rules = Rules.named("tromp-taylor").with_komi(komi)
    if "scoring" in value:  # first, for what is no tax depends on it
        rules = changed(rules, "scoring", value["scoring"])
    for key, setting in value.items():
        rules = changed(rules, key, setting)
    return rules


def _named(text: str) -> Rules:
    key = text.lower().replace("_", "-")
    if key in _VARIANTS:
        base, changes = _VARIANTS[key]
        return replace(Rules.named(base), **changes)
    return Rules.named(text)


def changed(rules: Rules, key: str, value: object) -> Rules:
    """The rules with one of KataGo's fields set."""
    text = str(value).upper()
    if key == "ko" and text in Ko.__members__:
        return replace(rules, ko=Ko[text])
    if key in ("scoring", "scoringRule") and text in Scoring.__members__:
        scoring = Scoring[text]
        return replace(rules, scoring=scoring, tax=_TAX[scoring])
    if key in ("suicide", "multiStoneSuicideLegal") and text in ("TRUE", "FALSE"):
        return replace(rules, suicide=text == "TRUE")
    if key == "whiteHandicapBonus" and text in _BONUSES:
        return replace(rules, handicap_bonus=_BONUSES[text])
    if key == "friendlyPassOk" and text in ("TRUE", "FALSE"):
        return replace(rules, friendly_pass=text == "TRUE")
    if key == "hasButton" and text == "FALSE":
        return rules
    if key == "tax":
        if text == rules.tax.name:
            return rules
        raise ValueError(f"tax {value} cannot be played with {rules.scoring.name.lower()} scoring")
    raise ValueError(f"rule {key} cannot be {value}")
