"""Glicko-2 against Glickman's printed example and an independent implementation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import glicko2_reference as reference

from tengen.go.color import Color
from tengen.ratings.glicko2 import Glicko2
from tengen.ratings.results import SECONDS_A_DAY, Results
from tengen.ratings.system import Rating

PLAYERS = 6
sides = st.tuples(st.integers(0, PLAYERS - 1), st.integers(0, PLAYERS - 2)).map(
    lambda pair: (pair[0], pair[1] + (pair[1] >= pair[0]))
)
scores = st.sampled_from([0.0, 0.0, 1.0, 1.0, 0.5])


def results_of(games: list[tuple[int, int, float, float]], days: list[float] | None = None) -> Results:
    n = len(games)
    return Results(
        players=[f"player {i}" for i in range(PLAYERS)],
        black=np.array([g[0] for g in games], dtype=np.int32),
        white=np.array([g[1] for g in games], dtype=np.int32),
        score=np.array([g[2] for g in games], dtype=np.float64),
        time=(np.array(days if days is not None else range(n), dtype=np.float64) * SECONDS_A_DAY).astype(
            np.int64
        ),
        head_start=np.array([g[3] for g in games], dtype=np.float64),
        row=np.arange(n, dtype=np.int64),
    )


def test_glickmans_worked_example_to_its_printed_digits() -> None:
    """The guide rounds mu' and phi' to four digits before it returns to the scale of presentation."""
    opponents = [Rating(1400, 30, 0.06), Rating(1550, 100, 0.06), Rating(1700, 300, 0.06)]
    after = Glicko2(tau=0.5).update(Rating(1500, 200, 0.06), opponents, [1, 0, 0])
    mu, phi = (after.number - 1500) / 173.7178, after.deviation / 173.7178
    assert round(mu, 4) == -0.2069
    assert round(phi, 4) == 0.8722
    assert round(173.7178 * round(mu, 4) + 1500, 2) == 1464.06
    assert round(173.7178 * round(phi, 4), 2) == 151.52
    assert math.floor(after.volatility * 1e5) / 1e5 == 0.05999
    assert after.number == pytest.approx(1464.06, abs=0.01)
    assert after.deviation == pytest.approx(151.52, abs=0.005)


def test_a_period_without_games_widens_the_deviation_by_the_volatility() -> None:
    before = Rating(1500, 200, 0.06)
    after = Glicko2().update(before, [], [])
    assert (after.number, after.volatility) == (before.number, before.volatility)
    assert after.deviation == pytest.approx(math.hypot(200, 0.06 * 400 / math.log(10)))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(sides, scores, st.sampled_from([0.0, 0.0, 0.0, -0.04, 1.5, 8.5])), max_size=60))
def test_one_game_a_period_as_an_independent_implementation_has_it(
    games: list[tuple[tuple[int, int], float, float]],
) -> None:
    rows = [(b, w, s, h) for (b, w), s, h in games]
    predictions, players = reference.one_game_at_a_time(rows, PLAYERS)
    ratings = Glicko2().rate(results_of(rows))
    np.testing.assert_allclose(ratings.prediction, predictions, atol=1e-7)
    np.testing.assert_allclose(ratings.players, [p.rating for p in players], atol=1e-4)
    np.testing.assert_allclose(ratings.deviation, [p.deviation for p in players], atol=1e-4)
    np.testing.assert_allclose(ratings.volatility, [p.volatility for p in players], atol=1e-7)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.tuples(sides, scores), max_size=8), max_size=8))
def test_whole_periods_as_an_independent_implementation_has_them(
    periods: list[list[tuple[tuple[int, int], float]]],
) -> None:
    plain = [[(b, w, s) for (b, w), s in period] for period in periods]
    while plain and not plain[0]:
        plain.pop(0)  # the first period is that of the first game
    while plain and not plain[-1]:
        plain.pop()
    rows = [(b, w, s, 0.0) for period in plain for b, w, s in period]
    days = [7.0 * number + 1.5 for number, period in enumerate(plain) for _ in period]
    predictions, players = reference.whole_periods(plain, PLAYERS)
    ratings = Glicko2(period_days=7).rate(results_of(rows, days))
    np.testing.assert_allclose(ratings.prediction, predictions, atol=1e-7)
    np.testing.assert_allclose(ratings.players, [p.rating for p in players], atol=1e-4)
    # The sweep widens a deviation when the player returns: those of the last period are up to date.
    playing = {p for b, w, _ in plain[-1] for p in (b, w)} if plain else set()
    for number in playing:
        assert ratings.deviation is not None
        assert ratings.deviation[number] == pytest.approx(players[number].deviation, abs=1e-4)


def test_absence_widens_the_deviation_in_the_one_game_form_too() -> None:
    games = [(0, 1, 1.0, 0.0), (0, 2, 1.0, 0.0)]
    pool = results_of(games, days=[0.0, 61.0])
    still = Glicko2().rate(pool)
    aged = Glicko2(aging_days=30).rate(pool)
    assert still.deviation_after is not None and still.deviation_before is not None
    assert aged.deviation_before is not None and still.volatility_after is not None
    periods = 61.0 / 30 - 1
    wider = math.hypot(
        still.deviation_after[0, 0], math.sqrt(periods) * still.volatility_after[0, 0] * 400 / math.log(10)
    )
    assert still.deviation_before[1, 0] == still.deviation_after[0, 0]
    assert aged.deviation_before[1, 0] == pytest.approx(wider)
    assert aged.deviation_before[1, 1] == 350, "a newcomer has no absence"


def test_histories_fit_together() -> None:
    rng = np.random.default_rng(1)
    games = [
        (int(b), int((b + d) % PLAYERS), float(s), 0.0)
        for b, d, s in zip(
            rng.integers(0, PLAYERS, 200), rng.integers(1, PLAYERS, 200), rng.integers(0, 2, 200), strict=True
        )
    ]
    ratings = Glicko2().rate(results_of(games))
    for number in range(PLAYERS):
        history = ratings.results.history(number)
        at = (history.games, history.side)
        np.testing.assert_array_equal(ratings.before[at][1:], ratings.after[at][:-1])
        assert ratings.before[at][0] == 1500
        assert ratings.after[at][-1] == ratings.players[number]
    curve = ratings.curve("player 3")
    assert curve.number[-1] == ratings.of("player 3").number
    assert len(curve.opponent) == len(curve.score) == len(curve.time)


def test_predict_is_the_prediction_of_the_sweep() -> None:
    games = [(0, 1, 1.0, 0.0), (1, 2, 1.0, 0.0), (0, 2, 1.0, 3.5)]
    system = Glicko2()
    before = system.rate(results_of(games[:2]))
    rate = system.predict(before.of("player 0"), before.of("player 2"), head_start=3.5)
    assert rate.of(Color.BLACK) == pytest.approx(system.rate(results_of(games)).prediction[2])
    assert Glicko2(use_deviations=False).predict(Rating(1900), Rating(1500)).of(Color.BLACK) == pytest.approx(
        10 / 11
    )


def test_the_first_games_move_more_than_the_later_ones() -> None:
    games = [(0, 1, float(i % 2), 0.0) for i in range(50)]
    ratings = Glicko2().rate(results_of(games))
    steps = np.abs(ratings.after - ratings.before)
    assert steps[0].min() > 100
    assert steps[-1].max() < 40
    assert ratings.deviation_after is not None
    assert np.all(np.diff(ratings.deviation_after[:, 0]) < 0)


def test_an_empty_pool_is_rated() -> None:
    ratings = Glicko2().rate(results_of([]))
    assert len(ratings.prediction) == 0
    assert ratings.players.tolist() == [1500.0] * PLAYERS


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("black", 6, "player number out of range"),
        ("white", -1, "player number out of range"),
        ("white", 0, "a player against himself"),
        ("score", math.nan, "the score is not in 0 to 1"),
        ("score", 2.0, "the score is not in 0 to 1"),
        ("head_start", math.inf, "the head start is not a number"),
    ],
)
def test_the_core_refuses_what_cannot_be_rated(column: str, value: float, message: str) -> None:
    pool = results_of([(0, 1, 1.0, 0.0), (0, 1, 1.0, 0.0)])
    getattr(pool, column)[1] = value
    with pytest.raises(ValueError, match=f"game 1: {message}"):
        Glicko2().rate(pool)
