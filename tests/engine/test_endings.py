"""How the programs end: `quit`, end of input, Ctrl-C and SIGTERM, whatever they are doing, as real processes."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

Start = Callable[..., subprocess.Popen[bytes]]

QUERY = (
    b'{"id":"1","moves":[],"rules":"chinese","boardXSize":9,"boardYSize":9,"maxVisits":1000000,'
    b'"reportDuringSearchEvery":0.05}\n'
)
# What to run, what to send, and the bytes of the answer after which it is doing that.
DOING: dict[str, tuple[list[str], bytes, bytes]] = {
    "gtp, waiting": (["gtp"], b"name\n", b"Tengen"),
    "gtp, analysing": (["gtp"], b"kata-analyze b 5\n", b"info"),
    "gtp, pondering": (["gtp", "--ponder", "--visits", "5"], b"boardsize 9\ngenmove b\n", b"=\n\n= "),
    "gtp, loading": (["gtp"], b"", b"loading"),
    "analyze, waiting": (["analyze"], b'{"id":"v","action":"query_version"}\n', b"version"),
    "analyze, analysing": (["analyze"], QUERY, b"rootInfo"),
    "analyze, loading": (["analyze"], b"", b"loading"),
}

PROGRAM = "from tengen.cli.main import main; main()"
# The same, which says when it begins to load its commands.
LOADING = f"""
import sys
class Sign:
    def find_spec(self, name, path, target=None):
        if name == "tengen.cli.commands":
            print("loading", flush=True)
sys.meta_path.insert(0, Sign())
{PROGRAM}
"""


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a program that does what a name of DOING says; it is ended with the test."""
    started: list[subprocess.Popen[bytes]] = []

    def run(doing: str, net: str = "fake") -> subprocess.Popen[bytes]:
        arguments, lines, sign = DOING[doing]
        engine = subprocess.Popen(
            [sys.executable, "-c", LOADING if sign == b"loading" else PROGRAM, *arguments, "--net", net],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        started.append(engine)
        assert engine.stdin and engine.stdout
        engine.stdin.write(lines)
        engine.stdin.flush()
        seen = b""
        while sign not in seen:
            seen += os.read(engine.stdout.fileno(), 1 << 16)
        return engine

    yield run
    for engine in started:
        engine.kill()
        engine.wait()
        for pipe in (engine.stdin, engine.stdout, engine.stderr):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


def end_of(engine: subprocess.Popen[bytes]) -> tuple[int, bytes]:
    """Exit code and standard error; what is written until then is read."""
    assert engine.stdout and engine.stderr
    reader = threading.Thread(target=engine.stdout.read)
    reader.start()
    code = engine.wait(60)
    reader.join()
    return code, engine.stderr.read()


@pytest.mark.parametrize("doing", [name for name in DOING if name.startswith("gtp")])
def test_quit_with_the_pipe_open(start: Start, doing: str) -> None:
    engine = start(doing)
    assert engine.stdin
    engine.stdin.write(b"quit\n")
    engine.stdin.flush()
    assert end_of(engine) == (0, b"")


@pytest.mark.parametrize("doing", [name for name in DOING if name != "analyze, analysing"])
def test_end_of_input(start: Start, doing: str) -> None:
    engine = start(doing)
    assert engine.stdin
    engine.stdin.close()
    assert end_of(engine) == (0, b"")


@pytest.mark.parametrize("doing", DOING)
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_a_signal(start: Start, doing: str, sent: signal.Signals, code: int) -> None:
    engine = start(doing)
    engine.send_signal(sent)
    assert end_of(engine) == (code, b"")


@pytest.mark.parametrize("doing", ["gtp, analysing", "analyze, analysing"])
def test_ctrl_c_while_a_net_computes(start: Start, doing: str) -> None:
    """Its threads are native, and some belong to no Python thread."""
    engine = start(doing, "tengen")
    engine.send_signal(signal.SIGINT)
    assert end_of(engine) == (130, b"")


@pytest.mark.parametrize("doing", ["gtp, analysing", "analyze, waiting", "analyze, analysing"])
def test_a_client_that_reads_no_more(start: Start, doing: str) -> None:
    engine = start(doing)
    assert engine.stdin and engine.stdout and engine.stderr
    engine.stdout.close()
    engine.stdin.write(DOING[doing][1])
    engine.stdin.close()
    assert engine.wait(60) == 0
    assert engine.stderr.read() == b""
