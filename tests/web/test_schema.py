"""The API holds what its OpenAPI promises, whatever is sent: no 5xx, nothing hangs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.web.real_server import RealServer

# An endless stream, and a route that would download nets.
EXCLUDED = ("/api/events", "/api/nets/{name}/pull")
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
LIMITS = ("address_requests=100000000", "tab_jobs=100000", "address_jobs=100000", "job_seconds=2")


def test_every_route_answers_as_documented(tmp_path: Path) -> None:
    options = [word for limit in (*LIMITS, "move_seconds=0.2") for word in ("--limit", limit)]
    with RealServer(tmp_path / "data", *options) as server:
        command = [sys.executable, "-m", "schemathesis.cli", "run", f"{server.address}api/openapi.json"]
        command += ["--checks", CHECKS, "--max-examples", "8", "--request-timeout", "10", "--seed", "1"]
        command += [word for path in EXCLUDED for word in ("--exclude-path", path)]
        run = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=tmp_path)
        assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
        assert server.process.poll() is None
