"""The count of a finished game. How each rule counts: docs/rules.md."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen import _native
from tengen.go.color import Color
from tengen.go.drawing import Stones, text_grid
from tengen.go.perspective import Lead
from tengen.go.result import Result
from tengen.go.rules import Rules, Scoring

if TYPE_CHECKING:
    from tengen.go.position import Position


class PassAlive(NamedTuple):
    """What no enemy move can take though its owner always passes; both are bool [size, size]."""

    stones: npt.NDArray[np.bool_]
    territory: npt.NDArray[np.bool_]


class Tally(NamedTuple):
    """What one side has at the end."""

    stones: int
    """Live stones on the board."""
    territory: int
    """Points surrounded: without a live stone on them."""
    prisoners: int
    """Enemy stones captured in play, and dead on the board."""
    tax: int = 0
    """Points paid for living groups, where the rules tax all of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Score:
    """The count of a position.

    `black` and `white` are points with everything in them: komi and handicap bonus are White's. `owner` is
    uint8 [size, size]: 1 Black, 2 White, 0 nobody (dame; by the rules also eyes in seki and false eyes);
    live stones own their points. `dead` are the points of all stones taken as dead.

    >>> from tengen import Position
    >>> score = Position(5, komi=0.5).play("C3").play("B3").score(dead=["B3"])
    >>> score.black, score.white, str(score.result)
    (25.0, 0.5, 'B+24.5')
    """

    rules: Rules
    black: float
    white: float
    tallies: dict[Color, Tally]
    handicap_bonus: float
    owner: npt.NDArray[np.uint8] = field(repr=False)
    dead: tuple[int, ...]
    _stones: Stones = field(repr=False)

    @property
    def lead(self) -> Lead:
        return Lead(self.black - self.white, Color.BLACK)

    @property
    def result(self) -> Result:
        return Result.of_lead(self.black - self.white)

    def __str__(self) -> str:
        """The owners, drawn, and the sum of each side."""
        return "\n".join([self.map(), "X O stones, # @ dead stones, x o points, . nobody's", *self.sums()])

    def to_json(self) -> dict[str, Any]:
        """`dead` are vertices; `owner` has a row of letters a line: B, W, or . for nobody."""
        from tengen.go.position import Position

        board = Position(len(self.owner))
        return {
            "rules": self.rules.name,
            "scoring": self.rules.scoring.name.lower(),
            "komi": self.rules.komi,
            "handicap_bonus": self.handicap_bonus,
            "black": self.black,
            "white": self.white,
            "result": str(self.result),
            "dead": [board.vertex(point) for point in self.dead],
            "owner": ["".join(".BW"[color] for color in row) for row in self.owner],
        }

    def map(self) -> str:
        """The board with its owners: `x` is Black's point, `#` a dead black stone; `o` and `@` White's."""
        marks = np.array([".", "x", "o"])[self.owner]
        marks[self._stones == Color.BLACK] = "X"
        marks[self._stones == Color.WHITE] = "O"
        for point in self.dead:
            y, x = divmod(point, len(marks))
            marks[y, x] = "#" if self._stones[y, x] == Color.BLACK else "@"
        return text_grid(marks)

    def sums(self) -> list[str]:
        """How each side's points come together, and the result."""
        area = self.rules.scoring is Scoring.AREA
        lines = []
        for color, total in ((Color.BLACK, self.black), (Color.WHITE, self.white)):
            tally = self.tallies[color]
            parts = [f"{tally.territory} points"]
            parts.append(f"{tally.stones} stones" if area else f"{tally.prisoners} prisoners")
            if color is Color.WHITE:
                parts.append(f"{self.rules.komi:g} komi")
                if self.handicap_bonus:
                    parts.append(f"{self.handicap_bonus:g} for handicap")
            tax = f" - {tally.tax} tax" if tally.tax else ""
            lines.append(f"{color}: {total:g} ({' + '.join(parts)}{tax})")
        return [*lines, f"Result: {self.result}"]


def score(position: Position, dead: Iterable[int | str] = ()) -> Score:
    """Counts a position under its rules; see Position.score."""
    marked = []
    stones = position.stones()
    for vertex in dead:
        point = position.point(vertex)
        if not stones.flat[point]:
            raise ValueError(f"{position.vertex(point)} is empty: there is no dead stone")
        marked.append(point)
    owner, black, white = _native.count(position, marked)
    bonus = position.handicap_bonus
    tallies = {
        Color.BLACK: Tally(stones=black[1], territory=black[2], prisoners=white[3], tax=black[4]),
        Color.WHITE: Tally(stones=white[1], territory=white[2], prisoners=black[3], tax=white[4]),
    }
    return Score(
        rules=position.rules,
        black=float(black[0]),
        white=white[0] + position.rules.komi + bonus,
        tallies=tallies,
        handicap_bonus=bonus,
        owner=owner,
        dead=tuple(sorted({p for stone in marked for p in position.string(stone)})),
        _stones=stones,
    )
