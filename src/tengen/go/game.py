"""The record of a game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.go.color import Color
from tengen.go.fields import Day, TimeSettings, parse_date
from tengen.go.position import Position
from tengen.go.result import Result
from tengen.go.rules import Ko, Rules

WHITE_BIT = 0x8000


class Move(NamedTuple):
    """A stone of a colour at a point, or a pass (`size * size`)."""

    color: Color
    point: int


@dataclass(slots=True)
class Setup:
    """The stones on the board before the first move, in order of their points."""

    black: list[int] = field(default_factory=list)
    white: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.black = sorted(set(self.black))
        self.white = sorted(set(self.white))

    def __bool__(self) -> bool:
        return bool(self.black or self.white)


@dataclass(slots=True)
class Game:
    """A record: who, when, under which rules, the setup, the moves, the result.

    >>> game = Game.from_sgf("(;SZ[9]PB[Ann]PW[Bo]KM[5.5]RE[W+R];B[ee];W[ec])")
    >>> game.black, game.komi, str(game.result), len(game.moves)
    ('Ann', 5.5, 'W+R', 2)
    >>> game.position(1).to_move
    <Color.WHITE: 2>

    Ranks and date are kept as written ("9d", "P9段", "1846-09-11,14"); `tengen.go.rank` and `day` read them.
    `info` holds the SGF root properties that have no field here, several values of one joined by "; ".
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

    @staticmethod
    def from_sgf(source: str | bytes | Path, before: int | None = None) -> Game:
        """Reads the main line of the first game: `source` is a path (also .gz, .xz), SGF text or its bytes.

        With `before`, only the moves before that one, as GTP's loadsgf counts, whatever comes later.

        Raises InputError, which names the place, for what is not SGF, and for a record that breaks the rules
        of placing stones. Superko is not asked for: records of long cycles are records all the same.
        """
        from tengen.go import sgf

        return sgf.read_game(*sgf.read_source(source), before)

    @staticmethod
    def from_file(path: str | Path) -> Game:
        """Reads an SGF, GIB (Tygem) or NGF (wBaduk, Cyberoro) file, plain or compressed, by its ending."""
        from tengen.go import gib, ngf, sgf
        from tengen.go.files import kind_of, read_record

        readers = {".gib": gib.read_game, ".ngf": ngf.read_game}
        return readers.get(kind_of(Path(path)), sgf.read_game)(read_record(Path(path)), str(path))

    def to_sgf(self, area: npt.NDArray[np.uint8] | None = None) -> str:
        """The record as SGF text; `Game.from_sgf` makes the same game of it.

        `area`, as `Settled.area`, marks who owns which points at the end.
        """
        from tengen.go import sgf

        return sgf.write_game(self, area)

    @property
    def komi(self) -> float:
        return self.rules.komi

    @property
    def day(self) -> Day | None:
        """The first day of the game, as far as its date can be read."""
        return parse_date(self.date)

    @property
    def time_settings(self) -> TimeSettings:
        return TimeSettings.parse(*(self.info.get(key, "") for key in ("TM", "OT", "TC", "TT")))

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

        Moves of the record are not asked about superko; what is played from there on is. Raises IllegalMove
        where the record breaks the other rules.
        """
        count = len(self.moves)
        n = count if n is None else n + count if n < 0 else n
        if not 0 <= n <= count:
            raise ValueError(f"the game has {count} moves: there is no move {n}")
        position = self.start()
        position.rules = replace(self.rules, ko=Ko.SIMPLE)
        position.play_all(self.packed_moves()[:n])
        position.rules = self.rules
        return position

    def packed_moves(self) -> npt.NDArray[np.uint16]:
        """The moves as pools keep them: uint16, the point, + 0x8000 for White."""
        return np.array(
            [m.point | (WHITE_BIT if m.color is Color.WHITE else 0) for m in self.moves], dtype=np.uint16
        )


def unpack(packed: Sequence[int] | npt.NDArray[np.uint16]) -> list[Move]:
    """Moves or stones from the form that pools keep."""
    words = np.asarray(packed).tolist()
    return [Move(Color.WHITE, w & 0x3FFF) if w & WHITE_BIT else Move(Color.BLACK, w & 0x3FFF) for w in words]
