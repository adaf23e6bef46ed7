"""The rules of a game, as one frozen value with named presets."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, replace

from tengen import _native


class Scoring(enum.Enum):
    """What is counted at the end: stones and surrounded points, or surrounded points and prisoners."""

    AREA = 0
    TERRITORY = 1


class Ko(enum.Enum):
    """What may not be repeated: the simple ko, a board, or a board with the same side to move."""

    SIMPLE = 0
    POSITIONAL = 1
    SITUATIONAL = 2


class Tax(enum.Enum):
    """Eyes that do not count: none, those of strings in seki, or also two of every living group."""

    NONE = 0
    SEKI = 1
    ALL = 2


class HandicapBonus(enum.Enum):
    """White's points for N handicap stones: 0, N or N - 1."""

    NONE = 0
    STONES = 1
    STONES_LESS_ONE = 2


@dataclass(frozen=True, slots=True)
class Rules:
    """How a game is played and counted.

    >>> Rules.named("japanese").komi
    6.5
    >>> Rules.named("chinese").with_komi(5.5).komi
    5.5

    `suicide` allows taking one's own string of two or more stones; a lone stone never may, since that would
    change nothing. `friendly_pass` says that players who both pass under area rules may still agree
    on dead stones (`stones_stand`).
    """

    scoring: Scoring = Scoring.AREA
    ko: Ko = Ko.SIMPLE
    suicide: bool = False
    komi: float = 7.5
    handicap_bonus: HandicapBonus = HandicapBonus.NONE
    friendly_pass: bool = True
    tax: Tax = Tax.NONE

    def __post_init__(self) -> None:
        if not math.isfinite(self.komi) or abs(self.komi) > 1000:
            raise ValueError(f"komi must be a number between -1000 and 1000, not {self.komi}")

    @staticmethod
    def named(name: str) -> Rules:
        """The preset of that name (any case; spaces, dashes and underscores alike)."""
        key = name.strip().lower().replace(" ", "-").replace("_", "-")
        try:
            return PRESETS[_ALIASES.get(key, key)]
        except KeyError:
            raise ValueError(f"unknown rules '{name}': known are {', '.join(PRESETS)}") from None

    @property
    def name(self) -> str | None:
        """The preset these are, komi aside; None for a mixture of one's own."""
        for name, preset in PRESETS.items():
            if replace(preset, komi=self.komi) == self:
                return name
        return None

    @property
    def stones_stand(self) -> bool:
        """Two passes end the game at once with every stone alive: the players agree on no dead stones.

        Among the presets `tromp-taylor` only. Territory cannot be counted so: dead stones are prisoners there.
        """
        return self.scoring is Scoring.AREA and self.tax is Tax.NONE and not self.friendly_pass

    def with_komi(self, komi: float) -> Rules:
        return replace(self, komi=komi)

    def native(self) -> _native.Rules:
        return _native.Rules(
            ko=self.ko.value,
            scoring=self.scoring.value,
            tax=self.tax.value,
            handicap_bonus=self.handicap_bonus.value,
            suicide=self.suicide,
            friendly_pass=self.friendly_pass,
            komi=self.komi,
        )


PRESETS: dict[str, Rules] = {
    "chinese": Rules(handicap_bonus=HandicapBonus.STONES),
    "japanese": Rules(scoring=Scoring.TERRITORY, tax=Tax.SEKI, komi=6.5, friendly_pass=False),
    "tromp-taylor": Rules(ko=Ko.POSITIONAL, suicide=True, friendly_pass=False),
    "aga": Rules(ko=Ko.SITUATIONAL, handicap_bonus=HandicapBonus.STONES_LESS_ONE),
    "new-zealand": Rules(ko=Ko.SITUATIONAL, suicide=True, komi=7.0),
}

_ALIASES = {
    "cn": "chinese",
    "jp": "japanese",
    "korean": "japanese",
    "kr": "japanese",
    "nz": "new-zealand",
    "tromptaylor": "tromp-taylor",
    "tt": "tromp-taylor",
    "american": "aga",
    "bga": "aga",
    "french": "aga",
}
