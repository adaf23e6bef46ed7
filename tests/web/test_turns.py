"""Who computes when."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from tengen.web.refusal import RefusalError
from tengen.web.turns import Priority, StoppedError, Task, Turns


def busy(seconds: float, done: Callable[[], None] = lambda: None) -> Callable[[Task], None]:
    """Work of many small steps, which lasts so long when it is alone."""

    def work(task: Task) -> None:
        while task.used < seconds:
            time.sleep(0.002)
            task.point()
        done()

    return work


def test_an_urgent_task_goes_before_one_that_has_begun() -> None:
    turns, order = Turns(slots=1), list[str]()
    batch = turns.submit(busy(0.3, lambda: order.append("batch")), Priority.BATCH, "a")
    time.sleep(0.02)
    turns.submit(busy(0.02, lambda: order.append("move")), Priority.WAITED, "b").ended.wait(5)
    assert order == ["move"]
    batch.ended.wait(5)
    assert order == ["move", "batch"]


def test_tabs_take_turns_however_many_tasks_one_of_them_has() -> None:
    turns, ended = Turns(slots=1), list[str]()
    many = [turns.submit(busy(0.2, lambda: ended.append("many")), Priority.BATCH, "many") for _ in range(5)]
    one = turns.submit(busy(0.2, lambda: ended.append("one")), Priority.BATCH, "one")
    one.ended.wait(10)
    assert ended.index("one") <= 2
    turns.close(5)
    assert all(task.ended.is_set() for task in many)


def test_a_task_that_is_stopped_while_it_waits_never_begins() -> None:
    turns = Turns(slots=1)
    first = turns.submit(busy(0.1), Priority.BATCH, "a")
    begun = threading.Event()
    second = turns.submit(lambda task: begun.set(), Priority.BATCH, "a")
    assert turns.place(second) == 1 and turns.place(first) is None
    second.stop()
    assert second.ended.is_set()
    first.ended.wait(5)
    assert not begun.is_set()


def test_a_task_that_is_stopped_ends_at_its_next_point() -> None:
    turns, caught = Turns(slots=1), list[str]()

    def work(task: Task) -> None:
        try:
            busy(60)(task)
        except StoppedError as stopped:
            caught.append(str(stopped))
            raise

    task = turns.submit(work, Priority.BATCH, "a")
    task.stop()
    assert task.ended.wait(5) and caught == ["cancelled"]


def test_a_task_that_gave_its_slot_away_can_be_stopped() -> None:
    turns = Turns(slots=1)
    batch = turns.submit(busy(60), Priority.BATCH, "a")
    time.sleep(0.02)
    move = turns.submit(busy(0.3), Priority.WAITED, "b")
    time.sleep(0.05)
    batch.stop()
    assert batch.ended.wait(5) and move.ended.wait(5)
    assert turns.submit(busy(0), Priority.BATCH, "c").ended.wait(5)  # no slot was lost


def test_a_task_computes_no_longer_than_it_may() -> None:
    turns = Turns(slots=1)
    task = turns.submit(busy(60), Priority.BATCH, "a", seconds=0.05)
    assert task.ended.wait(5) and task.used < 5


def test_an_error_of_one_task_is_not_the_end_of_the_others() -> None:
    turns = Turns(slots=1)

    def fails(task: Task) -> None:
        raise ValueError

    assert turns.submit(fails, Priority.BATCH, "a").ended.wait(5)
    assert turns.submit(busy(0), Priority.BATCH, "a").ended.wait(5)


def test_a_tab_and_an_address_have_so_many_tasks_at_most() -> None:
    turns = Turns(slots=1, tab_jobs=2, address_jobs=3)
    for _ in range(2):
        turns.submit(busy(60), Priority.BATCH, "a", "1.2.3.4")
    with pytest.raises(RefusalError, match="this page"):
        turns.submit(busy(0), Priority.BATCH, "a", "1.2.3.4")
    turns.submit(busy(60), Priority.BATCH, "b", "1.2.3.4")
    with pytest.raises(RefusalError, match="your address"):
        turns.submit(busy(0), Priority.BATCH, "c", "1.2.3.4")
    turns.close(5)
    with pytest.raises(RefusalError, match="about to stop"):
        turns.submit(busy(0), Priority.BATCH, "c")
