"""Parameters of KataGo that have an effect here: those of one question, and those that are options of our players.

The JSON protocol takes them in `overrideSettings`, GTP in `kata-set-param`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tengen.go.color import Color
from tengen.nets.favour import MOST_DOUBLINGS, Favour
from tengen.search.player import Question

# Options of our players under KataGo's names.
OPTIONS = {"maxVisits": "visits", "maxTime": "time", "allowResignation": "resign"}


@dataclass(frozen=True, slots=True)
class SearchParams:
    """How a question is searched.

    root_noise: KataGo's wideRootNoise.
    doublings, favoured: the playout doubling advantage, and of whom; None is the side to move.
    merge_symmetric: KataGo's rootSymmetryPruning.
    """

    root_noise: float = 0.0
    doublings: float = 0.0
    favoured: Color | None = None
    merge_symmetric: bool = True

    def changed(self, name: str, value: object) -> SearchParams:
        """With one of NAMES set to a value or to the word for it; ValueError for a value that it cannot have."""
        field, read = _PARAMS[name]
        try:
            return replace(self, **{field: read(value)})
        except (TypeError, ValueError):
            raise ValueError(f"must be {_MEANT[read]}, not {value}") from None

    def words(self) -> dict[str, str]:
        """The values by KataGo's names, as KataGo writes them."""
        return {name: _word(getattr(self, field)) for name, (field, _) in _PARAMS.items()}

    def for_move(self, question: Question, mover: Color) -> Question:
        """The question with these parameters, for a position where this colour is to move."""
        favour = Favour(self.favoured or mover, self.doublings) if self.doublings else None
        return replace(question, root_noise=self.root_noise, favour=favour)

    def for_analysis(self, question: Question, mover: Color) -> Question:
        """As `for_move`, where no move will be chosen of those that symmetry makes equal."""
        return replace(self.for_move(question, mover), merge_symmetric=self.merge_symmetric)


def _number(most: float, least: float = 0.0) -> Callable[[object], float]:
    def read(value: Any) -> float:
        if isinstance(value, bool) or not least <= (number := float(value)) <= most:
            raise ValueError
        return number

    return read


def truth(value: object) -> bool:
    """Of true and false, as values or as words."""
    word = str(value).lower()
    if word not in ("true", "false"):
        raise ValueError(f"must be true or false, not {value}")
    return word == "true"


def _side(value: object) -> Color | None:
    word = str(value).strip().lower()
    return None if word in ("", "e", "none", "empty") else Color.parse(word)


_noise, _doublings = _number(5.0), _number(MOST_DOUBLINGS, -MOST_DOUBLINGS)
_MEANT: dict[Any, str] = {
    _noise: "a number from 0 to 5",
    _doublings: "a number from -3 to 3",
    _side: "BLACK, WHITE or E (the side to move)",
    truth: "true or false",
}
_PARAMS: dict[str, tuple[str, Callable[[object], Any]]] = {
    "wideRootNoise": ("root_noise", _noise),
    "playoutDoublingAdvantage": ("doublings", _doublings),
    "playoutDoublingAdvantagePla": ("favoured", _side),
    "rootSymmetryPruning": ("merge_symmetric", truth),
}
NAMES = tuple(_PARAMS)


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "E" if value is None else value.letter if isinstance(value, Color) else str(value)
