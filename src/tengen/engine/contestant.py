"""One side of a match: a player of ours, or a GTP program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from tengen.engine.options import PLAYERS, PlayerMaker, read_options
from tengen.engine.process import EngineError, GtpProcess, RefusedError, check_command
from tengen.errors import InputError
from tengen.go.color import Color
from tengen.go.game import Game
from tengen.go.position import Position
from tengen.go.result import Result
from tengen.go.score import Score
from tengen.go.settle import settle
from tengen.nets.library import open_net
from tengen.search.clock import Clock, Kind
from tengen.search.player import Decision, Limit, Player, Question, last_report
from tengen.settings import did_you_mean, split_pairs

RESIGN = -1

# Seconds: a program that does not answer for so long, beyond its clock, has failed.
PATIENCE = 60.0
# Seconds for the first answer: some programs load a net.
START_PATIENCE = 120.0
# A program that cannot begin a game so many times in a row ends the match.
ATTEMPTS = 2


class Contestant(Protocol):
    """Plays one game at a time. Any method may raise EngineError, which loses the game, or InputError, which ends
    the match."""

    name: str

    def begin(self, game: Game, seed: int) -> None:
        """A new game: size, rules, komi and setup stones are in `game`, its moves are an opening."""
        ...

    def move(self, game: Game, clock: Clock | None) -> int:
        """The point it plays after the game's last move, or RESIGN."""
        ...

    def told(self, color: Color, vertex: str) -> None:
        """The other side has played."""
        ...

    def score(self, game: Game) -> Result | None:
        """The result after two passes, as this side counts it; None if it cannot count."""
        ...

    def close(self) -> None: ...


def judge(player: Player, game: Game) -> Score:
    """The count of the game's last position; playouts and the player's net, if it knows owners, say what is dead."""
    root = last_report(player, game, Question(Limit(visits=1), ownership=True))
    return settle(game.position(), root.ownership).score


class OwnContestant:
    """A player of ours, in this process. Every game has a new one: nothing is carried over."""

    def __init__(self, name: str, make: Callable[[int, int], Player], log: Callable[[str], None]) -> None:
        """`make` gives the player for a seed and a board size."""
        self.name = name
        self._make = make
        self._log = log
        self.player = make(0, 19)

    def begin(self, game: Game, seed: int) -> None:
        self.player = self._make(seed, game.size)
        self.player.net.card.check_size(game.size)

    def move(self, game: Game, clock: Clock | None) -> int:
        decision = self.player.choose(game, clock)
        position, root = game.position(), decision.root
        mover = position.to_move
        self._log(
            f"{position.move_number + 1} {mover.letter} "
            f"{'resign' if decision.resign else position.vertex(decision.move)} "
            f"visits {root.visits}"
            + ("" if root.win_rate is None else f" win rate {root.win_rate.of(mover):.3f}")
            + ("" if root.lead is None else f" lead {root.lead.of(mover):+.1f}")
            + (f" searched komi {root.searched.komi:.2f}" if root.searched.differs(game.komi) else "")
            + _long_term(decision, mover)
        )
        return RESIGN if decision.resign else decision.move

    def told(self, color: Color, vertex: str) -> None:
        pass

    def score(self, game: Game) -> Result | None:
        return judge(self.player, game).result

    def close(self) -> None:
        pass


def _long_term(decision: Decision, mover: Color) -> str:
    """p, E[R] with its deviation, and S of the move that was chosen, if the player imagined lines of it."""
    for candidate in decision.root.candidates:
        if candidate.move == decision.move and (found := candidate.long_term) is not None:
            reward = f"{found.reward.of(mover):+.1f} ±{found.deviation:.1f}"
            return f" p {candidate.prior:.3f} reward {reward} score {found.score:.3f}"
    return ""


class GtpContestant:
    """A GTP program, kept running from game to game and started again after a failure."""

    def __init__(self, name: str, command: str, log: Callable[[str], None]) -> None:
        self.name = name
        self.command = command
        self._log = log
        self._process: GtpProcess | None = None
        self._commands: set[str] = set()
        self._is_closed = False
        self._last_words = ""

    def _ask(self, command: str, timeout: float | None = None) -> str:
        if self._process is None:
            raise EngineError("crash", "the program is not running")
        try:
            return self._process.ask(command, timeout or PATIENCE)
        except EngineError:
            self._last_words = self._process.last_words() if not self._is_closed else ""
            self._end()
            raise

    def _must(self, command: str) -> str:
        try:
            return self._ask(command)
        except RefusedError as error:
            raise EngineError("protocol", f"'{command}' refused: {error}") from None

    def begin(self, game: Game, seed: int) -> None:
        """Starts the program if it is not running, and sets up the game.

        A program that fails at that is started again. InputError, with the last lines of its standard error, if it
        fails then, too: it would fail in every game.
        """
        for attempt in range(1, ATTEMPTS + 1):
            try:
                self._set_up(game)
                return
            except EngineError as failure:
                if self._is_closed:
                    raise
                if self._process is not None:  # it refused a command, and runs on
                    self._last_words = self._process.last_words(wait=False)
                    self._end()
                if attempt == ATTEMPTS:
                    raise InputError(self._why_not(failure)) from None

    def _why_not(self, failure: EngineError) -> str:
        if failure.kind == "crash":
            return f"{self.name}: the program ended at once, twice: {self._last_words}"
        return f"{self.name}: the program could not begin a game, twice: {failure}. {self._last_words}"

    def _set_up(self, game: Game) -> None:
        if self._process is None:
            self._process = GtpProcess(self.command, self._log)
            try:
                self._commands = set(self._ask("list_commands", START_PATIENCE).split())
            except RefusedError as error:
                raise EngineError("protocol", f"'list_commands' refused: {error}") from None
        self._must(f"boardsize {game.size}")
        self._must("clear_board")
        if "kata-set-rules" in self._commands and game.rules.name:
            self._must(f"kata-set-rules {game.rules.name}")
        self._must(f"komi {game.komi:g}")
        start = Position(game.size)
        if game.setup.white:
            raise EngineError("protocol", "GTP cannot set up white stones")
        if game.setup.black:
            self._must("set_free_handicap " + " ".join(start.vertex(p) for p in game.setup.black))
        for move in game.moves:
            self.told(move.color, start.vertex(move.point))

    def _tell_time(self, color: Color, clock: Clock) -> None:
        control = clock.control
        if control.kind is Kind.BYOYOMI and "kgs-time_settings" in self._commands:
            self._must(f"kgs-time_settings byoyomi {control.main:g} {control.period:g} {control.periods}")
        elif control.kind is Kind.ABSOLUTE:
            self._must(f"time_settings {control.main:g} 0 0")
        elif control.kind is Kind.CANADIAN:
            self._must(f"time_settings {control.main:g} {control.period:g} {control.stones}")
        elif control.kind is Kind.FISCHER and "kata-time_settings" in self._commands:
            self._must(f"kata-time_settings fischer {control.main:g} {control.increment:g}")
        else:  # GTP 2 has no command for these systems: the program gets the time that is left
            self._must(f"time_settings {max(clock.left, 0):g} 0 0")
        count = clock.periods or clock.stones
        if "time_left" in self._commands:
            self._must(f"time_left {color.letter} {max(int(clock.left), 0)} {count}")

    def move(self, game: Game, clock: Clock | None) -> int:
        position = game.position()
        color = position.to_move
        timeout = PATIENCE
        if clock is not None and clock.control.kind is not Kind.NONE:
            self._tell_time(color, clock)
            control = clock.control
            timeout += max(clock.left, 0) + control.period * max(control.periods, 1)
        try:
            answer = self._ask(f"genmove {color.letter}", timeout).split()
        except RefusedError as error:
            raise EngineError("protocol", f"'genmove' refused: {error}") from None
        if len(answer) != 1:
            raise EngineError("protocol", f"'{' '.join(answer)[:80]}' is not a move")
        if answer[0].lower() == "resign":
            return RESIGN
        if answer[0].lower() == "pass":
            return position.pass_
        try:
            return position.point(answer[0])
        except ValueError as error:
            raise EngineError("protocol", str(error)) from None

    def told(self, color: Color, vertex: str) -> None:
        self._must(f"play {color.letter} {vertex}")

    def score(self, game: Game) -> Result | None:
        if "final_score" not in self._commands:
            return None
        try:
            result = Result.parse(self._ask("final_score"))
        except RefusedError:
            return None
        return result if result.winner or result.margin == 0 else None

    def close(self) -> None:
        """Ends the program for good, also while another thread waits for it."""
        self._is_closed = True
        self._end()

    def _end(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None


def make_contestant(spec: str, log: Callable[[str], None]) -> Contestant:
    """From a text: `puct:net=b15c192,visits=100` is a player of ours, anything else the command of a GTP program.

    The options of a player of ours are those of its settings, and `net`, `precision` and `name`.
    """
    kind, _, rest = spec.partition(":")
    if kind not in PLAYERS:
        try:
            check_command(spec)
        except InputError as error:
            raise InputError(f"{error}{did_you_mean(kind, PLAYERS)}") from None
        return GtpContestant(spec, spec, log)
    options = split_pairs(rest, spec)
    name = options.pop("name", spec)
    name_of_net, precision = options.pop("net", None), options.pop("precision", None)
    settings = read_options(kind, options)
    maker = PlayerMaker(kind, open_net(name_of_net, precision, getattr(settings, "threads", 1)))

    def make(seed: int, size: int) -> Player:
        defaults: dict[str, object] = {"seed": seed}
        if "variety" in maker.names:  # two players without chance would play one game again and again
            defaults["variety"] = 2 * size // 3
        return maker.make(defaults | options)

    return OwnContestant(name, make, log)
