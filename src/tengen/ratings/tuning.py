"""Chooses the constants with which a system predicts games best."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen.progress import Progress, Report, silent
from tengen.ratings.elo import Elo
from tengen.ratings.glicko2 import Glicko2
from tengen.ratings.metrics import log_likelihood
from tengen.ratings.results import Results
from tengen.ratings.system import Rating, RatingSystem

Constants = Mapping[str, float]
FAR = 64.0  # a constant stays within its start divided and multiplied by this


@dataclass(frozen=True)
class Tunable:
    """A system with positive constants to choose: its constructor, and the initial constants."""

    build: Callable[[Constants], RatingSystem]
    start: Constants


def _elo(c: Constants) -> Elo:
    return Elo(k=c["k"])


def _glicko2(c: Constants) -> Glicko2:
    lowest = min(c["least_volatility"], c["volatility"])
    return Glicko2(
        tau=c["tau"],
        initial=Rating(1500.0, c["deviation"], c["volatility"]),
        aging_days=c["aging_days"],
        volatility_bounds=(lowest, 0.15 if c["volatility"] < 0.15 else c["volatility"]),
    )


TUNABLE = {
    "elo": Tunable(_elo, {"k": 32.0}),
    "glicko2": Tunable(
        _glicko2,
        {"tau": 0.5, "deviation": 350.0, "volatility": 0.06, "least_volatility": 0.01, "aging_days": 30.0},
    ),
}


@dataclass(frozen=True)
class Tuned:
    """A system with its chosen constants, and their log-likelihood on the games they were chosen on."""

    system: RatingSystem
    constants: Constants
    log_likelihood: float
    trials: int


def tune(
    name: str,
    results: Results,
    counted: npt.NDArray[np.bool_],
    progress: Report = silent,
    factor: float = 2.0,
    finest: float = 1.1,
) -> Tuned:
    """Chooses constants by the mean log-likelihood over the `counted` games of the results.

    One constant at a time is multiplied or divided by `factor`, and the change is kept if it helps. If no change
    helps, `factor` becomes its square root. The search ends when it is below `finest`.
    """
    tunable = TUNABLE[name]
    trials = 0

    def value(constants: Constants) -> float:
        nonlocal trials
        trials += 1
        prediction = tunable.build(constants).rate(results).prediction
        reached = log_likelihood(results.score[counted], prediction[counted])
        note = f"{trials} trials, log-likelihood {max(reached, best):.5f}"
        progress(Progress(f"tuning {name}", trials, None, note))
        return reached

    best = -math.inf
    constants = dict(tunable.start)
    best = value(constants)
    while factor >= finest:
        improved = False
        for key in constants:
            for step in (factor, 1.0 / factor):
                while True:
                    candidate = constants | {key: constants[key] * step}
                    if not 1 / FAR <= candidate[key] / tunable.start[key] <= FAR:
                        break
                    if (reached := value(candidate)) <= best:
                        break
                    best, constants, improved = reached, candidate, True
        if not improved:
            factor = math.sqrt(factor)
    return Tuned(tunable.build(constants), constants, best, trials)
