"""The stream of a tab."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from tengen.web import events
from tengen.web.events import Hub


def read(hub: Hub, count: int, last: str | None = None) -> list[tuple[str, str, Any]]:
    """The first events of a stream: id, name, data."""

    async def collect() -> list[tuple[str, str, Any]]:
        found: list[tuple[str, str, Any]] = []
        stream = hub.stream("a", last)
        async for text in stream:
            for block in text.split("\n\n"):
                fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
                if "event" in fields:
                    found.append((fields["id"], fields["event"], json.loads(fields["data"])))
            if len(found) >= count:
                break
        await stream.aclose()  # type: ignore[attr-defined]
        return found

    return asyncio.run(asyncio.wait_for(collect(), 10))


def test_events_before_the_stream_was_opened_are_not_missed() -> None:
    hub = Hub()
    hub.publish("a", "job", {"n": 1})
    hub.publish("b", "job", {"n": 2})
    assert [(name, data) for _, name, data in read(hub, 1)] == [("job", {"n": 1})]


def test_a_cut_stream_goes_on_after_its_last_event() -> None:
    hub = Hub()
    for n in range(5):
        hub.publish("a", "job", {"n": n})
    seen = read(hub, 5)
    again = read(hub, 3, last=seen[1][0])
    assert [data["n"] for _, _, data in again] == [2, 3, 4]


def test_lost_is_said_after_a_restart_and_where_events_were_dropped() -> None:
    hub = Hub()
    hub.publish("a", "job", {"n": 0})
    assert read(hub, 1, last="00000000-7")[0][1] == "lost"
    first = read(hub, 1)[0][0]
    for n in range(events.KEPT_EVENTS + 10):
        hub.publish("a", "job", {"n": n})
    names = [name for _, name, _ in read(hub, events.KEPT_EVENTS, last=first)]
    assert names[0] == "lost" and names.count("lost") == 1


def test_a_second_stream_of_a_tab_ends_the_first() -> None:
    hub = Hub()

    async def two() -> list[str]:
        first = hub.stream("a", None)
        await anext(first)
        waiting = asyncio.create_task(collect(first))
        await asyncio.sleep(0.01)
        second = hub.stream("a", None)
        await anext(second)
        await asyncio.wait_for(waiting, 5)
        hub.publish("a", "job", {"n": 1})
        text = await asyncio.wait_for(anext(second), 5)
        return [text]

    async def collect(stream: Any) -> None:
        async for _ in stream:
            pass

    assert '"n":1' in asyncio.run(two())[0]


def test_a_tab_is_away_when_its_stream_has_been_closed_for_a_while() -> None:
    hub = Hub()
    hub.publish("a", "job", {})
    assert hub.away(0.0) == []  # it never had a stream: perhaps it opens one
    read(hub, 1)
    assert hub.away(60.0) == []
    assert hub.away(0.0) == ["a"] and hub.away(0.0) == []
