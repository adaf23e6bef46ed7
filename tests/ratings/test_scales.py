"""Ranks and ratings correspond as their organisations publish it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.ratings.scales import SCALES, rank_name


@pytest.mark.parametrize(
    ("scale", "rating", "rank"),
    [
        ("ogs", 525, "30k"),
        ("ogs", 1500, "6k"),
        ("ogs", 1918, "1k"),
        ("ogs", 1919, "1d"),
        ("egf", 100, "20k"),
        ("egf", 2000, "1k"),
        ("egf", 2049, "1k"),
        ("egf", 2050, "1d"),
        ("egf", 2100, "1d"),
        ("egf", 2700, "7d"),
        ("aga", -1.0001, "1k"),
        ("aga", -5.5, "5k"),
        ("aga", 1.0, "1d"),
        ("aga", 7.9, "7d"),
        ("aga", 0.0, "?"),
        ("kgs", 30.5, "1d"),
    ],
)
def test_known_ratings(scale: str, rating: float, rank: str) -> None:
    assert rank_name(SCALES[scale].rank(rating)) == rank


@given(st.sampled_from(sorted(SCALES)), st.floats(-10, 45))
def test_rank_and_rating_are_inverse(name: str, rank: float) -> None:
    scale = SCALES[name]
    assert scale.rank(scale.rating(rank)) == pytest.approx(rank, abs=1e-9)


def test_the_ogs_formula() -> None:
    assert SCALES["ogs"].rank(1500) == pytest.approx(math.log(1500 / 525) * 23.15)
    assert SCALES["ogs"].rating(30) == pytest.approx(525 * math.exp(30 / 23.15))
    assert SCALES["ogs"].rank(-5) == -math.inf
