"""The common interface of rating systems (thesis, equations 2.1 and 2.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from tengen.go.perspective import WinRate
from tengen.ratings.results import BLACK, Results

Array = npt.NDArray[np.float64]


class Rating(NamedTuple):
    """A rating number, with deviation and volatility where the system has them (else NaN)."""

    number: float
    deviation: float = math.nan
    volatility: float = math.nan


class RatingSystem(Protocol):
    """A rating estimator and a score estimator."""

    @property
    def name(self) -> str: ...

    def rate(self, results: Results) -> Ratings:
        """Rates the players of these results, and predicts each game from the games before it."""
        ...

    def predict(self, black: Rating, white: Rating, head_start: float = 0.0) -> WinRate:
        """Black's expected score; `head_start` is Black's, in ranks."""
        ...


@dataclass(frozen=True, eq=False)
class Ratings:
    """The ratings and predictions of a system for a list of results.

    `prediction` (n) is Black's expected score in each game, from the games before it. `before` and `after`
    (n, 2: Black, White) are the players' rating numbers before and after each game; `deviation_before`,
    `deviation_after` and `volatility_after` belong to them where the system has them. `players`, `deviation` and
    `volatility` (one for each player) are the last ones.
    """

    system: str
    results: Results
    prediction: Array
    before: Array
    after: Array
    players: Array
    deviation_before: Array | None = None
    deviation_after: Array | None = None
    volatility_after: Array | None = None
    deviation: Array | None = None
    volatility: Array | None = None

    def of(self, name: str) -> Rating:
        """The last rating of a player, by name; KeyError if there is no such player."""
        p = self.results.number(name)
        return Rating(
            float(self.players[p]),
            math.nan if self.deviation is None else float(self.deviation[p]),
            math.nan if self.volatility is None else float(self.volatility[p]),
        )

    def curve(self, name: str) -> Curve:
        """A player's rating after each game."""
        history = self.results.history(self.results.number(name))
        at = (history.games, history.side)
        deviation = None if self.deviation_after is None else self.deviation_after[at]
        volatility = None if self.volatility_after is None else self.volatility_after[at]
        opponent = self.results.sides[history.games, 1 - history.side]
        score = self.results.score[history.games]
        return Curve(
            self.results.time[history.games],
            self.after[at],
            deviation,
            volatility,
            opponent,
            np.where(history.side == BLACK, score, 1.0 - score),
        )


class Curve(NamedTuple):
    """One player's history, one entry for each game: the player's `score`, and the number of the `opponent`."""

    time: npt.NDArray[np.int64]
    number: Array
    deviation: Array | None
    volatility: Array | None
    opponent: npt.NDArray[np.int32]
    score: Array
