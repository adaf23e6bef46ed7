"""Players and their options: everything in this room that makes or changes a player comes through here."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tengen.nets.evaluator import Evaluator
from tengen.search.player import Limit, Player
from tengen.search.registry import PLAYERS, change_settings, make_player, player_kind
from tengen.settings import Option, describe, read_settings

__all__ = [
    "PLAYERS",
    "PlayerMaker",
    "change_settings",
    "limit_of",
    "make_player",
    "options_of",
    "read_options",
    "words_of",
]


def options_of(player: str) -> list[Option]:
    """The options of a player by name, with kind, default and meaning."""
    return describe(player_kind(player).settings)


def read_options(player: str, table: Mapping[str, Any]) -> Any:
    """The settings of a player by name; InputError for an option or a value that it cannot have."""
    return read_settings(player_kind(player).settings, table, f"player {player}", "option")


def limit_of(player: Player) -> Limit:
    """How far the player thinks about a move, by its own settings; a player that does not search needs one visit."""
    limit: Limit = player.settings.limit()
    return limit


def words_of(player: Player) -> dict[str, str]:
    """The options of a player with their values, as words that it would accept.

    >>> from tengen.nets.library import open_net
    >>> words = words_of(make_player("puct", open_net("fake"), {"visits": 100}))
    >>> words["visits"], words["time"], words["resign"]
    ('100', 'none', 'true')
    """
    return {
        f.name: _word(getattr(player.settings, f.name)) for f in dataclasses.fields(player.settings) if f.init
    }


def _word(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(_word(item) for item in value)
    return str(value)


@dataclass(frozen=True)
class PlayerMaker:
    """Makes players of one kind, with these options unless others are given."""

    player: str
    net: Evaluator
    table: Mapping[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The options that the player has."""
        return [option.name for option in options_of(self.player)]

    def check(self, changes: Mapping[str, Any]) -> None:
        """InputError for an option that is not known, or for a value that it cannot have with this net."""
        self.make(changes)

    def make(self, changes: Mapping[str, Any] | None = None) -> Player:
        """The player with these changes; InputError as in `check`."""
        return make_player(self.player, self.net, {**self.table, **(changes or {})})
