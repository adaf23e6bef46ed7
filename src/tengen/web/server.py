"""Runs the app: binds the port, prints the address, ends on Ctrl-C or SIGTERM within two seconds."""

from __future__ import annotations

import errno
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterable
from types import FrameType

import uvicorn

from tengen.errors import InputError
from tengen.web.app import make_app
from tengen.web.service import Service

# Ports that are tried with --next-port.
TRIES = 50


def bind(host: str, port: int, next_port: bool = False) -> socket.socket:
    """A socket at the port, or with `next_port` at the next free one. InputError if it is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for tried in range(port, port + (TRIES if next_port and port else 1)):
        sock = socket.socket(family, socket.SOCK_STREAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((host, tried))
        except OverflowError:
            sock.close()
            raise InputError(f"there is no port {tried}: ports go from 0 to 65535") from None
        except OSError as error:
            sock.close()
            if error.errno == errno.EADDRINUSE:
                continue
            raise InputError(f"{host}:{tried} cannot be used: {error.strerror or error}") from None
        sock.set_inheritable(True)
        return sock
    raise InputError(
        f"port {port} is in use by another program: choose one with --port, take any free one with --port 0, "
        "or the next free one with --next-port"
    )


class _Server(uvicorn.Server):
    """Ends the event streams at once when it is told to stop: they would keep it waiting."""

    def __init__(
        self, config: uvicorn.Config, started: Callable[[], None], stopping: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._when_started = started
        self._when_stopping = stopping

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._when_started()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Ctrl-C and SIGTERM are how a server is meant to end: they raise no error. The second one does not wait."""
        self.force_exit = self.should_exit
        self.should_exit = True
        self._when_stopping()


def serve(
    service: Service, sock: socket.socket, host: str, names: Iterable[str] = (), browser: bool = False
) -> None:
    """Serves until a signal ends it."""
    port = sock.getsockname()[1]
    shown = "127.0.0.1" if host in ("0.0.0.0", "") else f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{port}/"
    sys.setswitchinterval(0.001)  # requests must not wait for searches that hold the interpreter

    def started() -> None:
        print(f"Tengen is at {address} (Ctrl-C ends it)", flush=True)
        if browser and has_browser():
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    config = uvicorn.Config(
        make_app(service, host, names),
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=1,
        timeout_keep_alive=30,
        server_header=False,
        limit_concurrency=1000,
        h11_max_incomplete_event_size=32 * 1024,
    )
    server = _Server(config, started, service.hub.close)
    server.run(sockets=[sock])


def has_browser() -> bool:
    """Whether there is a screen to open a browser on."""
    if sys.platform.startswith("linux") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        return False
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True
