"""Games against the server."""

from __future__ import annotations

import time
from typing import Any

import pytest
from starlette.testclient import TestClient

from tengen.go.game import Game
from tests.web.asking import quiet


def begin(client: TestClient, **fields: Any) -> dict[str, Any]:
    answer = client.post("/api/play", json={"size": 9, "visits": 8} | fields)
    assert answer.status_code == 200, answer.text
    return quiet(client, answer.json())


def move(client: TestClient, play: dict[str, Any], vertex: str) -> dict[str, Any]:
    answer = client.post(f"/api/play/{play['id']}/move", json={"vertex": vertex, "version": play["version"]})
    assert answer.status_code == 200, answer.text
    return quiet(client, answer.json())


def passed(client: TestClient, play: dict[str, Any]) -> dict[str, Any]:
    """Passes until both have passed; the net that knows no Go may play on for a while."""
    for _ in range(300):
        if play["status"] != "playing":
            return play
        play = move(client, play, "pass")
    raise AssertionError("the opponent never passes")


def test_the_opponent_answers_every_move(client: TestClient) -> None:
    play = begin(client)
    for vertex in ("E5", "C3", "G7"):
        vertex = vertex if vertex not in {m["vertex"] for m in play["moves"]} else "A1"
        play = move(client, play, vertex)
    assert [m["color"] for m in play["moves"]] == ["B", "W"] * 3
    assert play["to_move"] == "B" and play["black_lead"] is not None


def test_white_waits_for_the_first_move_and_a_handicap_is_placed(client: TestClient) -> None:
    play = begin(client, you="W")
    assert len(play["moves"]) == 1 and play["komi"] == 7.5
    play = begin(client, handicap=4, size=13)
    assert play["setup"]["B"] == ["D10", "K10", "D4", "K4"] and play["komi"] == 0.5
    assert play["moves"][0]["color"] == "W" and play["to_move"] == "B"


def test_a_stale_version_gets_the_state(client: TestClient) -> None:
    play = begin(client)
    move(client, play, "E5")
    answer = client.post(f"/api/play/{play['id']}/move", json={"vertex": "C3", "version": play["version"]})
    assert answer.status_code == 409 and len(answer.json()["state"]["moves"]) == 2
    taken = answer.json()["state"]
    answer = client.post(f"/api/play/{play['id']}/move", json={"vertex": "E5", "version": taken["version"]})
    assert answer.status_code == 422 and "E5 cannot be played" in answer.json()["error"]


def test_undo_hint_resign_and_the_record(client: TestClient) -> None:
    play = move(client, begin(client), "E5")
    play = client.post(f"/api/play/{play['id']}/undo").json()
    assert play["moves"] == []
    assert client.post(f"/api/play/{play['id']}/undo").status_code == 409
    assert client.post(f"/api/play/{play['id']}/game").status_code == 409
    hint = client.post(f"/api/play/{play['id']}/hint").json()
    assert hint["candidates"][0]["visits"] > 1
    play = move(client, play, "D4")
    over = client.post(f"/api/play/{play['id']}/resign").json()
    assert (over["status"], over["result"]) == ("over", "W+R")
    assert client.post(f"/api/play/{play['id']}/hint").status_code == 409
    record = Game.from_sgf(client.get(f"/api/play/{play['id']}/sgf").content)
    assert record.black == "You" and str(record.result) == "W+R" and len(record.moves) == 2
    game = client.post(f"/api/play/{play['id']}/game").json()
    assert game["move_count"] == 2
    assert client.post("/api/reviews", json={"game": game["id"]}).status_code == 202


def test_the_count_is_corrected_and_accepted(client: TestClient) -> None:
    play = passed(client, move(client, begin(client, player="policy", visits=None), "E5"))
    assert play["status"] == "counting" and "Result: " in play["score"]["text"]
    path = f"/api/play/{play['id']}"
    assert client.post(f"{path}/dead", json={"vertices": ["Z99"]}).status_code == 422
    on = quiet(client, client.post(f"{path}/resume").json())
    counted = passed(client, on)
    last = next(m["vertex"] for m in reversed(counted["moves"]) if m["vertex"] != "pass")
    corrected = client.post(f"{path}/dead", json={"vertices": [last]}).json()
    assert (last in corrected["dead"]) != (last in counted["dead"])
    over = client.post(f"{path}/accept").json()
    assert over["status"] == "over" and over["result"] == corrected["score"]["text"].split()[-1]
    assert over["owner"] == corrected["owner"]
    record = Game.from_sgf(client.get(f"{path}/sgf").content)
    assert str(record.result) == over["result"]


def test_a_game_survives_a_restart(servers: Any) -> None:
    client = servers.start()
    play = move(client, begin(client, clock={"main": 600, "period": 30, "periods": 5}), "E5")
    servers.stop()
    again = servers.start()
    after = again.get(f"/api/play/{play['id']}").json()
    assert {**after, "clock": None} == {**play, "clock": None}
    assert after["clock"]["B"]["left"] > 590
    assert len(move(again, after, "C3" if after["moves"][1]["vertex"] != "C3" else "G7")["moves"]) == 4
    listed = again.get("/api/play", params={"ids": play["id"]}, headers={"X-Tab": "new"}).json()["games"]
    assert [game["id"] for game in listed] == [play["id"]]


def test_a_move_that_was_not_computed_before_a_restart_is_computed_after_it(servers: Any) -> None:
    client = servers.start()
    play = client.post("/api/play", json={"size": 19, "you": "W", "visits": 2000}).json()
    servers.stop()
    again = servers.start()
    assert len(quiet(again, play)["moves"]) == 1


def test_the_users_time_runs_out(client: TestClient) -> None:
    play = begin(client, clock={"main": 0.05})
    time.sleep(0.1)
    over = client.get(f"/api/play/{play['id']}").json()
    assert (over["status"], over["result"]) == ("over", "W+T")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"size": 10}, "size"),
        ({"handicap": 10}, "handicap"),
        ({"komi": 7.25}, "komi"),
        ({"rules": "own"}, "rules"),
        ({"player": "nobody"}, "no player"),
        ({"visits": 10**6}, "at most"),
        ({"options": {"threads": 64}}, "server's own"),
        ({"options": {"magic": 1}}, "magic"),
        ({"net": "/etc/passwd"}, "no net"),
        ({"clock": {"main": -1}}, "clock"),
        ({"you": "X"}, "you"),
    ],
)
def test_what_cannot_be_played(client: TestClient, fields: dict[str, Any], sentence: str) -> None:
    answer = client.post("/api/play", json={"size": 9} | fields)
    assert answer.status_code == 422 and sentence in answer.json()["error"]


def test_dynamic_komi_is_chosen_and_shown(client: TestClient) -> None:
    """By itself in games with handicap stones; methods that need rollouts get them."""
    methods = [method["name"] for method in client.get("/api/info").json()["komi_methods"]]
    assert methods == ["none", "ss-r", "ss-b", "ss-m", "vs-m", "ml-dk"]
    for chosen, is_shifted in (({}, True), ({"komi_method": "ss-r"}, True), ({"komi_method": "none"}, False)):
        play = begin(client, handicap=3, **chosen)
        assert (play["komi_in_use"] != play["komi"]) is is_shifted, chosen
