"""Numbers that say for whom they speak: they cannot be read without naming a side."""

from __future__ import annotations

from tengen.go.color import Color


class Lead:
    """Points by which one side is ahead, komi included.

    >>> lead = Lead(3.5, Color.BLACK)
    >>> lead.of(Color.WHITE)
    -3.5
    >>> print(lead)
    B+3.5
    """

    __slots__ = ("_black",)

    def __init__(self, points: float, color: Color) -> None:
        self._black = float(points) if Color(color) is Color.BLACK else 0.0 - points

    def of(self, color: Color) -> float:
        """Points by which this side is ahead; negative if it is behind."""
        return self._black if Color(color) is Color.BLACK else 0.0 - self._black

    @property
    def leader(self) -> Color | None:
        """The side ahead; None if neither is."""
        return None if self._black == 0 else Color.BLACK if self._black > 0 else Color.WHITE

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lead) and self._black == other._black

    def __hash__(self) -> int:
        return hash((Lead, self._black))

    def __str__(self) -> str:
        return "0" if self.leader is None else f"{self.leader.letter}+{abs(self._black):g}"

    def __repr__(self) -> str:
        return f"<Lead {self}>"


class WinRate:
    """The chance to win, from 0 to 1; the other side's is the rest.

    >>> rate = WinRate(0.75, Color.WHITE)
    >>> rate.of(Color.BLACK)
    0.25
    >>> print(rate)
    White 75.0%
    """

    __slots__ = ("_black",)

    def __init__(self, chance: float, color: Color) -> None:
        if not 0 <= chance <= 1:
            raise ValueError(f"a win rate is between 0 and 1, not {chance}")
        self._black = float(chance) if Color(color) is Color.BLACK else 1.0 - chance

    def of(self, color: Color) -> float:
        """The chance of this side to win."""
        return self._black if Color(color) is Color.BLACK else 1.0 - self._black

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WinRate) and self._black == other._black

    def __hash__(self) -> int:
        return hash((WinRate, self._black))

    def __str__(self) -> str:
        color = Color.BLACK if self._black >= 0.5 else Color.WHITE
        return f"{color} {self.of(color):.1%}"

    def __repr__(self) -> str:
        return f"<WinRate {self}>"
