"""The GTP protocol: lines in, answers out. Every line gets an answer, and no error ends the engine."""

from __future__ import annotations

import contextlib
import math
import sys
from collections.abc import Callable
from typing import TextIO

from tengen.engine.kata_params import SearchParams
from tengen.engine.lines import Lines
from tengen.engine.session import CommandError, Session
from tengen.errors import InputError
from tengen.go.color import Color
from tengen.nets.advice import advice
from tengen.search.player import Question, Root

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
        self._advised = False

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
            self._advise()
        except (CommandError, InputError) as error:
            return self._fail(str(error))
        except Exception as error:  # an error of ours ends one command, not the game
            return self._fail(f"internal error: {type(error).__name__}: {error}")
        if self._streaming:
            self._write(f"{result}\n" if result else "\n")
        else:
            self._write(f"={number} {result}\n\n" if result else f"={number}\n\n")
        return None

    def _advise(self) -> None:
        """Says once, on standard error, that the net has not learnt a board of this size."""
        card, size = self.session.player.net.card, self.session.game.size
        if self._advised or card.has_learnt(size):
            return
        self._advised = True
        if sys.stderr is not None:  # a client may have closed it
            with contextlib.suppress(OSError):
                print(advice(card, size), file=sys.stderr, flush=True)

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
        if len(values) < count:
            raise CommandError(f"syntax error: {count} number{'s' * (count > 1)} needed")
        for word, value in zip(words, values, strict=False):
            if not math.isfinite(value):
                raise CommandError(f"syntax error: '{word}' is not a number")
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
