"""Lines of standard input, for every protocol."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Iterable, Iterator
from typing import BinaryIO

MAX_LINE = 1 << 16
MAX_LINES = 10_000  # read ahead; then the client has to wait
# Seconds after which a signal is noticed: the system may hand it to another thread, which does not wake this one.
_NAP = 0.25


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
    """Input lines, which a thread reads ahead: a search can see whether a line is waiting.

    Lines longer than `longest` bytes come in pieces.
    """

    def __init__(self, source: BinaryIO | Iterable[str], longest: int = MAX_LINE) -> None:
        self._queue: queue.Queue[str | None] = queue.Queue(MAX_LINES)
        self._ahead: list[str | None] = []
        self._longest = longest
        if hasattr(source, "readline"):
            threading.Thread(target=self._read, args=(source,), daemon=True).start()
        else:
            self._ahead = [None, *reversed([str(line) for line in source])]

    def _read(self, source: BinaryIO) -> None:
        for line in read_lines(source.fileno(), self._longest):
            self._queue.put(line.decode("utf-8", "replace"))
        self._queue.put(None)

    def waiting(self) -> bool:
        """Whether there is a line, or the end of input."""
        return bool(self._ahead) or not self._queue.empty()

    def wait(self) -> None:
        """Waits until there is a line, or the end of input."""
        while not self._ahead:
            try:
                self._ahead.append(self._queue.get(timeout=_NAP))
            except queue.Empty:
                continue

    def next(self) -> str | None:
        """Waits for the next line and takes it; None at the end of input."""
        self.wait()
        return self._ahead.pop()
