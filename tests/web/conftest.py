"""A server in this process, with a net that knows no Go but is quick; and one with the net that ships."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tengen.web.app import make_app
from tengen.web.limits import Limits
from tengen.web.service import Service

ADDRESS = "http://127.0.0.1:8080"


class Servers:
    """Starts servers in this process, and stops them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: list[TestClient] = []

    def start(self, net: str = "fake", **limits: Any) -> TestClient:
        service = Service(self._folder / "data", net, 2, Limits(**limits))
        client = TestClient(make_app(service), base_url=ADDRESS, headers={"X-Tab": "tab-1"})
        client.__enter__()
        self._open.append(client)
        return client

    def stop(self) -> None:
        while self._open:
            self._open.pop().__exit__(None, None, None)


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Servers]:
    """One after the other on the same data folder."""
    found = Servers(tmp_path)
    yield found
    found.stop()


@pytest.fixture
def make_client(servers: Servers) -> Callable[..., TestClient]:
    return servers.start


@pytest.fixture
def client(servers: Servers) -> TestClient:
    return servers.start()


@pytest.fixture(scope="session")
def net_client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """With the net that ships, which has a strength model."""
    service = Service(tmp_path_factory.mktemp("net") / "data", "tengen", 2)
    with TestClient(make_app(service), base_url=ADDRESS, headers={"X-Tab": "tab-1"}) as client:
        yield client
