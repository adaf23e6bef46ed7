"""Equations 4.1 to 4.3 of the thesis."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.go.color import Color
from tengen.strength.features import POINTS_LOSS
from tengen.strength.stochastic import GAME_LENGTH, Losses, Stochastic
from tengen.strength.windows import Windows

points = st.lists(st.floats(-20, 40), min_size=2, max_size=30)


def chance(black: list[float], white: list[float], moves: int = 127) -> float:
    return Stochastic(moves).predict(Losses.of(black), Losses.of(white)).of(Color.BLACK)


@given(points, points, st.integers(1, 300))
def test_equation_4_3_as_it_is_written(b: list[float], w: list[float], c: int) -> None:
    spread = math.sqrt(c * statistics.variance(b) + c * statistics.variance(w) + 1e-6)
    expected = statistics.NormalDist().cdf((c * statistics.fmean(w) - c * statistics.fmean(b)) / spread)
    assert chance(b, w, c) == pytest.approx(expected, abs=1e-6)


@given(points, points)
def test_the_sides_chances_add_up(b: list[float], w: list[float]) -> None:
    assert chance(b, w) + chance(w, b) == pytest.approx(1.0)


def test_who_loses_fewer_points_wins_and_the_longer_the_game_the_surer() -> None:
    good, bad = [0.0, 1.0, 0.5, 2.0], [1.0, 2.0, 1.5, 3.0]
    assert 0.5 < chance(good, bad, 1) < chance(good, bad, 127)
    assert chance(bad, good) < 0.5


def test_the_model_is_true_of_players_it_describes() -> None:
    """Sums of C normal losses, drawn: the share that Black wins is the predicted one."""
    rng = np.random.default_rng(0)
    c, games = 127, 40_000
    black = rng.normal(c * 1.0, math.sqrt(c) * 4.0, games)
    white = rng.normal(c * 1.1, math.sqrt(c) * 5.0, games)
    predicted = Stochastic().predict(Losses(500, 1.0, 16.0), Losses(500, 1.1, 25.0)).of(Color.BLACK)
    assert float((black < white).mean()) == pytest.approx(predicted, abs=0.01)


def test_with_fewer_than_two_moves_nothing_is_known() -> None:
    many = [0.0, 1.0, 2.0]
    for few in ([], [30.0]):
        assert chance(few, many) == chance(many, few) == 0.5


def test_players_who_never_lose_a_point_do_not_divide_by_zero() -> None:
    assert chance([0.0, 0.0], [0.0, 0.0]) == 0.5
    assert chance([0.0, 0.0], [1.0, 1.0]) == pytest.approx(1.0)


def test_the_length_is_the_thesis() -> None:
    assert GAME_LENGTH == 254 and Stochastic().moves == 127


def test_games_are_predicted_from_both_sides_windows() -> None:
    rng = np.random.default_rng(1)
    features = np.zeros((12, 6), np.float32)
    features[:, POINTS_LOSS] = rng.normal(0.1, 0.3, 12)
    rows = [np.array(r, np.int32) for r in ([0, 1, 2], [3, 4, 5, 6], [7], [8, 9, 10])]
    found = Stochastic().predict_games(Windows.of(features, rows))
    lost = features[:, POINTS_LOSS] * 10
    assert found[0] == pytest.approx(chance(lost[[0, 1, 2]].tolist(), lost[[3, 4, 5, 6]].tolist()))
    assert found[1] == 0.5
