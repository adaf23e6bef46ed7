"""Who computes when: tasks with priorities, fair turns between tabs, a slot for each core.

    turns = Turns(slots=2)
    task = turns.submit(work, Priority.SCREEN, owner="tab 1")   # work(task) runs in a thread of its own

A task computes only while it holds a slot. It calls `task.point()` between two steps of its work (a batch of a net
takes 10 to 100 ms); there the slot goes to a more urgent task that waits, or to a task of the same priority whose tab
has computed less. So a long review and a move that somebody waits for share two cores without being cut in pieces.
"""

from __future__ import annotations

import enum
import itertools
import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable

from tengen.web.refusal import RefusalError

# Seconds for which a task keeps its slot while others of the same priority wait.
QUANTUM = 0.1
# Tasks that have begun; others wait in line without a thread.
MOST_BEGUN = 48
# Seconds after which half of what a tab has computed is forgotten.
HALF_LIFE = 20.0

log = logging.getLogger(__name__)


class Priority(enum.IntEnum):
    """The lowest number goes first."""

    WAITED = 0  # somebody waits for the answer: the opponent's move, a hint, a count
    SCREEN = 1  # the game on screen, an estimate
    BATCH = 2  # deeper reviews


class StoppedError(Exception):
    """Raised by `Task.point` in a task that was cancelled, or whose time is up."""


class Task:
    """One piece of work. `stop` may be called from any thread; `point`, `is_stopped` are for the work itself."""

    def __init__(
        self,
        turns: Turns,
        work: Callable[[Task], None],
        priority: Priority,
        owner: str,
        seconds: float,
        begun: Callable[[], None] | None,
    ) -> None:
        self.priority = priority
        self.owner = owner
        self.used = 0.0  # seconds with a slot
        self.ended = threading.Event()
        self._turns = turns
        self._work = work
        self._seconds = seconds
        self._began = begun
        self._stop = threading.Event()
        self._granted = threading.Event()
        self._since = 0.0
        self._counted = 0.0
        self._has_thread = False
        self._order = next(turns._orders)

    def stop(self) -> None:
        """Cancels the work: a task that waits never begins, one under way ends at its next point."""
        self._stop.set()
        self._turns._wake(self)

    def is_stopped(self) -> bool:
        """For searches, which ask after every batch: gives others their turn, True when the work is cancelled."""
        try:
            self.point()
        except StoppedError:
            return True
        return False

    def point(self, give_way: bool = False) -> None:
        """Between two steps: others may go first; raises StoppedError when the work is cancelled.

        A task that only waits for another one gives way to all of its priority.
        """
        self._turns._point(self, give_way)
        if self._stop.is_set():
            raise StoppedError("cancelled")
        if self.used > self._seconds:
            raise StoppedError(f"stopped: it has computed for more than {self._seconds:g} seconds")


class Turns:
    """All tasks of the server."""

    def __init__(self, slots: int, tab_jobs: int = 12, address_jobs: int = 200) -> None:
        self.slots = slots
        self._limits = tab_jobs, address_jobs
        self._lock = threading.Lock()
        self._orders = itertools.count()
        self._waiting: list[Task] = []
        self._holding: list[Task] = []
        self._begun = 0
        self._open: dict[Task, str] = {}  # with the address
        self._service: defaultdict[str, float] = defaultdict(
            float
        )  # seconds that each owner has computed lately
        self._forgotten = time.monotonic()
        self._closed = False

    def submit(
        self,
        work: Callable[[Task], None],
        priority: Priority,
        owner: str,
        address: str = "",
        seconds: float = 1e9,
        begun: Callable[[], None] | None = None,
        counted: bool = True,
    ) -> Task:
        """Queues the work. RefusalError if the tab or the address has too many tasks already.

        `seconds` bounds what it may compute. `begun` is called from its thread before it begins. A task that is not
        `counted` is no job of its own, but part of one.
        """
        task = Task(self, work, priority, owner, seconds, begun)
        with self._lock:
            if self._closed:
                raise RefusalError(503, "the server is about to stop: try again in a moment")
            if counted:
                own = sum(other.owner == owner for other in self._open)
                same = sum(there == address for there in self._open.values()) if address else 0
                if own >= self._limits[0] or same >= self._limits[1]:
                    whose = "this page has" if own >= self._limits[0] else "your address has"
                    raise RefusalError(429, f"{whose} too many jobs already: wait until one of them is done")
            self._open[task] = address
            self._waiting.append(task)
            self._grant()
        return task

    def place(self, task: Task) -> int | None:
        """How many tasks go before this one, from 1 for the next; None if it is not waiting to begin."""
        with self._lock:
            if task not in self._waiting or task._has_thread:
                return None
            mine = self._key(task)
            return 1 + sum(self._key(other) < mine for other in self._waiting)

    @property
    def waiting(self) -> int:
        with self._lock:
            return len(self._waiting)

    def close(self, seconds: float) -> None:
        """Stops all tasks, and waits for them for so long at most."""
        with self._lock:
            self._closed = True
            tasks = list(self._open)
        for task in tasks:
            task.stop()
        end = time.monotonic() + seconds
        for task in tasks:
            task.ended.wait(max(0.0, end - time.monotonic()))

    def _key(self, task: Task) -> tuple[int, float, int]:
        return task.priority, self._service[task.owner], task._order

    def _point(self, task: Task, give_way: bool) -> None:
        with self._lock:
            now = time.monotonic()
            self._count(task, now)
            others = [o for o in self._waiting if o._has_thread or self._begun < MOST_BEGUN]
            if not others:
                return
            best = min(others, key=self._key)
            urgent = best.priority < task.priority
            due = best.priority == task.priority and (
                give_way
                or (now - task._since > QUANTUM and self._service[best.owner] < self._service[task.owner])
            )
            if not (urgent or due) or task._stop.is_set():
                return
            self._holding.remove(task)
            task._granted.clear()
            task._order = next(self._orders)
            self._waiting.append(task)
            self._grant()
        task._granted.wait()

    def _count(self, task: Task, now: float) -> None:
        """Adds what the task has computed since it was last counted."""
        spent = now - task._counted
        task._counted = now
        task.used += spent
        self._service[task.owner] += spent
        if now - self._forgotten > HALF_LIFE:
            self._forgotten = now
            kept = {owner: used / 2 for owner, used in self._service.items() if used > 0.01}
            self._service = defaultdict(float, kept)

    def _grant(self) -> None:
        """Gives free slots to those who wait. The lock is held."""
        while len(self._holding) < self.slots:
            ready = [t for t in self._waiting if t._has_thread or self._begun < MOST_BEGUN]
            if not ready:
                return
            task = min(ready, key=self._key)
            self._waiting.remove(task)
            self._holding.append(task)
            task._since = task._counted = time.monotonic()
            if task._has_thread:
                task._granted.set()
            else:
                task._has_thread = True
                self._begun += 1
                threading.Thread(target=self._run, args=(task,), daemon=True, name="task").start()

    def _wake(self, task: Task) -> None:
        """A stopped task that waits ends: it gets no slot for work, only its thread back."""
        with self._lock:
            if task not in self._waiting:
                return
            self._waiting.remove(task)
            if task._has_thread:
                self._holding.append(task)  # for the moment in which it unwinds
                task._since = task._counted = time.monotonic()
                task._granted.set()
                return
            del self._open[task]
        task.ended.set()

    def _run(self, task: Task) -> None:
        try:
            if task._began is not None:
                task._began()
            task._work(task)
        except StoppedError:
            pass
        except Exception:
            log.exception("a task failed")
        finally:
            with self._lock:
                self._count(task, time.monotonic())
                self._holding.remove(task)
                self._begun -= 1
                del self._open[task]
                self._grant()
            task.ended.set()
