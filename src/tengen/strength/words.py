"""An estimate in words, and on the scales of other servers."""

from __future__ import annotations

from typing import Any

from tengen.ratings.scales import rank_name
from tengen.strength.calibration import Calibration
from tengen.strength.conversions import EASIER_THAN_KGS, convert, scale_named
from tengen.strength.estimate import Estimate

SCALE_NAMES = {"fox": "Fox", "kgs": "KGS", "ogs": "OGS", "egf": "EGF"}


def rank_in_words(rank: str) -> str:
    """
    >>> rank_in_words("4k"), rank_in_words("1d")
    ('4 kyu', '1 dan')
    """
    return f"{rank[:-1]} {'kyu' if rank.endswith('k') else 'dan'}"


def ends_of(calibration: Calibration, found: Estimate) -> tuple[float, float]:
    """The lowest and the highest rating that the model can give, on the estimate's scale."""
    ends = calibration.low, calibration.high
    if found.approximate:
        return (
            convert(ends[0], calibration.scale, found.scale),
            convert(ends[1], calibration.scale, found.scale),
        )
    return ends


def rank_words(found: Estimate, ends: tuple[float, float]) -> str:
    """The rank, open where the model cannot tell: "4k or weaker"."""
    if not found.rank:
        return f"{found.rating:.0f}"
    if found.rating <= ends[0] + 0.5:
        return f"{found.rank} or weaker"
    if found.rating >= ends[1] - 0.5:
        return f"{found.rank} or stronger"
    return found.rank


def sentence(found: Estimate) -> str:
    """What the estimate says, for a player."""
    if not found.rank:
        low, high = found.interval80
        return (
            f"has a rating of about {found.rating:.0f}; "
            f"four times in five such a player has {low:.0f} to {high:.0f}"
        )
    low_rank, high_rank = (rank_in_words(rank) for rank in found.ranks80)
    about = "about " if found.approximate else ""
    name = SCALE_NAMES.get(found.scale, found.scale)
    band = f"between {low_rank} and {high_rank}" if low_rank != high_rank else low_rank
    return (
        f"plays like {about}a {name} {rank_in_words(found.rank)}; four times in five such a player is {band}"
    )


def other_scales(found: Estimate) -> list[dict[str, Any]]:
    """The estimate on the scales of other servers, by rules of thumb; none for the ratings of a pool."""
    if found.scale not in EASIER_THAN_KGS:
        return []
    rows = []
    for scale in EASIER_THAN_KGS:
        if scale != found.scale:
            ratings = (found.rating, found.interval80.low, found.interval80.high)
            ranks = [
                rank_name(scale_named(scale).rank(convert(rating, found.scale, scale))) for rating in ratings
            ]
            rows.append({"scale": scale, "rank": ranks[0], "ranks80": ranks[1:], "approximate": True})
    return rows


def axis(found: Estimate, ends: tuple[float, float]) -> dict[str, Any]:
    """A scale to draw the estimate on: its ends, and the middle of each rank between them."""
    low = min(ends[0], found.interval95.low)
    high = max(ends[1], found.interval95.high)
    if found.scale not in EASIER_THAN_KGS:
        return {"low": low, "high": high, "ticks": []}
    scale = scale_named(found.scale)
    middles = {
        rank: scale.rating(rank + 0.5) for rank in range(int(scale.rank(low)), int(scale.rank(high)) + 1)
    }
    ticks = [{"rating": at, "rank": rank_name(rank)} for rank, at in middles.items() if low <= at <= high]
    return {"low": low, "high": high, "ticks": ticks}
