"""A GTP program in another process. Every command has a deadline; no answer of the program is trusted."""

from __future__ import annotations

import contextlib
import queue
import shlex
import shutil
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable

from tengen.errors import InputError

# A longer reply, in bytes, is a failure of the program.
MAX_REPLY = 1 << 20
# Lines of the program's own messages that are kept for error messages.
LAST_LINES = 8


class EngineError(Exception):
    """The program did something that ends its game; `kind` is crash, timeout, illegal or protocol."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class RefusedError(Exception):
    """The program answered with `?`."""


def check_command(command: str) -> list[str]:
    """The words of a command, split as a shell would; InputError if there is no such program.

    Debian keeps GNU Go and others in /usr/games, where root and services do not look: there, the full path is returned.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(f"'{command}': {error}") from None
    if words and shutil.which(words[0]) is None:
        words[0] = shutil.which(words[0], path="/usr/games") or words[0]
    if not words or shutil.which(words[0]) is None:
        raise InputError(f"there is no program '{words[0] if words else ''}' (command '{command}')")
    return words


class GtpProcess:
    """A running GTP program.

    The command is split as a shell would, but no shell runs. `log` is called with every line that passes:
    `> ` to the program, `< ` from it, `! ` from its standard error.
    """

    def __init__(self, command: str, log: Callable[[str], None] = lambda line: None) -> None:
        self.command = command
        self._log = log
        try:
            self._process = subprocess.Popen(
                check_command(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
            )
        except OSError as error:
            raise InputError(f"cannot start '{command}': {error}") from None
        self._lines: queue.Queue[bytes | None] = queue.Queue(maxsize=10_000)
        self._closed = self._failed = self._asking = False
        self._messages: deque[str] = deque(maxlen=LAST_LINES)
        pumps = []
        for stream, sink in ((self._process.stdout, self._take), (self._process.stderr, self._complain)):
            assert stream is not None
            pumps.append(threading.Thread(target=self._pump, args=(stream, sink), daemon=True))
            pumps[-1].start()
        self._stderr_pump = pumps[1]

    def _pump(self, stream: object, sink: Callable[[bytes | None], None]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while line := stream.readline(MAX_REPLY):  # type: ignore[attr-defined]
                if self._closed:
                    break
                sink(line)
        sink(None)

    def _take(self, line: bytes | None) -> None:
        while not self._closed:
            with contextlib.suppress(queue.Full):
                self._lines.put(line, timeout=0.2)
                return

    def _complain(self, line: bytes | None) -> None:
        if line is not None:
            text = line.decode("utf-8", "replace").rstrip()
            self._log("! " + text)
            if text:
                self._messages.append(text)

    def last_words(self, wait: bool = True) -> str:
        """The last lines of its standard error, and of what it wrote beside its answers; without any, its exit code.

        `wait`: for the program to end, one second at most.
        """
        if wait:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(1.0)
            self._stderr_pump.join(1.0)
        if self._messages:
            return "\n".join(self._messages)
        code = self._process.poll()
        return "it wrote nothing to standard error" + ("" if code is None else f"; its exit code is {code}")

    def ask(self, command: str, timeout: float) -> str:
        """The answer to one command. Raises RefusedError on `?`, EngineError on anything worse."""
        self._asking = True
        try:
            return self._ask(command, timeout)
        except EngineError:
            self._failed = True
            raise
        finally:
            self._asking = False

    def _ask(self, command: str, timeout: float) -> str:
        self._log("> " + command)
        deadline = time.monotonic() + timeout
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(command.encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise EngineError("crash", f"the program has ended ('{command}' not sent)") from None
        reply: list[str] = []
        size = 0
        while True:
            try:
                raw = self._lines.get(timeout=max(deadline - time.monotonic(), 0.0))
            except queue.Empty:
                raise EngineError("timeout", f"no answer to '{command}' in {timeout:g} seconds") from None
            if raw is None:
                self._lines.put(None)  # for the next command
                raise EngineError("crash", f"the program ended during '{command}'")
            size += len(raw)
            if size > MAX_REPLY:
                raise EngineError("protocol", f"more than {MAX_REPLY} bytes in answer to '{command}'")
            line = raw.decode("utf-8", "replace").rstrip("\r\n")
            if line:
                self._log("< " + line)
            if not line.strip() and reply:
                break
            if reply or line.startswith(("=", "?")):
                reply.append(line)
            elif line.strip():
                self._messages.append(line)
        text = "\n".join([reply[0][1:].strip(), *reply[1:]])
        if reply[0].startswith("?"):
            raise RefusedError(text)
        return text

    def close(self) -> None:
        """Sends `quit`, and ends the process if that does not. A program that has failed gets no `quit`, nor does
        one that another thread is waiting for: that thread gets an EngineError."""
        if self._closed:
            return
        if self._asking:
            self._failed = True
        if not self._failed and self._process.poll() is None:
            with contextlib.suppress(EngineError, RefusedError):
                self.ask("quit", 1.0)
        self._closed = True
        if not self._failed:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(1.0)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        with contextlib.suppress(queue.Full):
            self._lines.put_nowait(None)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
