"""What a user should know of the net that judges: how far to trust it, and how to get a stronger one."""

from __future__ import annotations

from tengen.nets.card import ModelCard
from tengen.nets.library import cards

SMALL = 3_000_000  # weights; all nets that `tengen nets pull` brings have more
STRONGER = "b15c192"


def advice(card: ModelCard, size: int) -> str:
    """Two sentences about a small net, or about one that was not trained on such a board; empty for other nets."""
    if not card.has_learnt(size):
        least, most = min(card.trained_sizes), max(card.trained_sizes)
        learnt = f"{most}x{most}" if least == most else f"boards from {least}x{least} to {most}x{most}"
        about = (
            f"The net {card.name} has learnt from games on {learnt} only: do not rely on it on {size}x{size}."
        )
    elif 0 < card.weights < SMALL:
        about = f"The net {card.name} is a small one."
    else:
        return ""
    pull = "" if STRONGER in cards() else f"`tengen nets pull {STRONGER}`, then "
    return f"{about} For a stronger one: {pull}`--net {STRONGER}`."
