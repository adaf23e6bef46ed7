"""Analyses in the background: jobs with priorities, several workers, no input or output of its own.

    scheduler = Scheduler(make_player, workers=2)
    scheduler.submit(Job("a", game, Question(Limit(visits=100))), print)  # calls back from a worker's thread
    for report in scheduler.reports(Job("b", game, Question(Limit(visits=100), interval=0.5))):
        ...                                                               # or waits for one report after the other
    scheduler.terminate("a")
    scheduler.close()

All methods may be called from any thread.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import queue
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.go.game import Game
from tengen.search.player import Player, Question, Root


@dataclass(frozen=True, slots=True)
class Job:
    """One position to analyse: that after the game's last move.

    Several jobs may have the same `id`, one for each `turn`. Higher priorities go first, equal ones in the order in
    which they came. If the question asks for them, there are reports during the search.
    """

    id: str
    game: Game
    question: Question
    turn: int = 0
    priority: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the player for this job only."""
    policy: bool = False
    """The net's policy is wanted with the last report."""


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """What is known of a job. Every job gets exactly one report that `is_last`.

    That one has a root, or the error that ended the job, or neither if the job was terminated before it began.
    """

    job: Job
    root: Root | None = None
    is_last: bool = True
    policy: npt.NDArray[np.float32] | None = None
    """[size * size + 1], the last entry for the pass."""
    error: Exception | None = None


Listener = Callable[[Report], None]


@dataclass(slots=True, eq=False)
class _Task:
    job: Job
    listen: Listener
    stopped: threading.Event = field(default_factory=threading.Event)


class Reports(Iterator[Report]):
    """The reports of one job. An iterator that is closed, or no longer used, stops its job."""

    def __init__(self, found: queue.SimpleQueue[Report], stopped: threading.Event) -> None:
        self._found = found
        self._stopped = stopped
        self._is_over = False

    def __next__(self) -> Report:
        """Waits for the next report."""
        if self._is_over:
            raise StopIteration
        report = self._found.get()
        self._is_over = report.is_last
        return report

    def close(self) -> None:
        """Stops the job; no more reports come."""
        self._is_over = True
        self._stopped.set()

    def __del__(self) -> None:
        self._stopped.set()


class Scheduler:
    """Analyses jobs with `workers` threads. Every job has a player of its own, made with the job's options."""

    def __init__(self, make_player: Callable[[Mapping[str, Any]], Player], workers: int = 1) -> None:
        self._make_player = make_player
        self._waiting: queue.PriorityQueue[tuple[float, int, _Task | None]] = queue.PriorityQueue()
        self._order = itertools.count()
        self._open: list[_Task] = []  # waiting or being analysed
        self._lock = threading.Lock()
        self._closed = False
        self._workers = [threading.Thread(target=self._work, daemon=True) for _ in range(workers)]
        for worker in self._workers:
            worker.start()

    def submit(self, job: Job, listen: Listener) -> None:
        """Queues the job. `listen` is called from a worker's thread, and should return soon."""
        self._submit(_Task(job, listen))

    def _submit(self, task: _Task) -> None:
        with self._lock:
            if self._closed:
                raise RuntimeError("the scheduler is closed")
            self._open.append(task)
            self._waiting.put((-task.job.priority, next(self._order), task))

    def reports(self, job: Job) -> Reports:
        """Queues the job; its reports as they come, the last one included."""
        found: queue.SimpleQueue[Report] = queue.SimpleQueue()
        task = _Task(job, found.put)
        self._submit(task)
        return Reports(found, task.stopped)

    def terminate(self, id: str, turns: Collection[int] | None = None) -> int:
        """Stops the jobs of that id, or those of them with these turns; how many there were.

        A job under way reports what it has; one that waits has a last report without a root.
        """
        return self._stop(lambda job: job.id == id and (turns is None or job.turn in turns))

    def clear(self, turns: Collection[int] | None = None) -> int:
        """Stops all jobs, or all with these turns; how many there were."""
        return self._stop(lambda job: turns is None or job.turn in turns)

    def _stop(self, is_meant: Callable[[Job], bool]) -> int:
        with self._lock:
            meant = [task for task in self._open if is_meant(task.job)]
        for task in meant:
            task.stopped.set()
        return len(meant)

    def __len__(self) -> int:
        """Jobs that wait or are being analysed."""
        with self._lock:
            return len(self._open)

    @property
    def waiting(self) -> int:
        """Jobs that no worker has begun."""
        return self._waiting.qsize()

    def close(self, wait: bool = True) -> None:
        """Takes no more jobs. With `wait`, those there are get done; else they are stopped. Then the workers end."""
        with self._lock:
            if not self._closed:
                self._closed = True
                for _ in self._workers:
                    self._waiting.put((math.inf, next(self._order), None))
        if not wait:
            self.clear()
        for worker in self._workers:
            while worker.is_alive():
                worker.join(0.25)  # not without end: a signal must be noticed

    def _work(self) -> None:
        while (task := self._waiting.get()[2]) is not None:
            try:
                last = self._analyse(task)
            except Exception as error:  # an error of one job must not end the others
                last = Report(task.job, error=error)
            with self._lock:
                self._open.remove(task)
            with contextlib.suppress(Exception):  # a listener's own error
                task.listen(last)

    def _analyse(self, task: _Task) -> Report:
        """Analyses; the last report."""
        job = task.job
        if task.stopped.is_set():
            return Report(job)
        player = self._make_player(job.options)
        root: Root | None = None
        for root in player.analyze(job.game, replace(job.question, stop=task.stopped.is_set)):
            if not root.final and not task.stopped.is_set():
                task.listen(Report(job, root, is_last=False))
        policy = None
        if job.policy:
            player.net.card.require("policy", "this job asks for it")
            policy = player.net.evaluate([job.game.position()])[0].policy
        return Report(job, root, policy=policy)
