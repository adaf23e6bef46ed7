"""The record of a game."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.go.color import Color
from tengen.go.position import Position
from tengen.go.result import Result
from tengen.go.rules import Rules

WHITE_BIT = 0x8000
EMPTY_BIT = 0x4000


class Move(NamedTuple):
    """A stone of a colour at a point, or a pass (`size * size`)."""

    color: Color
    point: int


@dataclass(slots=True)
class Setup:
    """The stones on the board before the first move."""

    black: list[int] = field(default_factory=list)
    white: list[int] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.black or self.white)


@dataclass(slots=True)
class Game:
    """A record: who, when, under which rules, the setup, the moves, the result.

    Ranks are kept as written ("9d", "3 kyu", "P9段"); `tengen.go.rank` reads them. `date` is as in SGF,
    its first day in ISO form where there is one. `info` holds SGF root properties without a field here.
    """

    size: int = 19
    rules: Rules = field(default_factory=lambda: Rules.named("chinese"))
    black: str = ""
    white: str = ""
    black_rank: str = ""
    white_rank: str = ""
    date: str = ""
    handicap: int = 0
    result: Result = field(default_factory=Result)
    setup: Setup = field(default_factory=Setup)
    first_to_move: Color | None = None  # None: Black, or White after a setup of Black stones only
    moves: list[Move] = field(default_factory=list)
    info: dict[str, str] = field(default_factory=dict)

    @property
    def komi(self) -> float:
        return self.rules.komi

    def start(self) -> Position:
        """The position before the first move."""
        position = Position(self.size, self.rules)
        first = self.first_to_move
        if first is None:
            first = Color.WHITE if self.setup.black and not self.setup.white else Color.BLACK
            if self.moves:
                first = self.moves[0].color
        if self.setup:
            position.set_stones(self.setup.black, self.setup.white, to_move=first)
        position.to_move = first
        return position

    def position(self, n: int | None = None) -> Position:
        """The position after the first n moves (all of them if None; from the end if negative).

        Raises IllegalMove, with the move's number, where the record breaks the rules.
        """
        n = len(self.moves) if n is None else n + len(self.moves) if n < 0 else n
        if not 0 <= n <= len(self.moves):
            raise ValueError(f"the game has {len(self.moves)} moves: move {n} is not in it")
        position = self.start()
        position.play_all(self.packed_moves()[:n])
        return position

    def packed_moves(self) -> npt.NDArray[np.uint16]:
        """The moves as pools keep them: uint16, the point, + 0x8000 for White."""
        return np.array(
            [m.point | (WHITE_BIT if m.color is Color.WHITE else 0) for m in self.moves], dtype=np.uint16
        )
