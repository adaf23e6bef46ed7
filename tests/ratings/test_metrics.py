"""The measures, computed by hand and on the thesis' own predictions."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from tengen.ratings.metrics import accuracy, by_earlier_games, calibration, gain, log_likelihood, quality
from tengen.ratings.read_results import read_table
from tengen.ratings.results import Results


def test_accuracy_counts_an_even_chance_as_white() -> None:
    score = np.array([1.0, 0.0, 1.0, 0.0, 0.5])
    prediction = np.array([0.6, 0.6, 0.5, 0.5, 0.9])
    assert accuracy(score, prediction) == pytest.approx((1 + 0 + 0 + 1 + 0.5) / 5)


def test_log_likelihood_is_the_mean_log_of_what_happened() -> None:
    score, prediction = np.array([1.0, 0.0]), np.array([0.8, 0.4])
    assert log_likelihood(score, prediction) == pytest.approx((math.log(0.8) + math.log(0.6)) / 2)


def test_a_certain_prediction_that_fails_costs_a_million_to_one() -> None:
    assert log_likelihood(np.array([1.0]), np.array([0.0])) == pytest.approx(math.log(1e-6))


def test_the_gain_of_one_prediction_over_another_is_by_game() -> None:
    score, mine, theirs = np.array([1.0, 0.0, 1.0, 1.0]), np.array([0.8, 0.2, 0.4, 0.6]), np.full(4, 0.5)
    found = gain(score, mine, theirs)
    assert found.mean == pytest.approx(log_likelihood(score, mine) - log_likelihood(score, theirs))
    logs = np.log([1.6, 1.6, 0.8, 1.2])
    assert found.margin == pytest.approx(1.96 * logs.std(ddof=1) / 2)
    assert gain(score, mine, mine) == (0, 0)


def test_no_games_have_no_quality() -> None:
    nothing = quality(np.zeros(0), np.zeros(0))
    assert nothing.games == 0
    assert math.isnan(nothing.accuracy) and math.isnan(nothing.log_likelihood)


def test_calibration_puts_predictions_into_bins() -> None:
    score = np.array([0.0, 1.0, 1.0, 1.0])
    bins = calibration(score, np.array([0.12, 0.18, 0.95, 1.0]))
    assert [(b.low, b.games, round(b.predicted, 3), b.scored) for b in bins] == [
        (0.1, 2, 0.15, 0.5),
        (0.9, 2, 0.975, 1.0),
    ]


def test_experience_is_that_of_the_less_experienced_player() -> None:
    pool = Results.of([("a", "b", 1), ("a", "b", 1), ("a", "c", 1)])
    rows = by_earlier_games(pool, np.array([0.9, 0.9, 0.1]))
    assert [(row.label, row.quality.games, row.quality.accuracy) for row in rows] == [
        ("0", 2, 0.5),
        ("1-4", 1, 1.0),
    ]


@pytest.mark.data
@pytest.mark.parametrize(
    ("part", "games", "alpha", "lambda_"),
    [("e", 5000, 0.6880, -0.57673), ("v", 5000, 0.6900, -0.57836), ("t", 10000, 0.8351, -0.44429)],
)
def test_the_measures_on_the_predictions_of_the_thesis(
    shared_data: Path, part: str, games: int, alpha: float, lambda_: float
) -> None:
    table = read_table(shared_data / "ratings" / f"thesis_ogs_games_search_{part}.csv.xz")
    score, prediction = (table[name].cast(float).to_numpy() for name in ("Score", "PredictedScore"))
    found = quality(score, prediction)
    assert found.games == games
    assert round(found.accuracy, 4) == alpha
    assert round(found.log_likelihood, 5) == lambda_
