"""GNU Go's regression suites: positions from real games, and the moves that solve them.

A `.tst` file is a list of GTP commands. A line `#? [pattern]` after a command with a number gives the right
answer; a `*` behind it marks problems that GNU Go 3.8 itself answers wrongly.
"""

from __future__ import annotations

import re
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tengen.engine.session import CommandError, Session
from tengen.errors import InputError
from tengen.go.color import Color
from tengen.go.game import Game
from tengen.search.player import Question

_EXPECTED = re.compile(r"#\?\s*\[(!?)(.*)\]\s*([*&]*)\s*$")


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of a suite: the commands that set it up, the command that asks for a move, and the answer."""

    suite: str
    number: int
    setup: tuple[str, ...]
    command: str
    pattern: str
    negated: bool
    gnugo_solves: bool

    def is_right(self, answer: str) -> bool:
        """Whether the answer is the one expected.

        >>> Problem("s", 1, (), "reg_genmove black", "D4|E5", False, True).is_right("e5")
        True
        """
        found = re.fullmatch(self.pattern, answer, re.IGNORECASE) is not None
        return found != self.negated


@dataclass(frozen=True, slots=True)
class Answered:
    """A problem and the move that was answered; None if the problem could not be set up."""

    problem: Problem
    move: str | None

    @property
    def is_right(self) -> bool:
        return self.move is not None and self.problem.is_right(self.move)

    def to_json(self) -> dict[str, Any]:
        return {
            "suite": self.problem.suite,
            "number": self.problem.number,
            "answer": self.move,
            "right": self.is_right,
            "gnugo_right": self.problem.gnugo_solves,
        }


def read_suite(path: Path) -> list[Problem]:
    """The problems of a file that ask for a move; problems about GNU Go's internal readings are left out."""
    problems: list[Problem] = []
    setup: list[str] = []
    asked: tuple[int, str] | None = None
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        text = line.strip()
        if (match := _EXPECTED.match(text)) and asked:
            number, command = asked
            asked = None
            if command.split()[0] not in ("reg_genmove", "restricted_genmove"):
                continue
            try:
                re.compile(match[2])
            except re.error:
                continue
            solved = "*" not in match[3]
            problems.append(
                Problem(path.stem, number, tuple(setup), command, match[2], bool(match[1]), solved)
            )
            continue
        text = text.split("#", 1)[0].strip()
        if not text:
            continue
        number_, _, rest = text.partition(" ")
        if number_.isdigit() and rest:
            asked = (int(number_), rest.strip())
        elif text.startswith("loadsgf"):
            setup = [text]
        else:
            setup.append(text)
    return problems


@contextmanager
def suites_folder(path: Path) -> Iterator[Path]:
    """The folder of `.tst` files: the path itself, or a temporary folder with the archive unpacked."""
    if path.is_dir():
        yield path
        return
    try:
        with tempfile.TemporaryDirectory() as folder, tarfile.open(path) as archive:
            archive.extractall(folder, filter="data")
            found = sorted(Path(folder).rglob("*.tst"))
            if not found:
                raise InputError(f"{path}: there are no .tst files in it")
            yield found[0].parent
    except (OSError, tarfile.TarError) as error:
        raise InputError(f"{path}: {error}") from None


def answer(problem: Problem, session: Session, folder: Path) -> str:
    """The player's move for a problem; CommandError or InputError if it cannot be set up."""
    session.clear(19)
    for command in problem.setup:
        words = command.split()
        if words[0] == "loadsgf" and len(words) in (2, 3):
            before = int(words[2]) if len(words) == 3 and words[2].isdigit() else None
            game = Game.from_sgf(_inside(folder, words[1]), before)
            session.player.net.card.check_size(game.size)
            session.game = game
        elif words[0] in ("black", "white", "play") and len(words) >= 2:
            who, vertex = words[-2:] if words[0] == "play" else words
            session.play(Color.parse(who), vertex)
        elif words[0] == "undo":
            session.undo()
        elif words[0] == "komi" and len(words) == 2:
            session.set_komi(float(words[1]))
        elif words[0] not in ("clear_cache", "gg_genmove", "increase_depths", "decrease_depths", "level"):
            raise CommandError(f"'{command}' is GNU Go's own")
    words = problem.command.split()
    color = Color.parse(words[1])
    question = Question()
    if words[0] == "restricted_genmove":
        allowed = {session.point(vertex) for vertex in words[2:]}
        everything = frozenset(range(session.game.size**2 + 1))
        question = Question(banned={color: dict.fromkeys(everything - allowed, 1)})
    decision = session.player.choose(session.seen_by(color), None, question)
    return session.position.vertex(decision.move)


def _inside(folder: Path, name: str) -> Path:
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise InputError(f"{name} is outside the folder of the suites")
    return path
