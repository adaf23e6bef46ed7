"""What the tests of the engine have in common."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tengen import Rules
from tengen.engine.gtp import Gtp, Lines
from tengen.engine.session import Session
from tengen.nets.library import open_net
from tengen.search.registry import make_player


class Patient(Lines):
    """Input whose next line is seen only when it has been looked for a few times: time to think."""

    def __init__(self) -> None:
        super().__init__([])
        self.looks = 0

    def waiting(self) -> bool:
        self.looks += 1
        return self.looks % 5 == 0


@pytest.fixture
def session() -> Session:
    return Session(make_player("puct", open_net("fake"), {"visits": 40}), Rules.named("chinese"))


@pytest.fixture
def converse(session: Session) -> Callable[[Iterable[str]], str]:
    """Commands to a transcript: each command after `> `, and its answer."""

    def run(commands: Iterable[str]) -> str:
        out = io.StringIO()
        gtp = Gtp(session, Patient(), out)
        for line in commands:
            out.write(f"> {line}\n")
            gtp.answer(line)
        return out.getvalue()

    return run


BAD_ENGINE = """
import sys, time
if sys.argv[1] == "stillborn":
    print("no such option: --mode gpt", file=sys.stderr)
    sys.exit("see --help")
for line in sys.stdin:
    words = line.split()
    if words[0] == "list_commands": answer = "genmove\\nplay"
    elif words[0] == "genmove":
        fault = sys.argv[1]
        print("I am asked for a move", file=sys.stderr, flush=True)
        if fault == "dies": sys.exit(1)
        if fault == "hangs": time.sleep(60)
        answer = {"cheats": "A1", "babbles": "I am thinking"}[fault]
    elif words[0] == "boardsize" and sys.argv[1] == "refuses":
        print("? unacceptable size\\n", flush=True)
        continue
    else: answer = ""
    print("= " + answer + "\\n", flush=True)
"""


@pytest.fixture
def bad_engine(tmp_path: Path) -> Callable[[str], str]:
    """The command of a program that `dies`, `hangs` or `babbles` when asked for a move, or `cheats`; that is
    `stillborn`, or `refuses` the size of the board."""
    path = tmp_path / "bad.py"
    path.write_text(BAD_ENGINE)
    return lambda fault: f"{sys.executable} {path} {fault}"
