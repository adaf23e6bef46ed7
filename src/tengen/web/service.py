"""Everything behind the routes: one object that holds the store, the nets, the queue and the work."""

from __future__ import annotations

import logging
import threading
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tengen.engine.prefix import up_to
from tengen.go.color import Color
from tengen.go.game import Game, Move
from tengen.go.rules import PRESETS
from tengen.nets.known import KNOWN
from tengen.nets.pull import pull
from tengen.search.dynamic_komi import METHODS
from tengen.search.registry import PLAYERS
from tengen.strength.conversions import EASIER_THAN_KGS
from tengen.strength.words import SCALE_NAMES
from tengen.web.analyses import Known, analysis_json, search, slim
from tengen.web.events import Hub
from tengen.web.examples import EXAMPLES
from tengen.web.games import Games, new_id
from tengen.web.jobs import Job, Jobs
from tengen.web.limits import Limits
from tengen.web.nets import Nets
from tengen.web.plays import Plays, player_options
from tengen.web.refusal import RefusalError
from tengen.web.reviews import FOCUS_INTERVAL, FOCUS_VISITS, Reviews
from tengen.web.store import Store
from tengen.web.strength import Strengths
from tengen.web.turns import Priority, Task, Turns

SIZES = (9, 13, 19)
SWEEP_EVERY = 1.0  # seconds

log = logging.getLogger(__name__)


class Service:
    """One server's data and work. `close` ends it within a second or so."""

    def __init__(self, folder: Path, net: str, threads: int, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.store = Store(folder, self.limits.kept_games, self.limits.kept_analyses)
        self.hub = Hub()
        self.turns = Turns(threads, self.limits.tab_jobs, self.limits.address_jobs)
        self.nets = Nets(net)
        self.games = Games(self.store, self.limits)
        self.jobs = Jobs(self.store, self.hub, self.turns)
        self.reviews = Reviews(
            self.store, self.hub, self.turns, self.jobs, self.games, self.nets, self.limits
        )
        self.strengths = Strengths(self.jobs, self.games, self.nets, self.limits)
        self.plays = Plays(self.store, self.hub, self.turns, self.games, self.nets, self.limits)
        self._known = Known(self.store)
        self._wishes: dict[str, tuple[str, Task]] = {}  # the position that each tab looks at
        self._pulls: dict[str, Job] = {}
        self._lock = threading.Lock()
        self._closed = threading.Event()
        threading.Thread(target=self._sweep, daemon=True, name="sweep").start()

    def warm_up(self) -> None:
        """Opens the default net for the usual boards, so that the first user does not wait for it."""

        def work(task: Task) -> None:
            from tengen.go.position import Position

            net = self.nets.open(self.nets.default)
            for size in (19, 9):
                net.evaluate([Position(size)])
                task.point()

        self.turns.submit(work, Priority.SCREEN, "warm-up")

    def close(self) -> None:
        self._closed.set()
        self.hub.close()
        self.turns.close(seconds=1.0)
        self.store.close()

    def info(self) -> dict[str, Any]:
        """What the server can do."""
        return {
            "version": version("tengen"),
            "default_net": self.nets.default,
            "nets": self.nets.to_json(),
            "players": [
                {"name": name, "title": kind.summary, "options": player_options(name)}
                for name, kind in PLAYERS.items()
            ],
            "komi_methods": [{"name": name, "title": method.title} for name, method in METHODS.items()],
            "rules": [
                {"name": name, "title": name.replace("-", " ").title(), "komi": rules.komi}
                for name, rules in PRESETS.items()
            ],
            "sizes": list(SIZES),
            "scales": [{"name": name, "title": SCALE_NAMES[name]} for name in EASIER_THAN_KGS],
            "limits": {
                name: getattr(self.limits, name)
                for name in ("file_bytes", "upload_bytes", "files", "moves", "visits")
            },
            "examples": [{"name": name, "title": title} for name, title in EXAMPLES.items()],
        }

    def pull(self, name: str, tab: str) -> dict[str, Any]:
        """Brings a net; all who ask while it is on its way get the same job."""
        if name not in KNOWN:
            raise RefusalError(422, f"this net cannot be pulled: those that can are {', '.join(KNOWN)}")
        with self._lock:
            job = self._pulls.get(name)
            if job is None or job.ended.is_set():

                def work(job: Job) -> dict[str, str]:
                    pull(name, job.report)
                    return {"net": name}

                job = self._pulls[name] = self.jobs.start_alone("pull", work, tab)
            job.tab = tab  # the last who asked is told
        return self.jobs.to_json(job)

    # The position on screen

    def focus(self, review: str, turn: int, tab: str, address: str) -> None:
        """The position of a review on screen gets the next visits."""
        live, work = self.reviews.focus(review, turn, tab)
        self._wish(f"{live.id} {turn}", work, tab, address)

    def analyse(
        self,
        game_id: str,
        turn: int,
        line: list[tuple[str, str]],
        net: str | None,
        visits: int | None,
        tab: str,
        address: str,
    ) -> str:
        """Searches a position of a game, or of a variation that begins there; the id of the analysis."""
        game, _ = self.games.get(game_id)
        name = self.nets.check(net)
        most = min(visits or FOCUS_VISITS, self.limits.visits)
        position_game = with_line(game, turn, line)
        position = position_game.position()
        id = new_id()

        def work(task: Task) -> None:
            evaluator = self.nets.open(name)
            known = self._known.find(position, evaluator.card)

            def tell(root: Any, done: bool) -> None:
                analysis = analysis_json(slim(root, game.size), name, game.komi)
                self.hub.publish(tab, "analysis", {"id": id, "analysis": analysis, "done": done})

            deepest = known
            if known is not None:
                tell(known, known.visits >= most)
            if known is None or known.visits < most:
                for root in search(position_game, evaluator, most, task, FOCUS_INTERVAL):
                    if deepest is None or root.visits > deepest.visits:
                        deepest = root
                        tell(root, False)
                    task.point()
                if deepest is not None:
                    self._known.keep(position, evaluator.card, deepest)
                    tell(deepest, True)

        self._wish(id, work, tab, address)
        return id

    def _wish(self, id: str, work: Any, tab: str, address: str) -> None:
        """The last wish of a tab replaces the one before."""
        owner = tab or address
        with self._lock:
            old = self._wishes.pop(owner, None)
        if old is not None:
            old[1].stop()
        task = self.turns.submit(work, Priority.SCREEN, owner, address, self.limits.job_seconds)
        with self._lock:
            self._wishes[owner] = id, task

    def stop_analysis(self, id: str) -> None:
        with self._lock:
            found = [task for name, task in self._wishes.values() if name == id]
        for task in found:
            task.stop()

    def leave(self, tab: str) -> None:
        """A page has gone away: the work for it is stopped, what it has found is kept."""
        self.reviews.leave(tab)
        self.jobs.leave(tab)
        with self._lock:
            wish = self._wishes.pop(tab, None)
        if wish is not None:
            wish[1].stop()

    def _sweep(self) -> None:
        """Looks for pages that have gone away, and tells those who wait their place in line."""
        while not self._closed.wait(SWEEP_EVERY):
            try:
                for tab in self.hub.away(self.limits.tab_seconds):
                    self.leave(tab)
                self.jobs.tell_places()
            except Exception:
                log.exception("sweeping failed")


def with_line(game: Game, turn: int, line: list[tuple[str, str]]) -> Game:
    """The game up to a turn, and then the moves of a variation; RefusalError for a move that is illegal."""
    if not 0 <= turn <= len(game.moves):
        raise RefusalError(422, f"the game has {len(game.moves)} moves: there is no position {turn}")
    found = up_to(game, turn)
    position = found.position()
    found.moves = list(found.moves)
    for color_name, vertex in line:
        color = Color.parse(color_name)
        try:
            point = position.pass_ if vertex.lower() == "pass" else position.point(vertex)
        except ValueError as error:
            raise RefusalError(422, f"{vertex[:20]!r} is no point: {error}") from None
        reason = position.refusal(point, color)
        if reason is not None:
            raise RefusalError(422, f"{position.vertex(point)} cannot be played: {reason}")
        position.play_as(color, point)
        found.moves.append(Move(color, point))
    return found
