"""Figure 4.5 of the thesis: the distribution of ranks as players play more games."""

from __future__ import annotations

import numpy as np

from tengen.papers.reproduction import Outcome, Request, Row
from tengen.papers.thesis_data import pool_of_results
from tengen.plots import new_figure, save
from tengen.ratings.glicko2 import Glicko2
from tengen.ratings.scales import rank_name

TITLE = "The distribution of ranks over time"
GAMES = 50
LOWEST, HIGHEST = 10, 38  # 20 kyu and 9 dan


def run(request: Request) -> Outcome:
    pool, notes = pool_of_results(request)
    ratings = Glicko2().rate(pool)
    played = pool.earlier_games.ravel() + 1
    rank = np.floor(np.log(ratings.after.ravel() / 525) * 23.15).astype(np.int64)
    rank = np.clip(rank, LOWEST, HIGHEST) - LOWEST
    counts = np.zeros((HIGHEST - LOWEST + 1, GAMES))
    chosen = played <= GAMES
    np.add.at(counts, (rank[chosen], played[chosen] - 1), 1)
    columns = counts[:, counts.sum(axis=0) > 0]
    shares = columns / columns.sum(axis=0)
    # Half the sum of the absolute differences: the share of players in another place than in the last column.
    distance = np.abs(shares - shares[:, -1:]).sum(axis=0) / 2
    settled = int(np.argmax(distance < 0.1)) + 1
    single_digit = shares[20 - LOWEST : 30 - LOWEST, -1].sum()
    rows = [
        Row("games until the distribution is stable", "about 7", f"{settled} (within 10 % of the last)"),
        Row("share in the single-digit kyus in the end", "the bulk", f"{single_digit:.1%}"),
    ]
    if request.output is not None:
        figure = new_figure(9, 5.5)
        axes = figure.add_subplot()
        image = axes.imshow(
            shares,
            origin="lower",
            aspect="auto",
            cmap="Blues",
            extent=(0.5, shares.shape[1] + 0.5, 0, len(shares)),
        )
        places = range(0, len(shares), 4)
        axes.set_yticks([p + 0.5 for p in places], [rank_name(LOWEST + p) for p in places])
        axes.set_xlabel("games on record")
        axes.set_ylabel("rank (OGS scale)")
        figure.colorbar(image, label="share of players")
        save(figure, request.output)
    return Outcome(rows, notes, request.output)
