"""Rules as KataGo's protocols write them: a preset's name, an object with one field a rule, or all in one word."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from tengen.go.rules import HandicapBonus, Ko, Rules, Scoring, Tax

# The one tax that can be counted with each scoring.
_TAX = {Scoring.AREA: Tax.NONE, Scoring.TERRITORY: Tax.SEKI}
_SCORING = ("scoring", "score", "scoringRule")
_BONUSES = {"0": HandicapBonus.NONE, "N": HandicapBonus.STONES, "N-1": HandicapBonus.STONES_LESS_ONE}

# Presets of KataGo that ours lack, as what they differ in.
_VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "chinese-ogs": ("chinese", {"ko": Ko.POSITIONAL}),
    "chinese-kgs": ("chinese", {"ko": Ko.POSITIONAL}),
    "ing": ("tromp-taylor", {"friendly_pass": True}),
    "goe": ("tromp-taylor", {"friendly_pass": True}),
}

# The one word, as in koSIMPLEscoreAREAtaxNONEsui0whbN: short names of fields, each followed by its value.
_SHORT = {
    "ko": "ko",
    "score": "scoring",
    "scoring": "scoring",
    "tax": "tax",
    "sui": "suicide",
    "button": "hasButton",
    "whb": "whiteHandicapBonus",
    "fpok": "friendlyPassOk",
}
_FIELD = re.compile(rf"({'|'.join(sorted(_SHORT, key=len, reverse=True))})([A-Z]+|0|1|N-1)(?![A-Z-])\s*")


def to_object(rules: Rules) -> dict[str, Any]:
    """The rules as `kata-get-rules` answers them; komi is not part of them.

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
    """Rules from a preset's name, an object (or its JSON text) or one word; ValueError for unsupported rules."""
    if isinstance(value, str):
        text = value.strip()
        if text.startswith("{"):
            try:
                value = json.loads(text)
            except ValueError:
                raise ValueError("rules that begin with { must be JSON") from None
        else:
            fields = _fields(text)
            if fields is None:
                return _named(text).with_komi(komi)
            value = fields
    if not isinstance(value, dict):
        raise ValueError("rules are a name or an object")
    rules = Rules.named("tromp-taylor").with_komi(komi)
    # scoring first, for what is no tax depends on it
    for key, setting in sorted(value.items(), key=lambda item: item[0] not in _SCORING):
        rules = changed(rules, key, setting)
    return rules


def _fields(word: str) -> dict[str, object] | None:
    """The object that one word stands for; None if it is not of that form."""
    found: dict[str, object] = {}
    at = 0
    while match := _FIELD.match(word, at):
        key, value = _SHORT[match[1]], match[2]
        found[key] = value if key in ("ko", "scoring", "tax", "whiteHandicapBonus") else value == "1"
        at = match.end()
    return found if found and at == len(word) else None


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
    if key in _SCORING and text in Scoring.__members__:
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
