"""Elo against the equations."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen.go.color import Color
from tengen.ratings.elo import Elo
from tengen.ratings.results import Results
from tengen.ratings.system import Rating


def expected(curve: str, difference: float) -> float:
    if curve == "normal":
        return NormalDist().cdf(difference / (200 * math.sqrt(2)))  # equation 3.2
    return 1 / (1 + 10 ** (-difference / 400))


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.permutations("abcd"), st.sampled_from([0.0, 0.5, 1.0])), max_size=40),
    st.sampled_from(["logistic", "normal"]),
    st.floats(1, 100),
)
def test_every_game_moves_both_by_k_times_the_surprise(
    games: list[tuple[list[str], float]], curve: Literal["logistic", "normal"], k: float
) -> None:
    plain = dict.fromkeys("abcd", 1500.0)
    rows = [(names[0], names[1], score) for names, score in games]
    predictions = []
    for black, white, score in rows:
        predictions.append(expected(curve, plain[black] - plain[white]))
        step = k * (score - predictions[-1])  # equation 3.3
        plain[black] += step
        plain[white] -= step
    ratings = Elo(k=k, curve=curve).rate(Results.of(rows))
    np.testing.assert_allclose(ratings.prediction, predictions, atol=1e-12)
    for name in ratings.results.players:
        assert ratings.of(name).number == pytest.approx(plain[name], abs=1e-9)


def test_the_curves_differ_in_their_tails() -> None:
    strong, weak = Rating(1900), Rating(1500)
    assert Elo().predict(strong, weak).of(Color.BLACK) == pytest.approx(10 / 11)
    assert Elo(curve="normal").predict(strong, weak).of(Color.BLACK) == pytest.approx(0.92135, abs=1e-5)


def test_two_stones_even_out_about_a_rank_and_a_half() -> None:
    weaker, stronger = Rating(1500), Rating(1500 * math.exp(1.5 / 23.15))
    assert Elo().predict(weaker, stronger, head_start=1.5).of(Color.BLACK) == pytest.approx(0.5)
