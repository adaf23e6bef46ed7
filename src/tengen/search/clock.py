"""Clocks: the time that a side has left, and the share of it for one move."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

# Seconds lost between the move and the clock: the client, the network, the batch under way.
LAG = 0.3
# Seconds of a move that is answered at once.
ANSWER = 0.1


class Kind(enum.Enum):
    """What happens when the main time is used up."""

    NONE = "none"  # there is no clock
    ABSOLUTE = "absolute"  # the game is lost
    BYOYOMI = "byoyomi"  # periods: a move within one keeps it
    CANADIAN = "canadian"  # so many stones within each period
    FISCHER = "fischer"  # main time, and an increment after every move


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The terms of a game's clock. Times are seconds.

    >>> TimeControl.canadian(main=0, period=10, stones=1)
    TimeControl(kind=<Kind.CANADIAN: 'canadian'>, main=0, period=10, periods=0, stones=1, increment=0)
    """

    kind: Kind = Kind.NONE
    main: float = 0
    period: float = 0
    periods: int = 0
    stones: int = 0
    increment: float = 0

    @staticmethod
    def absolute(main: float) -> TimeControl:
        return TimeControl(Kind.ABSOLUTE, main=main)

    @staticmethod
    def byoyomi(main: float, period: float, periods: int) -> TimeControl:
        return TimeControl(Kind.BYOYOMI, main=main, period=period, periods=periods)

    @staticmethod
    def canadian(main: float, period: float, stones: int) -> TimeControl:
        """As GTP's `time_settings`: without period time absolute, with it for no stones no clock."""
        if period > 0 and stones == 0:
            return TimeControl()
        if period <= 0:
            return TimeControl.absolute(main)
        return TimeControl(Kind.CANADIAN, main=main, period=period, stones=stones)

    @staticmethod
    def fischer(main: float, increment: float) -> TimeControl:
        return TimeControl(Kind.FISCHER, main=main, increment=increment)

    def start(self) -> Clock:
        """A full clock."""
        return Clock(self, self.main).settled()


@dataclass(frozen=True, slots=True)
class Pace:
    """How long to think about one move, in seconds: usually, and at most if the choice is close.

    What is spent beyond `usual` is missing at later moves; moves that are decided early make up for it. Unused time of
    a period that begins anew with the next move is not kept.
    """

    usual: float
    most: float
    unused_is_kept: bool


@dataclass(frozen=True, slots=True)
class Clock:
    """What one side has left. `left` is main time, or in overtime what is left of the period.

    `periods` (byoyomi) counts the periods left with the present one, `stones` (Canadian) the stones still to
    play in this one; both are 0 in main time.
    """

    control: TimeControl
    left: float
    periods: int = 0
    stones: int = 0

    @property
    def overtime(self) -> bool:
        return self.periods > 0 or self.stones > 0

    @property
    def flagged(self) -> bool:
        """Lost on time."""
        return self.control.kind is not Kind.NONE and self.left < 0

    def settled(self) -> Clock:
        """The clock with used-up main time or periods carried over; below 0 when all is gone."""
        clock = self
        control = self.control
        if control.kind is Kind.BYOYOMI:
            while clock.left <= 0 and clock.periods != 1 and control.periods > 0 and control.period > 0:
                periods = control.periods if clock.periods == 0 else clock.periods - 1
                clock = replace(clock, left=clock.left + control.period, periods=periods)
        elif control.kind is Kind.CANADIAN and not self.overtime and self.left <= 0:
            clock = replace(clock, left=clock.left + control.period, stones=control.stones)
        return clock

    def after(self, seconds: float) -> Clock:
        """The clock after a move that took so long."""
        control = self.control
        if control.kind is Kind.NONE:
            return self
        clock = replace(self, left=self.left - seconds).settled()
        if clock.flagged:
            return clock
        if control.kind is Kind.FISCHER:
            return replace(clock, left=clock.left + control.increment)
        if control.kind is Kind.BYOYOMI and clock.overtime:
            return replace(clock, left=control.period)
        if control.kind is Kind.CANADIAN and clock.overtime:
            if clock.stones == 1:
                return replace(clock, left=control.period, stones=control.stones)
            return replace(clock, stones=clock.stones - 1)
        return clock

    def budget(self, move_number: int, size: int) -> float | None:
        """Seconds for this move; None without a clock. It leaves enough for the lag, and for the moves to come."""
        pace = self.pace(move_number, size)
        return None if pace is None else pace.usual

    def pace(self, move_number: int, size: int) -> Pace | None:
        """How long to think about this move; None without a clock."""
        control = self.control
        if control.kind is Kind.NONE:
            return None
        safe = max(self.left - LAG, self.left / 2, 0.0)
        if self.overtime:
            stones = 1 if control.kind is Kind.BYOYOMI else max(self.stones, 1)
            share = max(self.left / stones, 0.0)
            usual = min(share - LAG if share > 2 * LAG else share / 2, safe)
            more = share / 2 if stones > 1 else 0.0
            return Pace(usual, min(usual + more, safe), unused_is_kept=stones > 1)
        # Where no time is added, there is a reserve for a game that does not end.
        most_moves = _most_moves(move_number, size)
        reserve = ANSWER * most_moves if control.kind is Kind.ABSOLUTE else 0.0
        main = share = max((self.left - reserve) / _moves_left(move_number, size), self.left / most_moves)
        if control.kind is Kind.FISCHER:
            share += control.increment
        elif control.kind is Kind.BYOYOMI and control.periods:
            # A period is there again at every move: half of it is spent from the start, and all of it by the move that
            # uses up the main time.
            share, safe = share + control.period / 2, safe + control.period
            if share >= self.left:
                return Pace(safe, safe, unused_is_kept=False)
        elif control.kind is Kind.CANADIAN:
            share += control.period / control.stones / 2
        usual = max(min(share, safe), 0.0)
        more = main if self.left > 2 * reserve else 0.0
        return Pace(usual, max(min(usual + more, safe), usual), unused_is_kept=True)


def _moves_left(move_number: int, size: int) -> float:
    """Own moves still to come; never so few that a long game has no time left at its end.

    Games of strong players last about 0.7 moves a point; half of them are one's own.
    """
    area = size * size
    return max((0.7 * area - move_number) / 2, area / 16, 4)


def _most_moves(move_number: int, size: int) -> float:
    """Own moves of a game that lasts far longer than usual: one and a half moves a point, or a quarter from here."""
    area = size * size
    return max((1.5 * area - move_number) / 2, area / 4)
