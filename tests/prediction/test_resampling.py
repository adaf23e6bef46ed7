"""Means over positions, with intervals that know which positions are of one game."""

from __future__ import annotations

import numpy as np
import pytest

from tengen.prediction.resampling import GameMean, game_draws


def test_the_mean_is_over_positions_and_parts_may_lack_games() -> None:
    mean = GameMean.of(np.array([0, 0, 2]), [1.0, 2.0, 6.0], games=4)
    assert (mean.value, mean.positions) == (3.0, 3)
    low, high = mean.estimate().low, mean.estimate().high
    assert 1.5 <= low < 3.0 < high <= 6.0  # draws without a game that has positions do not count


def test_positions_of_one_game_are_no_more_than_one_game() -> None:
    """A hundred positions that all agree with their game are as uncertain as one of each."""
    results = np.random.default_rng(1).choice([0.0, 1.0], 50)
    once = GameMean.of(np.arange(50), results, 50).estimate()
    often = GameMean.of(np.repeat(np.arange(50), 100), np.repeat(results, 100), 50).estimate()
    assert often == pytest.approx(once)


def test_differences_are_paired() -> None:
    rng = np.random.default_rng(1)
    game = np.arange(100)
    one = rng.normal(0, 1, 100)
    less = GameMean.of(game, one - 0.1, 100).less(GameMean.of(game, one, 100))
    assert less == pytest.approx((-0.1, -0.1, -0.1))


def test_a_share_of_all_or_none_has_an_interval_of_the_number_of_games() -> None:
    game = np.repeat(np.arange(10), 7)
    none, all_ = (GameMean.of(game, np.full(70, share), 10).share() for share in (0, 1))
    assert none.value == 0 and 0 <= none.low < 1e-12 and 0.25 < none.high < 0.3
    assert all_.value == 1 and 0.7 < all_.low < 0.75 and all_.high <= 1
    some = GameMean.of(game, game < 5, 10)
    assert some.share() == some.estimate()


def test_the_draws_are_always_the_same() -> None:
    first = game_draws(5).copy()
    game_draws.cache_clear()
    assert np.array_equal(first, game_draws(5)) and (first.sum(1) == 5).all()
