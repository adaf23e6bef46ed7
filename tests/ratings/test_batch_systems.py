"""Bradley-Terry and whole-history rating: fits to all results together."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tengen.go.color import Color
from tengen.ratings.bradley_terry import BradleyTerry, expected_score
from tengen.ratings.handicap import points_of
from tengen.ratings.metrics import log_likelihood
from tengen.ratings.results import SECONDS_A_DAY, Results
from tengen.ratings.system import Rating
from tengen.ratings.whole_history import WholeHistory

PLAYERS = 12


def simulated(games: int, seed: int = 0) -> tuple[Results, np.ndarray]:
    """Players of constant strength, 120 points apart."""
    rng = np.random.default_rng(seed)
    strength = 1500 + 120 * (np.arange(PLAYERS) - PLAYERS / 2)
    black = rng.integers(0, PLAYERS, games)
    white = (black + rng.integers(1, PLAYERS, games)) % PLAYERS
    chance = 1 / (1 + 10 ** ((strength[white] - strength[black]) / 400))
    pool = Results(
        players=[f"p{i}" for i in range(PLAYERS)],
        black=black.astype(np.int32),
        white=white.astype(np.int32),
        score=(rng.random(games) < chance).astype(np.float64),
        time=(np.arange(games) * SECONDS_A_DAY / 5).astype(np.int64),
        head_start=np.zeros(games),
        row=np.arange(games),
    )
    return pool, chance


def test_equation_3_1() -> None:
    assert expected_score(1700, 1500, gamma=0.01) == pytest.approx(math.e**17 / (math.e**17 + math.e**15))
    assert expected_score(0, 1e9) == pytest.approx(0.0)


def test_bradley_terry_is_the_likeliest_fit() -> None:
    pool, _ = simulated(1500)
    system = BradleyTerry(prior_draws=0.5, precision=1e-7)
    best = system.rate(pool).players

    def posterior(ratings: np.ndarray) -> float:
        chance = 1 / (1 + 10 ** ((ratings[pool.white] - ratings[pool.black]) / 400))
        prior = 1 / (1 + 10 ** ((1500 - ratings) / 400))
        games = np.log(np.where(pool.score == 1, chance, 1 - chance)).sum()
        return float(games + 0.25 * (np.log(prior) + np.log(1 - prior)).sum())

    for player in range(PLAYERS):
        for step in (-1.0, 1.0):
            moved = best.copy()
            moved[player] += step
            assert posterior(moved) < posterior(best)


@pytest.mark.parametrize("system", [BradleyTerry(), WholeHistory(bin_days=30, rounds=20)])
def test_batch_fits_find_the_strengths_and_predict_from_the_past(system: BradleyTerry | WholeHistory) -> None:
    pool, chance = simulated(1200)
    ratings = system.rate(pool)
    true = 1500 + 120 * (np.arange(PLAYERS) - PLAYERS / 2)
    assert np.abs(ratings.players - ratings.players.mean() - (true - true.mean())).max() < 120
    late = slice(600, None)
    reached = log_likelihood(pool.score[late], ratings.prediction[late])
    possible = log_likelihood(pool.score[late], chance[late])
    assert possible - 0.03 < reached < possible + 0.03
    first = 1200 // 20 if isinstance(system, BradleyTerry) else 1
    assert np.all(ratings.prediction[:first] == 0.5), "nothing is known before the first block or game"
    assert np.all(ratings.prediction[max(first, PLAYERS) :] != 0.5)


def test_predictions_do_not_know_the_future() -> None:
    pool, _ = simulated(400)
    changed = Results(**{**vars(pool), "score": np.where(np.arange(400) < 200, pool.score, 1 - pool.score)})
    for system in (BradleyTerry(refits=4), WholeHistory(rounds=4)):
        one, other = system.rate(pool), system.rate(changed)
        np.testing.assert_array_equal(one.prediction[:200], other.prediction[:200])
        assert np.any(one.prediction[300:] != other.prediction[300:])


def test_whole_history_learns_what_a_handicap_is_worth() -> None:
    pool, _ = simulated(600)
    # Weak Black takes four stones from strong White and wins half of the games.
    rows = np.arange(200)
    gap = Results(
        players=pool.players,
        black=np.concatenate([pool.black, np.full(200, 2, dtype=np.int32)]),
        white=np.concatenate([pool.white, np.full(200, 9, dtype=np.int32)]),
        score=np.concatenate([pool.score, (rows % 2).astype(np.float64)]),
        time=np.concatenate([pool.time, pool.time[-1] + rows]),
        head_start=np.concatenate([pool.head_start, np.full(200, 4.0)]),
        row=np.arange(800),
    )
    ratings = WholeHistory(bin_days=30, rounds=20).rate(gap)
    assert abs(ratings.prediction[-50:].mean() - 0.5) < 0.1
    assert ratings.of("p9").number - ratings.of("p2").number > 500


def equals(games: int, head_start: np.ndarray, chance: float) -> Results:
    """Players of one strength; Black wins with the same chance at every head start."""
    rng = np.random.default_rng(3)
    pool, _ = simulated(games)
    score = (rng.random(games) < chance).astype(np.float64)
    return Results(**{**vars(pool), "head_start": head_start, "score": score})


def test_whole_history_predicts_from_all_earlier_games_of_both_players() -> None:
    """A newcomer beats the best player 40 times within an hour of a large pool."""
    pool, _ = simulated(6000)
    first = 5003
    streak = slice(first, first + 40)
    black, white, score = pool.black.copy(), pool.white.copy(), pool.score.copy()
    black[streak], white[streak], score[streak] = PLAYERS, PLAYERS - 1, 1.0
    changed = {"players": [*pool.players, "new"], "black": black, "white": white, "score": score}
    ratings = WholeHistory(rounds=2).rate(Results(**{**vars(pool), **changed}))
    assert ratings.prediction[first] < 0.3
    assert np.all(ratings.prediction[first + 20 : first + 40] > 0.8)


def test_whole_history_does_not_round_head_starts() -> None:
    """Komi 0.5 is 0.46 ranks under Japanese rules and 0.54 under Chinese: nearly the same advantage."""
    n = 2000
    pool = equals(n, np.where(np.arange(n) % 2, 0.46, 0.54), chance=0.62)
    prediction = WholeHistory(rounds=2).rate(pool).prediction
    late = np.arange(n) >= n // 2
    japanese, chinese = (prediction[late & (pool.head_start == h)].mean() for h in (0.46, 0.54))
    assert japanese == pytest.approx(0.62, abs=0.03)
    assert 0.0 < chinese - japanese < 0.03


def test_whole_history_gives_a_new_head_start_its_worth_on_the_ogs_scale() -> None:
    """Whoever has the head start profits from it: Black by stones, White by a komi above the fair one."""
    even = np.zeros(300)
    with_head_starts = even.copy()
    with_head_starts[[200, 250]] = 4.0, -4.0
    system = WholeHistory(refits=1, rounds=2)
    odds = [
        np.log(p / (1 - p))
        for p in (system.rate(equals(300, h, chance=0.5)).prediction for h in (even, with_head_starts))
    ]
    gained = (odds[1] - odds[0])[[200, 250]]
    worth = math.log(10) / 400 * 4 * float(points_of(1.0, 1500.0))
    assert gained == pytest.approx([worth, -worth], rel=0.3), "less than the worth: ratings are uncertain"


def test_whole_history_may_only_rate() -> None:
    pool, _ = simulated(100)
    ratings = WholeHistory(predicts=False, rounds=5).rate(pool)
    assert np.all(np.isnan(ratings.prediction))
    assert np.all(np.isfinite(ratings.players)) and ratings.deviation is not None
    assert ratings.deviation.max() < 350


def test_deviations_temper_whole_history_predictions() -> None:
    system = WholeHistory()
    sure = system.predict(Rating(1700, 10), Rating(1500, 10)).of(Color.BLACK)
    unsure = system.predict(Rating(1700, 300), Rating(1500, 300)).of(Color.BLACK)
    assert sure == pytest.approx(expected_score(1700, 1500), abs=1e-3)
    assert 0.5 < unsure < sure
