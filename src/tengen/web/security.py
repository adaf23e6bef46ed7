"""What every request and every answer goes through: Host, Origin, size, rate, headers.

A page of another site can make a browser send requests here. So the Host must be a name of ours (else a stranger's
name could be pointed at this machine), and what changes something must come from a page of ours.
"""

from __future__ import annotations

import ipaddress
import json
import time
from collections import OrderedDict
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tengen.web.limits import Limits

LOOPBACK = ("localhost", "127.0.0.1", "::1")
ANY = ("0.0.0.0", "::", "")
SAFE = ("GET", "HEAD", "OPTIONS")
UPLOADS = ("/api/games", "/strength")
MOST_ADDRESSES = 10_000

# style attributes: the board of the page places stones with them.
POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
# Of a report, which is a page of its own with its style in it, and no script.
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # Not no-referrer: with that, browsers send "Origin: null" with forms of our own.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), interest-cohort=()",
}


class TooLargeError(Exception):
    """More bytes than a request may have."""


class Guard:
    """ASGI middleware around the whole app."""

    def __init__(self, app: ASGIApp, limits: Limits, host: str, names: Iterable[str]) -> None:
        self._app = app
        self._limits = limits
        self._names = {*LOOPBACK, host.lower(), *(name.lower() for name in names)} - set(ANY)
        # Bound to all addresses, the machine is reached by numbers that are not known here. A number cannot be
        # pointed elsewhere as a name can.
        self._any_number = host in ANY
        self._rates: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]}
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _answer(send, *refusal)
            return
        most = self._limits.upload_bytes if scope["path"] in UPLOADS else self._limits.body_bytes
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > most:
            await _answer(send, 413, _too_large(most))
            return
        read, started = 0, False

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > most:
                raise TooLargeError
            return message

        async def guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                own = {key.decode("latin-1").lower() for key, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *((k.encode(), v.encode()) for k, v in HEADERS.items() if k not in own),
                ]
            await send(message)

        try:
            await self._app(scope, counted, guarded)
        except TooLargeError:
            if not started:
                await _answer(send, 413, _too_large(most))

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if not self._is_ours(host):
            return 421, "this server does not answer to this name: start it with --name NAME if it should"
        if scope["method"] not in SAFE:
            origin = headers.get("origin")
            if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
                return 403, "this request comes from a page of another site"
            if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
                return 403, "this request comes from a page of another site"
        if self._is_too_often(scope["client"][0] if scope.get("client") else ""):
            return 429, "too many requests in a minute: wait a little"
        return None

    def _is_ours(self, host: str) -> bool:
        try:
            name = (urlsplit(f"//{host}").hostname or "").lower()
        except ValueError:
            return False
        if name in self._names:
            return True
        if not self._any_number:
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _is_too_often(self, address: str) -> bool:
        """A bucket for each address that holds a minute's requests, and fills up again in a minute."""
        most, now = self._limits.address_requests, time.monotonic()
        left, when = self._rates.pop(address, (float(most), now))
        left = min(float(most), left + (now - when) * most / 60.0)
        self._rates[address] = max(left - 1.0, 0.0), now
        while len(self._rates) > MOST_ADDRESSES:
            self._rates.popitem(last=False)
        return left < 1.0


def _too_large(most: int) -> str:
    return f"more than {most / 1e6:g} MB in one request: send less at once"


async def _answer(send: Send, status: int, error: str) -> None:
    body = json.dumps({"error": error}).encode()
    head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    head += [(b"connection", b"close")]  # the rest of a body that is too large is not read
    head += [(key.encode(), value.encode()) for key, value in HEADERS.items()]
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": body})
