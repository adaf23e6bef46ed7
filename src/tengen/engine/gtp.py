"""GTP version 2, and the extensions of Leela Zero, KataGo, Sabaki, KGS, CGOS and GoGui.

docs/search.md lists the commands. Whatever comes in on a line, an answer goes out and the engine lives on.
"""

from __future__ import annotations

import json
import queue
import sys
import threading
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import BinaryIO, TextIO

import numpy as np

from tengen.engine import dialects, kata_rules
from tengen.engine.dialects import Request, parse_request
from tengen.engine.session import CommandError, Session
from tengen.errors import InputError
from tengen.go.color import Color
from tengen.go.game import Game
from tengen.go.handicap import fixed_handicap, free_handicap
from tengen.go.position import Position
from tengen.search.clock import TimeControl
from tengen.search.player import Limit, Question, Root

MAX_LINE = 1 << 16


class Lines:
    """Input lines, read ahead by a thread, so that it is known whether one waits."""

    def __init__(self, source: BinaryIO | Iterable[str]) -> None:
        self._queue: queue.Queue[str | None] = queue.Queue()
        self._ahead: list[str | None] = []
        if hasattr(source, "readline"):
            threading.Thread(target=self._read, args=(source,), daemon=True).start()
        else:
            for line in source:
                self._queue.put(str(line))
            self._queue.put(None)

    def _read(self, source: BinaryIO) -> None:
        while line := source.readline(MAX_LINE):
            self._queue.put(line.decode("utf-8", "replace"))
        self._queue.put(None)

    def waiting(self) -> bool:
        """Whether there is a line, or the end of input."""
        return bool(self._ahead) or not self._queue.empty()

    def wait(self) -> None:
        """Until there is one."""
        if not self._ahead:
            self._ahead.append(self._queue.get())

    def next(self) -> str | None:
        """The next line, waited for; None at the end of input."""
        return self._ahead.pop() if self._ahead else self._queue.get()


Command = Callable[["Gtp", list[str]], str]
COMMANDS: dict[str, Command] = {}


def command(*names: str) -> Callable[[Command], Command]:
    def register(function: Command) -> Command:
        for name in names:
            COMMANDS[name] = function
        return function

    return register


class Gtp:
    """Answers commands about one session."""

    def __init__(self, session: Session, lines: Lines, out: TextIO, ponder: bool = False) -> None:
        self.session = session
        self.lines = lines
        self.out = out
        self.ponder = ponder
        self.quitting = False
        self._moved = False

    def run(self) -> None:
        """Answers until `quit` or the end of input."""
        while not self.quitting:
            if self.ponder and self._moved and not self.lines.waiting() and not self.session.position.is_over:
                self.session.player.ponder(self.session.game, self.lines.waiting)
            self._moved = False
            line = self.lines.next()
            if line is None:
                break
            self.answer(line)

    def answer(self, line: str) -> None:
        """Answers one line; empty lines and comments get no answer."""
        text = "".join(c if c >= " " and c != "\x7f" else " " if c == "\t" else "" for c in line)
        words = text.split("#", 1)[0].split()
        if not words:
            return
        number = words.pop(0) if words[0].isascii() and words[0].isdigit() else ""
        if not words:
            return self._write(f"?{number} unknown command\n\n")
        function = COMMANDS.get(words[0])
        self._number = number
        self._streaming = False
        try:
            if function is None:
                raise CommandError("unknown command")
            result = function(self, words[1:])
        except CommandError as error:
            return self._fail(str(error))
        except InputError as error:
            return self._fail(str(error))
        except Exception as error:  # a fault of ours ends one command, not the game
            return self._fail(f"internal error: {type(error).__name__}: {error}")
        if self._streaming:
            self._write(f"{result}\n" if result else "\n")
        else:
            self._write(f"={number} {result}\n\n" if result else f"={number}\n\n")
        return None

    def _fail(self, reason: str) -> None:
        # An answer that has begun can only be ended.
        self._write("\n" if self._streaming else f"?{self._number} {' '.join(reason.split())}\n\n")

    def _write(self, text: str) -> None:
        self.out.write(text)
        self.out.flush()

    def stream(self, line: str) -> None:
        """A line of an answer that goes on."""
        if not self._streaming:
            self._streaming = True
            self._write(f"={self._number}\n")
        if line:
            self._write(line + "\n")

    # What each command needs of its arguments.

    def color(self, words: list[str]) -> Color:
        if not words:
            raise CommandError("syntax error: a colour is needed")
        try:
            return Color.parse(words[0])
        except ValueError as error:
            raise CommandError(f"syntax error: {error}") from None

    def numbers(self, words: list[str], count: int) -> list[float]:
        try:
            values = [float(word) for word in words[:count]]
        except ValueError:
            raise CommandError("syntax error: a number is needed") from None
        if len(values) < count or not all(np.isfinite(values)):
            raise CommandError(f"syntax error: {count} number{'s' * (count > 1)} needed")
        return values

    def analysis(self, words: list[str], form: Callable[[Position, Root, Request], str]) -> str:
        """Reports until a line comes in."""
        request = parse_request(words, self.session.position)
        game = self.session.seen_by(request.color)
        position = game.position()
        question = request.question(stop=self.lines.waiting)
        self.stream("")
        for root in self.session.player.analyze(game, question):
            self.stream(form(position, root, request))
        self.lines.wait()  # it ends when the client speaks, even if all has been thought
        return ""

    def generate(self, color: Color, question: Question, report: Callable[[Root], None] | None) -> tuple[str, Root]:
        """Chooses and plays; the vertex or `resign`."""
        decision = self.session.choose(color, question, report)
        if decision.resign:
            return "resign", decision.root
        self.session.play(color, decision.move)
        self._moved = True
        return self.session.position.vertex(decision.move), decision.root

    def generate_analyzing(self, words: list[str], form: Callable[[Position, Root, Request], str]) -> str:
        request = parse_request(words, self.session.position)
        position = self.session.seen_by(request.color).position()
        self.stream("")

        def report(root: Root) -> None:
            self.stream(form(position, root, request))

        vertex, root = self.generate(request.color, request.question(), report)
        report(root)
        return f"play {vertex}\n"


# Administration.


@command("protocol_version")
def _protocol_version(gtp: Gtp, words: list[str]) -> str:
    return "2"


@command("name")
def _name(gtp: Gtp, words: list[str]) -> str:
    return "Tengen"


@command("version")
def _version(gtp: Gtp, words: list[str]) -> str:
    return f"{version('tengen')} ({gtp.session.player.name})"


@command("known_command")
def _known_command(gtp: Gtp, words: list[str]) -> str:
    return "true" if words and words[0] in COMMANDS else "false"


@command("list_commands")
def _list_commands(gtp: Gtp, words: list[str]) -> str:
    return "\n".join(sorted(COMMANDS))


@command("quit")
def _quit(gtp: Gtp, words: list[str]) -> str:
    gtp.quitting = True
    return ""


@command("stop", "kgs-game_over", "cgos-gameover", "clear_cache")
def _nothing(gtp: Gtp, words: list[str]) -> str:
    """Analysis has stopped already, for a line has come in; the end of a game changes nothing."""
    return ""


# The board.


@command("boardsize")
def _boardsize(gtp: Gtp, words: list[str]) -> str:
    if not words or not words[0].isdigit():
        raise CommandError("syntax error: a size is needed")
    gtp.session.clear(int(words[0]))
    return ""


@command("query_boardsize")
def _query_boardsize(gtp: Gtp, words: list[str]) -> str:
    return str(gtp.session.game.size)


@command("clear_board")
def _clear_board(gtp: Gtp, words: list[str]) -> str:
    gtp.session.clear()
    return ""


@command("komi")
def _komi(gtp: Gtp, words: list[str]) -> str:
    gtp.session.set_komi(gtp.numbers(words, 1)[0])
    return ""


@command("get_komi")
def _get_komi(gtp: Gtp, words: list[str]) -> str:
    return f"{gtp.session.rules.komi:g}"


@command("play")
def _play(gtp: Gtp, words: list[str]) -> str:
    if len(words) < 2:
        raise CommandError("syntax error: a colour and a vertex are needed")
    if words[1].lower() == "resign":
        return ""
    gtp.session.play(gtp.color(words), words[1])
    return ""


@command("gogui-play_sequence")
def _play_sequence(gtp: Gtp, words: list[str]) -> str:
    before = len(gtp.session.game.moves)
    try:
        if len(words) % 2:
            raise CommandError("syntax error: colours and vertices in turn")
        for color, vertex in zip(words[::2], words[1::2], strict=True):
            gtp.session.play(gtp.color([color]), vertex)
    except CommandError:
        del gtp.session.game.moves[before:]
        raise
    return ""


@command("set_position")
def _set_position(gtp: Gtp, words: list[str]) -> str:
    """`set_position [color vertex]...`: these stones and no others, no history."""
    if len(words) % 2:
        raise CommandError("syntax error: colours and vertices in turn")
    points: dict[Color, list[int]] = {Color.BLACK: [], Color.WHITE: []}
    for color, vertex in zip(words[::2], words[1::2], strict=True):
        point = gtp.session.point(vertex)
        if point == gtp.session.game.size**2 or point in points[Color.BLACK] + points[Color.WHITE]:
            raise CommandError(f"invalid vertex {vertex}")
        points[gtp.color([color])].append(point)
    gtp.session.setup(points[Color.BLACK], points[Color.WHITE])
    return ""


@command("undo")
def _undo(gtp: Gtp, words: list[str]) -> str:
    gtp.session.undo()
    return ""


def _stones(gtp: Gtp, words: list[str]) -> int:
    if not words or not words[0].isdigit():
        raise CommandError("syntax error: a number of stones is needed")
    return int(words[0])


def _vertices(gtp: Gtp, points: Iterable[int]) -> str:
    position = Position(gtp.session.game.size)
    return " ".join(position.vertex(point) for point in points)


@command("fixed_handicap")
def _fixed_handicap(gtp: Gtp, words: list[str]) -> str:
    try:
        points = fixed_handicap(gtp.session.game.size, _stones(gtp, words))
    except ValueError as error:
        raise CommandError(f"invalid number of stones: {error}") from None
    gtp.session.handicap(points)
    return _vertices(gtp, points)


@command("place_free_handicap")
def _place_free_handicap(gtp: Gtp, words: list[str]) -> str:
    try:
        points = free_handicap(gtp.session.game.size, _stones(gtp, words))
    except ValueError as error:
        raise CommandError(f"invalid number of stones: {error}") from None
    gtp.session.handicap(points)
    return _vertices(gtp, points)


@command("set_free_handicap")
def _set_free_handicap(gtp: Gtp, words: list[str]) -> str:
    points = [gtp.session.point(word) for word in words]
    if gtp.session.game.size**2 in points:
        raise CommandError("invalid handicap: pass is no point")
    gtp.session.handicap(points)
    return ""


@command("showboard")
def _showboard(gtp: Gtp, words: list[str]) -> str:
    position = gtp.session.position
    taken = {color: position.captured(color.opponent) for color in Color}
    return (
        f"\n{position}\n{position.to_move} to play, move {position.move_number + 1}; captured: "
        f"Black {taken[Color.BLACK]}, White {taken[Color.WHITE]}; komi {gtp.session.rules.komi:g}"
    )


@command("loadsgf")
def _loadsgf(gtp: Gtp, words: list[str]) -> str:
    """`loadsgf FILE [N]`: the game before its move N."""
    if not words:
        raise CommandError("syntax error: a file is needed")
    upto = int(words.pop()) if len(words) > 1 and words[-1].isdigit() else None
    path = Path(" ".join(words))
    if not path.is_file():
        raise CommandError("cannot load file")
    game = Game.from_sgf(path)
    if upto is not None:
        del game.moves[max(upto - 1, 0) :]
    game.position()
    gtp.session.game = game
    return ""


@command("printsgf")
def _printsgf(gtp: Gtp, words: list[str]) -> str:
    if words:
        raise CommandError("the record is printed, not written to a file: give no name")
    return gtp.session.game.to_sgf().strip()


# Moves.


@command("genmove")
def _genmove(gtp: Gtp, words: list[str]) -> str:
    return gtp.generate(gtp.color(words), Question(), None)[0]


@command("reg_genmove")
def _reg_genmove(gtp: Gtp, words: list[str]) -> str:
    decision = gtp.session.choose(gtp.color(words))
    return gtp.session.position.vertex(decision.move)


@command("kgs-genmove_cleanup")
def _genmove_cleanup(gtp: Gtp, words: list[str]) -> str:
    color = gtp.color(words)
    move = gtp.session.cleanup_move(color)
    gtp.session.play(color, move)
    return gtp.session.position.vertex(move)


@command("final_score")
def _final_score(gtp: Gtp, words: list[str]) -> str:
    return str(gtp.session.score().result)


@command("final_status_list")
def _final_status_list(gtp: Gtp, words: list[str]) -> str:
    position, score = gtp.session.position, gtp.session.score()
    status = words[0] if words else ""
    if status in ("black_territory", "white_territory"):
        owner = Color.BLACK if status[0] == "b" else Color.WHITE
        empty = (position.stones() == 0) & (score.owner == owner)
        return _vertices(gtp, np.flatnonzero(empty).tolist())
    if status not in ("alive", "dead", "seki"):
        raise CommandError("syntax error: alive, dead, seki, black_territory or white_territory")
    strings = []
    seen: set[int] = set()
    stones, owner_of = position.stones().ravel(), score.owner.ravel()
    for point in np.flatnonzero(stones).tolist():
        if point in seen:
            continue
        string = sorted(position.string(point))
        seen.update(string)
        if point in score.dead:
            is_status = "dead"
        else:  # alive with no point of its own anywhere around it
            own = any(owner_of[p] == stones[point] for p in _liberties(position, string))
            is_status = "alive" if own else "seki"
        if is_status == status:
            strings.append(_vertices(gtp, string))
    return "\n".join(strings)


def _liberties(position: Position, string: list[int]) -> set[int]:
    size, stones = position.size, position.stones().ravel()
    around = set()
    for point in string:
        y, x = divmod(point, size)
        around |= {(y + dy) * size + x + dx for dy, dx in ((1, 0), (-1, 0), (0, 1), (0, -1))
                   if 0 <= y + dy < size and 0 <= x + dx < size}
    return {p for p in around if not stones[p]}


# Clocks.


@command("time_settings")
def _time_settings(gtp: Gtp, words: list[str]) -> str:
    main, period, stones = gtp.numbers(words, 3)
    if min(main, period, stones) < 0:
        raise CommandError("syntax error: times are not negative")
    gtp.session.set_time(TimeControl.canadian(main, period, int(stones)))
    return ""


@command("kgs-time_settings", "kata-time_settings")
def _kgs_time_settings(gtp: Gtp, words: list[str]) -> str:
    kind = words[0].lower() if words else ""
    counts = {"none": 0, "absolute": 1, "byoyomi": 3, "canadian": 3, "fischer": 2}
    if kind not in counts:
        raise CommandError(f"unknown time system '{kind}'")
    values = gtp.numbers(words[1:], counts[kind])
    if any(value < 0 for value in values):
        raise CommandError("syntax error: times are not negative")
    control = TimeControl()
    if kind == "absolute":
        control = TimeControl.absolute(values[0])
    elif kind == "byoyomi":
        control = TimeControl.byoyomi(values[0], values[1], int(values[2]))
    elif kind == "canadian":
        control = TimeControl.canadian(values[0], values[1], int(values[2]))
    elif kind == "fischer":
        control = TimeControl.fischer(values[0], values[1])
    gtp.session.set_time(control)
    return ""


@command("kata-list_time_settings")
def _list_time_settings(gtp: Gtp, words: list[str]) -> str:
    return "none absolute byoyomi canadian fischer"


@command("time_left")
def _time_left(gtp: Gtp, words: list[str]) -> str:
    color = gtp.color(words)
    left, count = gtp.numbers(words[1:], 2)
    gtp.session.set_clock(color, max(left, 0.0), max(int(count), 0))
    return ""


# Rules.


@command("kata-get-rules")
def _get_rules(gtp: Gtp, words: list[str]) -> str:
    return json.dumps(kata_rules.to_object(gtp.session.rules), separators=(",", ":"))


@command("kata-set-rules", "kgs-rules")
def _set_rules(gtp: Gtp, words: list[str]) -> str:
    try:
        gtp.session.set_rules(kata_rules.parse(" ".join(words), gtp.session.rules.komi))
    except ValueError as error:
        raise CommandError(str(error)) from None
    return ""


@command("kata-set-rule")
def _set_rule(gtp: Gtp, words: list[str]) -> str:
    if len(words) != 2:
        raise CommandError("syntax error: a rule and its value are needed")
    try:
        gtp.session.set_rules(kata_rules.changed(gtp.session.rules, words[0], words[1]))
    except ValueError as error:
        raise CommandError(str(error)) from None
    return ""


# Analysis.


@command("lz-analyze")
def _lz_analyze(gtp: Gtp, words: list[str]) -> str:
    return gtp.analysis(words, dialects.leela)


@command("kata-analyze")
def _kata_analyze(gtp: Gtp, words: list[str]) -> str:
    return gtp.analysis(words, dialects.katago)


@command("analyze")
def _analyze(gtp: Gtp, words: list[str]) -> str:
    return gtp.analysis(words, dialects.sabaki)


@command("lz-genmove_analyze")
def _lz_genmove_analyze(gtp: Gtp, words: list[str]) -> str:
    return gtp.generate_analyzing(words, dialects.leela)


@command("kata-genmove_analyze")
def _kata_genmove_analyze(gtp: Gtp, words: list[str]) -> str:
    return gtp.generate_analyzing(words, dialects.katago)


@command("genmove_analyze")
def _genmove_analyze(gtp: Gtp, words: list[str]) -> str:
    return gtp.generate_analyzing(words, dialects.sabaki)


@command("cgos-genmove_analyze")
def _cgos_genmove_analyze(gtp: Gtp, words: list[str]) -> str:
    color = gtp.color(words)
    position = gtp.session.seen_by(color).position()
    vertex, root = gtp.generate(color, Question(ownership=True), None)
    gtp.stream(dialects.cgos(position, root))
    return f"play {vertex}\n"


@command("kata-raw-nn")
def _raw_nn(gtp: Gtp, words: list[str]) -> str:
    """What the net itself says, White's view, in KataGo's layout."""
    if words and words[0] not in ("0", "all"):
        raise CommandError("symmetry must be 0 or all")
    position = gtp.session.position
    said = gtp.session.player.net.evaluate([position])[0]
    komi = position.rules.komi + position.handicap_bonus
    win = 1 - float(np.interp(komi, said.komi_labels, said.win_by_komi))
    legal = set(position.legal_moves)
    policy = [f"{said.policy[p]:8.6f}" if p in legal else "     NAN" for p in range(position.size**2)]
    owned = [f"{-x:9.7f}" for x in said.ownership.ravel()]

    def grid(cells: list[str]) -> list[str]:
        return [" ".join(cells[y * position.size : (y + 1) * position.size]) for y in range(position.size)]

    return "\n".join(
        [
            "symmetry 0",
            f"whiteWin {win:.6f}",
            f"whiteLoss {1 - win:.6f}",
            f"whiteLead {komi - said.margin.mean:.3f}",
            "policy",
            *grid(policy),
            f"policyPass {said.policy[-1]:8.6f}",
            "whiteOwnership",
            *grid(owned),
        ]
    )


@command("gogui-analyze_commands")
def _gogui_analyze_commands(gtp: Gtp, words: list[str]) -> str:
    return "\n".join(
        [
            "dboard/Policy/tengen-policy",
            "dboard/Ownership/tengen-ownership",
            "gfx/Win rate by komi/tengen-win_by_komi",
            "string/Final score/final_score",
            "plist/Dead stones/final_status_list dead",
        ]
    )


def _dboard(values: np.ndarray[tuple[int, int], np.dtype[np.float32]]) -> str:
    return "\n" + "\n".join(" ".join(f"{x:.4f}" for x in row) for row in values)


@command("tengen-policy")
def _policy(gtp: Gtp, words: list[str]) -> str:
    """The prior of every move, as a board for GoGui."""
    size = gtp.session.game.size
    said = gtp.session.player.net.evaluate([gtp.session.position])[0]
    return _dboard(said.policy[:-1].reshape(size, size))


@command("tengen-ownership")
def _ownership(gtp: Gtp, words: list[str]) -> str:
    """1 Black's to -1 White's, as a board for GoGui."""
    return _dboard(gtp.session.player.net.evaluate([gtp.session.position])[0].ownership)


@command("tengen-win_by_komi")
def _win_by_komi(gtp: Gtp, words: list[str]) -> str:
    """Black's chance at each komi, written under GoGui's board, the fair komi on its points."""
    root = None
    for root in gtp.session.player.analyze(gtp.session.game, Question(Limit(visits=1))):
        pass
    assert root is not None
    shares = [f"{k:g}: {w:.0%}" for k, w in zip(root.komi_labels, root.win_by_komi, strict=True)]
    return "TEXT Black wins at komi " + ", ".join(shares)


def serve(session: Session, ponder: bool = False) -> None:
    """GTP on standard input and output."""
    Gtp(session, Lines(sys.stdin.buffer), sys.stdout, ponder).run()
