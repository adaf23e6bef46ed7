"""Two ratings of one player, as one."""

from __future__ import annotations

import numpy as np
import pytest

from tengen.go.color import Color
from tengen.ratings.glicko2 import Glicko2
from tengen.ratings.system import Rating
from tengen.strength.combined import combine, combine_all, expected


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
