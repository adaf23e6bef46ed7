"""A server in this process, with a net that knows no Go but is quick; and one with the net that ships."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tengen.web.app import make_app
from tengen.web.limits import Limits
from tengen.web.service import Service

ADDRESS = "http://127.0.0.1:8080"


@pytest.fixture
def make_client(tmp_path: Path) -> Iterator[Callable[..., TestClient]]:
    """Starts servers, and ends them after the test."""
    open_clients: list[TestClient] = []

    def make(folder: str = "data", net: str = "fake", **limits: Any) -> TestClient:
        service = Service(tmp_path / folder, net, 2, Limits(**limits))
        client = TestClient(make_app(service), base_url=ADDRESS, headers={"X-Tab": "tab-1"})
        client.__enter__()
        open_clients.append(client)
        return client

    yield make
    for client in open_clients:
        client.__exit__(None, None, None)


@pytest.fixture
def client(make_client: Callable[..., TestClient]) -> TestClient:
    return make_client()


@pytest.fixture(scope="session")
def net_client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """With the net that ships, which has a strength model."""
    service = Service(tmp_path_factory.mktemp("net") / "data", "tengen", 2)
    with TestClient(make_app(service), base_url=ADDRESS, headers={"X-Tab": "tab-1"}) as client:
        yield client


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
