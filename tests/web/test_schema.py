"""The API holds what its OpenAPI promises, whatever is sent: no 5xx, nothing hangs."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

from tests.web.real_server import RealServer

# An endless stream, and a route that would download nets.
EXCLUDED = ("/api/events", "/api/nets/{name}/pull")
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
LIMITS = (
    "address_requests=100000000",
    "tab_jobs=100000",
    "address_jobs=100000",
    "job_seconds=2",
    "visits=20",
)


def test_every_route_answers_as_documented(tmp_path: Path) -> None:
    options = [word for limit in (*LIMITS, "move_seconds=0.2") for word in ("--limit", limit)]
    with RealServer(tmp_path / "data", *options) as server:
        (tmp_path / "schemathesis.toml").write_text(_real_ids(server.address))
        command = [sys.executable, "-m", "schemathesis.cli", "run", f"{server.address}api/openapi.json"]
        command += ["--checks", CHECKS, "--max-examples", "3", "--request-timeout", "30", "--seed", "1"]
        command += [
            "--phases",
            "coverage,fuzzing",
            "--workers",
            "1",
        ]  # CPython 3.11 cannot parse in two threads
        command += [word for path in EXCLUDED for word in ("--exclude-path", path)]
        run = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=tmp_path)
        assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
        assert server.process.poll() is None


def _real_ids(address: str) -> str:
    """Of things that are there, so that not all requests end with 404."""

    def send(path: str, body: dict[str, Any]) -> Any:
        request = urllib.request.Request(
            address + path, json.dumps(body).encode(), {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read())

    game = send("api/games", {"example": "9x9"})["games"][0]["id"]
    review = send("api/reviews", {"game": game})
    play = send("api/play", {"size": 9, "visits": 5})
    ids = {
        r"^/api/games/": game,
        r"^/api/reviews/": review["id"],
        r"^/api/jobs/": review["job"]["id"],
        r"^/api/play/": play["id"],
    }
    return "\n".join(
        f"[[operations]]\ninclude-path-regex = '{path}'\nparameters = {{ \"path.id\" = '{id}' }}\n"
        for path, id in ids.items()
    )
