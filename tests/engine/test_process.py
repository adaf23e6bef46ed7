"""Programs that answer, refuse, hang, die and flood."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tengen.engine.process import EngineError, GtpProcess, RefusedError, check_command
from tengen.errors import InputError

PROGRAM = """
import sys, time
for line in sys.stdin:
    word = line.split()[0]
    if word == "name": print("= Odd\\n", flush=True)
    elif word == "long": print("= a\\nb\\n\\n", flush=True)
    elif word == "refuse": print("? no\\n", flush=True)
    elif word == "noise": print("chatter\\n\\n= said\\n", flush=True)
    elif word == "hang": time.sleep(60)
    elif word == "die": sys.exit(3)
    elif word == "scream": sys.exit("out of memory")
    elif word == "flood":
        while True: print("= " + "x" * 1000, flush=True)
    elif word == "binary": sys.stdout.buffer.write(b"= \\xff\\xfe\\n\\n"); sys.stdout.flush()
    elif word == "quit": print("=\\n", flush=True); break
"""


@pytest.fixture
def odd(tmp_path: Path) -> Iterator[GtpProcess]:
    (tmp_path / "odd.py").write_text(PROGRAM)
    process = GtpProcess(f"{sys.executable} {tmp_path / 'odd.py'}")
    yield process
    process.close()


def test_it_answers(odd: GtpProcess) -> None:
    assert odd.ask("name", 10) == "Odd"
    assert odd.ask("long", 10) == "a\nb"
    assert odd.ask("binary", 10) == "��"


def test_what_is_not_an_answer_is_passed_over(odd: GtpProcess) -> None:
    assert odd.ask("noise", 10) == "said"


def test_a_refusal_is_no_failure(odd: GtpProcess) -> None:
    with pytest.raises(RefusedError, match="no"):
        odd.ask("refuse", 10)
    assert odd.ask("name", 10) == "Odd"


@pytest.mark.parametrize(("command", "kind"), [("hang", "timeout"), ("die", "crash"), ("flood", "protocol")])
def test_failures_are_told_apart(odd: GtpProcess, command: str, kind: str) -> None:
    assert odd.ask("name", 10) == "Odd"
    with pytest.raises(EngineError) as failure:
        odd.ask(command, 0.5 if kind == "timeout" else 10)
    assert failure.value.kind == kind


@pytest.mark.parametrize(
    ("command", "words"),
    [("scream", "out of memory"), ("die", "nothing to standard error; its exit code is 3")],
)
def test_last_words_say_why_it_ended(odd: GtpProcess, command: str, words: str) -> None:
    with pytest.raises(EngineError):
        odd.ask(command, 10)
    assert words in odd.last_words()


def test_a_dead_program_stays_dead(odd: GtpProcess) -> None:
    for _ in range(2):
        with pytest.raises(EngineError) as failure:
            odd.ask("die", 10)
        assert failure.value.kind == "crash"


def test_a_command_that_does_not_exist_is_the_users_mistake() -> None:
    with pytest.raises(InputError, match="no program 'no-such-engine'"):
        GtpProcess("no-such-engine --mode gtp")
    with pytest.raises(InputError):
        GtpProcess("")


def test_a_program_in_the_folder_of_games_is_found(gnugo: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root and services have no /usr/games in their PATH."""
    if Path(gnugo).parent != Path("/usr/games"):
        pytest.skip(f"gnugo is {gnugo} here")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert check_command("gnugo --mode gtp") == ["/usr/games/gnugo", "--mode", "gtp"]
    with pytest.raises(InputError, match="there is no program 'gnugoo'"):
        check_command("gnugoo --mode gtp")
