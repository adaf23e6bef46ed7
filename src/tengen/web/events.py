"""The event stream of each tab: events are numbered and kept for a while, so that a cut connection can go on."""

from __future__ import annotations

import asyncio
import json
import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from typing import Any

KEPT_EVENTS = 500
KEPT_BYTES = 500_000
MOST_TABS = 1_000
HEARTBEAT = 15.0  # seconds


class _Tab:
    """What one tab is to be told. `lock` of the hub guards it."""

    def __init__(self) -> None:
        self.events: deque[tuple[int, str]] = deque()
        self.bytes = 0
        self.last = 0
        self.wake: asyncio.Event | None = None  # of the stream that is open
        self.away_since: float | None = None  # None: a stream is open, or there never was one


class Hub:
    """All tabs. `publish` may be called from any thread; `stream` runs on the event loop."""

    def __init__(self) -> None:
        self._run = secrets.token_hex(4)  # ids of an earlier run of the server are not ours
        self._tabs: OrderedDict[str, _Tab] = OrderedDict()
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False

    def publish(self, tab: str, name: str, data: dict[str, Any]) -> None:
        """Tells a tab. A tab that never opened a stream is kept as well: it may open one soon."""
        if not tab:
            return
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        with self._lock:
            found = self._tab(tab)
            found.last += 1
            event = f"id: {self._run}-{found.last}\nevent: {name}\ndata: {text}\n\n"
            found.events.append((found.last, event))
            found.bytes += len(event)
            while len(found.events) > KEPT_EVENTS or found.bytes > KEPT_BYTES:
                found.bytes -= len(found.events.popleft()[1])
            wake, loop = found.wake, self._loop
        if wake is not None and loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(wake.set)

    def _tab(self, tab: str) -> _Tab:
        if tab not in self._tabs:
            self._tabs[tab] = _Tab()
            while len(self._tabs) > MOST_TABS:
                idle = next((name for name, t in self._tabs.items() if t.wake is None and name != tab), None)
                if idle is None:
                    break
                del self._tabs[idle]
        self._tabs.move_to_end(tab)
        return self._tabs[tab]

    async def stream(self, tab: str, last: str | None) -> AsyncIterator[str]:
        """The events after `last` (the id of the last one that arrived), and those to come.

        A second stream of the same tab ends the first. `lost` comes where events are missing.
        """
        self._loop = asyncio.get_running_loop()
        wake = asyncio.Event()
        with self._lock:
            found = self._tab(tab)
            if found.wake is not None:
                found.wake.set()
            found.wake, found.away_since = wake, None
            at, lost = self._position(found, last)
        try:
            yield "retry: 1000\n\n"
            if lost:
                yield f"id: {self._run}-{at}\nevent: lost\ndata: {{}}\n\n"
            while not self._closed:
                with self._lock:
                    if found.wake is not wake:
                        return
                    wake.clear()
                    kept_from = found.events[0][0] if found.events else found.last + 1
                    behind = at + 1 < kept_from
                    texts = [text for number, text in found.events if number > at]
                    at = found.last
                if behind:
                    yield f"id: {self._run}-{at - len(texts)}\nevent: lost\ndata: {{}}\n\n"
                if texts:
                    yield "".join(texts)
                    continue
                try:
                    await asyncio.wait_for(wake.wait(), HEARTBEAT)
                except TimeoutError:
                    yield ": still here\n\n"
        finally:
            with self._lock:
                if found.wake is wake:
                    found.wake, found.away_since = None, time.monotonic()

    def _position(self, found: _Tab, last: str | None) -> tuple[int, bool]:
        """After which event to go on, and whether some are missing."""
        if not last:
            first = found.events[0][0] if found.events else found.last + 1
            return first - 1, False
        run, _, number = last.partition("-")
        if run != self._run or not number.isdecimal() or int(number) > found.last:
            return found.last, True
        return int(number), False

    def away(self, seconds: float) -> list[str]:
        """Tabs whose stream closed so long ago; each is named once."""
        now = time.monotonic()
        with self._lock:
            gone = [
                name
                for name, tab in self._tabs.items()
                if tab.away_since is not None and now - tab.away_since > seconds
            ]
            for name in gone:
                del self._tabs[name]
        return gone

    def close(self) -> None:
        """Ends all streams."""
        self._closed = True
        with self._lock:
            wakes = [tab.wake for tab in self._tabs.values() if tab.wake is not None]
        if self._loop is not None and not self._loop.is_closed():
            for wake in wakes:
                self._loop.call_soon_threadsafe(wake.set)
