"""A board with history, to move and rules."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

import numpy as np

from tengen import _native
from tengen._native import IllegalMove
from tengen.go.color import Color
from tengen.go.drawing import parse_text, svg_board, text_board
from tengen.go.rules import Rules
from tengen.go.score import PassAlive, Score, score

__all__ = ["IllegalMove", "Position"]

_WHITE_BIT = 0x8000
_EMPTY_BIT = 0x4000


class Position(_native.Position):
    """A board with its history. Playing changes it in place; `copy` keeps the old one.

    >>> position = Position(9)
    >>> position.play("E5").play("C3").to_move
    <Color.BLACK: 1>
    >>> position.undo(), position.move_number
    (True, 1)

    Points are ints, row-major from the top left; `size * size` is pass. Wherever a point is asked for,
    GTP's name of it ("D4", "pass") does as well.
    """

    def __init__(self, size: int = 19, rules: Rules | str = "chinese", *, komi: float | None = None) -> None:
        rules = Rules.named(rules) if isinstance(rules, str) else rules
        self._rules = rules if komi is None else rules.with_komi(komi)
        super().__init__(size, self._rules.native())

    @classmethod
    def from_text(cls, diagram: str, to_move: Color = Color.BLACK, rules: Rules | str = "chinese") -> Self:
        """The position a diagram shows: X Black, O White, anything else on a line of the board empty.

        Reads what `print(position)` writes, and bare rows as well.

        >>> position = Position.from_text('''
        ...     . X .
        ...     X O X
        ...     . . .
        ... ''')
        >>> position.liberties("B2")
        1
        """
        stones = parse_text(diagram)
        position = cls(len(stones), rules)
        points = stones.ravel()
        black, white = (np.flatnonzero(points == c).tolist() for c in Color)
        return position.set_stones(black, white, to_move=to_move)

    def copy(self) -> Self:
        other = type(self).__new__(type(self))
        _native.Position.__init__(other, self)
        other._rules = self._rules
        return other

    __copy__ = copy

    @property
    def rules(self) -> Rules:
        """The rules from here on; setting them leaves what was played as it is."""
        return self._rules

    @rules.setter
    def rules(self, rules: Rules) -> None:
        self._rules = rules
        self.set_rules(rules.native())

    @property
    def to_move(self) -> Color:
        return Color(self.side)

    @to_move.setter
    def to_move(self, color: Color) -> None:
        self.side = color

    @property
    def pass_(self) -> int:
        """The point that means pass."""
        return self.size * self.size

    @property
    def legal_moves(self) -> list[int]:
        """Every point the side to move may play, in order, and pass last."""
        return self.legal(self.side)

    def is_legal(self, vertex: int | str, color: Color | None = None) -> bool:
        return self.refusal(vertex, color or self.side) is None

    @property
    def is_over(self) -> bool:
        """Both have passed."""
        return self.passes >= 2

    def liberty_points(self, vertex: int | str) -> set[int]:
        """The liberties of the string there, as points; none on an empty point."""
        size, stones = self.size, self.stones().ravel()
        around = set()
        for point in self.string(vertex):
            y, x = divmod(point, size)
            around |= {
                (y + dy) * size + x + dx
                for dy, dx in ((1, 0), (-1, 0), (0, 1), (0, -1))
                if 0 <= y + dy < size and 0 <= x + dx < size
            }
        return {point for point in around if not stones[point]}

    def set_stones(
        self,
        black: Iterable[int | str] = (),
        white: Iterable[int | str] = (),
        empty: Iterable[int | str] = (),
        to_move: Color | None = None,
    ) -> Self:
        """Puts and removes stones; the record starts anew from here (no ko, no earlier moves)."""
        changes = [self.point(v) for v in black]
        changes += [self.point(v) | _WHITE_BIT for v in white]
        changes += [self.point(v) | _EMPTY_BIT for v in empty]
        self.setup(np.array(changes, dtype=np.uint16), to_move or self.side)
        return self

    def score(self, dead: Iterable[int | str] = ()) -> Score:
        """Counts the board under the position's rules.

        A dead stone takes its whole string with it, and no other string; all others are taken as alive.
        Raises ValueError for a dead stone that is not there.
        """
        return score(self, dead)

    def pass_alive(self, color: Color) -> PassAlive:
        """The colour's stones that live though it always passes (Benson, 1976), and the territory they make:
        the regions they enclose in which the enemy can never live."""
        stones, territory = _native.pass_alive(self, color)
        return PassAlive(stones.astype(bool), territory.astype(bool))

    def point(self, vertex: int | str) -> int:
        """The point of a vertex on the board: no pass."""
        point = _native.parse_vertex(vertex, self.size) if isinstance(vertex, str) else vertex
        if not 0 <= point < self.size * self.size:
            raise ValueError(f"{vertex} is not a point of a {self.size}x{self.size} board")
        return point

    def vertex(self, point: int) -> str:
        return _native.format_vertex(point, self.size)

    def __str__(self) -> str:
        return text_board(self.stones(), self._last_point())

    def __repr__(self) -> str:
        return f"<Position {self.size}x{self.size}, move {self.move_number}, {self.to_move} to play>"

    def _repr_svg_(self) -> str:
        return svg_board(self.stones(), self._last_point())

    def _last_point(self) -> int | None:
        moves = self.moves()
        if not len(moves):
            return None
        point = int(moves[-1]) & ~_WHITE_BIT
        return None if point == self.size * self.size else point
