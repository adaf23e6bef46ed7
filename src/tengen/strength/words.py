"""An estimate in words, and on the scales of other servers."""

from __future__ import annotations

from typing import Any

from tengen.ratings.scales import rank_name
from tengen.strength.conversions import EASIER_THAN_KGS, convert, scale_named
from tengen.strength.estimate import Estimate

SCALE_NAMES = {"fox": "Fox", "kgs": "KGS", "ogs": "OGS", "egf": "EGF"}


def rank_in_words(rank: str) -> str:
    """
    >>> rank_in_words("4k or weaker"), rank_in_words("1d")
    ('4 kyu or weaker', '1 dan')
    """
    name, *beyond = rank.split(" ", 1)
    return " ".join([name[:-1], "kyu" if name.endswith("k") else "dan", *beyond])


def sentence(found: Estimate) -> str:
    """What the estimate says, for a player."""
    if not found.rank:
        return (
            f"has a rating of about {found.words(found.rating)}; "
            f"four times in five such a player has {found.range(found.interval80)}"
        )
    low, high = (rank_in_words(found.words(end)) for end in found.interval80)
    about = "about " if found.approximate else ""
    name = SCALE_NAMES.get(found.scale, found.scale)
    band = f"between {low} and {high}" if low != high else low
    rank = rank_in_words(found.words(found.rating))
    return f"plays like {about}a {name} {rank}; four times in five such a player is {band}"


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


def axis(found: Estimate) -> dict[str, Any]:
    """A scale to draw the estimate on: its ends, and the middle of each rank between them."""
    low = min(found.ends[0], found.interval95.low)
    high = max(found.ends[1], found.interval95.high)
    if found.scale not in EASIER_THAN_KGS:
        return {"low": low, "high": high, "ticks": []}
    scale = scale_named(found.scale)
    middles = {
        rank: scale.rating(rank + 0.5) for rank in range(int(scale.rank(low)), int(scale.rank(high)) + 1)
    }
    ticks = [{"rating": at, "rank": rank_name(rank)} for rank, at in middles.items() if low <= at <= high]
    return {"low": low, "high": high, "ticks": ticks}
