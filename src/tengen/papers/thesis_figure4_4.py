"""Figure 4.4 of the thesis: Glicko-2's deviation as players play more games."""

from __future__ import annotations

import numpy as np

from tengen.papers.reproduction import Outcome, Request, Row
from tengen.papers.thesis_data import pool_of_results
from tengen.plots import new_figure, save
from tengen.ratings.glicko2 import Glicko2

TITLE = "Glicko-2's confidence over time"
GAMES = 50
SAMPLE = 20  # deviations drawn for each number of games


def run(request: Request) -> Outcome:
    pool, notes = pool_of_results(request)
    ratings = Glicko2().rate(pool)
    assert ratings.deviation_after is not None
    played = pool.earlier_games.ravel() + 1
    deviation = ratings.deviation_after.ravel()
    mean = np.array(
        [350.0] + [float(deviation[played == n].mean()) for n in range(1, GAMES + 1) if np.any(played == n)]
    )
    rows = [
        Row("deviation before the first game", "350", f"{mean[0]:.0f}"),
        Row(
            "mean deviation after 50 games",
            "around 73",
            f"{mean[-1]:.1f}" if len(mean) > GAMES else "no such player",
        ),
    ]
    if len(mean) > 10:
        rows.insert(1, Row("mean deviation after 10 games (4.7.1)", "roughly halved", f"{mean[10]:.1f}"))
    if request.output is not None:
        figure = new_figure()
        axes = figure.add_subplot()
        rng = np.random.default_rng(0)
        for n in range(1, len(mean)):
            here = deviation[played == n]
            sample = rng.choice(here, size=min(SAMPLE, len(here)), replace=False)
            axes.plot(np.full(len(sample), n), sample, ".", ms=3, color="#9db4c8")
        axes.plot(range(len(mean)), mean, color="black", lw=1.2, label="mean")
        axes.axhline(73, color="#b5423c", lw=0.8, ls=":", label="73, where the thesis' settles")
        axes.set_xlabel("games played")
        axes.set_ylabel("rating deviation")
        axes.set_ylim(0, 360)
        axes.legend()
        save(figure, request.output)
    return Outcome(rows, notes, request.output)
