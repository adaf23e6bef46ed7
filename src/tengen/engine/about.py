"""What a client asks about the engine itself: its version and its net."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from tengen.search.player import Player

VERSION = f"tengen {version('tengen')}"


def models(player: Player) -> list[dict[str, Any]]:
    """The net in KataGo's form. `version` is that of KataGo's format, so other nets have none."""
    card = player.net.card
    model = {
        "name": card.name,
        "internalName": card.name,
        "maxBatchSize": getattr(player.settings, "batch", 1),
        "usesHumanSLProfile": False,
        "usingFP16": "false",
    }
    if "version" in card.settings:
        model |= {"internalName": card.source.split(",")[0], "version": card.settings["version"]}
    return [model]
