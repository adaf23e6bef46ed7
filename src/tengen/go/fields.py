"""The fields of a record as servers write them: komi, rules, handicap, dates, time settings."""

from __future__ import annotations

import datetime
import math
import re
from dataclasses import dataclass
from typing import NamedTuple

from tengen.go.rules import PRESETS, HandicapBonus, Ko, Rules, Scoring, Tax

_NUMBER = re.compile(r"[-+]?(?:\d+(?:[.,]\d*)?|[.,]\d+)")


class Komi(NamedTuple):
    """Points for White, and whether the record says so or it is what one would assume."""

    points: float
    recorded: bool


def parse_komi(text: str, rules: Rules, handicap: int = 0, application: str = "") -> Komi:
    """Komi as written in KM.

    Fox counts in hundredths of a point (650) or of a Chinese stone, worth two points (375 is 7.5), and
    writes 0 for "not recorded": 6.5 in even games. A quarter can only be of a stone too: 3.75 is 7.5.
    Nothing written: the rules' own komi in even games, none in handicap games.

    >>> parse_komi("375", Rules()), parse_komi("0", Rules(), application="foxwq")
    (Komi(points=7.5, recorded=True), Komi(points=6.5, recorded=False))

    Raises ValueError for what cannot be a komi: infinite, not a number, beyond the board.
    """
    word = text.strip()
    match = _NUMBER.match(word)
    if not match:
        if re.match(r"[-+]?(nan|inf)", word, re.IGNORECASE):
            raise ValueError(f"komi '{word}' is not a number")
        return Komi(rules.komi if handicap < 2 else 0.0, False)
    if re.match(r"[eE][-+]?\d", word[match.end() :]):
        raise ValueError(f"komi '{word}' is not possible")
    points = float(match[0].replace(",", "."))
    if points == 0 and handicap == 0 and is_fox(application):
        return Komi(6.5, False)
    if abs(points) >= 100:
        points /= 100
    if points * 4 % 2 == 1:
        points *= 2
    if not math.isfinite(points) or abs(points) > 100:
        raise ValueError(f"komi '{word}' is not possible")
    return Komi(points + 0.0, True)  # no -0.0


def is_fox(application: str) -> bool:
    """Whether AP marks a record of the Fox server, which calls itself GNU Go 3.8 as well."""
    word = application.lower().replace(" ", "")
    return "foxwq" in word or "gnugo:3.8" in word


def parse_handicap(text: str) -> int | None:
    """HA: a number of stones from 0 to 100; None if there is none in the text."""
    match = re.match(r"\s*\+?(\d{1,3})\b", text)
    return int(match[1]) if match and int(match[1]) <= 100 else None


def parse_rules(text: str) -> Rules | None:
    """RU in the spellings of servers, of books and of KataGo; None if it says nothing known.

    >>> parse_rules("Japanese").name, parse_rules("日本规则").name, parse_rules("?")
    ('japanese', 'japanese', None)
    >>> parse_rules("koPOSITIONALscoreAREAtaxNONEsui1").name
    'tromp-taylor'
    """
    word = text.strip()
    if match := _KATAGO.match(word):
        return _katago(match)
    plain = re.sub(r"[^\w]+", " ", word.lower()).strip()
    for pattern, rules in _SPELLINGS:
        if re.search(pattern, plain):
            return rules
    try:
        return Rules.named(word)
    except ValueError:
        return None


# Ing's ko rules name kinds of ko; its simple part, and suicide, are what a record can show.
ING = Rules(suicide=True, komi=8.0, handicap_bonus=HandicapBonus.STONES)

_SPELLINGS = (
    (r"japan|^jp|日本|일본|korea|^kr|한국|韩国|韓国", PRESETS["japanese"]),
    (r"chin|^cn|中国|중국", PRESETS["chinese"]),
    (r"new ?zealand|^nz\b", PRESETS["new-zealand"]),
    (r"tromp|taylor|^tt$|stone scoring", PRESETS["tromp-taylor"]),
    (r"\baga\b|\bbga\b|french|american|british", PRESETS["aga"]),
    (r"^goe$|\bing\b|应氏|應氏", ING),
)

_KATAGO = re.compile(
    r"ko(?P<ko>SIMPLE|POSITIONAL|SITUATIONAL)score(?P<score>AREA|TERRITORY)(?:tax(?P<tax>NONE|SEKI|ALL))?"
    r"(?:button[01])?sui(?P<suicide>[01])(?:whb(?P<bonus>0|N-1|N))?(?:fpok(?P<pass>[01]))?",
    re.IGNORECASE,
)
_BONUS = {"0": HandicapBonus.NONE, "N": HandicapBonus.STONES, "N-1": HandicapBonus.STONES_LESS_ONE}


def _katago(match: re.Match[str]) -> Rules:
    scoring = Scoring[match["score"].upper()]
    return Rules(
        scoring=scoring,
        ko=Ko[match["ko"].upper()],
        tax=Tax[match["tax"].upper()] if match["tax"] else Tax.NONE,
        suicide=match["suicide"] == "1",
        handicap_bonus=_BONUS[(match["bonus"] or "0").upper()],
        friendly_pass=match["pass"] == "1",
        komi=7.5 if scoring is Scoring.AREA else 6.5,
    )


def format_rules(rules: Rules) -> str:
    """RU for these rules: the preset's name, or KataGo's spelling of a mixture."""
    if rules.name:
        return rules.name.title() if len(rules.name) > 3 else rules.name.upper()
    bonus = next(text for text, value in _BONUS.items() if value is rules.handicap_bonus)
    return (
        f"ko{rules.ko.name}score{rules.scoring.name}tax{rules.tax.name}"
        f"sui{int(rules.suicide)}whb{bonus}fpok{int(rules.friendly_pass)}"
    )


class Day(NamedTuple):
    """The first day of a game as far as it is known."""

    year: int
    date: datetime.date | None


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATE = re.compile(r"(?<!\d)(\d{4})(?:\s*[-./年년]\s*(\d{1,2})(?:\s*[-./月월]\s*(\d{1,2}))?)?(?!\d)")
_COMPACT = re.compile(r"(?<!\d)(\d{4})(\d\d)(\d\d)(?!\d)")
_DAY_MONTH_YEAR = re.compile(r"(?<!\d)(\d{1,2})[-./](\d{1,2})[-./](\d{4})(?!\d)")
_WORDS = re.compile(
    r"(?i)\b(?:(\d{1,2})(?:st|nd|rd|th)?[\s,]+)?([a-z]{3})[a-z]*\.?(?:\s+(\d{1,2})(?:st|nd|rd|th)?)?,?\s+(\d{4})\b"
)


def parse_date(text: str) -> Day | None:
    """The first day in DT, in SGF's form or another; None without at least a year.

    >>> parse_date("1846-09-11,14,15"), parse_date("2005.11.02 10:48").date, parse_date("1998").date
    (Day(year=1846, date=datetime.date(1846, 9, 11)), datetime.date(2005, 11, 2), None)
    """
    year = month = day = None
    if match := _COMPACT.search(text):
        year, month, day = match.groups()
    elif match := _DAY_MONTH_YEAR.search(text):
        day, month, year = match.groups()
    elif (match := _WORDS.search(text)) and match[2].lower() in _MONTHS:
        year, month, day = match[4], str(_MONTHS.index(match[2].lower()) + 1), match[1] or match[3]
    elif match := _DATE.search(text):
        year, month, day = match.groups()
    if year is None or not 1 <= int(year) <= 9999:
        return None
    try:
        date = datetime.date(int(year), int(month), int(day)) if month and day else None
    except ValueError:
        date = None
    return Day(int(year), date)


@dataclass(frozen=True, slots=True)
class TimeSettings:
    """Seconds of main time, and overtime: periods of so many seconds for so many moves each.

    >>> TimeSettings.parse("600", "5x30 byo-yomi")
    TimeSettings(main=600.0, period=30.0, periods=5, stones=1)
    >>> TimeSettings.parse("60", "25/300 Canadian").per_move
    12.666666666666666
    """

    main: float | None = None
    period: float | None = None  # of overtime; with Fischer's clock, the increment
    periods: int | None = None  # None: without limit
    stones: int | None = None  # moves to make in a period: 1 for byo-yomi

    @property
    def per_move(self) -> float | None:
        """Seconds a move, main time spread over 90 moves: how servers tell blitz from slow games."""
        if self.main is None and self.period is None:
            return None
        return (self.main or 0.0) / 90 + (self.period or 0.0) / (self.stones or 1)

    @staticmethod
    def parse(main: str, overtime: str = "", periods: str = "", period: str = "") -> TimeSettings:
        """From TM and OT, or Tygem's "30/3 5m" (period, periods, main) in TM, or Fox's TC and TT."""
        if match := _TYGEM.match(main):
            return TimeSettings(60.0 * float(match[3]), float(match[1]), int(match[2]), 1)
        seconds = _seconds(main)
        if match := _BYO_YOMI.search(overtime):
            return TimeSettings(seconds, float(match[2]), int(match[1]), 1)
        if match := _CANADIAN.search(overtime):
            return TimeSettings(seconds, float(match[2]), None, max(int(match[1]), 1))
        if match := _INCREMENT.search(overtime):
            return TimeSettings(seconds, float(match[1] or match[2]), None, 1)
        if period.isdecimal() and len(period) < 7:
            count = int(periods) if periods.isdecimal() and len(periods) < 7 else None
            return TimeSettings(seconds, float(period), count, 1)
        return TimeSettings(seconds)


_TYGEM = re.compile(r"\s*(\d{1,5})/(\d{1,4})\s+(\d{1,5})m\s*$")
_BYO_YOMI = re.compile(r"(\d{1,4})\s*[x×*]\s*(\d{1,6}(?:\.\d+)?)")
_CANADIAN = re.compile(r"(\d{1,4})\s*(?:moves?|stones?)?\s*/\s*(\d{1,6}(?:\.\d+)?)")
_INCREMENT = re.compile(
    r"(?i)(\d{1,6}(?:\.\d+)?)\s*(?:s|sec\w*)?\s*(?:fischer|simple)|(?:fischer|simple)\D{0,3}(\d{1,6})"
)
_DURATION = re.compile(
    r"(?i)(\d{1,7}(?:\.\d+)?)\s*(hours?|h|minutes?|min|m|seconds?|sec|s|시간|分|小时|時間)?"
)


def _seconds(text: str) -> float | None:
    """ "600", "10:00", "1h30m", "40 minutes" in seconds."""
    word = text.strip()
    if match := re.fullmatch(r"(?:(\d{1,3}):)?(\d{1,3}):(\d\d)", word):
        return 3600.0 * int(match[1] or 0) + 60.0 * int(match[2]) + int(match[3])
    parts = list(_DURATION.finditer(word))
    if not parts:
        return None
    units = {"h": 3600, "시": 3600, "小": 3600, "時": 3600, "m": 60, "分": 60, "s": 1}
    return sum(float(part[1]) * units[(part[2] or "s")[0].lower()] for part in parts)
