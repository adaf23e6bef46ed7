"""Two players' estimates, and who would win an even game."""

from __future__ import annotations

from tengen.errors import InputError
from tengen.go.color import Color
from tengen.ratings.glicko2 import Glicko2
from tengen.ratings.scales import OGS
from tengen.ratings.system import Rating
from tengen.strength.conversions import EASIER_THAN_KGS, scale_named
from tengen.strength.estimate import Estimate


def as_points(found: Estimate) -> Rating:
    """An estimate as a Glicko rating. A rank is as wide as on OGS, which publishes its points."""
    if found.scale not in EASIER_THAN_KGS:
        return Rating(found.rating, found.deviation, 0.06)
    scale = scale_named(found.scale)
    low, middle, high = (
        OGS.rating(scale.rank(rating))
        for rating in (found.rating - found.deviation, found.rating, found.rating + found.deviation)
    )
    return Rating(middle, (high - low) / 2, 0.06)


def chance_to_win(one: Estimate, two: Estimate) -> float:
    """The first player's win probability in an even game with random colours; both deviations move it towards 1/2."""
    if one.scale != two.scale:
        raise InputError(f"ratings of {one.scale} and of {two.scale} cannot be compared")
    return Glicko2().predict(as_points(one), as_points(two)).of(Color.BLACK)
