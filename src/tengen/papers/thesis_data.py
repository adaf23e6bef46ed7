"""The thesis' own games, and the pool that stands in for those it does not publish."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.papers.reproduction import Request
from tengen.ratings.read_results import read_results, read_table
from tengen.ratings.results import Results

TYGEM = "tygem9d/tygem9d_results_2005-2011_2015-2016.tsv.xz"
TYGEM_NOTE = (
    "The thesis rates 6,986,379 games of OGS, which are not published with their results; ours are the Tygem "
    "results: players of one rank (9d), who all begin at 1500."
)
Array = npt.NDArray[np.float64]


class ThesisGames(NamedTuple):
    """One of the sets the thesis publishes: scores, labels (n, 2) and its full model's predictions."""

    score: Array
    labels: Array
    predicted_score: Array
    predicted_ratings: Array


def thesis_games(request: Request, name: str) -> ThesisGames:
    """The set "t", "v" or "e"."""
    table = read_table(request.file(f"ratings/thesis_ogs_games_search_{name}.csv.xz"))

    def column(title: str) -> Array:
        return table[title].cast(float).to_numpy()

    return ThesisGames(
        column("Score"),
        np.stack([column("BlackRating"), column("WhiteRating")], axis=1),
        column("PredictedScore"),
        np.stack([column("PredictedBlackRating"), column("PredictedWhiteRating")], axis=1),
    )


def pool_of_results(request: Request) -> tuple[Results, list[str]]:
    """The pool asked for, or the Tygem results, and what to note about it."""
    if request.pool is not None:
        pool, report = read_results(request.pool)
        return pool, report.lines()
    pool, report = read_results(request.file(TYGEM))
    return pool, [TYGEM_NOTE, *report.lines()]
