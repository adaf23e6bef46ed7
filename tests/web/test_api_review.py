"""Reviews and analyses."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from starlette.testclient import TestClient

from tengen.errors import InputError
from tengen.go.game import Game
from tengen.go.sgf import sgf_tree
from tengen.web.reviews import ALL_VISITS, FOCUS_VISITS
from tengen.web.service import Service
from tengen.web.turns import Priority
from tests.web.asking import job_of, until

SGF = "(;SZ[9]PB[Ann]PW[Bo]KM[5.5]C[Hello];B[ee];W[ec](;B[cc]C[mine];W[gg])(;B[gc]))"


def game_of(client: TestClient, sgf: str = SGF) -> str:
    id: str = client.post("/api/games", json={"sgf": sgf}).json()["games"][0]["id"]
    return id


def reviewed(client: TestClient, game: str, **fields: Any) -> dict[str, Any]:
    review = client.post("/api/reviews", json={"game": game, **fields}).json()
    return until(lambda: client.get(f"/api/reviews/{review['id']}").json(), lambda r: r["phase"] == "done")


def events_of(client: TestClient, tab: str = "tab-1") -> list[tuple[str, dict[str, Any]]]:
    """All events so far, as the hub keeps them."""
    service: Service = client.app.state.service  # type: ignore[attr-defined]
    found = []
    for _, text in service.hub._tabs[tab].events:
        lines = text.splitlines()
        found.append((lines[1].removeprefix("event: "), json.loads(lines[2].removeprefix("data: "))))
    return found


def test_a_review_has_the_whole_curve_and_the_mistakes(client: TestClient) -> None:
    state = reviewed(client, game_of(client))
    assert [point["turn"] for point in state["curve"]] == [0, 1, 2, 3, 4]
    assert all(
        point["visits"] >= ALL_VISITS and 0 <= point["black_win_rate"] <= 1 for point in state["curve"]
    )
    for mistake in state["mistakes"]:
        assert mistake["points_lost"] >= 2 or mistake["win_rate_lost"] >= 0.05
        assert mistake["size"] in ("small", "medium", "big") and mistake["best"] != mistake["vertex"]
    assert set(state["mean_loss"]) == {"B", "W"}
    analysis = client.get(f"/api/reviews/{state['id']}/turns/2").json()
    assert analysis["to_move"] == "B" and analysis["komi"] == 5.5 and len(analysis["ownership"]) == 9
    assert len(analysis["komi_labels"]) == len(analysis["black_win_rate_by_komi"]) > 5
    assert {"move", "visits", "prior", "black_win_rate", "black_lead", "variation"} == set(
        analysis["candidates"][0]
    )
    assert client.get(f"/api/reviews/{state['id']}/turns/9").status_code == 404


def test_the_curve_comes_before_the_depth_and_only_grows(client: TestClient) -> None:
    reviewed(client, game_of(client))
    visits: dict[int, int] = {}
    phases: list[str] = []
    for name, data in events_of(client):
        if name == "review":
            phases.append(data["phase"])
            for point in data["curve"]:
                assert point["visits"] > visits.get(point["turn"], 0)
                visits[point["turn"]] = point["visits"]
    assert phases[-1] == "done" and len(visits) == 5


def test_nothing_is_worked_out_twice(make_client: Callable[..., TestClient]) -> None:
    client = make_client()
    first = reviewed(client, game_of(client))
    again = client.post("/api/reviews", json={"game": game_of(client)}).json()
    done = job_of(client, again["job"])
    assert done["state"] == "done"
    assert client.get(f"/api/reviews/{again['id']}").json()["curve"] == first["curve"]


def test_a_review_survives_a_restart(servers: Any) -> None:
    client = servers.start()
    before = reviewed(client, game_of(client))
    servers.stop()
    again = servers.start()
    after = until(lambda: again.get(f"/api/reviews/{before['id']}").json(), lambda r: r["phase"] == "done")
    assert {**after, "phase": "done"} == before
    assert again.get(f"/api/reviews/{before['id']}/report.html").status_code == 200


def test_the_downloads(client: TestClient) -> None:
    state = reviewed(client, game_of(client))
    answer = client.get(f"/api/reviews/{state['id']}/annotated.sgf")
    assert "attachment" in answer.headers["content-disposition"]
    tree = sgf_tree(answer.content)
    main = tree.get_main_sequence()
    assert "Black" in main[1].get("C") and "mine" in main[3].get("C") and main[0].get("C").startswith("Hello")
    assert len(Game.from_sgf(answer.content).moves) == 4
    report = client.get(f"/api/reviews/{state['id']}/report.html")
    assert "Ann" in report.text and "script" not in report.headers["content-security-policy"]
    assert "sandbox" in report.headers["content-security-policy"]


def test_names_in_a_report_are_text(client: TestClient) -> None:
    game = game_of(client, "(;SZ[9]PB[<script>alert(1)</script>]RE[<b>];B[ee];W[ec])")
    state = reviewed(client, game)
    page = client.get(f"/api/reviews/{state['id']}/report.html").text
    assert "<script" not in page and "&lt;script&gt;" in page


def test_the_position_on_screen_gets_the_next_visits(client: TestClient) -> None:
    review = client.post("/api/reviews", json={"game": game_of(client)}).json()
    assert client.post(f"/api/reviews/{review['id']}/focus", json={"turn": 3}).status_code == 202
    until(
        lambda: {"events": [e for e in events_of(client) if e[0] == "analysis"]},
        lambda found: bool(found["events"]) and found["events"][-1][1]["done"],
    )
    found = [data for name, data in events_of(client) if name == "analysis"]
    visits = [data["analysis"]["visits"] for data in found]
    assert visits == sorted(visits) and visits[-1] == FOCUS_VISITS
    assert {(data["review"], data["turn"]) for data in found} == {(review["id"], 3)}
    assert client.get(f"/api/reviews/{review['id']}/turns/3").json()["visits"] == FOCUS_VISITS
    assert client.post(f"/api/reviews/{review['id']}/focus", json={"turn": 5}).status_code == 422


def test_a_variation_is_analysed(client: TestClient) -> None:
    game = game_of(client)
    body = {
        "game": game,
        "turn": 2,
        "line": [{"color": "B", "vertex": "A1"}, {"color": "W", "vertex": "pass"}],
    }
    id = client.post("/api/analyses", json=body | {"visits": 30}).json()["analysis"]
    until(
        lambda: {"last": events_of(client)[-1] if "tab-1" in _tabs(client) else ("", {})},
        lambda found: found["last"][1].get("done", False),
    )
    last = events_of(client)[-1][1]
    assert last["id"] == id and last["analysis"]["visits"] == 30 and last["analysis"]["to_move"] == "B"
    illegal = body | {"line": [{"color": "B", "vertex": "E5"}]}
    answer = client.post("/api/analyses", json=illegal)
    assert answer.status_code == 422 and "E5 cannot be played" in answer.json()["error"]
    assert client.post("/api/analyses", json=body | {"turn": 99}).status_code == 422
    assert client.delete(f"/api/analyses/{id}").status_code == 202


def _tabs(client: TestClient) -> Any:
    service: Service = client.app.state.service  # type: ignore[attr-defined]
    return service.hub._tabs


LONG = "(;SZ[19]" + "".join(f";B[{x}{y}];W[{x}{chr(ord(y) + 1)}]" for x in "abcdefghj" for y in "acegi") + ")"


def test_a_review_stops_and_goes_on_when_it_is_looked_at_again(client: TestClient) -> None:
    review = client.post("/api/reviews", json={"game": game_of(client, LONG)}).json()
    stopped = client.delete(f"/api/reviews/{review['id']}").json()
    assert stopped["phase"] == "stopped"
    assert job_of(client, review["job"])["state"] == "cancelled"
    assert client.get(f"/api/reviews/{review['id']}").json()["phase"] in ("quick", "deepening")
    client.delete(f"/api/reviews/{review['id']}")


def test_a_review_that_is_still_stopping_goes_on_too(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    service: Service = client.app.state.service  # type: ignore[attr-defined]
    put = service.store.put

    def slow(table: str, *facts: Any) -> None:
        if table == "jobs":  # the job ends once it is stored
            time.sleep(0.3)
        put(table, *facts)

    monkeypatch.setattr(service.store, "put", slow)
    review = client.post("/api/reviews", json={"game": game_of(client, LONG)}).json()
    client.delete(f"/api/reviews/{review['id']}")
    assert client.get(f"/api/reviews/{review['id']}").json()["phase"] in ("quick", "deepening")
    client.delete(f"/api/reviews/{review['id']}")


@contextmanager
def busy(service: Service) -> Iterator[None]:
    """All slots are taken meanwhile."""
    release = threading.Event()
    tasks = [
        service.turns.submit(lambda task: release.wait(30) and None, Priority.WAITED, "busy")
        for _ in range(2)
    ]
    yield
    release.set()
    for task in tasks:
        task.ended.wait(30)


def test_the_work_for_a_page_that_has_gone_away_stops(client: TestClient) -> None:
    service: Service = client.app.state.service  # type: ignore[attr-defined]
    with busy(service):
        review = client.post("/api/reviews", json={"game": game_of(client)}).json()
        service.leave("another-tab")
        assert service.jobs.get(review["job"]["id"])["state"] == "waiting"
        service.leave("tab-1")
        assert job_of(client, review["job"])["state"] == "cancelled"
    until(lambda: {"open": len(service.turns._open)}, lambda found: found["open"] == 0)


def test_a_job_that_waits_has_a_place_in_line(client: TestClient) -> None:
    service: Service = client.app.state.service  # type: ignore[attr-defined]
    with busy(service):
        jobs = [client.post("/api/reviews", json={"game": game_of(client)}).json()["job"] for _ in range(3)]
        assert [client.get(f"/api/jobs/{job['id']}").json()["place"] for job in jobs] == [1, 2, 3]
        client.delete(f"/api/jobs/{jobs[0]['id']}")
        service.jobs.tell_places()
        told = [data for name, data in events_of(client) if name == "job" and data["id"] == jobs[2]["id"]]
        assert told[-1]["place"] == 2
    assert [job_of(client, job)["state"] for job in jobs] == ["cancelled", "done", "done"]


@pytest.mark.parametrize(("net", "status"), [("nobody", 422), ("b10c384h6nbttflrs", 409)])
def test_a_net_that_is_not_at_hand(client: TestClient, net: str, status: int, monkeypatch: Any) -> None:
    monkeypatch.setattr("tengen.web.nets.cards", dict)
    answer = client.post("/api/reviews", json={"game": game_of(client), "net": net})
    assert answer.status_code == status and answer.json().get("can_pull", False) == (status == 409)


def test_what_is_not_there(client: TestClient) -> None:
    for path in ("/api/reviews/x", "/api/reviews/x/turns/1", "/api/reviews/x/report.html", "/api/games/x"):
        answer = client.get(path)
        assert answer.status_code == 404 and answer.json()["error"]
    assert client.post("/api/reviews", json={"game": "x"}).status_code == 404


def test_a_review_that_fails_says_so_and_ends(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise InputError("the net has gone")

    monkeypatch.setattr("tengen.web.reviews.net_root", fail)
    long = "(;SZ[19]" + "".join(f";B[{x}{y}]" for x in "abcdefghij" for y in "acegi") + ")"
    review = client.post("/api/reviews", json={"game": game_of(client, long)}).json()
    job = job_of(client, review["job"])
    assert (job["state"], job["error"]) == ("failed", "the net has gone")
    state = client.get(f"/api/reviews/{review['id']}").json()
    assert (state["phase"], state["error"]) == ("stopped", "the net has gone")
