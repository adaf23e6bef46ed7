"""Reviews: first the whole curve by the net alone, then a search of each position, first where the curve moves most."""

from __future__ import annotations

import itertools
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from tengen.engine.prefix import up_to
from tengen.engine.report import page
from tengen.engine.review import Review, annotate, make_review, rounded
from tengen.go.color import Color
from tengen.go.game import Game
from tengen.nets.card import ModelCard
from tengen.nets.evaluator import Evaluator
from tengen.progress import Progress
from tengen.search.ended import Judge
from tengen.search.player import Question, Root
from tengen.search.policy_player import net_root
from tengen.web.analyses import Known, analysis_json, search, slim
from tengen.web.events import Hub
from tengen.web.games import Games, new_id
from tengen.web.jobs import Job, Jobs
from tengen.web.limits import Limits
from tengen.web.nets import STEP, Nets, Polite, heads_for_review
from tengen.web.refusal import RefusalError, not_found
from tengen.web.store import Store
from tengen.web.turns import Priority, StoppedError, Task, Turns

# Visits of every position, and of those before and after a mistake.
ALL_VISITS = 24
MISTAKE_VISITS = 100
# Share of the positions that are searched first: those where the curve moves most.
FIRST_SHARE = 0.3
FOCUS_VISITS = 400
FOCUS_INTERVAL = 0.3  # seconds between two reports
TELL_EVERY = 0.25  # seconds between two events of one review
MOST_LIVE = 64
STOPPING_SECONDS = 5.0  # at most, for the evaluations that were under way when a review was stopped


class LiveReview:
    """One review in memory: `roots[n]` is the deepest known analysis after n moves."""

    def __init__(self, id: str, game_id: str, game: Game, net: str, card: ModelCard, tab: str) -> None:
        self.id, self.game_id, self.game, self.net, self.tab = id, game_id, game, net, tab
        self.card = card
        self.roots: list[Root | None] = [None] * (len(game.moves) + 1)
        self.phase = "quick"
        self.lock = threading.RLock()
        self.job: Job | None = None
        self.lanes: list[Task] = []
        self.failed: Exception | None = None
        self.plan: Iterator[tuple[int, int]] | None = None
        self.quick_next = 0
        self.done = 0
        self.total = 0
        self._changed: set[int] = set()
        self._told = 0.0

    def keep(self, turn: int, root: Root) -> bool:
        """Takes a deeper analysis, in the form in which it is stored; False if what is known is as deep."""
        with self.lock:
            known = self.roots[turn]
            if known is not None and known.visits >= root.visits:
                return False
            self.roots[turn] = Root.from_json(slim(root, self.game.size), self.game.size)
            self._changed.add(turn)
            return True

    def changes(self, always: bool = False) -> dict[str, Any] | None:
        """The next `review` event, if it is time for one."""
        with self.lock:
            now = time.monotonic()
            if not always and (now - self._told < TELL_EVERY or not self._changed):
                return None
            self._told = now
            turns, self._changed = sorted(self._changed), set()
            return {
                "id": self.id,
                "phase": self.phase,
                "curve": [self.point(turn) for turn in turns],
                **self.judged(),
            }

    def point(self, turn: int) -> dict[str, Any] | None:
        root = self.roots[turn]
        if root is None:
            return None
        assert root.win_rate is not None and root.lead is not None
        return {
            "turn": turn,
            "visits": root.visits,
            "black_win_rate": round(root.win_rate.of(Color.BLACK), 4),
            "black_lead": round(root.lead.of(Color.BLACK), 2),
        }

    def review(self) -> Review | None:
        """The review as the command line makes it; None while positions are missing."""
        with self.lock:
            roots = [root for root in self.roots if root is not None]
        if len(roots) < len(self.roots):
            return None
        least, most = min(r.visits for r in roots), max(r.visits for r in roots)
        return make_review(self.game, roots, f"{self.net}, {least} to {most} visits a position", self.card)

    def judged(self) -> dict[str, Any]:
        """The mistakes in the order of the game, and points lost a move by each side."""
        review = self.review()
        if review is None:
            return {"mistakes": [], "mean_loss": {"B": None, "W": None}}
        return {
            "mistakes": [
                {
                    "number": move.number,
                    "color": move.move.color.letter,
                    "vertex": move.vertex,
                    "best": move.best,
                    "points_lost": rounded(move.points_lost, 2),
                    "win_rate_lost": round(move.win_rate_lost, 4),
                    "size": move.size,
                }
                for move in review.moves
                if move.is_mistake
            ],
            "mean_loss": {color.letter: rounded(review.mean_loss(color)) for color in Color},
        }


class Reviews:
    """All reviews of the server."""

    def __init__(
        self, store: Store, hub: Hub, turns: Turns, jobs: Jobs, games: Games, nets: Nets, limits: Limits
    ) -> None:
        self._store, self._hub, self._turns, self._jobs = store, hub, turns, jobs
        self._games, self._nets, self._limits = games, nets, limits
        self._known = Known(store)
        self._live: OrderedDict[str, LiveReview] = OrderedDict()
        self._lock = threading.Lock()

    def start(self, game_id: str, net: str | None, tab: str, address: str) -> dict[str, Any]:
        game, _ = self._games.get(game_id)
        name = self._nets.check(net)
        card = self._nets.open(name).card
        heads_for_review(card)
        card.check_size(game.size)
        card.check_komi(game.komi)
        live = LiveReview(new_id(), game_id, game, name, card, tab)
        self._begin(live, address)
        self._store.put("reviews", live.id, tab, {"id": live.id, "game": game_id, "net": name})
        self._remember(live)
        assert live.job is not None
        return {"job": self._jobs.to_json(live.job), **self.state(live)}

    def _remember(self, live: LiveReview) -> LiveReview:
        """Keeps it in memory; the one that was there first, if two requests have loaded it."""
        with self._lock:
            live = self._live.setdefault(live.id, live)
            for id in list(self._live)[: max(0, len(self._live) - MOST_LIVE)]:
                if all(task.ended.is_set() for task in self._live[id].lanes):
                    del self._live[id]
        return live

    def find(self, id: str) -> LiveReview:
        """The review, from the store if need be. RefusalError if there is none."""
        with self._lock:
            if id in self._live:
                self._live.move_to_end(id)
                return self._live[id]
        facts = self._store.get("reviews", id)
        if facts is None:
            raise not_found("review")
        game, _ = self._games.get(facts["game"])
        net = self._nets.open(name := self._nets.check(facts["net"]))
        live = LiveReview(id, facts["game"], game, name, net.card, self._store.owner("reviews", id))
        live.phase = "stopped"
        self._load(live, net)
        return self._remember(live)

    def get(self, id: str, tab: str, address: str) -> dict[str, Any]:
        """The state. A review that was cut off by a restart, or because its page was away, goes on."""
        live = self.find(id)
        if (stopping := live.job) is not None and stopping.cancelled.is_set():
            stopping.ended.wait(STOPPING_SECONDS)
        with live.lock:
            live.tab = tab or live.tab
            ended = live.job is None or live.job.ended.is_set()
            if ended and live.phase != "done" and live.failed is None:
                self._begin(live, address)
        return self.state(live)

    def state(self, live: LiveReview) -> dict[str, Any]:
        with live.lock:
            return {
                "id": live.id,
                "game": live.game_id,
                "net": live.net,
                "net_sentence": self._nets.sentence(live.net),
                "phase": live.phase,
                "error": live.failed and str(live.failed),
                "curve": [live.point(turn) for turn in range(len(live.roots))],
                **live.judged(),
            }

    def turn(self, id: str, turn: int) -> dict[str, Any]:
        """The deepest analysis of a position."""
        live = self.find(id)
        root = live.roots[turn] if 0 <= turn < len(live.roots) else None
        if root is None:
            raise RefusalError(404, f"there is no analysis of the position after move {turn} yet")
        return self._analysis(live, root)

    def _analysis(self, live: LiveReview, root: Root) -> dict[str, Any]:
        return analysis_json(slim(root, live.game.size), live.net, live.game.komi)

    def stop(self, id: str) -> dict[str, Any]:
        live = self.find(id)
        self._stop(live)
        return self.state(live)

    def _stop(self, live: LiveReview) -> None:
        with live.lock:
            if live.phase != "done":
                live.phase = "stopped"
            if live.job is not None:
                self._jobs.cancel(live.job.id)
            for task in live.lanes:
                task.stop()

    def leave(self, tab: str) -> None:
        """The page has gone away."""
        with self._lock:
            own = [live for live in self._live.values() if live.tab == tab and live.phase != "done"]
        for live in own:
            self._stop(live)

    def annotated(self, id: str) -> bytes:
        live = self.find(id)
        return annotate(self._whole(live), self._games.tree(live.game_id))

    def report(self, id: str) -> str:
        return page(self._whole(self.find(id)))

    def _whole(self, live: LiveReview) -> Review:
        review = live.review()
        if review is None:
            raise RefusalError(409, "the review has no analysis of every position yet: wait a few seconds")
        return review

    # The work

    def _begin(self, live: LiveReview, address: str) -> None:
        """Queues the work: as many lanes as there are slots; the first one is the job that the page sees."""
        lanes = self._turns.slots
        live.phase, live.plan, live.quick_next, live.done, live.lanes = "quick", None, 0, 0, []
        live.total = len(live.roots)
        live.failed = None

        def first(job: Job, task: Task) -> None:
            self._load(live, self._nets.open(live.net))
            more = [
                self._turns.submit(
                    lambda other: self._lane(live, other, None),
                    Priority.SCREEN,
                    task.owner,
                    seconds=self._limits.job_seconds,
                    counted=False,
                )
                for _ in range(lanes - 1)
            ]
            live.lanes += more
            try:
                self._lane(live, task, job)
                for other in more:  # the last positions are with them; no slot is needed to wait
                    while not other.ended.wait(0.02):
                        task.point(give_way=True)
                if live.failed is not None:
                    raise live.failed
            except BaseException:
                for other in more:
                    other.stop()
                with live.lock:
                    if live.phase != "done":
                        live.phase = "stopped"
                raise
            live.phase = "done"
            self._tell(live, always=True)

        live.job = self._jobs.start(
            "review", first, Priority.SCREEN, live.tab, address, self._limits.job_seconds
        )
        if live.job.task is not None:
            live.lanes.append(live.job.task)

    def _load(self, live: LiveReview, net: Evaluator) -> None:
        """What the store has already."""
        for turn in range(len(live.roots)):
            root = self._known.find(live.game.position(turn), net.card)
            if root is not None:
                live.keep(turn, root)

    def _lane(self, live: LiveReview, task: Task, job: Job | None) -> None:
        try:
            net = self._nets.open(live.net)
            self._quick(live, net, task, job)
            task.priority = Priority.BATCH
            self._deepen(live, net, task, job)
        except StoppedError:
            raise
        except Exception as error:
            live.failed = error
            raise

    def _quick(self, live: LiveReview, net: Evaluator, task: Task, job: Job | None) -> None:
        """The net alone, a few positions at a time."""
        polite = Polite(net, task)
        judge = Judge()
        while True:
            with live.lock:
                missing = [n for n in range(live.quick_next, len(live.roots)) if live.roots[n] is None][:STEP]
                live.quick_next = missing[-1] + 1 if missing else len(live.roots)
            if not missing:
                return
            positions = [live.game.position(n) for n in missing]
            found = judge.evaluate(polite, positions)
            for turn, position, evaluation in zip(missing, positions, found, strict=True):
                root = net_root(net, position, evaluation, Question(ownership=True))
                live.keep(turn, root)
                self._known.keep(position, net.card, root)
            self._tell(live)
            if job is not None:
                known = sum(root is not None for root in live.roots)
                job.report(Progress("the whole game", known, len(live.roots)))

    def _deepen(self, live: LiveReview, net: Evaluator, task: Task, job: Job | None) -> None:
        while not all(root is not None for root in live.roots):  # another lane has the last positions
            if live.failed is not None:
                return
            task.point(give_way=True)
            time.sleep(0.01)
        with live.lock:
            if live.plan is None:
                live.plan = self._plan(live)
                live.phase = "deepening"
        while True:
            with live.lock:
                step = next(live.plan, None)
            if step is None:
                return
            turn, visits = step
            *_, root = search(up_to(live.game, turn), net, visits, task)
            if live.keep(turn, root):
                self._known.keep(live.game.position(turn), net.card, root)
                self._tell(live)
            live.done += 1
            if job is not None:
                job.report(Progress("looking deeper", live.done, max(live.total, live.done)))
            task.point()

    def _plan(self, live: LiveReview) -> Iterator[tuple[int, int]]:
        """Positions and visits: where the lead moves most first, then the rest, then the mistakes deeper."""
        leads = [0.0 if r is None or r.lead is None else r.lead.of(Color.BLACK) for r in live.roots]
        moves = [abs(after - before) for before, after in itertools.pairwise(leads)]
        # a position is as interesting as the larger change beside it
        change = [max(moves[max(n - 1, 0) : n + 1], default=0.0) for n in range(len(leads))]
        order = sorted(range(len(leads)), key=lambda n: -change[n])
        first = order[: int(FIRST_SHARE * len(order)) + 1]
        for turn in [*first, *sorted(order[len(first) :])]:
            if self._visits(live, turn) < ALL_VISITS:
                yield turn, ALL_VISITS
        review = live.review()
        if review is None:
            return
        worst = sorted((m for m in review.moves if m.is_mistake), key=lambda m: -m.weight)
        turns = list(dict.fromkeys(n for m in worst[:20] for n in (m.number - 1, m.number)))
        live.total = live.done + len(turns)
        for turn in turns:
            if self._visits(live, turn) < MISTAKE_VISITS:
                yield turn, MISTAKE_VISITS

    @staticmethod
    def _visits(live: LiveReview, turn: int) -> int:
        root = live.roots[turn]
        return 0 if root is None else root.visits

    def _tell(self, live: LiveReview, always: bool = False) -> None:
        event = live.changes(always)
        if event is not None:
            self._hub.publish(live.tab, "review", event)

    def focus(self, id: str, turn: int, tab: str) -> tuple[LiveReview, Any]:
        """The work that searches the position on screen; the caller queues it."""
        live = self.find(id)
        if not 0 <= turn < len(live.roots):
            raise RefusalError(422, f"the game has {len(live.roots) - 1} moves: there is no position {turn}")

        def work(task: Task) -> None:
            net = self._nets.open(live.net)
            if self._visits(live, turn) < FOCUS_VISITS:
                for root in search(up_to(live.game, turn), net, FOCUS_VISITS, task, FOCUS_INTERVAL):
                    if live.keep(turn, root):
                        self._publish(live, turn, tab, done=False)
                        self._tell(live)
                    task.point()
                root_known = live.roots[turn]
                if root_known is not None:
                    self._known.keep(live.game.position(turn), net.card, root_known)
            self._publish(live, turn, tab, done=True)

        return live, work

    def _publish(self, live: LiveReview, turn: int, tab: str, done: bool) -> None:
        root = live.roots[turn]
        if root is not None:
            data = {"review": live.id, "turn": turn, "analysis": self._analysis(live, root), "done": done}
            self._hub.publish(tab, "analysis", data)
