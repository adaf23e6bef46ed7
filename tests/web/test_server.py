"""The server as a process: ports, folders, signals, restarts."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.web.real_server import COMMAND, RealServer


def ask(server: RealServer, path: str, body: Any = None) -> Any:
    request = urllib.request.Request(
        server.address + path, None if body is None else json.dumps(body).encode(), {"X-Tab": "tab-1"}
    )
    if body is not None:
        request.add_header("content-type", "application/json")
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read())


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly_while_jobs_run_and_streams_are_open(tmp_path: Path, sig: Any) -> None:
    with RealServer(tmp_path, net="tengen") as server:
        game = ask(server, "api/games", {"example": "19x19"})["games"][0]["id"]
        ended = threading.Event()

        def listen() -> None:
            with urllib.request.urlopen(server.address + "api/events?tab=tab-1", timeout=60) as stream:
                stream.read()
            ended.set()

        threading.Thread(target=listen, daemon=True).start()
        ask(server, "api/reviews", {"game": game})
        ask(server, "api/play", {"size": 19, "you": "W", "visits": 2000})
        time.sleep(0.5)
        seconds, code = server.end(sig)
        assert seconds < 5 and code == 0
        assert ended.wait(5)


def test_a_game_survives_kill_and_restart(tmp_path: Path) -> None:
    with RealServer(tmp_path) as server:
        play = ask(server, "api/play", {"size": 9, "visits": 8})
        play = ask(server, f"api/play/{play['id']}/move", {"vertex": "E5", "version": play["version"]})
        server.end(signal.SIGKILL)
    with RealServer(tmp_path) as server:
        for _ in range(500):
            play = ask(server, f"api/play/{play['id']}")
            if not play["thinking"]:
                break
            time.sleep(0.01)
        assert [move["color"] for move in play["moves"]] == ["B", "W"]


def test_two_servers_on_one_folder_are_refused(tmp_path: Path) -> None:
    with RealServer(tmp_path):
        command = [*COMMAND, "--port", "0", "--data", str(tmp_path), "--net", "fake"]
        second = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert second.returncode == 2 and "another Tengen server uses this data folder" in second.stderr


def test_a_port_in_use_is_named_and_the_next_taken_on_request(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [*COMMAND, "--port", str(port), "--data", str(tmp_path), "--net", "fake"]
        refused = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert refused.returncode == 2
        assert f"port {port} is in use" in refused.stderr and "--next-port" in refused.stderr
        with RealServer(tmp_path, "--next-port", port=port) as server:
            assert ask(server, "api/info")["default_net"] == "fake"
            assert int(server.address.rstrip("/").rsplit(":")[-1]) > port


def test_the_stream_is_resumed_after_the_connection_was_cut(tmp_path: Path) -> None:
    with RealServer(tmp_path) as server:
        play = ask(server, "api/play", {"size": 9, "visits": 8})
        first = _events(server, "", 1)
        ask(server, f"api/play/{play['id']}/move", {"vertex": "E5", "version": play["version"]})
        later = _events(server, f"&last={first[0][0]}", 2)
        assert [name for _, name, _ in later] == ["play", "play"]
        assert len(later[-1][2]["moves"]) == 2


def _events(server: RealServer, more: str, count: int) -> list[tuple[str, str, Any]]:
    found: list[tuple[str, str, Any]] = []
    fields: dict[str, str] = {}
    with urllib.request.urlopen(f"{server.address}api/events?tab=tab-1{more}", timeout=30) as stream:
        while len(found) < count:
            line = stream.readline().decode().rstrip("\n")
            if ": " in line:
                name, _, value = line.partition(": ")
                fields[name] = value
            elif not line and "data" in fields:
                found.append((fields["id"], fields["event"], json.loads(fields["data"])))
                fields = {}
    return found


def test_limits_can_be_set_and_are_listed() -> None:
    shown = subprocess.run([*COMMAND, "--limit", "help"], capture_output=True, text=True, timeout=60)
    assert "file_bytes=1000000" in shown.stdout
    wrong = subprocess.run([*COMMAND, "--limit", "fils=3"], capture_output=True, text=True, timeout=60)
    assert wrong.returncode == 2 and "did you mean 'files'?" in wrong.stderr
