"""The state of one game between a user and a player of ours: moves, clocks, the count. No HTTP, no threads.

Times come from the caller, in seconds since 1970. Everything is in `to_table`, so that a game survives a restart.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tengen.engine.terms import Terms
from tengen.go.color import Color
from tengen.go.game import Game, Move
from tengen.go.position import Position
from tengen.go.result import Result, ResultKind
from tengen.go.score import Score
from tengen.search.clock import Clock, TimeControl
from tengen.search.player import Decision, Root
from tengen.web.refusal import RefusalError


@dataclass
class Play:
    """One game. `version` changes with every change that others can see.

    status: "playing"; "counting" after two passes, until the user accepts the count or plays on; "over".
    left: seconds and periods that each side has left; `since` is when the clock of the side to move was started.
    considered: the candidates of the player's last move, if it imagined lines of them.
    """

    id: str
    terms: Terms
    you: Color
    net: str
    player: str
    options: dict[str, Any]
    made: float
    moves: list[Move] = field(default_factory=list)
    version: int = 1
    status: str = "playing"
    dead: list[int] | None = None
    result: str | None = None
    left: dict[str, tuple[float, int]] = field(default_factory=dict)
    since: float = 0.0
    black_win_rate: float | None = None
    black_lead: float | None = None
    komi_in_use: float | None = None
    considered: list[dict[str, Any]] | None = None

    @staticmethod
    def begin(
        id: str,
        terms: Terms,
        you: Color,
        net: str,
        player: str,
        options: dict[str, Any],
        now: float,
    ) -> Play:
        play = Play(id, terms, you, net, player, options, now, since=now)
        clock = terms.time.start()
        play.left = {color.letter: (clock.left, clock.periods) for color in Color}
        return play

    # What is

    def game(self) -> Game:
        """The record so far."""
        game = self.terms.game()
        game.moves = list(self.moves)
        names = {self.you: "You", self.you.opponent: self.opponent}
        game.black, game.white = names[Color.BLACK], names[Color.WHITE]
        game.result = Result.parse(self.result or "")
        return game

    @property
    def opponent(self) -> str:
        visits = self.options.get("visits")
        return f"Tengen ({self.player}, net {self.net}{f', {visits} visits' if visits else ''})"

    def position(self) -> Position:
        return self.game().position()

    @property
    def is_thinking(self) -> bool:
        """Whether something is asked of the player: a move, or which stones are dead."""
        if self.status == "counting":
            return self.dead is None
        return self.status == "playing" and self.position().to_move is not self.you

    @property
    def has_clock(self) -> bool:
        return self.terms.time != TimeControl()

    def clock(self, color: Color) -> Clock:
        left, periods = self.left[color.letter]
        return Clock(self.terms.time, left, periods)

    def score(self) -> Score | None:
        """The count with the stones that are marked as dead."""
        return None if self.dead is None else self.position().score(self.dead)

    # What happens

    def play(self, vertex: str, version: int, now: float) -> None:
        """The user's move."""
        self._check(version, now)
        position = self._your_turn()
        try:
            point = position.pass_ if vertex.lower() == "pass" else position.point(vertex)
        except ValueError as error:
            raise RefusalError(422, f"{vertex[:20]!r} is no point: {error}") from None
        reason = position.refusal(point, self.you)
        if reason is not None:
            raise RefusalError(422, f"{position.vertex(point)} cannot be played: {reason}", reason=reason)
        if self.has_clock:
            self._charge(self.you, now - self.since)
        self._append(Move(self.you, point), now)

    def decided(self, decision: Decision, version: int, seconds: float, now: float) -> bool:
        """The player's move, which it computed in so many seconds; False if the game has changed since."""
        if version != self.version or self.status != "playing":
            return False
        self._learn(decision.root)
        mover = self.you.opponent
        if self.has_clock:
            self._charge(mover, seconds)
            if self.clock(mover).flagged:
                self._end(Result(ResultKind.TIME, self.you))
                return True
        if decision.resign:
            self._end(Result(ResultKind.RESIGN, self.you))
        else:
            self._append(Move(mover, decision.move), now)
        return True

    def counted(self, dead: Iterable[int], version: int) -> bool:
        """Which stones are dead, as the judge sees it; False if the game has changed since."""
        if version != self.version or self.status != "counting":
            return False
        self.dead = sorted(dead)
        self.version += 1
        return True

    def undo(self, now: float) -> None:
        """Takes back the user's last move and what followed it."""
        self._check(None, now)
        if self.status == "over":
            raise RefusalError(409, "the game is over: no move can be taken back")
        own = [i for i, move in enumerate(self.moves) if move.color is self.you]
        if not own:
            raise RefusalError(409, "there is no move of yours to take back")
        del self.moves[own[-1] :]
        self._changed("playing", now)

    def resign(self, now: float) -> None:
        self._check(None, now)
        if self.status == "over":
            raise RefusalError(409, "the game is over already")
        self._end(Result(ResultKind.RESIGN, self.you.opponent))

    def toggle_dead(self, vertices: list[str]) -> None:
        """Marks the strings there as dead, or those that are marked as alive."""
        dead = self._count_at_hand()
        position = self.position()
        stones = position.stones().ravel()
        for vertex in vertices:
            try:
                point = position.point(vertex)
            except ValueError as error:
                raise RefusalError(422, f"{vertex[:20]!r} is no point: {error}") from None
            if not stones[point]:
                raise RefusalError(422, f"{position.vertex(point)} is empty: only stones can be dead")
            dead ^= set(position.string(point))
        self.dead = sorted(dead)
        self.version += 1

    def accept(self) -> None:
        """Ends the game with the count."""
        self._count_at_hand()
        score = self.score()
        assert score is not None
        self._end(score.result)

    def resume(self, now: float) -> None:
        """Plays on after a count that is not agreed: the last passes are taken back."""
        if self.status != "counting":
            raise RefusalError(409, "there is no count to go on from: the game is not being counted")
        area = self.terms.size**2
        while self.moves and self.moves[-1].point == area:
            self.moves.pop()
        self._changed("playing", now)

    def tick(self, now: float) -> bool:
        """Ends the game if the user's time is up; whether it did."""
        if self.status != "playing" or not self.has_clock or self.position().to_move is not self.you:
            return False
        if not self.clock(self.you).after(now - self.since).flagged:
            return False
        self._end(Result(ResultKind.TIME, self.you.opponent))
        return True

    def restart_clock(self, now: float) -> None:
        """After a restart of the server: the time in which it did not run is nobody's."""
        self.since = now

    def _check(self, version: int | None, now: float) -> None:
        if self.tick(now):
            raise RefusalError(409, "your time is up: the game is over")
        if version is not None and version != self.version:
            raise RefusalError(409, "the game has changed since: look at it again")

    def _your_turn(self) -> Position:
        if self.status == "over":
            raise RefusalError(409, "the game is over: start a new one")
        if self.status == "counting":
            raise RefusalError(409, "the game is being counted: accept the count, or play on")
        position = self.position()
        if position.to_move is not self.you:
            raise RefusalError(409, "it is the opponent's turn: wait for its move")
        return position

    def _count_at_hand(self) -> set[int]:
        if self.status != "counting":
            raise RefusalError(409, "the game is not being counted: both sides must pass first")
        if self.dead is None:
            raise RefusalError(409, "the count is not ready yet: wait a moment")
        return set(self.dead)

    def _append(self, move: Move, now: float) -> None:
        self.moves.append(move)
        ended = self.position().is_over or len(self.moves) >= self.terms.max_moves
        self._changed("counting" if ended else "playing", now)

    def _changed(self, status: str, now: float) -> None:
        self.status, self.dead, self.since = status, None, now
        self.version += 1

    def _end(self, result: Result) -> None:
        self.status, self.result = "over", str(result)
        self.version += 1

    def _charge(self, color: Color, seconds: float) -> None:
        clock = self.clock(color).after(max(seconds, 0.0))
        self.left[color.letter] = (clock.left, clock.periods)

    def _learn(self, root: Root) -> None:
        """What the last search said, for the page."""
        self.black_win_rate = None if root.win_rate is None else round(root.win_rate.of(Color.BLACK), 4)
        self.black_lead = None if root.lead is None else round(root.lead.of(Color.BLACK), 2)
        self.komi_in_use = round(root.searched.komi, 1)
        self.considered = _considered(root, self.terms.size)

    # In and out

    def to_json(self, now: float) -> dict[str, Any]:
        """What the page gets."""
        game = self.game()
        position = game.position()
        size, vertex = self.terms.size, position.vertex
        score = self.score() if self.status != "playing" else None
        yours = self.status == "playing" and position.to_move is self.you
        stones = position.stones().ravel()
        legal = set(position.legal_moves) if yours else set()
        return {
            "id": self.id,
            "version": self.version,
            "size": size,
            "handicap": self.terms.handicap,
            "rules": self.terms.rules,
            "komi": self.terms.komi,
            "you": self.you.letter,
            "net": self.net,
            "player": self.player,
            "visits": self.options.get("visits"),
            "options": self.options,
            "setup": {
                "B": [vertex(p) for p in game.setup.black],
                "W": [vertex(p) for p in game.setup.white],
            },
            "moves": [{"color": m.color.letter, "vertex": vertex(m.point)} for m in self.moves],
            "to_move": position.to_move.letter,
            "captures": {color.letter: position.captured(color.opponent) for color in Color},
            "status": self.status,
            "thinking": self.is_thinking,
            "clock": self._clocks(position, now) if self.has_clock else None,
            "dead": [] if self.dead is None else [vertex(p) for p in self.dead],
            "owner": None if score is None else score.owner.tolist(),
            "score": None
            if score is None
            else {"black": score.black, "white": score.white, "text": "; ".join(score.sums())},
            "result": self.result,
            "komi_in_use": self.komi_in_use,
            "black_win_rate": self.black_win_rate,
            "black_lead": self.black_lead,
            "considered": self.considered,
            "illegal": [vertex(p) for p in range(size * size) if yours and not stones[p] and p not in legal],
        }

    def _clocks(self, position: Position, now: float) -> dict[str, Any]:
        running = position.to_move if self.status == "playing" else None
        table: dict[str, Any] = {"running": None if running is None else running.letter}
        for color in Color:
            clock = self.clock(color)
            if color is running and color is self.you:
                spent = dataclasses.replace(clock, left=clock.left - max(now - self.since, 0.0)).settled()
                clock = spent
            table[color.letter] = {"left": round(max(clock.left, 0.0), 2), "periods": clock.periods}
        return table

    def to_table(self) -> dict[str, Any]:
        """Everything, for the store."""
        time = self.terms.time
        own = {name: getattr(self, name) for name in _PLAIN}
        return own | {
            "terms": {
                "size": self.terms.size,
                "rules": self.terms.rules,
                "komi": self.terms.komi,
                "handicap": self.terms.handicap,
                "clock": [time.main, time.period, time.periods] if self.has_clock else None,
            },
            "you": self.you.letter,
            "moves": [[move.color.letter, move.point] for move in self.moves],
        }

    @staticmethod
    def from_table(table: dict[str, Any]) -> Play:
        terms = dict(table["terms"])
        clock = terms.pop("clock")
        own = {name: table[name] for name in _PLAIN if name in table}  # games of older versions lack some
        own["left"] = {color: (left, periods) for color, (left, periods) in own["left"].items()}
        return Play(
            **own,
            terms=Terms(**terms, time=time_control(clock)),
            you=Color.parse(table["you"]),
            moves=[Move(Color.parse(color), point) for color, point in table["moves"]],
        )


def _considered(root: Root, size: int) -> list[dict[str, Any]] | None:
    """The candidates that a player imagined lines of, in its own view, the best first; None if it did not."""
    vertex = Position(size).vertex
    found = [
        {
            "move": vertex(candidate.move),
            "prior": round(candidate.prior, 4),
            "reward": round(candidate.long_term.reward.of(root.to_move), 1),
            "deviation": round(candidate.long_term.deviation, 1),
            "score": round(candidate.long_term.score, 4),
            "lines": candidate.visits,
            "line": [vertex(move) for move in candidate.variation],
        }
        for candidate in root.candidates
        if candidate.long_term is not None
    ]
    return found or None


# Fields that are kept as they are.
_PLAIN = tuple(f.name for f in dataclasses.fields(Play) if f.name not in ("terms", "you", "moves"))


def time_control(clock: list[Any] | None) -> TimeControl:
    """From main time, period and number of periods; None for no clock."""
    if clock is None:
        return TimeControl()
    main, period, periods = clock
    return TimeControl.byoyomi(main, period, periods) if periods and period else TimeControl.absolute(main)
