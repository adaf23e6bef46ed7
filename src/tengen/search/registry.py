"""Players by name. To add one, add its file, its settings and a line here.

player = make_player("puct", net, {"visits": "100", "rollouts": 8})
change_settings(player, {"visits": "200"})
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tengen.errors import InputError
from tengen.nets.evaluator import Evaluator
from tengen.search.long_term import LongTermPlayer
from tengen.search.player import Player
from tengen.search.policy_player import PolicyPlayer
from tengen.search.puct import PuctPlayer
from tengen.search.settings import LongTermSettings, PolicySettings, PuctSettings
from tengen.settings import changed, read_settings, suggestion


@dataclass(frozen=True, slots=True)
class PlayerKind:
    """One kind of player.

    settings: its settings dataclass; `tengen.settings.describe` lists the options with their meanings.
    make: makes the player of a net and such settings.
    summary: what it does, in one sentence.
    """

    settings: type
    make: Callable[[Evaluator, Any], Player]
    summary: str = ""


PLAYERS: dict[str, PlayerKind] = {
    "policy": PlayerKind(PolicySettings, PolicyPlayer, "plays the net's move, without search"),
    "puct": PlayerKind(PuctSettings, PuctPlayer, "searches with the net, and with rollouts if asked to"),
    "long-term": PlayerKind(
        LongTermSettings, LongTermPlayer, "weighs the net's moves by where their local fights lead"
    ),
}


def player_kind(name: str) -> PlayerKind:
    """The kind of that name; InputError if there is none."""
    if name not in PLAYERS:
        raise InputError(f"there is no player '{name}'{suggestion(name, PLAYERS)}")
    return PLAYERS[name]


def make_player(name: str, net: Evaluator, table: Mapping[str, Any] | None = None) -> Player:
    """The player of that name with these settings, values or words; the others have their defaults."""
    kind = player_kind(name)
    return kind.make(net, read_settings(kind.settings, table or {}, f"player {name}", "option"))


def change_settings(player: Player, table: Mapping[str, Any]) -> None:
    """Changes these settings of a player, values or words, between two moves; the others stay.

    The player keeps what it knows of the game where the change allows it.
    """
    player.configure(changed(player.settings, table, f"player {player.name}"))
