"""Rating numbers and traditional ranks, on the scales of the organisations that keep ratings.

A rank is a number: 0 is the bottom of 30 kyu, 30 the bottom of 1 dan, so 29.99 is still 1 kyu. One rank is one
handicap stone. A scale is only valid for ratings of its organisation: 1500 in a club's own list is not 6 kyu on OGS.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

FIRST_DAN = 30.0


def rank_name(rank: float) -> str:
    """A rank as players write it.

    >>> rank_name(29.9), rank_name(30.0), rank_name(10.5), rank_name(38.2)
    ('1k', '1d', '20k', '9d')
    """
    if math.isnan(rank):
        return "?"
    whole = math.floor(rank)
    return f"{whole - 29}d" if whole >= FIRST_DAN else f"{30 - whole}k"


@dataclass(frozen=True)
class Scale:
    """The ratings and ranks of one organisation: `rank(rating)` and `rating(rank)` are inverse functions."""

    name: str
    rank: Callable[[float], float]
    rating: Callable[[float], float]


def _ogs_rank(rating: float) -> float:
    return math.log(rating / 525.0) * 23.15 if rating > 0 else -math.inf


def _aga_rank(rating: float) -> float:
    # AGA ratings leave out (-1, 1): 1.0 is the bottom of 1 dan and -1.0 the top of 1 kyu.
    return rating + (29.0 if rating >= 1 else 31.0 if rating <= -1 else math.nan)


OGS = Scale("ogs", _ogs_rank, lambda rank: 525.0 * math.exp(rank / 23.15))
"""Online-go.com since 2021: rank = ln(rating / 525) * 23.15."""

EGF = Scale(
    "egf", lambda rating: (rating - 2050.0) / 100.0 + 30.0, lambda rank: (rank - 30.0) * 100.0 + 2050.0
)
"""European Go Federation: a rank is 100 points wide, 2100 in the middle of 1 dan."""

AGA = Scale("aga", _aga_rank, lambda rank: rank - 29.0 if rank >= FIRST_DAN else rank - 31.0)
"""American Go Association: 1.0 to 1.99 is 1 dan, -1.99 to -1.0 is 1 kyu; nothing between -1 and 1."""

KGS = Scale("kgs", lambda rating: rating, lambda rank: rank)
"""KGS Go Server: the rating is the rank itself, with fractions on its graphs."""

SCALES = {scale.name: scale for scale in (OGS, EGF, AGA, KGS)}

NUMBERED = {scale.name: scale for scale in (OGS, EGF)}
"""Scales for ratings in hundreds of points, as Elo and Glicko-2 have; those of AGA and KGS are ranks themselves."""
