"""The comparison of systems, tuned and not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.errors import InputError
from tengen.progress import Progress
from tengen.ratings.compare import SYSTEMS, held_out, judge, system_named
from tengen.ratings.elo import Elo
from tengen.ratings.glicko2 import Glicko2
from tengen.ratings.read_results import read_results
from tengen.ratings.results import SECONDS_A_DAY, Results
from tengen.ratings.tuning import tune


def results_of(games: int, seed: int = 0) -> Results:
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, 1, 30)
    black = rng.integers(0, 30, games)
    white = (black + rng.integers(1, 30, games)) % 30
    score = (rng.random(games) < 1 / (1 + np.exp(strength[white] - strength[black]))).astype(np.float64)
    return Results(
        [str(i) for i in range(30)],
        black.astype(np.int32),
        white.astype(np.int32),
        score,
        (np.arange(games) * SECONDS_A_DAY / 10).astype(np.int64),
        np.zeros(games),
        np.arange(games),
    )


@given(st.integers(10, 200), st.floats(0.05, 1.0))
def test_the_latest_games_are_held_out(games: int, share: float) -> None:
    counted = held_out(results_of(games), share)
    assert counted[-1]
    assert counted.sum() == pytest.approx(max(1, share * games), abs=0.51)
    assert np.all(np.diff(counted.astype(int)) >= 0)


def test_only_games_of_experienced_players_may_count() -> None:
    pool = results_of(300)
    counted = held_out(pool, 1.0, min_games=10)
    assert np.array_equal(counted, pool.earlier_games.min(axis=1) >= 10)
    with pytest.raises(InputError, match="no games are held out"):
        held_out(pool, 0.1, min_games=1000)
    with pytest.raises(InputError, match="share"):
        held_out(pool, 0.0)


def test_every_system_by_name_predicts_better_than_nothing() -> None:
    pool = results_of(1500)
    counted = held_out(pool, 0.4)
    for name in SYSTEMS:
        if name == "whr":
            continue  # slow, and in test_batch_systems
        entry = judge(name, system_named(name), pool, counted)
        assert entry.quality.games == counted.sum()
        assert entry.quality.log_likelihood > np.log(0.5), name
        assert sum(b.games for b in entry.calibration) == counted.sum()
        assert sum(row.quality.games for row in entry.by_earlier_games) == counted.sum()


def test_an_unknown_name_is_answered_with_those_there_are() -> None:
    with pytest.raises(InputError, match="elo, elo-normal, glicko2"):
        system_named("trueskill")


def test_tuning_finds_better_constants_and_counts_its_trials() -> None:
    pool = results_of(2000)
    early = np.arange(2000) < 1500
    seen: list[Progress] = []
    tuned = tune("elo", pool, early, seen.append)
    default = judge("elo", Elo(), pool, early).quality.log_likelihood
    assert tuned.log_likelihood == judge("tuned", tuned.system, pool, early).quality.log_likelihood
    assert tuned.log_likelihood >= default
    assert [each.done for each in seen] == list(range(1, tuned.trials + 1))
    assert f"log-likelihood {tuned.log_likelihood:.5f}" in seen[-1].note


def test_tuning_sees_only_the_games_that_count() -> None:
    pool = results_of(600)
    early = np.arange(600) < 400
    changed = Results(**{**vars(results_of(600)), "score": np.where(early, pool.score, 1 - pool.score)})
    assert tune("elo", pool, early).constants == tune("elo", changed, early).constants


@pytest.mark.data
def test_ogs_own_figure_on_the_first_tygem_games_and_ours(shared_data: Path) -> None:
    pool, _ = read_results(shared_data / "tygem9d" / "tygem9d_results_2005-2011_2015-2016.tsv.xz")
    first = pool.head(100_000)
    counted = held_out(first, 1.0, min_games=10)
    ogs = judge("ogs", system_named("glicko2-ogs"), first, counted).quality
    assert (ogs.games, round(ogs.accuracy, 3), round(ogs.log_likelihood, 3)) == (75_010, 0.634, -0.642)
    ours = judge("ours", Glicko2(), first, counted).quality
    assert ours.log_likelihood > -0.640
    tuned = judge("tuned", system_named("glicko2-tygem"), first, counted).quality
    assert tuned.log_likelihood > -0.6365
    assert tuned.accuracy > 0.635
