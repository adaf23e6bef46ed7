"""Ranks: kyu, dan and professional, as servers and books write them."""

from __future__ import annotations

import enum
import functools
import re
from dataclasses import dataclass


class Grade(enum.Enum):
    KYU = "k"
    DAN = "d"
    PROFESSIONAL = "p"


@functools.total_ordering
@dataclass(frozen=True, slots=True)
class Rank:
    """A rank, ordered by strength.

    >>> Rank.parse("9段"), Rank.parse("P9段"), Rank.parse("3 kyu"), Rank.parse("-")
    (Rank('9d'), Rank('9p'), Rank('3k'), None)
    >>> Rank.parse("18级") < Rank.parse("1d") < Rank.parse("1p")
    True

    `number` counts steps: 1k is 0, 1d is 1, 2k is -1; professionals follow on 9d, 1p being 10.
    """

    grade: Grade
    degree: int

    @property
    def number(self) -> int:
        match self.grade:
            case Grade.KYU:
                return 1 - self.degree
            case Grade.DAN:
                return self.degree
            case Grade.PROFESSIONAL:
                return 9 + self.degree

    @staticmethod
    def of_number(number: int) -> Rank:
        """
        >>> Rank.of_number(0), Rank.of_number(9), Rank.of_number(10)
        (Rank('1k'), Rank('9d'), Rank('1p'))
        """
        if number <= 0:
            return Rank(Grade.KYU, 1 - number)
        return Rank(Grade.DAN, number) if number <= 9 else Rank(Grade.PROFESSIONAL, number - 9)

    @staticmethod
    def parse(text: str) -> Rank | None:
        """Reads a rank in any usual spelling; None where there is none in the text."""
        match = _RANK.fullmatch(_plain(text))
        if not match:
            return None
        before, digits, unit, after = match.groups()
        degree = int(digits)
        if before == "p" or unit in _PROFESSIONAL or after == "p":
            grade = Grade.PROFESSIONAL
        elif unit in _DAN:
            grade = Grade.DAN
        elif unit in _KYU:
            grade = Grade.KYU
        else:
            return None
        return Rank(grade, degree) if 1 <= degree <= _HIGHEST[grade] else None

    def __lt__(self, other: object) -> bool:
        return self.number < other.number if isinstance(other, Rank) else NotImplemented

    def __str__(self) -> str:
        return f"{self.degree}{self.grade.value}"

    def __repr__(self) -> str:
        return f"Rank('{self}')"


# Amateur dan beyond 9 do not meet on the scale with professionals; kyu end at 30 on every server, more
# for beginners elsewhere.
_HIGHEST = {Grade.KYU: 60, Grade.DAN: 9, Grade.PROFESSIONAL: 9}

_DAN = ("d", "dan", "段", "단", "дан")
_KYU = ("k", "kyu", "gup", "geup", "級", "级", "급", "кю")
_PROFESSIONAL = ("p", "pro", "dp", "ping", "品", "dan pro", "d pro", "dan p", "d p")
_UNITS = "|".join(sorted((*_DAN, *_KYU, *_PROFESSIONAL), key=len, reverse=True))
# 9d, 9 dan, P9段, 9段P, 5k?, 5k*, ~2d; "(P)" after a rank.
_RANK = re.compile(rf"[~≈]?\s*(p?)\s*(\d{{1,3}})\s*[-.]?\s*({_UNITS}|)\s*\(?(p?)\)?\s*[?*+\-]*")

_NUMERALS = {c: str(i) for i, c in enumerate("一二三四五六七八九", start=1)} | {"初": "1", "壹": "1"}


def _plain(text: str) -> str:
    """Lower case, full-width and Chinese digits as ASCII, words for professional as p."""
    word = text.strip().lower()
    word = "".join(chr(ord(c) - 0xFEE0) if "\uff01" <= c <= "\uff5e" else c for c in word)
    if len(word) <= 6:
        word = re.sub(r"十([一二三四五六七八九])", lambda m: "1" + _NUMERALS[m[1]], word).replace("十", "10")
        word = "".join(_NUMERALS.get(c, c) for c in word)
    return re.sub(r"\bprofessional\b|职业|職業|プロ|프로", "p", word)
