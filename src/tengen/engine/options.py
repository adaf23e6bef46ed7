"""Players and their options: everything in this room that makes or changes a player comes through here."""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from tengen.errors import InputError
from tengen.nets.evaluator import Evaluator
from tengen.search import registry
from tengen.search.player import Player
from tengen.settings import read_settings, suggestion

PLAYER_NAMES = tuple(registry.PLAYERS)


@cache
def settings_type(player: str) -> type:
    """The dataclass of a player's options."""
    if player not in registry.PLAYERS:
        raise InputError(f"there is no player '{player}'{suggestion(player, PLAYER_NAMES)}")
    maker = registry.PLAYERS[player]
    hints = typing.get_type_hints(maker)
    fields = [
        (name, hints[name], dataclasses.field(default=p.default))
        for name, p in inspect.signature(maker).parameters.items()
        if name != "net"
    ]
    return dataclasses.make_dataclass(player, fields, frozen=True)


def option_names(player: str) -> list[str]:
    return [field.name for field in dataclasses.fields(settings_type(player))]


def make_player(player: str, net: Evaluator, table: Mapping[str, Any]) -> Player:
    """The player with the options of the table; values are of the option's type, or words for it."""
    settings: Any = read_settings(settings_type(player), table, f"player '{player}'", "option")
    return registry.make_player(player, net, **dataclasses.asdict(settings))


@dataclass(frozen=True)
class PlayerMaker:
    """Makes players of one kind, with these options unless others are given."""

    player: str
    net: Evaluator
    table: Mapping[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        return option_names(self.player)

    def make(self, changes: Mapping[str, Any] | None = None) -> Player:
        """InputError for an option that is not known, or for a value that it cannot have."""
        return make_player(self.player, self.net, {**self.table, **(changes or {})})
