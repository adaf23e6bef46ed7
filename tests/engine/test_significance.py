"""Win rates, intervals, Elo and the sequential test."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tengen.engine.significance import Sprt, Tally, elo, expected_score


def test_the_interval_is_wilsons() -> None:
    assert Tally(10, 0).interval() == pytest.approx((0.7225, 1.0), abs=1e-3)
    assert Tally(50, 50).interval() == pytest.approx((0.4038, 0.5962), abs=1e-3)
    assert Tally(0, 0, 10).score == 0.5


def test_the_interval_holds_the_truth_in_95_of_100_matches() -> None:
    random = np.random.default_rng(1)
    for p in (0.1, 0.5, 0.9):
        inside = 0
        for wins in random.binomial(100, p, size=2000).tolist():
            low, high = Tally(wins, 100 - wins).interval()
            inside += low <= p <= high
        assert 0.93 < inside / 2000 < 0.975


def test_elo_and_expected_score_undo_each_other() -> None:
    for difference in (-300, 0, 12.5, 400):
        assert elo(expected_score(difference)) == pytest.approx(difference)
    assert elo(1.0) == math.inf
    assert elo(0.0) == -math.inf


@pytest.mark.parametrize(("truth", "expected"), [(0, "elo0"), (100, "elo1")])
def test_the_sequential_test_errs_in_about_5_of_100(truth: float, expected: str) -> None:
    random = np.random.default_rng(2)
    test = Sprt(0, 100)
    right = 0
    for _ in range(300):
        tally = Tally()
        while (verdict := test.verdict(tally)) is None:
            won = random.random() < expected_score(truth)
            tally = Tally(tally.wins + won, tally.losses + (not won))
        right += verdict == expected
    assert right / 300 > 0.91


def test_the_sequential_test_waits_for_games() -> None:
    assert Sprt(0, 50).verdict(Tally()) is None
    assert Sprt(0, 50).verdict(Tally(1, 0)) is None
