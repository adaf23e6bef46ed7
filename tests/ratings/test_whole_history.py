"""The native whole-history rating, compared with the package `whole-history-rating` (plain Python)."""

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
    head_start = rng.integers(0, 3, games).astype(np.float64) if handicaps else np.zeros(games)
    chance = 1 / (1 + np.exp(0.4 * (black - white) - 0.7 * head_start))
    return {
        "black": black,
        "white": white,
        "score": (rng.random(games) < chance).astype(np.float64),
        "head_start": head_start,
        "time": np.sort(rng.integers(0, DAYS, games)).astype(np.int64),
    }


def model_of(players: int, drift: float = 0.01) -> _native.WholeHistory:
    return _native.WholeHistory(players, drift=drift, prior_wins=0.5, rank_worth=0.4, rank_deviation=0.6)


def library(games: dict[str, Any], w2: float) -> Any:
    whr = pytest.importorskip("whr")
    model = whr.WHR({"w2": w2, "hessian_damping": 0.0, "initial_prior_wins": 0.5})
    for b, w, s, h, t in zip(*(games[k].tolist() for k in games), strict=True):
        model.create_game(str(b), str(w), "B" if s else "W", t, int(h))
    return model


@pytest.mark.parametrize("seed", range(4))
def test_ratings_and_variances_are_those_of_the_library(seed: int) -> None:
    games = results(200, seed)
    w2 = 40.0
    theirs = library(games, w2)
    theirs.iterate(200)
    ours = model_of(PLAYERS, drift=w2 * GAMMA**2)
    ours.add(**games)
    assert ours.iterate(500, 1e-9) <= 1e-9
    rating, variance = ours.curves()
    for i in range(200):
        for side, name in enumerate(("black", "white")):
            player = theirs.players[str(games[name][i])]
            day = next(d for d in player.days if d.day == games["time"][i])
            assert rating[i, side] == pytest.approx(day.r, abs=1e-4)
            assert variance[i, side] == pytest.approx(day.uncertainty, rel=1e-3)


def test_what_handicaps_are_worth_is_near_the_librarys() -> None:
    """The package learns them without a prior; ours has a weak one."""
    games = results(2000, 5, handicaps=True)
    theirs = library(games, 40.0)
    theirs.iterate(200)
    ours = model_of(PLAYERS, drift=40.0 * GAMMA**2)
    ours.add(**games)
    ours.iterate(500, 1e-9)
    assert ours.advantage(0.0) == 0.0
    for h in (1, 2):
        assert ours.advantage(h) == pytest.approx(np.log(theirs.handicap_gamma[h]), abs=0.02)
        assert ours.advantage(-h) == -ours.advantage(h)
    assert ours.advantage(1.5) == pytest.approx((ours.advantage(1.0) + ours.advantage(2.0)) / 2)


def test_the_summit_is_reached_from_blocks_as_from_all_at_once() -> None:
    games = results(300, 7)
    at_once = model_of(PLAYERS)
    at_once.add(**games)
    in_blocks = model_of(PLAYERS)
    for first in range(0, 300, 50):
        in_blocks.iterate(2)
        in_blocks.add(**{key: column[first : first + 50] for key, column in games.items()})
    for model in (at_once, in_blocks):
        model.iterate(500, 1e-10)
    np.testing.assert_allclose(at_once.curves()[0], in_blocks.curves()[0], atol=1e-7)


def test_before_a_game_only_its_players_make_a_step() -> None:
    """What is known before a game comes from a model of the games before it, with one more step for its players."""
    games = results(60, 3)
    model = model_of(PLAYERS + 1)
    model.add(**{key: column[:50] for key, column in games.items()})
    model.iterate(100, 1e-10)
    fitted = dict(zip(sides(games, 50).tolist(), model.curves()[0].ravel().tolist(), strict=True))
    rating, variance, time, advantage = model.add_in_turn(**{key: c[50:] for key, c in games.items()})
    assert rating.shape == variance.shape == time.shape == (10, 2) and advantage.tolist() == [0.0] * 10
    met: set[int] = set()
    for row, players in enumerate(sides(games, 60)[100:].reshape(-1, 2).tolist()):
        for side, player in enumerate(players):
            if player not in met:
                assert rating[row, side] == pytest.approx(fitted[player], abs=1e-7), "no game since the fit"
            else:
                assert rating[row, side] != pytest.approx(fitted[player], abs=1e-3), "a step since the fit"
            met.add(player)


def test_a_long_history_is_not_fitted_again_for_every_game() -> None:
    """A player of n games would cost time in proportion to n squared."""
    n = 3000
    model = model_of(2)
    columns = np.zeros(n, np.int32), np.ones(n, np.int32), (np.arange(n) % 3 > 0).astype(np.float64)
    rating = model.add_in_turn(*columns, np.zeros(n), np.zeros(n, np.int64))[0][:, 0]
    stepped = np.diff(rating) != 0
    assert stepped[1:999].all(), "each game counts at once"
    assert 480 < stepped[1000:2000].sum() < 520, "every second game"
    assert 310 < stepped[2000:3000].sum() < 350, "every third game"


def test_a_newcomer_is_unknown_before_his_first_game_and_known_before_his_second() -> None:
    two = np.array([0, 0], np.int32), np.array([1, 1], np.int32)
    rating, variance, time, advantage = model_of(2).add_in_turn(
        *two, np.array([1.0, 1.0]), np.array([2.0, 0.0]), np.array([3, 4], np.int64)
    )
    assert rating[0].tolist() == [0.0, 0.0] and np.isinf(variance[0]).all() and time[0].tolist() == [-1, -1]
    assert rating[1, 0] > 0 > rating[1, 1] and np.isfinite(variance[1]).all() and time[1].tolist() == [3, 3]
    assert advantage == pytest.approx([0.8, 0.0])


def sides(games: dict[str, Any], n: int) -> np.ndarray:
    """Black and White of each of the first n games in turn (2n)."""
    return np.stack([games["black"][:n], games["white"][:n]], axis=1).ravel()


def test_a_draw_is_half_a_win() -> None:
    model = model_of(2)
    model.add(np.array([0, 1], np.int32), np.array([1, 0], np.int32), np.array([0.5, 0.5]), *zeros(2))
    model.iterate(50, 1e-12)
    assert np.abs(model.curves()[0]).max() < 1e-9


def zeros(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Head starts and times."""
    return np.zeros(n), np.zeros(n, np.int64)


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
    model = model_of(2)
    columns = (np.array(black, np.int32), np.array(white, np.int32), np.array(score))
    with pytest.raises(ValueError, match=message):
        model.add(*columns, np.zeros(len(black)), np.array(time, np.int64))
    assert model.curves()[0].shape == (0, 2), "nothing was added"


@pytest.mark.parametrize("head_start", [float("nan"), float("inf"), 1e6])
def test_a_head_start_that_cannot_be_is_refused(head_start: float) -> None:
    model = model_of(2)
    one = np.array([0], np.int32), np.array([1], np.int32), np.array([1.0])
    with pytest.raises(ValueError, match="head start"):
        model.add(*one, np.array([head_start]), np.array([0], np.int64))


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
