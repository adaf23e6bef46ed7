"""The Elo system (thesis, Section 3.1.2)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from tengen import _native
from tengen.go.color import Color
from tengen.go.perspective import WinRate
from tengen.ratings.results import Results
from tengen.ratings.system import Rating, Ratings

# Rating points in one unit of the curve's argument. Logistic curve: 400 points are odds of 10 to 1. Normal curve:
# the difference of two performances with standard deviation 200 each (equation 3.2).
SCALES = {"logistic": 400.0 / math.log(10.0), "normal": 200.0 * math.sqrt(2.0)}


@dataclass(frozen=True)
class Elo:
    """One number for each player; each game changes it by K times (score - expected score) (equation 3.3).

    >>> from tengen.ratings.results import Results
    >>> ratings = Elo(k=32).rate(Results.of([("Go", "Shusaku", 0)]))
    >>> ratings.of("Shusaku").number, ratings.of("Go").number
    (1516.0, 1484.0)
    """

    k: float = 32.0
    curve: Literal["logistic", "normal"] = "logistic"
    initial: float = 1500.0

    @property
    def name(self) -> str:
        return "elo" if self.curve == "logistic" else "elo-normal"

    def _settings(self) -> _native.EloSettings:
        curve = _native.EloCurve.LOGISTIC if self.curve == "logistic" else _native.EloCurve.NORMAL
        return _native.EloSettings(curve=curve, k=self.k, initial=self.initial, scale=SCALES[self.curve])

    def rate(self, results: Results) -> Ratings:
        prediction, before, after, players = _native.elo_sweep(
            results.black,
            results.white,
            results.score,
            results.head_start,
            len(results.players),
            self._settings(),
        )
        return Ratings(self.name, results, prediction, before, after, players)

    def predict(self, black: Rating, white: Rating, head_start: float = 0.0) -> WinRate:
        expected = _native.elo_expected(black.number, white.number, head_start, self._settings())
        return WinRate(expected, Color.BLACK)
