"""Asking a server until it has an answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from starlette.testclient import TestClient


def until(ask: Callable[[], dict[str, Any]], is_done: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Asks until the answer is as wanted."""
    for _ in range(3000):
        answer = ask()
        if is_done(answer):
            return answer
        time.sleep(0.01)
    raise AssertionError(f"it does not end: {answer}")


def job_of(client: TestClient, job: dict[str, Any]) -> dict[str, Any]:
    """A job when it has ended."""
    return until(
        lambda: client.get(f"/api/jobs/{job['id']}").json(),
        lambda answer: answer["state"] in ("done", "failed", "cancelled"),
    )


def quiet(client: TestClient, play: dict[str, Any]) -> dict[str, Any]:
    """The state of a game when the opponent has answered."""
    return until(lambda: client.get(f"/api/play/{play['id']}").json(), lambda answer: not answer["thinking"])
