"""The Glicko-2 system (thesis, Section 3.1.3; Glickman's guide of 2022).

The thesis prints its steps with three slips, which we do not follow: the sign of gamma in equation 3.4, g
instead of g squared in the variance of step 3, and the old volatility instead of the new one in step 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tengen import _native
from tengen.go.color import Color
from tengen.go.perspective import WinRate
from tengen.ratings.results import SECONDS_A_DAY, Results
from tengen.ratings.system import Rating, Ratings

INITIAL = Rating(1500.0, 350.0, 0.06)


@dataclass(frozen=True)
class Glicko2:
    """Rating, deviation and volatility. The constants are those of OGS.

    With `period_days` None each game is a rating period, as on OGS: ratings change after each game. With a
    number, the games of that many days are rated together from the ratings before them, and a player's deviation
    widens for each period without games, as in Glickman's guide. `aging_days` widens the deviation also where each
    game is a period: by one period for each `aging_days` days of absence beyond the first.

    With `use_deviations` a prediction moves towards 1/2 by both players' deviations (equation 3.4); OGS' own tally
    predicts from the two ratings only.
    """

    tau: float = 0.5
    initial: Rating = INITIAL
    period_days: float | None = None
    aging_days: float | None = None
    use_deviations: bool = True
    rating_bounds: tuple[float, float] = (100.0, 6000.0)
    deviation_bounds: tuple[float, float] = (30.0, 500.0)
    volatility_bounds: tuple[float, float] = (0.01, 0.15)
    epsilon: float = 1e-6

    @property
    def name(self) -> str:
        return "glicko2" if self.period_days is None else "glicko2-periods"

    def _settings(self) -> _native.Glicko2Settings:
        return _native.Glicko2Settings(
            tau=self.tau,
            initial=self.initial,
            rating_bounds=self.rating_bounds,
            deviation_bounds=self.deviation_bounds,
            volatility_bounds=self.volatility_bounds,
            epsilon=self.epsilon,
            use_deviations=self.use_deviations,
        )

    def rate(self, results: Results) -> Ratings:
        days = (results.time - (results.time[0] if len(results) else 0)) / SECONDS_A_DAY
        if self.period_days is not None:
            period = np.floor(days / self.period_days).astype(np.int64)
            clock = period.astype(np.float64)
        else:
            period = np.arange(len(results), dtype=np.int64)
            clock = np.zeros(len(results)) if self.aging_days is None else days / self.aging_days
        sweep = _native.glicko2_sweep(
            results.black,
            results.white,
            results.score,
            results.head_start,
            period,
            clock,
            len(results.players),
            self._settings(),
        )
        prediction, before, deviation_before, after, deviation_after, volatility_after, players = sweep
        return Ratings(
            self.name,
            results,
            prediction,
            before,
            after,
            players[:, 0],
            deviation_before,
            deviation_after,
            volatility_after,
            players[:, 1],
            players[:, 2],
        )

    def predict(self, black: Rating, white: Rating, head_start: float = 0.0) -> WinRate:
        expected = _native.glicko2_expected(black, white, head_start, self._settings())
        return WinRate(expected, Color.BLACK)

    def update(self, player: Rating, opponents: Sequence[Rating], scores: Sequence[float]) -> Rating:
        """The player's rating after one rating period; `scores` are the player's, one for each opponent.

        >>> opponents = [Rating(1400, 30, 0.06), Rating(1550, 100, 0.06), Rating(1700, 300, 0.06)]
        >>> after = Glicko2().update(Rating(1500, 200, 0.06), opponents, [1, 0, 0])
        >>> f"{after.number:.1f} {after.deviation:.2f} {after.volatility:.4f}"
        '1464.1 151.52 0.0600'
        """
        return Rating(*_native.glicko2_update(player, opponents, scores, self._settings()))
