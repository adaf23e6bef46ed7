"""Jobs: long work that a page waits for, with its place in line, its progress and its result."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from tengen.errors import InputError
from tengen.progress import Progress
from tengen.web.events import Hub
from tengen.web.games import new_id
from tengen.web.refusal import RefusalError, not_found
from tengen.web.store import Store
from tengen.web.turns import Priority, StoppedError, Task, Turns

PROGRESS_EVERY = 0.2  # seconds between two events of one job
MOST_LIVE = 500

log = logging.getLogger(__name__)


class Job:
    """One job. `report` takes progress from the work."""

    def __init__(self, jobs: Jobs, kind: str, tab: str) -> None:
        self.id = new_id()
        self.kind = kind
        self.tab = tab
        self.state = "waiting"
        self.progress: Progress | None = None
        self.error: str | None = None
        self.result: Any = None
        self.task: Task | None = None
        self.cancelled = threading.Event()
        self.ended = threading.Event()
        self._jobs = jobs
        self._told = 0.0
        self.told_place: int | None = None

    def report(self, progress: Progress) -> None:
        if self.cancelled.is_set():
            raise StoppedError("cancelled")
        self.progress = progress
        now = time.monotonic()
        if now - self._told > PROGRESS_EVERY:
            self._told = now
            self._jobs.tell(self)

    def to_json(self, place: int | None = None) -> dict[str, Any]:
        progress = self.progress
        return {
            "id": self.id,
            "kind": self.kind,
            "state": self.state,
            "place": place,
            "progress": None
            if progress is None
            else {"stage": progress.stage, "done": progress.done, "total": progress.total},
            "error": self.error,
            "result": self.result,
        }


class Jobs:
    """All jobs: those under way in memory, those that ended in the store."""

    def __init__(self, store: Store, hub: Hub, turns: Turns) -> None:
        self._store = store
        self._hub = hub
        self._turns = turns
        self._live: OrderedDict[str, Job] = OrderedDict()
        self._lock = threading.Lock()

    def start(
        self,
        kind: str,
        work: Callable[[Job, Task], Any],
        priority: Priority,
        tab: str,
        address: str = "",
        seconds: float = 1e9,
    ) -> Job:
        """Queues a job; what the work returns is its result."""
        job = Job(self, kind, tab)

        def run(task: Task) -> None:
            self.run(job, lambda: work(job, task))

        self._add(job)
        try:
            job.task = self._turns.submit(run, priority, tab or address, address, seconds)
        except RefusalError:
            del self._live[job.id]
            raise
        self.tell(job)
        return job

    def start_alone(self, kind: str, work: Callable[[Job], Any], tab: str) -> Job:
        """A job that needs no slot: it mostly waits for the network."""
        job = Job(self, kind, tab)
        self._add(job)
        threading.Thread(target=self.run, args=(job, lambda: work(job)), daemon=True, name=kind).start()
        return job

    def _add(self, job: Job) -> None:
        with self._lock:
            self._live[job.id] = job
            ended = [id for id, each in self._live.items() if each.ended.is_set()]
            for id in ended[: max(0, len(self._live) - MOST_LIVE)]:
                del self._live[id]

    def run(self, job: Job, work: Callable[[], Any]) -> None:
        """Runs the work in this thread; every end of it is an end of the job."""
        job.state = "running"
        self.tell(job)
        try:
            job.result = work()
            job.state = "done"
        except StoppedError as stopped:
            if job.cancelled.is_set() or str(stopped) == "cancelled":
                job.state = "cancelled"
            else:
                job.state, job.error = "failed", str(stopped)
        except (InputError, RefusalError) as error:
            job.state, job.error = "failed", str(error)
        except Exception:
            log.exception("job %s failed", job.kind)
            job.state, job.error = "failed", "the server made a mistake: its log says more. Try again."
        self._end(job)

    def _end(self, job: Job) -> None:
        self._store.put("jobs", job.id, job.tab, job.to_json())
        job.ended.set()
        self.tell(job)

    def cancel(self, id: str) -> dict[str, Any]:
        job = self._live.get(id)
        if job is None:
            return self.get(id)
        job.cancelled.set()
        if job.task is not None:
            job.task.stop()
            if job.state == "waiting" and job.task.ended.is_set():  # it never began
                job.state = "cancelled"
                self._end(job)
        return self.to_json(job)

    def find(self, id: str) -> Job | None:
        """A job of this run of the server."""
        return self._live.get(id)

    def get(self, id: str) -> dict[str, Any]:
        job = self._live.get(id)
        if job is not None:
            return self.to_json(job)
        found = self._store.get("jobs", id)
        if found is None:
            raise not_found("job")
        return found

    def to_json(self, job: Job) -> dict[str, Any]:
        waits = job.state == "waiting" and job.task is not None
        return job.to_json(self._turns.place(job.task) if waits and job.task is not None else None)

    def tell(self, job: Job) -> None:
        self._hub.publish(job.tab, "job", self.to_json(job))

    def tell_places(self) -> None:
        """Tells those who wait their place in line, where it has changed."""
        with self._lock:
            waiting = [job for job in self._live.values() if job.state == "waiting"]
        for job in waiting:
            place = self.to_json(job)["place"]
            if place != job.told_place:
                job.told_place = place
                self.tell(job)

    def leave(self, tab: str) -> None:
        """The page has gone away: nobody waits for its jobs, but a net that is being pulled is for everybody."""
        with self._lock:
            own = [
                j.id
                for j in self._live.values()
                if j.tab == tab and j.kind != "pull" and not j.ended.is_set()
            ]
        for id in own:
            self.cancel(id)
