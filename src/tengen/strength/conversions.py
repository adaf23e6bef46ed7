"""Approximate conversion of ranks between servers.

No server publishes how its ranks compare with another's, and ranks drift. These are rules of thumb among players,
accurate to a rank or two: a Fox rank is about two and a half stones easier to get than a KGS rank, and KGS, OGS since
its change of 2021 and the European federation are within a stone of each other. Every converted rank is marked
approximate. A model that was calibrated to a scale (`tengen strength calibrate`) needs no conversion.
"""

from __future__ import annotations

from tengen.errors import InputError
from tengen.ratings.scales import SCALES, Scale

FOX = Scale("fox", lambda rating: rating, lambda rank: rank)
"""Fox: as on KGS, the rating is the rank; 30.0 is the bottom of 1 dan."""

KNOWN = {**SCALES, "fox": FOX}
# Ranks to subtract for the rank on KGS.
EASIER_THAN_KGS = {"fox": 2.5, "kgs": 0.0, "ogs": 0.0, "egf": 0.0}


def scale_named(name: str) -> Scale:
    if name not in EASIER_THAN_KGS:
        raise InputError(f"no scale is called '{name}': there are {', '.join(EASIER_THAN_KGS)}")
    return KNOWN[name]


def convert(rating: float, source: str, target: str) -> float:
    """A rating of one scale as a rating of another.

    >>> convert(34.5, "fox", "kgs"), round(convert(34.5, "fox", "egf"))
    (32.0, 2250)
    """
    rank = scale_named(source).rank(rating) - EASIER_THAN_KGS[source] + EASIER_THAN_KGS[target]
    return scale_named(target).rating(rank)
