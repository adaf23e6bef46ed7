"""The terms of a match: what all its games have in common."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from tengen.errors import InputError
from tengen.go.game import Game, Setup
from tengen.go.handicap import fixed_handicap, free_handicap
from tengen.go.rules import Rules
from tengen.search.clock import TimeControl

COLOURS = ("alternate", "black", "white")

MOST_FIXED = 9  # handicap stones
LARGE_BOARD = 13


def usual_komi(handicap: int) -> float:
    """The komi where none is given: 7.5 in an even game, 0.5 in a game with handicap."""
    return 0.5 if handicap else 7.5


@dataclass(frozen=True, slots=True)
class Terms:
    """What every game of a match has in common. A game that reaches `max_moves` is counted as it stands."""

    size: int = 19
    rules: str = "chinese"
    komi: float = 7.5
    handicap: int = 0
    """Black's stones: on the points that GTP fixes, or more than nine on large boards. 1 is no stone: Black just plays
    first (give komi 0.5)."""
    openings: str = ""
    """A pool whose games give the openings: those with the same handicap stones. Each is played with both colours where
    colours alternate."""
    opening_moves: int = 12
    """How many moves of a game of the pool are played."""
    time: TimeControl = field(default_factory=TimeControl)
    seed: int = 0
    from_end: int = 0
    """If above 0, all but the last so many moves of a game are played, whatever `opening_moves` says."""
    first_is: str = "alternate"
    """The colour of the first contestant: alternate (Black in games 1, 3, 5 ...), black or white."""

    def check(self) -> None:
        """InputError if no game can be played under these terms."""
        if self.first_is not in COLOURS:
            raise InputError(
                f"the first contestant's colour is one of {', '.join(COLOURS)}, not '{self.first_is}'"
            )
        if self.handicap < 0 or self.from_end < 0 or self.opening_moves < 0:
            raise InputError("handicap and numbers of moves must not be negative")
        try:
            self.game().start()
        except ValueError as error:
            raise InputError(str(error)) from None

    @property
    def max_moves(self) -> int:
        return 3 * self.size * self.size

    def game(self) -> Game:
        """The record before the first move."""
        game = Game(size=self.size, rules=Rules.named(self.rules).with_komi(self.komi))
        if self.handicap > 1:
            game.handicap = self.handicap
            # Programs against weak ones need more stones than GTP fixes; on smaller boards they would leave no game.
            is_more = self.handicap > MOST_FIXED and self.size >= LARGE_BOARD
            place = free_handicap if is_more else fixed_handicap
            game.setup = Setup(black=place(self.size, self.handicap))
        return game

    def black_of(self, number: int) -> int:
        """Who has Black in that game, counted from 0: 0 for the first contestant, 1 for the second."""
        return {"alternate": number % 2, "black": 0, "white": 1}[self.first_is]

    def opening_of(self, number: int, openings: int) -> int:
        """Which of so many openings that game starts with."""
        return (number // 2 if self.first_is == "alternate" else number) % openings

    def to_json(self) -> dict[str, Any]:
        table = asdict(self)
        table["time"]["kind"] = self.time.kind.value
        return table
