"""Ratings as tables, for files."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from tengen.ratings.metrics import plain
from tengen.ratings.results import BLACK, WHITE
from tengen.ratings.scales import OGS, Scale, rank_name
from tengen.ratings.system import Ratings


def players_table(ratings: Ratings, scale: Scale = OGS) -> pl.DataFrame:
    """One row for each player, the strongest first: rating, deviation, volatility, rank on the scale, games."""
    results = ratings.results
    last = np.zeros(len(results.players), dtype=np.int64)
    last[results.sides] = results.time[:, None]
    ranks = [scale.rank(r) for r in ratings.players.tolist()]
    columns = {
        "player": results.players,
        "rating": ratings.players,
        "deviation": ratings.deviation,
        "volatility": ratings.volatility,
        "rank": [rank_name(r) for r in ranks],
        "rank_number": ranks,
        "games": results.games_of_players,
        "last_game": pl.from_epoch(pl.Series(last), "s"),
    }
    table = pl.DataFrame({name: column for name, column in columns.items() if column is not None})
    return table.filter(pl.col("games") > 0).sort("rating", descending=True, maintain_order=True)


def players_json(table: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows of `players_table` for JSON; what is not known is None."""
    return [plain(row) for row in table.drop("last_game").to_dicts()]


def history_table(ratings: Ratings) -> pl.DataFrame:
    """Two rows for each game in order, Black's and White's: the ratings before and after, and the expected score.

    `score` and `expected` are in the view of the row's player; `row` is the game's row in the table that was read.
    """
    results = ratings.results
    names = pl.Series(results.players, dtype=pl.String)
    own = np.stack([results.score, 1.0 - results.score], axis=1)
    expected = np.stack([ratings.prediction, 1.0 - ratings.prediction], axis=1)
    table = pl.DataFrame(
        {
            "row": np.repeat(results.row, 2),
            "time": pl.from_epoch(pl.Series(np.repeat(results.time, 2)), "s"),
            "player": names.gather(results.sides.ravel()),
            "opponent": names.gather(results.sides[:, [WHITE, BLACK]].ravel()),
            "color": pl.Series(["B", "W"]).gather(np.tile([0, 1], len(results))),
            "score": own.ravel(),
            "expected": expected.ravel(),
            "rating_before": ratings.before.ravel(),
            "rating": ratings.after.ravel(),
        }
    )
    for name, column in (("deviation", ratings.deviation_after), ("volatility", ratings.volatility_after)):
        if column is not None:
            table = table.with_columns(pl.Series(name, column.ravel()))
    return table
