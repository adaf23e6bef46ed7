"""The CGI paper's statistics of value nets, on numbers that can be worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tengen.papers.cgi_data import TABLE_1
from tengen.prediction.value_accuracy import (
    MoveErrors,
    d_predictions,
    expected_margin,
    half_mse,
    is_rare,
    pairing,
    rises,
    scatter,
)

LABELS = np.array(list(TABLE_1))
VALUES = np.array([[2 * win - 1 for win in TABLE_1.values()]])


def test_an_even_guess_has_a_half_a_sure_one_0_or_2() -> None:
    results = [1, -1, -1, 1]
    assert half_mse(np.zeros(4), results) == 0.5
    assert half_mse(results, results) == 0.0
    assert half_mse([-z for z in results], results) == 2.0


def test_mse_of_j_is_over_games_and_the_last_column_pools_what_follows() -> None:
    game, number = np.array([0, 0, 0, 1, 1]), np.array([0, 10, 20, 0, 10])
    values, results = np.array([0.0, 1.0, 1.0, 0.0, 0.5]), np.array([1.0, 1.0, 1.0, -1.0, -1.0])
    errors = MoveErrors.of(game, number, values, results, last=10)
    assert errors.moves.tolist() == [0, 10]
    assert errors.by_move().tolist() == [0.5, (0 + 0 + 2.25) / 3 / 2]
    assert errors.average().value == pytest.approx((0.5 + 0.375) / 2)


def test_intervals_are_of_games_and_differences_of_the_same_games() -> None:
    rng = np.random.default_rng(1)
    game = np.repeat(np.arange(200), 5)
    number = np.tile(np.arange(5), 200)
    results = np.repeat(rng.choice([-1.0, 1.0], 200), 5)
    noise = rng.normal(0, 0.3, 1000)
    values = np.clip(0.4 * results + noise, -1, 1)
    better = np.clip(0.45 * results + noise, -1, 1)
    one, other = (MoveErrors.of(game, number, v, results, 285) for v in (values, better))
    low, high = one.average().low, one.average().high
    assert low < one.average().value < high < low + 0.1
    less = other.less(one)
    assert less.high < 0
    assert less.high - less.low < high - low  # the same games are in both
    assert other.average() == other.average()


def test_the_paper_s_table_1_predicts_a_margin_of_5() -> None:
    assert expected_margin(LABELS, VALUES).tolist() == [5.0]
    assert d_predictions(np.array([5.0, 5.0]), np.array([3.0, 2.0]), 2).tolist() == [True, False]


def test_beyond_the_labels_a_margin_is_half_a_point_further() -> None:
    labels = np.array([-0.5, 0.5, 1.5])
    assert expected_margin(labels, np.array([[-1, -1, -1], [1, 1, 1], [0, -1, -1]])).tolist() == [-1, 2, 0]


def test_table_1_comes_in_pairs() -> None:
    pairs = pairing(LABELS, VALUES, size=19)
    assert pairs.within < 0.002 < 0.05 < pairs.between
    # On a board of even area the odd margins are the rare ones.
    other = pairing(LABELS, VALUES, size=6)
    assert (other.within, other.between) == (pairs.between, pairs.within)
    assert is_rare(np.array([2.0, 3.0, -4.0]), 9).tolist() == [True, False, True]


def test_rises_with_komi_are_counted() -> None:
    assert rises(VALUES) == (0.0, 0.0, 0.0)
    found = rises(np.array([[0.5, 0.7, 0.1], [0.5, 0.4, 0.4]]))
    assert (found.positions, found.steps) == (0.5, 0.25)
    assert found.greatest == pytest.approx(0.1)  # in win rate


def test_quadrants_and_line_of_the_scatter() -> None:
    territory = np.array([-20.0, 0.0, 10.0, 20.0])
    values = np.array([-1.0, 0.2, -0.2, 1.0])
    found = scatter(territory, values, komi=7.5)
    assert (found.lower_right, found.upper_left) == (0.25, 0.25)
    assert found.slope > 0 and 0 < found.correlation < 1
    line = scatter(np.array([-2.5, 7.5, 17.5]), np.array([-0.5, 0.0, 0.5]), 7.5)
    assert line.crossing == pytest.approx(7.5)
    assert line.slope == pytest.approx(0.025)
