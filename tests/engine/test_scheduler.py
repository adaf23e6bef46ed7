"""The scheduler: priorities, workers, termination, one last report for every job."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from tengen import Game
from tengen.engine.options import PlayerMaker
from tengen.engine.scheduler import Job, Report, Scheduler
from tengen.nets.library import open_net
from tengen.search.player import Limit, Player, Question

GAME = Game(size=5)
SHORT = Question(Limit(visits=8))
MAKER = PlayerMaker("puct", open_net("fake"), {"visits": 8})


class Listener:
    """Collects reports; can wait for a number of them."""

    def __init__(self) -> None:
        self.reports: list[Report] = []
        self._changed = threading.Condition()

    def __call__(self, report: Report) -> None:
        with self._changed:
            self.reports.append(report)
            self._changed.notify_all()

    def wait(self, is_enough: Callable[[list[Report]], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: is_enough(self.reports), 30)


class Gate:
    """Makes players that wait at the gate; `entered` counts those that have come so far."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.entered = threading.Semaphore(0)

    def make(self, options: Mapping[str, Any]) -> Player:
        gate, player = self, MAKER.make(options)

        class Held:
            net = player.net

            def analyze(self, game: Game, question: Question) -> Iterator[Any]:
                gate.entered.release()
                assert gate.open.wait(30)
                return player.analyze(game, question)

        return Held()  # type: ignore[return-value]


def test_the_most_urgent_job_is_first_and_equals_keep_their_order() -> None:
    gate, listener = Gate(), Listener()
    scheduler = Scheduler(gate.make)
    scheduler.submit(Job("running", GAME, SHORT), listener)
    assert gate.entered.acquire(timeout=30)
    for name, priority in (("a", 0), ("b", 5), ("c", 0), ("d", -1)):
        scheduler.submit(Job(name, GAME, SHORT, priority=priority), listener)
    assert (len(scheduler), scheduler.waiting) == (5, 4)
    gate.open.set()
    scheduler.close()
    assert [report.job.id for report in listener.reports] == ["running", "b", "a", "c", "d"]
    assert len(scheduler) == 0


def test_workers_work_side_by_side() -> None:
    gate = Gate()
    scheduler = Scheduler(gate.make, workers=2)
    listener = Listener()
    for name in ("a", "b"):
        scheduler.submit(Job(name, GAME, SHORT), listener)
    assert gate.entered.acquire(timeout=30) and gate.entered.acquire(timeout=30)
    gate.open.set()
    scheduler.close()
    assert {report.job.id for report in listener.reports} == {"a", "b"}


def test_a_terminated_job_that_waits_has_no_root_and_the_others_have_theirs() -> None:
    gate, listener = Gate(), Listener()
    scheduler = Scheduler(gate.make)
    scheduler.submit(Job("running", GAME, SHORT), listener)
    assert gate.entered.acquire(timeout=30)
    for turn in range(3):
        scheduler.submit(Job("q", GAME, SHORT, turn=turn), listener)
    assert scheduler.terminate("q", turns=[0, 2]) == 2
    assert scheduler.terminate("unknown") == 0
    gate.open.set()
    scheduler.close()
    roots = {(r.job.id, r.job.turn): r.root is not None for r in listener.reports}
    assert roots == {("running", 0): True, ("q", 0): False, ("q", 1): True, ("q", 2): False}
    assert all(report.is_last for report in listener.reports)


def test_a_terminated_job_under_way_reports_what_it_has() -> None:
    listener = Listener()
    scheduler = Scheduler(MAKER.make)
    scheduler.submit(Job("endless", GAME, Question(interval=0.001)), listener)
    listener.wait(lambda reports: len(reports) > 2)
    assert not any(report.is_last for report in listener.reports)
    assert scheduler.terminate("endless") == 1
    listener.wait(lambda reports: reports[-1].is_last)
    assert listener.reports[-1].root is not None
    visits = [report.root.visits for report in listener.reports if report.root]
    assert visits == sorted(visits)
    scheduler.close()


def test_an_iterator_gives_reports_and_stops_its_job_when_it_is_closed() -> None:
    scheduler = Scheduler(MAKER.make)
    [only] = scheduler.reports(Job("short", GAME, SHORT, policy=True))
    assert only.is_last and only.root is not None and only.root.visits == 8
    assert only.policy is not None and only.policy.shape == (26,)
    reports = scheduler.reports(Job("endless", GAME, Question(interval=0.001)))
    assert not next(reports).is_last
    scheduler.reports(Job("unread", GAME, Question(interval=0.001)))
    reports.close()
    assert list(reports) == []
    deadline = time.monotonic() + 30
    while len(scheduler) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(scheduler) == 0
    scheduler.close()


def test_closing_without_waiting_stops_all_jobs() -> None:
    listener = Listener()
    scheduler = Scheduler(MAKER.make)
    for name in ("a", "b"):
        scheduler.submit(Job(name, GAME, Question(interval=0.001)), listener)
    listener.wait(bool)
    scheduler.close(wait=False)
    last = [report for report in listener.reports if report.is_last]
    assert [(report.job.id, report.root is None) for report in last] == [("a", False), ("b", True)]
    with pytest.raises(RuntimeError, match="closed"):
        scheduler.submit(Job("late", GAME, SHORT), listener)


def test_an_error_ends_one_job_and_no_other() -> None:
    listener = Listener()
    scheduler = Scheduler(MAKER.make)
    scheduler.submit(Job("wrong", GAME, SHORT, options={"visits": 0}), listener)
    scheduler.submit(Job("right", GAME, SHORT), listener)
    scheduler.close()
    wrong, right = listener.reports
    assert "visits" in str(wrong.error) and wrong.is_last and wrong.root is None
    assert right.root is not None


def test_a_listener_that_fails_does_not_end_the_worker() -> None:
    def fail(report: Report) -> None:
        raise OSError("gone")

    listener = Listener()
    scheduler = Scheduler(MAKER.make)
    scheduler.submit(Job("gone", GAME, replace(SHORT, interval=0.001)), fail)
    scheduler.submit(Job("here", GAME, SHORT), listener)
    scheduler.close()
    assert [report.job.id for report in listener.reports] == ["here"]
