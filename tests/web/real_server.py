"""`tengen serve` in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

COMMAND = (sys.executable, "-m", "tengen", "serve")


class RealServer:
    """A server at a free port of this machine. `address` ends in a slash."""

    def __init__(self, data: Path, *options: str, net: str = "fake", port: int = 0) -> None:
        command = [*COMMAND, "--port", str(port), "--data", str(data), "--net", net, *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line.startswith("Tengen is at "), line
        self.address = line.split()[3]

    def end(self, sig: signal.Signals = signal.SIGTERM) -> tuple[float, int]:
        """Sends the signal; seconds until the process has ended, and its exit code."""
        begun = time.monotonic()
        self.process.send_signal(sig)
        self.process.wait(30)
        return time.monotonic() - begun, self.process.returncode

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(30)
