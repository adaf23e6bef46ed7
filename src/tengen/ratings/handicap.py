"""The worth of handicap stones and komi, as on OGS (its ratings of version 6)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

FAIR_KOMI = (
    6.0  # points, under territory scoring; one more under area scoring, where Black's extra stone counts
)
STONE = 2 * FAIR_KOMI  # worth of a free move in points; one rank on a 19x19 board
SMALL_BOARD_FACTOR = {9: 6.0, 13: 3.0}  # a stone is worth this many ranks on a board of this size
TERRITORY_RULES = ("japanese", "korean")
RANKS_PER_FOLD = 23.15  # OGS scale: this many ranks higher, the rating is e times as large
LEAST_RATING = 100.0  # OGS' lowest rating; below it a rank would be worth almost nothing


def head_start(handicap: Any, komi: Any, size: Any = 19, rules: Any = "japanese") -> npt.NDArray[np.float64]:
    """Black's advantage before the first move, in ranks; negative where komi is above the fair one.

    The arguments broadcast against each other. A handicap of 0 or 1 means no stones on the board. Chinese rules
    give White a point for each handicap stone, AGA rules one for each after the first.

    >>> head_start(handicap=[0, 2, 9], komi=[6.0, 0.5, 0.5]).round(2).tolist()
    [0.0, 1.46, 8.46]
    """
    handicap = np.asarray(handicap, dtype=np.float64)
    names = np.char.lower(np.asarray(rules, dtype=np.str_))
    extra_moves = np.where(handicap > 1, handicap - 1, 0.0)
    area = np.where(np.isin(names, TERRITORY_RULES), 0.0, 1.0)
    bonus = np.where(names == "chinese", handicap, np.where(names == "aga", extra_moves, 0.0))
    points = (FAIR_KOMI + area) - (np.asarray(komi, dtype=np.float64) + bonus) + (STONE + area) * extra_moves
    sizes = np.asarray(size)
    factor = np.ones(sizes.shape)
    for small, ranks in SMALL_BOARD_FACTOR.items():
        factor = np.where(sizes == small, ranks, factor)
    return np.asarray(points * factor / STONE, dtype=np.float64)


def points_of(ranks: Any, rating: Any) -> npt.NDArray[np.float64]:
    """The worth of `ranks` in rating points at a rating, on the OGS scale; the arguments broadcast."""
    return np.asarray(np.maximum(rating, LEAST_RATING) * np.expm1(np.asarray(ranks) / RANKS_PER_FOLD))
