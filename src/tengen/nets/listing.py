"""The nets that there are: those that ship, those in the cache, and those that can be pulled."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from tengen.nets.card import ModelCard
from tengen.nets.known import KNOWN
from tengen.nets.library import CARD, cards


@dataclass(frozen=True, slots=True)
class ListedNet:
    """`status` is shipped, pulled, or known: one that `tengen nets pull` brings. `precisions` are joined by commas."""

    name: str
    status: str
    precisions: str
    about: str

    def to_json(self) -> dict[str, str]:
        return asdict(self)


def list_nets() -> list[ListedNet]:
    """Those at hand first."""
    rows = []
    at_hand = cards()
    for name, (status, folder) in at_hand.items():
        card = ModelCard.load(folder / CARD)
        about = KNOWN[name].about if name in KNOWN else f"{card.weights:,} weights, {card.source}"
        rows.append(ListedNet(name, status, ", ".join(card.files), about))
    rows += [ListedNet(name, "known", "", net.about) for name, net in KNOWN.items() if name not in at_hand]
    return rows
