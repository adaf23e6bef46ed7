"""What every request goes through."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tengen.web.app import make_app


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "", "[", "10.0.0.1"]
)
def test_names_that_are_not_ours_are_refused(client: TestClient, host: str) -> None:
    answer = client.get("/api/info", headers={"host": host})
    assert answer.status_code == 421 and "--name" in answer.json()["error"]


@pytest.mark.parametrize("host", ["localhost:8080", "127.0.0.1:1", "[::1]:8080", "LOCALHOST"])
def test_this_machine_has_several_names(client: TestClient, host: str) -> None:
    assert client.get("/api/info", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_pages_of_other_sites_change_nothing(client: TestClient, headers: dict[str, str]) -> None:
    for path in ("/api/games", "/api/play", "/strength"):
        answer = client.post(path, json={"example": "9x9"}, headers=headers)
        assert answer.status_code == 403 and "another site" in answer.json()["error"]
    assert client.delete("/api/jobs/x", headers=headers).status_code == 403


def test_our_own_page_may(client: TestClient) -> None:
    headers = {"origin": "http://127.0.0.1:8080", "sec-fetch-site": "same-origin"}
    assert client.post("/api/games", json={"example": "9x9"}, headers=headers).status_code == 200


@pytest.mark.parametrize("path", ["/api/info", "/strength", "/nowhere", "/form.css"])
def test_every_answer_has_the_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert "default-src 'self'" in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "unsafe-eval" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "same-origin"
    assert "server" not in headers


@pytest.mark.parametrize(
    "path",
    [
        "/../pyproject.toml",
        "/..%2f..%2f..%2fpyproject.toml",
        "/static/../app.py",
        "/app.py",
        "/%2e%2e/app.py",
        "//etc/passwd",
        "/assets/..%5c..%5capp.py",
        "/form.css/../app.py",
        "/api/games/..%2f..%2fetc%2fpasswd/sgf",
        "/tengen.sqlite",
    ],
)
def test_no_file_of_the_server_is_reachable(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_browser_that_has_a_file_of_the_page_does_not_get_it_again(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "page" / "assets").mkdir(parents=True)
    (tmp_path / "page" / "index.html").write_text("<title>Tengen</title>")
    (tmp_path / "page" / "assets" / "page.js").write_text("1")
    monkeypatch.setattr("tengen.web.app.STATIC", tmp_path / "page")
    page = TestClient(make_app(client.app.state.service), base_url="http://127.0.0.1:8080")  # type: ignore[attr-defined]
    assert page.get("/").headers["content-type"].startswith("text/html")
    script = page.get("/assets/page.js")
    assert "javascript" in script.headers["content-type"]
    again = page.get("/assets/page.js", headers={"if-none-match": script.headers["etag"]})
    assert again.status_code == 304 and not again.content


def test_an_address_may_ask_so_often_in_a_minute(make_client: Callable[..., TestClient]) -> None:
    client = make_client(address_requests=20)
    statuses = [client.get("/form.css").status_code for _ in range(30)]
    assert statuses[:20] == [200] * 20 and 429 in statuses


def test_nets_are_named_never_files(client: TestClient) -> None:
    game = client.post("/api/games", json={"example": "9x9"}).json()["games"][0]["id"]
    for net in ("/etc/passwd", "../x.onnx", "fake+fake", "b.bin.gz"):
        answer = client.post("/api/reviews", json={"game": game, "net": net})
        assert answer.status_code == 422 and "no net" in answer.json()["error"]
    assert client.post("/api/nets/..%2fx/pull").status_code in (404, 422)
    assert client.post("/api/nets/evil/pull").status_code == 422
