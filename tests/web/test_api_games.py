"""Games that are sent to the server: files, archives, texts, and what is none of these."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tengen.web.examples import EXAMPLES, example_sgf

SGF = "(;GM[1]SZ[9]PB[Ann]PW[Bo]KM[5.5];B[ee];W[ec];B[])"


def send(client: TestClient, *files: tuple[str, bytes | str]) -> Any:
    parts = [("files", (name, data if isinstance(data, bytes) else data.encode())) for name, data in files]
    return client.post("/api/games", files=parts)


def zipped(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def test_a_file_becomes_a_game(client: TestClient) -> None:
    answer = send(client, ("my game.sgf", SGF)).json()
    (game,) = answer["games"]
    assert answer["problems"] == []
    assert answer["players"] == [{"name": "Ann", "games": 1}, {"name": "Bo", "games": 1}]
    assert (game["file"], game["size"], game["komi"], game["move_count"]) == ("my game.sgf", 9, 5.5, 3)
    whole = client.get(f"/api/games/{game['id']}").json()
    assert whole["moves"][0] == {"color": "B", "vertex": "E5"} and whole["moves"][2]["vertex"] == "pass"
    assert client.get(f"/api/games/{game['id']}/sgf").text == SGF
    assert [g["id"] for g in client.get("/api/games").json()["games"]] == [game["id"]]
    assert client.get("/api/games", headers={"X-Tab": "another"}).json()["games"] == []


def test_text_examples_archives_and_other_formats(client: TestClient) -> None:
    assert client.post("/api/games", json={"sgf": SGF}).json()["games"][0]["black"] == "Ann"
    for name in EXAMPLES:
        assert client.post("/api/games", json={"example": name}).json()["games"][0]["move_count"] > 20
    archive = zipped(
        {"one/a.sgf": SGF.encode(), "b.SGF": SGF.encode(), "readme.txt": b"no game", "c.sgf": b"?"}
    )
    answer = send(client, ("games.zip", archive)).json()
    assert [game["file"] for game in answer["games"]] == ["a.sgf", "b.SGF"]
    assert answer["players"] == [{"name": "Ann", "games": 2}, {"name": "Bo", "games": 2}]
    assert [problem["file"] for problem in answer["problems"]] == ["c.sgf"]


def test_examples_are_those_of_the_repository(examples: Path) -> None:
    for name in EXAMPLES:
        assert example_sgf(name) == (examples / f"{name}.sgf").read_bytes()


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("a.sgf", b"", "empty file"),
        ("a.sgf", b"PK\x03\x04 not a zip", "no game in it"),
        ("a.sgf", b"\x89PNG\r\n\x1a\n" + bytes(1000), "no game in it"),
        ("a.sgf", b"(;GM[2]SZ[8];B[aa])", "not a game of Go"),
        ("a.sgf", b"(;SZ[9];B[ee];W[ee])", "point is occupied"),
        ("a.sgf", b"(;SZ[99];B[ee])", "board"),
        ("a.zip", b"PK\x03\x04 not a zip", "unreadable"),
        ("a.zip", zipped({}), "no game"),
        ("a.sgf", b"(" * 100_000, "no game in it"),
    ],
)
def test_what_is_no_game_is_refused_with_a_reason(
    client: TestClient, name: str, data: bytes, sentence: str
) -> None:
    answer = send(client, (name, data))
    assert answer.status_code == 422 and sentence in answer.json()["error"], answer.json()


def test_a_file_may_have_a_megabyte(client: TestClient) -> None:
    answer = send(client, ("big.sgf", SGF[:-1] + ";C[" + "x" * 1_000_000 + "])"), ("a.sgf", SGF)).json()
    assert len(answer["games"]) == 1
    assert answer["problems"] == [{"file": "big.sgf", "reason": "larger than 1 MB"}]
    assert client.post("/api/games", json={"sgf": SGF + " " * 1_000_000}).status_code == 413


def test_fifty_megabytes_are_not_read_to_the_end(client: TestClient) -> None:
    sent = 0

    def body() -> Any:
        nonlocal sent
        yield b'--x\r\ncontent-disposition: form-data; name="files"; filename="a.sgf"\r\n\r\n'
        for _ in range(50):
            sent += 1
            yield bytes(1_000_000)

    answer = client.post(
        "/api/games", content=body(), headers={"content-type": "multipart/form-data; boundary=x"}
    )
    assert answer.status_code == 413 and "20 MB" in answer.json()["error"]
    answer = client.post(
        "/api/games", content=bytes(30_000_000), headers={"content-type": "application/json"}
    )
    assert answer.status_code == 413
    assert client.post("/api/strength", content=bytes(2_000_000)).status_code == 413


def test_a_zip_bomb_is_not_unpacked(client: TestClient) -> None:
    bomb = zipped({f"{n}.sgf": bytes(50_000_000) for n in range(3)})
    assert len(bomb) < 200_000
    answer = send(client, ("bomb.zip", bomb))
    assert answer.status_code == 422
    assert {p["reason"] for p in answer.json()["problems"]} == {"larger than 1 MB"}
    nested = zipped({"inner.zip": bomb})
    assert send(client, ("nested.zip", nested)).status_code == 422


def test_too_many_files_are_refused(make_client: Callable[..., TestClient]) -> None:
    client = make_client(files=5)
    assert send(client, *[(f"{n}.sgf", SGF) for n in range(5)]).status_code == 200
    assert send(client, *[(f"{n}.sgf", SGF) for n in range(7)]).status_code == 413
    answer = send(client, ("a.zip", zipped({f"{n}.sgf": SGF.encode() for n in range(9)}))).json()
    assert len(answer["games"]) == 5 and "more than 5 files" in answer["problems"][0]["reason"]


def test_a_game_has_so_many_moves_at_most(make_client: Callable[..., TestClient]) -> None:
    client = make_client(moves=10)
    passes = "(;SZ[9]" + ";B[];W[]" * 6 + ")"
    assert "12 moves, more than 10" in send(client, ("a.sgf", passes)).json()["error"]


def test_names_of_files_never_reach_a_path(client: TestClient) -> None:
    archive = zipped(
        {"../../evil.sgf": SGF.encode(), "/etc/passwd.sgf": SGF.encode(), "C:\\x\\y.sgf": SGF.encode()}
    )
    games = send(client, ("../../../a.sgf", SGF), ("b.zip", archive)).json()["games"]
    assert [game["file"] for game in games] == ["a.sgf", "evil.sgf", "passwd.sgf", "y.sgf"]


def test_ten_thousand_nodes_and_deep_variations_are_read(client: TestClient) -> None:
    """The main line is read; of the tree, what can be kept is kept in the annotated record."""
    deep = "(;SZ[9];B[ee]" + "(;W[aa]" * 10_000 + ")" * 10_000 + ")"
    answer = send(client, ("deep.sgf", deep))
    assert answer.status_code in (200, 422), answer.text
    comments = "(;SZ[9];B[ee]" + ";C[x]" * 10_000 + ")"
    game = send(client, ("long.sgf", comments)).json()["games"][0]
    assert game["move_count"] == 1
    review = client.post("/api/reviews", json={"game": game["id"]}).json()
    for _ in range(500):
        answer = client.get(f"/api/reviews/{review['id']}/annotated.sgf")
        if answer.status_code == 200:
            break
    assert answer.status_code == 200


def test_script_in_a_name_is_text(client: TestClient) -> None:
    evil = "<script>alert(1)</script>"
    game = client.post("/api/games", json={"sgf": f"(;SZ[9]PB[{evil}]PW[a\nb];B[ee])"}).json()["games"][0]
    assert game["black"] == evil and game["white"] == "a b"


@pytest.mark.parametrize(
    "body",
    [{}, [], {"sgf": 1}, {"sgf": "x", "example": "9x9"}, {"example": "../9x9"}, {"sgf": "no game"}, None],
)
def test_a_body_that_is_not_understood_is_refused(client: TestClient, body: Any) -> None:
    answer = client.post("/api/games", content=json.dumps(body), headers={"content-type": "application/json"})
    assert answer.status_code == 422 and answer.json()["error"]


def test_other_content_types_are_refused(client: TestClient) -> None:
    for kind, status in (("text/plain", 415), ("application/json", 400), ("multipart/form-data", 400)):
        answer = client.post("/api/games", content=b"{", headers={"content-type": kind})
        assert answer.status_code == status and answer.json()["error"]
    answer = client.post("/api/games", files=[("other", ("a.sgf", b"x"))])
    assert answer.status_code == 422 and "'files'" in answer.json()["error"]
