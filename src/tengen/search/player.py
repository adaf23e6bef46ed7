"""What every player is, and what it says of a position."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tengen.go.color import Color
from tengen.go.game import Game
from tengen.go.perspective import Lead, WinRate
from tengen.nets.evaluator import Evaluator
from tengen.search.clock import Clock
from tengen.search.owners import Owned


@dataclass(frozen=True, slots=True)
class Candidate:
    """A move at the root: its visits N, its prior P, and what the search makes of it."""

    move: int
    visits: int
    prior: float
    win_rate: WinRate
    lead: Lead
    variation: tuple[int, ...]
    """The line the search expects, this move first."""
    variation_visits: tuple[int, ...]
    owned: Owned | None = None
    """Below this move; only where it was asked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Root:
    """Root statistics. `candidates` are sorted best first; those without a visit, if asked for, come
    last with the root's value.

    `komi` is what the search played for, White's points in all; it is the game's unless a player shifts it.
    `win_by_komi[i]` is Black's chance of a margin above `komi_labels[i]`.
    """

    to_move: Color
    visits: int
    win_rate: WinRate
    lead: Lead
    komi: float
    komi_labels: npt.NDArray[np.float32]
    win_by_komi: npt.NDArray[np.float32]
    candidates: tuple[Candidate, ...]
    owned: Owned | None = None
    """Only where it was asked for."""
    full: bool = False
    """The search stopped because its memory was used up."""

    @property
    def ownership(self) -> npt.NDArray[np.float32] | None:
        """[size, size], 1 Black's to -1 White's; only where it was asked for."""
        return None if self.owned is None else self.owned.mean


@dataclass(frozen=True, slots=True)
class Decision:
    """What a player does: a move (`size * size` passes), or resigning."""

    move: int
    root: Root
    resign: bool = False


@dataclass(frozen=True, slots=True)
class Limit:
    """How far a player thinks: whichever bound is met first; None is no bound."""

    visits: int | None = None
    seconds: float | None = None

    def within(self, other: Limit) -> Limit:
        """The tighter of both bounds of each kind."""

        def tighter(a: float | None, b: float | None) -> float | None:
            return b if a is None else a if b is None else min(a, b)

        visits = tighter(self.visits, other.visits)
        return Limit(None if visits is None else int(visits), tighter(self.seconds, other.seconds))


@dataclass(frozen=True, slots=True)
class Question:
    """What a player is asked.

    `banned` are the moves of a colour that may not be played less than so many plies from the root;
    `interval` is how often, in seconds, a report is wanted (None: at the end only). Without a limit a move is
    chosen within the player's own, and an analysis goes on until it is stopped.
    """

    limit: Limit | None = None
    interval: float | None = None
    banned: dict[Color, tuple[frozenset[int], int]] = field(default_factory=dict)
    ownership: bool = False
    moves_ownership: bool = False
    """That of each candidate, too."""
    min_moves: int = 0
    """Candidates wanted, if need be without a visit."""
    stop: Callable[[], bool] | None = None
    """Asked after every batch of the net: True ends the thinking."""

    def banned_at_root(self, mover: Color) -> frozenset[int]:
        moves, depth = self.banned.get(mover, (frozenset[int](), 0))
        return moves if depth > 0 else frozenset()


class Player(Protocol):
    """Chooses moves. A player may keep what it thought of one game for its next move in it.

    A player is used by one thread at a time.
    """

    @property
    def name(self) -> str: ...

    @property
    def net(self) -> Evaluator:
        """What it asks about positions."""
        ...

    def choose(
        self,
        game: Game,
        clock: Clock | None = None,
        question: Question | None = None,
        report: Callable[[Root], None] | None = None,
    ) -> Decision:
        """The move for the side to move after the game's last. With a clock, in time.

        A question bars moves, sets other limits than the player's own, and says how often `report` is called.
        """
        ...

    def analyze(self, game: Game, question: Question) -> Iterator[Root]:
        """Reports on the position after the game's last move, one at least, each better than the last."""
        ...

    def ponder(self, game: Game, stop: Callable[[], bool]) -> None:
        """Thinks about the position after the game's last move, for later, until told to stop."""
        ...


def last_report(player: Player, game: Game, question: Question) -> Root:
    """What an analysis comes to."""
    *_, root = player.analyze(game, question)
    return root
