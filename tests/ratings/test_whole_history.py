"""The native whole-history rating against the package `whole-history-rating`, which is plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tengen import _native
from tengen.ratings.bradley_terry import GAMMA
from tengen.ratings.results import SECONDS_A_DAY, Results
from tengen.ratings.whole_history import WholeHistory

PLAYERS, DAYS = 8, 30


def results(games: int, seed: int, handicaps: bool = False) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    black = rng.integers(0, PLAYERS, games).astype(np.int32)
    white = ((black + rng.integers(1, PLAYERS, games)) % PLAYERS).astype(np.int32)
    handicap = rng.integers(0, 3, games).astype(np.int32) if handicaps else np.zeros(games, dtype=np.int32)
    chance = 1 / (1 + np.exp(0.4 * (black - white) - 0.7 * handicap))
    return {
        "black": black,
        "white": white,
        "score": (rng.random(games) < chance).astype(np.float64),
        "time": np.sort(rng.integers(0, DAYS, games)).astype(np.int64),
        "handicap": handicap,
    }


def library(games: dict[str, Any], w2: float) -> Any:
    whr = pytest.importorskip("whr")
    model = whr.WHR({"w2": w2, "hessian_damping": 0.0, "initial_prior_wins": 0.5})
    for b, w, s, t, h in zip(*(games[k].tolist() for k in games), strict=True):
        model.create_game(str(b), str(w), "B" if s else "W", t, h)
    return model


@pytest.mark.parametrize("seed", range(4))
def test_ratings_and_variances_are_those_of_the_library(seed: int) -> None:
    games = results(200, seed)
    w2 = 40.0
    theirs = library(games, w2)
    theirs.iterate(200)
    ours = _native.WholeHistory(PLAYERS, drift=w2 * GAMMA**2, prior_wins=0.5)
    ours.add(**games)
    assert ours.iterate(500, 1e-9) <= 1e-9
    rating, variance = ours.curves()
    for i in range(200):
        for side, name in enumerate(("black", "white")):
            player = theirs.players[str(games[name][i])]
            day = next(d for d in player.days if d.day == games["time"][i])
            assert rating[i, side] == pytest.approx(day.r, abs=1e-4)
            assert variance[i, side] == pytest.approx(day.uncertainty, rel=1e-3)
    last_rating, last_variance, last_time = ours.last(np.arange(PLAYERS, dtype=np.int32))
    for name, player in theirs.players.items():
        assert last_rating[int(name)] == pytest.approx(player.days[-1].r, abs=1e-4)
        assert last_variance[int(name)] == pytest.approx(player.days[-1].uncertainty, rel=1e-3)
        assert last_time[int(name)] == player.days[-1].day


def test_what_handicaps_are_worth_is_near_the_librarys() -> None:
    """It learns them without a prior; ours has a win and a loss."""
    games = results(2000, 5, handicaps=True)
    theirs = library(games, 40.0)
    theirs.iterate(200)
    ours = _native.WholeHistory(PLAYERS, drift=40.0 * GAMMA**2, prior_wins=0.5)
    ours.add(**games)
    ours.iterate(500, 1e-9)
    assert ours.advantage(0) == 0.0
    for h in (1, 2):
        assert ours.advantage(h) == pytest.approx(np.log(theirs.handicap_gamma[h]), abs=0.02)


def test_the_summit_is_reached_from_blocks_as_from_all_at_once() -> None:
    games = results(300, 7)
    at_once = _native.WholeHistory(PLAYERS, drift=0.01, prior_wins=0.5)
    at_once.add(**games)
    in_blocks = _native.WholeHistory(PLAYERS, drift=0.01, prior_wins=0.5)
    for first in range(0, 300, 50):
        in_blocks.iterate(2)
        in_blocks.add(**{key: column[first : first + 50] for key, column in games.items()})
    for model in (at_once, in_blocks):
        model.iterate(500, 1e-10)
    np.testing.assert_allclose(at_once.curves()[0], in_blocks.curves()[0], atol=1e-7)


def test_only_who_played_is_settled() -> None:
    games = results(60, 3)
    model = _native.WholeHistory(PLAYERS + 2, drift=0.01, prior_wins=0.5)
    model.add(**games)
    model.iterate(100, 1e-10)
    before = model.last(np.arange(PLAYERS + 2, dtype=np.int32))[0]
    newcomers = (np.array([PLAYERS], np.int32), np.array([PLAYERS + 1], np.int32))
    model.add(*newcomers, np.array([1.0]), np.array([DAYS], np.int64), np.array([0], np.int32))
    model.settle(2)
    after = model.last(np.arange(PLAYERS + 2, dtype=np.int32))[0]
    np.testing.assert_array_equal(before[:PLAYERS], after[:PLAYERS])
    assert after[PLAYERS] > 0 > after[PLAYERS + 1]


def test_a_draw_is_half_a_win() -> None:
    model = _native.WholeHistory(2, drift=0.01, prior_wins=0.5)
    model.add(np.array([0, 1], np.int32), np.array([1, 0], np.int32), np.array([0.5, 0.5]), *zeros(2))
    model.iterate(50, 1e-12)
    assert np.abs(model.curves()[0]).max() < 1e-9


def zeros(n: int) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros(n, np.int64), np.zeros(n, np.int32)


@pytest.mark.parametrize(
    ("black", "white", "score", "time", "message"),
    [
        ([0, 1], [1, 0], [1.0, 1.0], [3, 2], "order of time"),
        ([0], [2], [1.0], [0], "out of range"),
        ([-1], [0], [1.0], [0], "out of range"),
        ([1], [1], [1.0], [0], "himself"),
        ([0], [1], [float("nan")], [0], "score"),
        ([0], [1], [1.0], [0, 1], "length"),
    ],
)
def test_games_that_cannot_be_are_refused(
    black: list[int], white: list[int], score: list[float], time: list[int], message: str
) -> None:
    model = _native.WholeHistory(2, drift=0.01, prior_wins=0.5)
    columns = (np.array(black, np.int32), np.array(white, np.int32), np.array(score))
    with pytest.raises(ValueError, match=message):
        model.add(*columns, np.array(time, np.int64), np.zeros(len(black), np.int32))
    assert model.last(np.array([0, 1], np.int32))[2].tolist() == [-1, -1], "nothing was added"


def test_a_beginner_who_always_wins_gets_a_finite_rating() -> None:
    n = 400
    pool = Results(
        players=["best", *(f"p{i}" for i in range(n))],
        black=np.zeros(n, np.int32),
        white=np.arange(1, n + 1, dtype=np.int32),
        score=np.ones(n),
        time=(np.arange(n) * SECONDS_A_DAY).astype(np.int64),
        head_start=np.zeros(n),
        row=np.arange(n),
    )
    ratings = WholeHistory().rate(pool)
    assert np.isfinite(ratings.after).all() and np.isfinite(ratings.prediction).all()
    assert 1800 < ratings.of("best").number < 4000
    assert ratings.of("p1").number < 1500


def test_an_empty_pool_has_no_ratings() -> None:
    ratings = WholeHistory().rate(Results.of([]))
    assert len(ratings.prediction) == 0 and len(ratings.players) == 0
