"""Compares rating systems on the same games."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.errors import InputError
from tengen.ratings.bradley_terry import BradleyTerry
from tengen.ratings.elo import Elo
from tengen.ratings.glicko2 import Glicko2
from tengen.ratings.metrics import (
    CalibrationBin,
    Experience,
    Quality,
    by_earlier_games,
    calibration,
    plain,
    quality,
)
from tengen.ratings.read_results import Report
from tengen.ratings.results import Results
from tengen.ratings.system import Array, Rating, RatingSystem
from tengen.ratings.whole_history import WholeHistory

# All systems by name, with their default constants.
SYSTEMS: dict[str, Callable[[], RatingSystem]] = {
    "elo": Elo,
    "elo-normal": lambda: Elo(curve="normal"),
    "glicko2": Glicko2,
    "glicko2-ogs": lambda: Glicko2(use_deviations=False),
    "glicko2-weekly": lambda: Glicko2(period_days=7),
    "bradley-terry": BradleyTerry,
    "whr": WholeHistory,
}
# Chosen on games 100,001 to 769,336 of the Tygem results (docs/ratings.md says how).
TUNED_ON_TYGEM = Glicko2(
    tau=8.0, initial=Rating(1500.0, 247.5, 0.0212), aging_days=0.79, volatility_bounds=(0.01, 0.15)
)
SYSTEMS["glicko2-tygem"] = lambda: TUNED_ON_TYGEM


def system_named(name: str) -> RatingSystem:
    if name not in SYSTEMS:
        raise InputError(f"no rating system is called '{name}': there are {', '.join(SYSTEMS)}")
    return SYSTEMS[name]()


@dataclass(frozen=True)
class Entry:
    """The quality of one system over the counted games: in total, by predicted probability, by experience."""

    name: str
    quality: Quality
    calibration: list[CalibrationBin]
    by_earlier_games: list[Experience]
    seconds: float
    prediction: Array

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            **self.quality.to_json(),
            "seconds": self.seconds,
            "calibration": plain(self.calibration),
            "by_earlier_games": [
                {"least": row.least, "most": row.most, **row.quality.to_json()}
                for row in self.by_earlier_games
            ],
        }


@dataclass(frozen=True)
class Comparison:
    """Several systems on the same held-out games; `tuned` are the constants that were chosen, by system."""

    report: Report
    games: int
    held_out: int
    entries: list[Entry]
    tuned: dict[str, dict[str, float]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {
            "pool": self.report.to_json(),
            "games": self.games,
            "held_out": self.held_out,
            "tuned": self.tuned,
            "systems": [entry.to_json() for entry in self.entries],
        }


def training_games(results: Results, share: float) -> int:
    """The number of games before the held-out ones; at least one game is held out."""
    return min(round(len(results) * (1 - share)), len(results) - 1)


def held_out(results: Results, share: float, min_games: int = 0) -> npt.NDArray[np.bool_]:
    """A mask (n): games of the last `share` whose players both have `min_games` earlier games."""
    if not 0 < share <= 1:
        raise InputError(f"the held-out share is more than 0 and at most 1, not {share}")
    counted = np.arange(len(results)) >= training_games(results, share)
    counted &= (results.earlier_games >= min_games).all(axis=1)
    if not counted.any():
        raise InputError("no games are held out: choose a larger share, or fewer earlier games")
    return counted


def judge(name: str, system: RatingSystem, results: Results, counted: npt.NDArray[np.bool_]) -> Entry:
    """Rates the results and measures the predictions of the counted games, each made from the games before it."""
    start = time.perf_counter()
    prediction = system.rate(results).prediction
    return measure(name, prediction, results, counted, time.perf_counter() - start)


def measure(
    name: str, prediction: Array, results: Results, counted: npt.NDArray[np.bool_], seconds: float = 0.0
) -> Entry:
    score, predicted = results.score[counted], prediction[counted]
    return Entry(
        name,
        quality(score, predicted),
        calibration(score, predicted),
        by_earlier_games(results, prediction, counted),
        seconds,
        prediction,
    )
