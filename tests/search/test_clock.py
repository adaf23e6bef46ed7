"""Clocks of every kind, and the time given to a move."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.search.clock import LAG, Clock, Kind, Pace, TimeControl


def test_no_clock_bounds_nothing() -> None:
    clock = TimeControl().start()
    assert clock.budget(0, 19) is None
    assert not clock.after(1e6).flagged


def test_absolute_time_runs_out() -> None:
    clock = TimeControl.absolute(10).start().after(9)
    assert clock.left == pytest.approx(1)
    assert not clock.flagged
    assert clock.after(2).flagged


def test_byoyomi_spends_main_time_then_periods() -> None:
    clock = TimeControl.byoyomi(main=10, period=5, periods=3).start()
    assert (clock.left, clock.periods) == (10, 0)
    clock = clock.after(12)  # two seconds into the first period, which is kept
    assert (clock.left, clock.periods) == (5, 3)
    clock = clock.after(11)  # two periods gone, the third kept
    assert (clock.left, clock.periods) == (5, 1)
    assert not clock.after(4.9).flagged
    assert clock.after(5.1).flagged


def test_canadian_overtime_counts_stones() -> None:
    clock = TimeControl.canadian(main=0, period=30, stones=3).start()
    assert (clock.left, clock.stones) == (30, 3)
    clock = clock.after(10).after(10)
    assert (clock.left, clock.stones) == (10, 1)
    clock = clock.after(9)
    assert (clock.left, clock.stones) == (30, 3)
    assert clock.after(31).flagged


def test_fischer_adds_the_increment_after_the_move() -> None:
    clock = TimeControl.fischer(main=10, increment=2).start().after(3)
    assert clock.left == pytest.approx(9)
    assert clock.after(9.5).flagged


def test_gtp_time_settings_of_a_period_for_no_stones_mean_no_clock() -> None:
    assert TimeControl.canadian(main=0, period=1, stones=0).kind is Kind.NONE
    assert TimeControl.canadian(main=60, period=0, stones=0).kind is Kind.ABSOLUTE


def test_a_clock_of_zero_leaves_no_time_to_think() -> None:
    assert TimeControl.absolute(0).start().budget(0, 19) == 0.0


controls = st.one_of(
    st.builds(TimeControl.absolute, st.floats(0, 10_000)),
    st.builds(TimeControl.byoyomi, st.floats(0, 10_000), st.floats(1, 60), st.integers(1, 10)),
    st.builds(TimeControl.canadian, st.floats(0, 10_000), st.floats(1, 600), st.integers(1, 25)),
    st.builds(TimeControl.fischer, st.floats(1, 10_000), st.floats(0, 60)),
)


@given(controls, st.sampled_from([9, 13, 19]))
def test_a_player_that_keeps_its_budgets_never_loses_on_time(control: TimeControl, size: int) -> None:
    clock = control.start()
    for move in range(0, 3 * size * size, 2):
        budget = clock.budget(move, size)
        assert budget is not None and budget >= 0
        clock = clock.after(budget)
        assert not clock.flagged


@given(controls, st.sampled_from([9, 13, 19]), st.randoms(use_true_random=False))
def test_a_player_that_thinks_longer_or_shorter_within_its_pace_never_loses_on_time(
    control: TimeControl, size: int, random: Random
) -> None:
    clock = control.start()
    for move in range(0, 3 * size * size, 2):
        pace = clock.pace(move, size)
        assert pace is not None and 0 <= pace.usual <= pace.most
        clock = clock.after(random.choice([pace.usual / 2, pace.usual, pace.most]))
        assert not clock.flagged


def test_close_moves_on_main_time_may_take_twice_as_long() -> None:
    pace = TimeControl.absolute(600).start().pace(0, 19)
    assert pace is not None and pace.unused_is_kept
    assert pace.most == pytest.approx(2 * pace.usual)


def test_of_an_increment_nothing_is_borrowed() -> None:
    """Else one close move would spend the increments of many."""
    pace = Clock(TimeControl.fischer(0, 10), left=12).pace(0, 19)
    assert pace is not None
    assert 10 < pace.usual < pace.most < 10.3


def test_a_byoyomi_period_is_used_to_its_end_at_every_move() -> None:
    pace = Clock(TimeControl.byoyomi(0, 30, 3), left=30, periods=3).pace(100, 19)
    assert pace == Pace(30 - LAG, 30 - LAG, unused_is_kept=False)


def test_the_move_that_uses_up_the_main_time_takes_the_first_period_with_it() -> None:
    clock = Clock(TimeControl.byoyomi(600, 30, 3), left=5)
    pace = clock.pace(100, 19)
    assert pace == Pace(35 - LAG, 35 - LAG, unused_is_kept=False)
    after = clock.after(pace.usual)
    assert (after.left, after.periods) == (30, 3)


def test_time_of_a_canadian_period_is_kept_for_its_other_stones() -> None:
    control = TimeControl.canadian(0, 60, 6)
    pace = Clock(control, left=60, stones=6).pace(100, 19)
    assert pace == Pace(10 - LAG, 15 - LAG, unused_is_kept=True)
    last = Clock(control, left=20, stones=1).pace(100, 19)
    assert last == Pace(20 - LAG, 20 - LAG, unused_is_kept=False)


@given(st.floats(1, 1000))
def test_early_moves_get_more_than_an_even_share_and_less_than_a_tenth(main: float) -> None:
    budget = Clock(TimeControl.absolute(main), main).budget(0, 19)
    assert budget is not None
    assert main / 361 < budget < main / 10
