"""Learning rates, Algorithm 1 of the Golois paper above all."""

from __future__ import annotations

import json

import pytest

from tengen.training.schedules import Algorithm1, Stages, Trapezoid


def run(schedule: Algorithm1, errors: list[float]) -> list[float]:
    """The rate after each step of 5000 examples with these errors, in batches of 50."""
    rates = []
    for i, error in enumerate(errors):
        for batch in range(100):
            schedule.observe(5000 * i + 50 * (batch + 1), 50, error)
        rates.append(schedule.factor(0))
    return rates


def paper(errors: list[float]) -> list[float]:
    """Algorithm 1 as printed, step by step."""
    rate, last_decrease, rates = 1.0, 0, []
    for step in range(1, len(errors) + 1):
        if step % 1000 == 0:
            error1000 = sum(errors[step - 1000 : step])
            error2000 = sum(errors[max(0, step - 2000) : step - 1000])
            enough = step >= 2000  # before that there is nothing to compare with
            if enough and step - last_decrease > 3000 and error2000 - error1000 < 0.0005 * error2000:
                rate, last_decrease = rate / 2, step
        rates.append(rate)
    return rates


def test_a_flat_error_halves_the_rate_every_4000_steps() -> None:
    errors = [1.0] * 9000
    schedule = Algorithm1(examples_per_step=50)
    rates = []
    for i, error in enumerate(errors):
        schedule.observe(50 * (i + 1), 50, error)
        rates.append(schedule.factor(0))
    assert rates == paper(errors)
    assert [rates[s - 1] for s in (3999, 4000, 7999, 8000, 9000)] == [1.0, 0.5, 0.5, 0.25, 0.25]


def test_a_falling_error_keeps_the_rate() -> None:
    errors = [1.0 - 0.2 * i / 9000 for i in range(9000)]
    schedule = Algorithm1(examples_per_step=50)
    rates = []
    for i, error in enumerate(errors):
        schedule.observe(50 * (i + 1), 50, error)
        rates.append(schedule.factor(0))
    assert rates == paper(errors) == [1.0] * 9000


def test_a_step_is_5000_examples() -> None:
    schedule = Algorithm1()
    assert run(schedule, [1.0, 2.0, 3.0]) == [1.0] * 3
    assert schedule.step == 3
    assert schedule.errors == pytest.approx([1.0, 2.0, 3.0])


def test_its_memory_goes_through_json_in_the_middle_of_a_step() -> None:
    whole, first = Algorithm1(100, 3, 4), Algorithm1(100, 3, 4)
    losses = [1 + 0.1 * (i % 7) for i in range(200)]
    for i, loss in enumerate(losses):
        whole.observe(i, 30, loss)
    for i, loss in enumerate(losses[:101]):
        first.observe(i, 30, loss)
    second = Algorithm1(100, 3, 4)
    second.load(json.loads(json.dumps(first.state())))
    for i, loss in enumerate(losses[101:]):
        second.observe(i, 30, loss)
    assert second.state() == whole.state()
    assert whole.rate < 1


def test_trapezoid_rises_stays_and_falls_to_nothing() -> None:
    schedule = Trapezoid(warmup=100, decay=200, total=1000)
    assert schedule.factor(0) == 0.01
    assert schedule.factor(49) == 0.5
    assert [schedule.factor(e) for e in (99, 500, 800)] == [1.0, 1.0, 1.0]
    assert schedule.factor(900) == 0.5
    assert schedule.factor(1000) == 0.0


def test_stages_fall_tenfold_and_weight_decay_with_them() -> None:
    schedule = Stages((0.5, 0.75), 1000)
    assert [schedule.factor(e) for e in (0, 499, 500, 750)] == pytest.approx([1, 1, 0.1, 0.01])
    assert schedule.decay_factor(750) == pytest.approx(0.01)
