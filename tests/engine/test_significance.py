"""Win rates, intervals, Elo and the sequential test."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tengen.engine.significance import Difference, Sprt, Tally, elo, expected_score


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


def paired(random: np.random.Generator, games: int, first: float, second: float) -> Difference:
    """Two contestants with these win rates in the same games: the luck of a game is theirs in common."""
    luck = random.random(games)
    own = random.random(games) < 0.3  # games in which they have luck of their own
    other = np.where(own, random.random(games), luck)
    return Difference.of((luck < first).astype(float).tolist(), (other < second).astype(float).tolist())


def test_the_interval_of_a_difference_holds_the_truth_in_95_of_100_matches() -> None:
    random = np.random.default_rng(3)
    for games, first, second in ((300, 0.5, 0.5), (300, 0.6, 0.5), (100, 0.1, 0.15), (30, 0.5, 0.5)):
        inside = 0
        for _ in range(2000):
            low, high = paired(random, games, first, second).interval()
            inside += low <= first - second <= high
        assert 0.93 < inside / 2000 < 0.985, (games, first, second)


def test_paired_games_need_fewer_than_the_intervals_of_two_win_rates() -> None:
    found = paired(np.random.default_rng(4), 20_000, 0.55, 0.5)
    low, high = found.interval()
    alone = [np.diff(Tally(wins, 20_000 - wins).interval()).item() for wins in (11_000, 10_000)]
    assert high - low < 0.7 * math.hypot(*alone)


def test_the_pairs_that_decide_show_the_difference_in_four_of_five_trials() -> None:
    random = np.random.default_rng(5)
    needed = paired(random, 200_000, 0.55, 0.5).pairs_to_decide()
    assert needed is not None
    seen = sum(paired(random, needed, 0.55, 0.5).verdict() == "better" for _ in range(1000))
    assert 0.74 < seen / 1000 < 0.86


def test_without_a_difference_nothing_is_decided() -> None:
    same = Difference.of([1, 0, 1], [1, 0, 1])
    assert (same.mean, same.verdict(), same.pairs_to_decide()) == (0, "not decided", None)
    assert Difference.of([1] * 30, [0] * 30).verdict() == "better"
    assert Difference.of([0] * 30, [1] * 30).verdict() == "worse"


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
