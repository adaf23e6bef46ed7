from __future__ import annotations

import datetime

import pytest

from tengen.go.fields import (
    ING,
    TimeSettings,
    format_rules,
    parse_date,
    parse_handicap,
    parse_komi,
    parse_rules,
)
from tengen.go.rules import PRESETS, HandicapBonus, Ko, Rules, Scoring

CHINESE, JAPANESE = PRESETS["chinese"], PRESETS["japanese"]


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("6.5", 6.5),
        ("6.50", 6.5),
        ("-5.5", -5.5),
        ("0", 0),
        ("7,5", 7.5),
        ("6.5目", 6.5),
        ("7", 7),
        ("650", 6.5),
        ("325", 6.5),
        ("750", 7.5),
        ("375", 7.5),
        ("550", 5.5),
        ("275", 5.5),
        ("3.75", 7.5),
    ],
)
def test_komi(text: str, points: float) -> None:
    assert parse_komi(text, CHINESE) == (points, True)


def test_komi_that_is_not_recorded() -> None:
    assert parse_komi("", CHINESE) == (7.5, False)
    assert parse_komi("", JAPANESE) == (6.5, False)
    assert parse_komi("", JAPANESE, handicap=3) == (0, False)
    for fox in ("foxwq", "GNUGo:3.8; foxwq", "GNU Go:3.8"):
        assert parse_komi("0", JAPANESE, application=fox) == (6.5, False)
        assert parse_komi("0", JAPANESE, handicap=2, application=fox) == (0, True)
        assert parse_komi("0", JAPANESE, handicap=1, application=fox) == (0, True)  # Black first, no komi
    assert parse_komi("0", JAPANESE, application="CGoban:3") == (0, True)


@pytest.mark.parametrize("text", ["nan", "NaN", "inf", "-Infinity", "1e9", "99999", "-20000"])
def test_komi_that_cannot_be(text: str) -> None:
    with pytest.raises(ValueError, match="komi"):
        parse_komi(text, CHINESE)


@pytest.mark.parametrize(
    ("text", "stones"),
    [("2", 2), ("0", 0), (" 9 ", 9), ("", None), ("x", None), ("9999", None), ("-1", None)],
)
def test_handicap(text: str, stones: int | None) -> None:
    assert parse_handicap(text) == stones


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Japanese", "japanese"),
        ("jp", "japanese"),
        ("日本规则", "japanese"),
        ("Korean", "japanese"),
        ("Chinese", "chinese"),
        ("中国规则", "chinese"),
        ("cn", "chinese"),
        ("AGA", "aga"),
        ("NZ", "new-zealand"),
        ("New Zealand", "new-zealand"),
        ("Tromp-Taylor", "tromp-taylor"),
        ("koSITUATIONALscoreAREAtaxNONEsui0whbN-1fpok1", "aga"),
    ],
)
def test_rules(text: str, name: str) -> None:
    rules = parse_rules(text)
    assert rules is not None and rules.name == name


def test_other_rules() -> None:
    assert parse_rules("GOE") == ING
    assert parse_rules("") is None and parse_rules("house rules") is None


@pytest.mark.parametrize(
    "rules", [*PRESETS.values(), ING, Rules(ko=Ko.POSITIONAL, scoring=Scoring.TERRITORY)]
)
@pytest.mark.parametrize("bonus", HandicapBonus)
def test_rules_go_both_ways(rules: Rules, bonus: HandicapBonus) -> None:
    from dataclasses import replace

    rules = replace(rules, handicap_bonus=bonus)
    read = parse_rules(format_rules(rules))
    assert read is not None and read.with_komi(rules.komi) == rules


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2017-10-18", (2017, 10, 18)),
        ("2005-11-02 10:48", (2005, 11, 2)),
        ("1846-09-11,14,15", (1846, 9, 11)),
        ("2005.11.02", (2005, 11, 2)),
        ("1998/5/6", (1998, 5, 6)),
        ("20110812 [09:31]", (2011, 8, 12)),
        ("2015年3月4日", (2015, 3, 4)),
        ("4 May 2003", (2003, 5, 4)),
        ("May 4th, 2003", (2003, 5, 4)),
        ("14.03.2019", (2019, 3, 14)),
    ],
)
def test_dates(text: str, day: tuple[int, int, int]) -> None:
    assert parse_date(text) == (day[0], datetime.date(*day))


@pytest.mark.parametrize(
    ("text", "year"), [("1998", 1998), ("1998-05", 1998), ("1998-13-40", 1998), ("published 1998", 1998)]
)
def test_years(text: str, year: int) -> None:
    assert parse_date(text) == (year, None)


@pytest.mark.parametrize("text", ["", "?", "0000-00-00", "yesterday", "12:30"])
def test_no_date(text: str) -> None:
    assert parse_date(text) is None


@pytest.mark.parametrize(
    ("parts", "settings"),
    [
        (("0", "10x10 byo-yomi"), TimeSettings(0, 10, 10, 1)),
        (("60", "25/300 Canadian"), TimeSettings(60, 300, None, 25)),
        (("30/3 5m",), TimeSettings(300, 30, 3, 1)),
        (("60", "", "3", "30"), TimeSettings(60, 30, 3, 1)),
        (("1h30m",), TimeSettings(5400)),
        (("10:00",), TimeSettings(600)),
        (("40 minutes", "20 fischer"), TimeSettings(2400, 20, None, 1)),
        (("", "None"), TimeSettings()),
        (("unlimited",), TimeSettings()),
    ],
)
def test_time_settings(parts: tuple[str, ...], settings: TimeSettings) -> None:
    assert TimeSettings.parse(*parts) == settings


def test_seconds_a_move() -> None:
    assert TimeSettings(900, 30, 3, 1).per_move == 40
    assert TimeSettings(0, 300, None, 25).per_move == 12
    assert TimeSettings().per_move is None
