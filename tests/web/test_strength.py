"""Estimates: the job, the plain form, curl's way. With the net that ships."""

from __future__ import annotations

from typing import Any

from starlette.testclient import TestClient

from tengen.web.examples import example_sgf
from tests.web.asking import job_of

ANN = (
    example_sgf("19x19")
    .replace(b"PB[GNU Go 3.8 level 10]", b"PB[Ann]")
    .replace(b"PW[GNU Go 3.8 level 10]", b"PW[<b>Bo</b>]")
)


def games(client: TestClient, *records: bytes) -> list[str]:
    files = [("files", (f"{n}.sgf", record)) for n, record in enumerate(records)]
    return [game["id"] for game in client.post("/api/games", files=files).json()["games"]]


def estimated(client: TestClient, **body: Any) -> dict[str, Any]:
    answer = client.post("/api/strength", json=body)
    assert answer.status_code == 202, answer.text
    return job_of(client, answer.json())


def test_an_estimate_has_everything_the_page_shows(net_client: TestClient) -> None:
    (game,) = games(net_client, ANN)
    job = estimated(net_client, games=[game], player="Ann")
    assert job["state"] == "done", job
    report = job["result"]["report"]
    assert report["sentence"].startswith("plays like a Fox ")
    assert report["rank"] and report["rank_words"].startswith(report["rank"])
    assert report["by_game"][0]["game"] == game and report["raised"][0]["game"] == game
    assert {scale["scale"] for scale in report["other_scales"]} == {"kgs", "ogs", "egf"}
    axis = report["axis"]
    assert axis["low"] <= report["interval95"][0] < report["interval95"][1] <= axis["high"]
    assert any(tick["rank"] == report["rank"] for tick in axis["ticks"])
    assert report["net"] == "tengen"
    assert net_client.get(f"/api/strength/{job['id']}.json").json() == report
    picture = net_client.get(f"/api/strength/{job['id']}.png")
    assert picture.headers["content-type"] == "image/png" and picture.content.startswith(b"\x89PNG")


def test_the_player_must_be_chosen_where_it_is_not_clear(net_client: TestClient) -> None:
    answer = net_client.post("/api/strength", json={"games": games(net_client, ANN)})
    assert answer.status_code == 422
    assert [player["name"] for player in answer.json()["players"]] == ["Ann", "<b>Bo</b>"]
    assert "--player" not in answer.json()["error"]
    same = net_client.post("/api/strength", json={"games": games(net_client, example_sgf("19x19"))}).json()
    assert [player["name"] for player in same["players"]][1:] == ["black", "white"]


def test_a_game_that_cannot_be_estimated(net_client: TestClient) -> None:
    job = estimated(net_client, games=games(net_client, example_sgf("9x9")), player="black")
    assert job["state"] == "failed" and "19x19 only" in job["error"]
    assert net_client.get(f"/api/strength/{job['id']}.png").status_code == 404


def test_another_scale_is_marked_approximate(net_client: TestClient) -> None:
    job = estimated(net_client, games=games(net_client, ANN), player="Ann", scale="kgs")
    report = job["result"]["report"]
    assert report["approximate"] and "about a KGS" in report["sentence"]


def test_curl_gets_json(net_client: TestClient) -> None:
    answer = net_client.post(
        "/strength",
        files=[("files", ("a.sgf", ANN))],
        data={"player": "Ann"},
        headers={"accept": "application/json"},
    )
    assert answer.status_code == 200 and answer.json()["player"] == "Ann"
    refused = net_client.post(
        "/strength", files=[("files", ("a.sgf", ANN))], headers={"accept": "application/json"}
    )
    assert refused.status_code == 422 and refused.json()["players"]


def test_the_form_works_without_scripts(net_client: TestClient) -> None:
    page = net_client.get("/strength").text
    assert "<form" in page and "<script" not in page and "curl -F files=@game.sgf" in page
    asked = net_client.post("/strength", files=[("files", ("a.sgf", ANN))])
    assert asked.status_code == 422 and "Whose strength?" in asked.text
    assert "<b>Bo</b>" not in asked.text and "&lt;b&gt;Bo&lt;/b&gt;" in asked.text
    ids = asked.text.split('name="games" value="')[1].split('"')[0]
    shown = net_client.post("/strength", files={"x": (None, "")}, data={"games": ids, "player": "<b>Bo</b>"})
    assert shown.status_code == 200 and "plays like a Fox" in shown.text
    assert "<b>Bo</b>" not in shown.text and "&lt;b&gt;Bo&lt;/b&gt;" in shown.text
    again = net_client.get(shown.text.split('src="')[1].split('"')[0])
    assert again.headers["content-type"] == "image/png"


def test_the_form_says_what_is_wrong(net_client: TestClient) -> None:
    for files in ([("files", ("a.sgf", b"<script>"))], [("files", ("", b""))]):
        answer = net_client.post("/strength", files=files)
        assert answer.status_code in (400, 422) and "<form" in answer.text and "<script" not in answer.text
    assert net_client.get("/strength", params={"job": "<script>"}).status_code == 404


def test_a_job_can_be_cancelled(net_client: TestClient) -> None:
    ids = games(net_client, ANN)
    job = net_client.post("/api/strength", json={"games": ids, "player": "Ann"}).json()
    net_client.delete(f"/api/jobs/{job['id']}")
    assert job_of(net_client, job)["state"] in ("cancelled", "done")
    assert net_client.delete("/api/jobs/x").status_code == 404
