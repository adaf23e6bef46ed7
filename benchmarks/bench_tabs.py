"""Twenty tabs at once: every job ends, requests answer quickly while jobs run, memory stays bounded.

    python benchmarks/bench_tabs.py [--tabs 20] [--net tengen] [--threads 2]

Starts a server with an empty data folder and opens tabs against it, first one of each kind alone, then all at once: a
third estimates the strength of a player, a third reviews a game, a third plays on 9x9. Each has its event stream open,
as the page has, and asks for something every quarter of a second. Printed: the time of each kind of job, the opponent's
answers, latencies of all requests while jobs run (hints aside, which are computed), and the server's memory.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2

EXAMPLES = Path(__file__).parents[1] / "examples"
MOVES = 10  # of the user in each game
ASK_EVERY = 0.25
LATENCY_BOUND = 0.2


class Tab:
    """One tab: a stream, requests whose time is taken, and what became of its job."""

    def __init__(self, address: str, number: int, latencies: dict[str, list[float]]) -> None:
        self.name = f"tab-{number}"
        self.client = httpx2.AsyncClient(base_url=address, headers={"X-Tab": self.name}, timeout=60)
        self.latencies = latencies
        self.changed = asyncio.Event()
        self.play: dict[str, Any] = {}
        self.job: dict[str, Any] = {}
        self.review: dict[str, Any] = {}

    async def ask(self, method: str, path: str, **more: Any) -> Any:
        begun = time.perf_counter()
        answer = await self.client.request(method, path, **more)
        parts = path.split("/")
        kind = parts[2] if len(parts) < 5 else f"{parts[2]} {parts[4]}"
        self.latencies[f"{method} {kind}"].append(time.perf_counter() - begun)
        assert answer.status_code < 300, f"{path}: {answer.status_code} {answer.text[:300]}"
        return answer.json()

    async def listen(self) -> None:
        async with self.client.stream("GET", f"/api/events?tab={self.name}", timeout=None) as stream:
            name = ""
            async for line in stream.aiter_lines():
                if line.startswith("event: "):
                    name = line[7:]
                elif line.startswith("data: ") and name in ("play", "job", "review"):
                    setattr(self, name, json.loads(line[6:]))
                    self.changed.set()

    async def poll(self, path: str) -> None:
        while True:
            await asyncio.sleep(ASK_EVERY)
            await self.ask("GET", path)

    async def until(self, is_done: Any) -> None:
        while not is_done():
            self.changed.clear()
            await self.changed.wait()


@asynccontextmanager
async def polling(tab: Tab, path: str) -> AsyncIterator[None]:
    task = asyncio.create_task(tab.poll(path))
    try:
        yield
    finally:
        assert not task.done(), task.exception()
        task.cancel()


async def add_game(tab: Tab, name: str) -> str:
    record = (EXAMPLES / f"{name}.sgf").read_bytes()
    # every tab's own: else the second would find the first one's analyses in the store
    record = record.replace(b"KM[7.5]", f"KM[7.5]PC[{tab.name}]".encode())
    answer = await tab.ask("POST", "/api/games", files={"files": (f"{tab.name}.sgf", record)})
    return str(answer["games"][0]["id"])


async def strength(tab: Tab) -> dict[str, float]:
    begun = time.perf_counter()
    game = await add_game(tab, "19x19-uneven")
    job = await tab.ask("POST", "/api/strength", json={"games": [game], "player": "black"})
    tab.job = tab.job or job
    async with polling(tab, f"/api/jobs/{job['id']}"):
        await tab.until(lambda: tab.job["state"] in ("done", "failed", "cancelled"))
    assert tab.job["state"] == "done", tab.job
    return {"strength": time.perf_counter() - begun}


async def review(tab: Tab, komi: float) -> dict[str, float]:
    begun = time.perf_counter()
    record = (EXAMPLES / "19x19.sgf").read_bytes().replace(b"KM[7.5]", f"KM[{komi:g}]".encode())
    answer = await tab.ask("POST", "/api/games", files={"files": ("a.sgf", record)})
    state = await tab.ask("POST", "/api/reviews", json={"game": answer["games"][0]["id"]})
    times: dict[str, float] = {}
    async with polling(tab, f"/api/jobs/{state['job']['id']}"):
        await tab.until(lambda: tab.review.get("phase") in ("deepening", "done"))
    times["whole curve"] = time.perf_counter() - begun
    async with polling(tab, f"/api/reviews/{state['id']}/turns/100"):
        await tab.until(lambda: tab.review["phase"] == "done")
    times["review"] = time.perf_counter() - begun
    return times


async def play(tab: Tab) -> dict[str, float]:
    tab.play = await tab.ask("POST", "/api/play", json={"size": 9, "visits": 50})
    answers = []
    async with polling(tab, f"/api/play/{tab.play['id']}"):
        for _ in range(MOVES):
            if tab.play["status"] != "playing":
                break
            hint = await tab.ask("POST", f"/api/play/{tab.play['id']}/hint")
            move = hint["candidates"][0]["move"]
            version = tab.play["version"]
            begun = time.perf_counter()
            await tab.ask(
                "POST", f"/api/play/{tab.play['id']}/move", json={"vertex": move, "version": version}
            )
            await tab.until(lambda before=version: tab.play["version"] > before and not tab.play["thinking"])
            answers.append(time.perf_counter() - begun)
    return {"slowest answer": max(answers), "mean answer": statistics.mean(answers)}


async def open_tab(address: str, number: int, latencies: dict[str, list[float]]) -> dict[str, float]:
    tab = Tab(address, number, latencies)
    listening = asyncio.create_task(tab.listen())
    try:
        match number % 3:
            case 0:
                return await strength(tab)
            case 1:
                return await review(tab, 5.5 + number)
            case _:
                return await play(tab)
    finally:
        listening.cancel()
        await tab.client.aclose()


def memory(pid: int) -> float:
    """The most that a process has used, in MB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return 0.0


async def run(
    address: str, tabs: Iterable[int]
) -> tuple[dict[str, list[float]], dict[str, list[float]], float]:
    latencies: dict[str, list[float]] = defaultdict(list)
    begun = time.perf_counter()
    found = await asyncio.gather(*(open_tab(address, n, latencies) for n in tabs))
    took = time.perf_counter() - begun
    times: dict[str, list[float]] = defaultdict(list)
    for each in found:
        for name, seconds in each.items():
            times[name].append(seconds)
    return times, latencies, took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tabs", type=int, default=20)
    parser.add_argument("--net", default="tengen")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "tengen",
            "serve",
            "--port",
            "0",
            "--data",
            folder,
            "--net",
            args.net,
        ]
        command += ["--threads", str(args.threads), "--limit", "address_requests=1000000"]
        begun = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout
            address = server.stdout.readline().split()[3]
            with httpx2.Client() as client:
                client.get(f"{address}api/info").raise_for_status()
            print(f"start to usable: {time.perf_counter() - begun:.2f} s")
            time.sleep(2)  # the net is opened in the background
            for number, kind in enumerate(("strength", "review", "play")):
                alone, _, _ = asyncio.run(run(address, [number]))
                figures = ", ".join(f"{name} {seconds[0]:.2f} s" for name, seconds in alone.items())
                print(f"one tab alone, {kind}: {figures}")
            idle = memory(server.pid)
            times, latencies, took = asyncio.run(run(address, range(3, 3 + args.tabs)))
            print(f"{args.tabs} tabs, all jobs done in {took:.1f} s")
            for name, seconds in times.items():
                print(
                    f"  {name}: {len(seconds)}, median {statistics.median(seconds):.2f} s, most {max(seconds):.2f} s"
                )
            everything = sorted(
                second for kind, list_ in latencies.items() if not kind.endswith("hint") for second in list_
            )
            p95 = everything[int(0.95 * len(everything))]
            print(
                f"requests: {len(everything)}, median {statistics.median(everything) * 1000:.0f} ms, "
                f"95 %: {p95 * 1000:.0f} ms, most {everything[-1] * 1000:.0f} ms"
            )
            for kind, list_ in sorted(latencies.items()):
                ordered = sorted(list_)
                print(f"  {kind}: {len(ordered)}, 95 %: {ordered[int(0.95 * len(ordered))] * 1000:.0f} ms")
            print(f"memory: {idle:.0f} MB before, {memory(server.pid):.0f} MB at most")
            begun = time.perf_counter()
            server.terminate()
            server.wait()
            print(f"end: {time.perf_counter() - begun:.2f} s")
    if p95 > LATENCY_BOUND:
        sys.exit(f"95 % of the requests must be answered within {LATENCY_BOUND * 1000:.0f} ms")


if __name__ == "__main__":
    main()
