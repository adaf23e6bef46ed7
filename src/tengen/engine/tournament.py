"""Tournaments: everyone against everyone, a match a pair."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from tengen.engine.match import Match, Terms
from tengen.engine.significance import Tally
from tengen.errors import InputError


@dataclass(frozen=True, slots=True)
class Tournament:
    """What the file says: players by name, games a pair, and the terms of every game."""

    players: dict[str, str]
    games: int
    concurrency: int
    terms: Terms

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return list(combinations(self.players, 2))

    def match(self, pair: tuple[str, str], folder: Path) -> Match:
        """The match of a pair, in a folder of its own."""
        return Match((self.players[pair[0]], self.players[pair[1]]), self.terms, folder / "-vs-".join(pair))


_TERMS: dict[str, tuple[type, ...]] = {
    "size": (int,),
    "rules": (str,),
    "komi": (int, float),
    "handicap": (int,),
    "seed": (int,),
}


def read_tournament(path: Path) -> Tournament:
    """Reads the TOML file; every key is checked.

    ```toml
    games = 10
    size = 9
    komi = 7.0

    [players]
    level1 = "gnugo --mode gtp --level 1"
    puct = "puct:visits=100"
    ```
    """
    try:
        table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path}: {error}") from None
    known = {"players", "games", "concurrency", *_TERMS}
    if unknown := sorted(set(table) - known):
        raise InputError(f"{path}: unknown key '{unknown[0]}': known are {', '.join(sorted(known))}")
    players = table.get("players")
    if not isinstance(players, dict) or len(players) < 2:
        raise InputError(f'{path}: [players] needs two players or more, as name = "command"')
    for name, spec in players.items():
        if not isinstance(spec, str) or not re.fullmatch(r"[\w.+-]+", name):
            raise InputError(
                f"{path}: player '{name}': a name of letters, digits and ._+- and a command in quotes"
            )
    terms = {}
    for key, kinds in _TERMS.items():
        if key in table:
            if not isinstance(table[key], kinds) or isinstance(table[key], bool):
                raise InputError(f"{path}: {key} cannot be {table[key]!r}")
            terms[key] = table[key]
    counts = {key: table.get(key, default) for key, default in (("games", 10), ("concurrency", 1))}
    for key, value in counts.items():
        if type(value) is not int or value < 1:
            raise InputError(f"{path}: {key} must be 1 or more")
    return Tournament(players, counts["games"], counts["concurrency"], Terms(**terms))


def standings(tallies: dict[tuple[str, str], Tally], players: list[str]) -> list[tuple[str, float, int]]:
    """(name, points, games), the best first; a draw is half a point."""
    rows = []
    for player in players:
        points, games = 0.0, 0
        for (first, second), tally in tallies.items():
            if tally.games and player in (first, second):
                won = tally.wins if player == first else tally.losses
                points += won + tally.draws / 2
                games += tally.games
        rows.append((player, points, games))
    return sorted(rows, key=lambda row: (-(row[1] / row[2] if row[2] else 0.0), row[0]))
