"""The combination of two ratings of one player."""

from __future__ import annotations

import numpy as np
import pytest

from tengen.go.color import Color
from tengen.ratings.glicko2 import Glicko2
from tengen.ratings.metrics import log_likelihood
from tengen.ratings.system import Rating
from tengen.strength.combined import PLAIN, combine, combine_all, expected, fit_stretch, fit_temper


def test_the_surer_estimate_weighs_more() -> None:
    both = combine(Rating(1500, 350, 0.06), Rating(1900, 100))
    assert 1850 < both.number < 1900 and both.deviation < 100
    assert both.volatility == 0.06
    even = combine(Rating(1500, 80), Rating(1700, 80))
    assert even.number == pytest.approx(1600) and even.deviation == pytest.approx(80 / np.sqrt(2))


def test_arrays_are_combined_one_by_one() -> None:
    number, deviation = combine_all(
        *(np.array(v, float) for v in ([1500, 1500], [100, 350], [1800, 1900], [200, 100]))
    )
    for i, pair in enumerate(
        ((Rating(1500, 100), Rating(1800, 200)), (Rating(1500, 350), Rating(1900, 100)))
    ):
        one = combine(*pair)
        assert (number[i], deviation[i]) == pytest.approx((one.number, one.deviation))


def test_expected_scores_are_glicko_2s() -> None:
    numbers, deviations = (
        np.array([[1500.0, 1700.0], [1800.0, 1400.0]]),
        np.array([[80.0, 350.0], [60.0, 90.0]]),
    )
    wanted = [
        Glicko2().predict(Rating(b, bd, 0.06), Rating(w, wd, 0.06)).of(Color.BLACK)
        for (b, w), (bd, wd) in zip(numbers.tolist(), deviations.tolist(), strict=True)
    ]
    assert expected(numbers, deviations) == pytest.approx(wanted, abs=1e-6)


def test_how_far_to_trust_each_is_learnt_from_games() -> None:
    """Results with too small deviations, combined with moves that are informative, and with moves that are not."""
    rng = np.random.default_rng(0)
    truth = rng.normal(1500, 150, (4000, 2))
    results, moves = truth + rng.normal(0, 200, truth.shape), truth + rng.normal(0, 100, truth.shape)
    score = (rng.random(4000) < expected(truth, np.zeros_like(truth))).astype(float)
    said, known, useless = (
        np.full_like(truth, 70.0),
        np.full_like(truth, 100.0),
        rng.normal(1500, 150, truth.shape),
    )
    with_moves = fit_stretch(results, said, moves, known, score)
    assert with_moves.results / with_moves.moves == pytest.approx(200 / 70, rel=0.6)
    without = fit_stretch(results, said, useless, known, score)
    assert without.moves > 2 * with_moves.moves
    gained = expected(*combine_all(results, said, moves, known, with_moves))
    plain = expected(*combine_all(results, said, moves, known, PLAIN))
    assert log_likelihood(score, gained) > log_likelihood(score, plain)
    assert fit_stretch(results[:9], said[:9], moves[:9], known[:9], score[:9]) == PLAIN


def test_how_sure_one_source_may_be_is_learnt_from_games() -> None:
    rng = np.random.default_rng(1)
    truth = rng.normal(1500, 150, (4000, 2))
    score = (rng.random(4000) < expected(truth, np.zeros_like(truth))).astype(float)
    said = np.full_like(truth, 200.0)
    exact, useless = (
        fit_temper(ratings, said, score) for ratings in (truth, rng.normal(1500, 150, (4000, 2)))
    )
    assert exact < 0.5 and useless > 8
    assert fit_temper(truth[:9], said[:9], score[:9]) == 1.0
