"""The state that a client changes through a protocol: one game, its clocks, and the player."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace

from tengen.engine.contestant import judge
from tengen.go.color import Color
from tengen.go.game import Game, Move, Setup
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.go.score import Score
from tengen.go.settle import settle
from tengen.search.capturing import capturing_move
from tengen.search.clock import Clock, TimeControl
from tengen.search.ended import before_passes
from tengen.search.player import Decision, Player, Question, Root, Searched


class CommandError(Exception):
    """A command that cannot be carried out; the text is the answer after `?`."""


class Session:
    """One game, its clocks and the player. Commands that cannot be carried out raise CommandError."""

    def __init__(self, player: Player, rules: Rules, size: int = 19) -> None:
        player.net.card.check_size(size)
        player.net.card.check_komi(rules.komi)
        self.player = player
        self.game = Game(size=size, rules=rules)
        self.clocks = {color: TimeControl().start() for color in Color}
        self.searched: Searched | None = None
        """What the last move that was chosen in this game was searched for."""

    @property
    def position(self) -> Position:
        return self.game.position()

    @property
    def rules(self) -> Rules:
        return self.game.rules

    def clear(self, size: int | None = None) -> None:
        """A new game under the same rules and clock."""
        if size is not None and not 2 <= size <= 19:
            raise CommandError("unacceptable size")
        self.player.net.card.check_size(size or self.game.size)
        self.begin(Game(size=size or self.game.size, rules=self.rules))
        self.set_time(self.clocks[Color.BLACK].control)

    def set_rules(self, rules: Rules) -> None:
        self.player.net.card.check_komi(rules.komi)
        self.game.rules = rules

    def set_komi(self, komi: float) -> None:
        if not math.isfinite(komi) or abs(komi) > 1000 or komi * 2 != round(komi * 2):
            raise CommandError("komi must be a number with halves at most, between -1000 and 1000")
        self.set_rules(self.rules.with_komi(komi))

    def set_time(self, control: TimeControl) -> None:
        self.clocks = {color: control.start() for color in Color}

    def set_clock(self, color: Color, left: float, count: int) -> None:
        """Sets the time that a side has left, in seconds; `count` is its stones or periods, 0 in main time."""
        control = self.clocks[color].control
        if control.stones and not control.periods:
            clock = Clock(control, left, stones=count)
        elif control.periods:
            clock = Clock(control, left, periods=count)
        else:
            clock = Clock(control, left)
        self.clocks[color] = clock

    def handicap(self, points: list[int]) -> None:
        if self.game.moves or self.game.setup:
            raise CommandError("board not empty")
        if not 2 <= len(points) <= self.game.size**2 - 1 or len(set(points)) != len(points):
            raise CommandError("invalid handicap: at least two different points")
        self.game.setup = Setup(black=list(points))
        self.game.handicap = len(points)

    def setup(self, black: list[int], white: list[int]) -> None:
        """A position without history, Black to play."""
        game = Game(
            size=self.game.size, rules=self.rules, setup=Setup(black, white), first_to_move=Color.BLACK
        )
        try:
            game.position()
        except ValueError as error:
            raise CommandError(str(error)) from None
        self.begin(game)

    def begin(self, game: Game) -> None:
        """Another game, on the same clock."""
        self.game, self.searched = game, None

    def play(self, color: Color, vertex: str | int) -> None:
        position = self.position
        point = self.point(vertex)
        if position.refusal(point, color) is not None:
            raise CommandError("illegal move")
        self.game.moves.append(Move(color, point))

    def point(self, vertex: str | int) -> int:
        """The point of a vertex, or of a pass."""
        if isinstance(vertex, int):
            return vertex
        if vertex.lower() == "pass":
            return self.game.size**2
        try:
            return Position(self.game.size).point(vertex)
        except ValueError as error:
            raise CommandError(f"invalid vertex: {error}") from None

    def undo(self) -> None:
        if not self.game.moves:
            raise CommandError("cannot undo")
        self.game.moves.pop()

    def seen_by(self, color: Color) -> Game:
        """The game with that colour to move. If it is not its turn: a game that starts from the stones on the board."""
        position = self.position
        if position.to_move is color:
            return self.game
        if not self.game.moves:
            return replace(self.game, first_to_move=color)
        stones = position.stones().ravel().tolist()
        black, white = ([p for p, c in enumerate(stones) if c == side] for side in Color)
        return replace(self.game, setup=Setup(black, white), first_to_move=color, moves=[])

    def choose(
        self,
        color: Color,
        question: Question | None = None,
        report: Callable[[Root], None] | None = None,
    ) -> Decision:
        """The player's move on its clock. The move is not played yet."""
        started = time.perf_counter()
        decision = self.player.choose(self.seen_by(color), self.clocks[color], question, report)
        self.clocks[color] = self.clocks[color].after(time.perf_counter() - started)
        self.searched = decision.root.searched
        return decision

    def cleanup_move(self, color: Color) -> int:
        """A move towards capturing the dead enemy stones; a pass when there are none left."""
        position = self.seen_by(color).position()
        ownership = self.player.net.evaluate([before_passes(self.position)])[0].ownership
        return capturing_move(position, settle(position, ownership).dead, ownership)

    def score(self) -> Score:
        return judge(self.player, self.game)
