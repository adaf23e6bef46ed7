"""Tournaments: everyone against everyone, a match a pair."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from tengen.engine.match import Match
from tengen.engine.significance import Tally
from tengen.engine.terms import Terms, usual_komi
from tengen.errors import InputError
from tengen.settings import read_settings


@dataclass(frozen=True)
class TournamentFile:
    """The keys of a tournament's file. `games` is games a pair; the rest is as in Terms."""

    players: dict[str, str]
    games: int = 10
    concurrency: int = 1
    size: int = 19
    rules: str = "chinese"
    komi: float | None = None
    handicap: int = 0
    openings: str = ""
    opening_moves: int = 12
    from_end: int = 0
    seed: int = 0

    def terms(self) -> Terms:
        return Terms(
            size=self.size,
            rules=self.rules,
            komi=usual_komi(self.handicap) if self.komi is None else self.komi,
            handicap=self.handicap,
            openings=self.openings,
            opening_moves=self.opening_moves,
            from_end=self.from_end,
            seed=self.seed,
        )


@dataclass(frozen=True, slots=True)
class Tournament:
    """Players by name, games a pair, and the terms of every game."""

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
    file = read_settings(TournamentFile, table, str(path))
    if len(file.players) < 2:
        raise InputError(f'{path}: [players] needs two players or more, as name = "command"')
    for name, spec in file.players.items():
        if not isinstance(spec, str) or not re.fullmatch(r"[\w.+-]+", name):
            raise InputError(
                f"{path}: player '{name}': a name of letters, digits and ._+- and a command in quotes"
            )
    for key, value in (("games", file.games), ("concurrency", file.concurrency)):
        if value < 1:
            raise InputError(f"{path}: {key} must be 1 or more")
    return Tournament(file.players, file.games, file.concurrency, file.terms())


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's points and games over all its matches; a draw is half a point.

    `failures` are games that it lost by a failure of its program, `by_failure` those that it won by another's.
    """

    player: str
    points: float
    games: int
    failures: int = 0
    by_failure: int = 0

    def to_json(self) -> dict[str, Any]:
        return {
            "player": self.player,
            "points": self.points,
            "games": self.games,
            "failures": self.failures,
            "points_by_failure": self.by_failure,
        }


@dataclass(frozen=True, slots=True)
class TournamentResult:
    """The tally of every pair, from the first of the two's side."""

    players: tuple[str, ...]
    tallies: dict[tuple[str, str], Tally]

    def of(self, player: str, other: str) -> Tally | None:
        """Their tally from the first of the two's side; None if they have not met."""
        if (tally := self.tallies.get((player, other))) is not None:
            return tally
        tally = self.tallies.get((other, player))
        return None if tally is None else tally.turned()

    def standings(self) -> list[Standing]:
        """The best first."""
        rows = []
        for player in self.players:
            met = [
                t for other in self.players if other != player and (t := self.of(player, other)) is not None
            ]
            rows.append(
                Standing(
                    player,
                    sum(t.points[0] for t in met),
                    sum(t.games for t in met),
                    sum(t.failures[0] for t in met),
                    sum(t.failures[1] for t in met),
                )
            )
        return sorted(rows, key=lambda row: (-(row.points / row.games if row.games else 0.0), row.player))

    def to_json(self) -> dict[str, Any]:
        return {
            "standings": [row.to_json() for row in self.standings()],
            "pairs": [{"players": list(pair), **tally.to_json()} for pair, tally in self.tallies.items()],
        }
