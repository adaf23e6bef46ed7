"""The GTP protocol: lines in, answers out. Every line gets an answer, and no error ends the engine."""

from __future__ import annotations

import math
import os
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, TextIO

from tengen.engine.kata_params import SearchParams
from tengen.engine.session import CommandError, Session
from tengen.errors import InputError
from tengen.go.color import Color
from tengen.search.player import Question, Root

MAX_LINE = 1 << 16
MAX_LINES = 10_000  # read ahead; then the client has to wait


def read_lines(descriptor: int, longest: int) -> Iterator[bytes]:
    """The lines that come in, without their ends; a line longer than `longest` bytes comes in pieces.

    The descriptor is read without a buffered reader. Such a reader is locked while a thread waits for input, and
    Python aborts if it has to end then: after `quit`, with a client that keeps the pipe open.
    """
    rest = b""
    while chunk := os.read(descriptor, 1 << 16):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield from (line[i : i + longest] for i in range(0, max(len(line), 1), longest))
        while len(rest) > longest:
            yield rest[:longest]
            rest = rest[longest:]
    if rest:
        yield rest


class Lines:
    """Input lines, which a thread reads ahead: a search can see whether a line is waiting."""

    def __init__(self, source: BinaryIO | Iterable[str]) -> None:
        self._queue: queue.Queue[str | None] = queue.Queue(MAX_LINES)
        self._ahead: list[str | None] = []
        if hasattr(source, "readline"):
            threading.Thread(target=self._read, args=(source,), daemon=True).start()
        else:
            self._ahead = [None, *reversed([str(line) for line in source])]

    def _read(self, source: BinaryIO) -> None:
        for line in read_lines(source.fileno(), MAX_LINE):
            self._queue.put(line.decode("utf-8", "replace"))
        self._queue.put(None)

    def waiting(self) -> bool:
        """Whether there is a line, or the end of input."""
        return bool(self._ahead) or not self._queue.empty()

    def wait(self) -> None:
        """Waits until there is a line, or the end of input."""
        if not self._ahead:
            self._ahead.append(self._queue.get())

    def next(self) -> str | None:
        """Waits for the next line and takes it; None at the end of input."""
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
        self.params = SearchParams()
        self.analysis_noise = 0.0  # KataGo's analysisWideRootNoise, in place of wideRootNoise
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
            return None
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
        except (CommandError, InputError) as error:
            return self._fail(str(error))
        except Exception as error:  # an error of ours ends one command, not the game
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
        """Writes one line of an answer; more lines follow."""
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
        if len(values) < count or not all(map(math.isfinite, values)):
            raise CommandError(f"syntax error: {count} number{'s' * (count > 1)} needed")
        return values

    def generate(
        self, color: Color, question: Question, report: Callable[[Root], None] | None
    ) -> tuple[str, Root]:
        """Chooses a move and plays it; the vertex, or `resign`, and the root statistics."""
        decision = self.session.choose(color, self.params.for_move(question, color), report)
        if decision.resign:
            return "resign", decision.root
        self.session.play(color, decision.move)
        self._moved = True
        return self.session.position.vertex(decision.move), decision.root
