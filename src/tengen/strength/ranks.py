"""The players of a pool by rank group, and their moves."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from tengen.errors import InputError
from tengen.games.store import GameStore
from tengen.progress import Progress, Report, silent
from tengen.ratings.results import BLACK, WHITE
from tengen.strength.groups import GROUP_OF_NUMBER
from tengen.strength.windows import Load, Rows, Windows, inputs_of

PARTS = ("T", "V", "E")


def part_of(name: str, validation: float, test: float, seed: int = 0) -> str:
    """ "T", "V" or "E", by the player's name alone: the same on every machine."""
    digest = hashlib.blake2b(name.encode(), digest_size=8, key=str(seed).encode()).digest()
    place = int.from_bytes(digest, "big") / 2**64
    return "E" if place < test else "V" if place < test + validation else "T"


@dataclass(frozen=True, eq=False)
class Player:
    """A player in one rank group: the games (rows of the pool) in date order, and the player's side in each."""

    name: str
    group: int
    part: str
    games: tuple[int, ...]
    sides: tuple[int, ...]


def players_of(
    store: GameStore, validation: float = 0.15, test: float = 0.25, seed: int = 0, least_moves: int = 40
) -> list[Player]:
    """All players with a rank of the eleven groups, split into parts by name; only even games on 19x19.

    A player who changed groups is one player in each of them, always in the same part.
    """
    frame = store.frame.with_row_index("at").filter(
        pl.col("size") == 19, pl.col("handicap") < 2, pl.col("move_count") >= least_moves
    )
    found: dict[tuple[str, int], list[tuple[str, int, int]]] = {}
    for side, color in ((BLACK, "black"), (WHITE, "white")):
        columns = ("at", color, f"{color}_rank_number", "date_written")
        for at, name, number, date in frame.select(columns).iter_rows():
            group = GROUP_OF_NUMBER.get(number)
            if name and group is not None:
                found.setdefault((name, group), []).append((date or "", at, side))
    players = []
    for (name, group), games in sorted(found.items()):
        games.sort()
        rows, sides = tuple(at for _, at, _ in games), tuple(side for _, _, side in games)
        players.append(Player(name, group, part_of(name, validation, test, seed), rows, sides))
    return players


def draw_players(
    store: GameStore, players: int, games: int, training_games: int | None = None, seed: int = 0
) -> GameStore:
    """A smaller, balanced pool: of each group the `players` with most games, `games` games of each.

    All first games of players come before all second games, so that any beginning of the pool is balanced as well.
    Players of T may have fewer games: training needs many players, measuring needs many games of each player.
    """
    by_group: dict[int, list[Player]] = {}
    for player in players_of(store, seed=seed):
        by_group.setdefault(player.group, []).append(player)
    chosen = []
    for group in sorted(by_group):
        own = sorted(by_group[group], key=lambda player: (-len(player.games), player.name))[:players]
        # Names of one part must not be adjacent: the first games drawn must come from all parts.
        chosen += sorted(own, key=lambda player: hashlib.blake2b(player.name.encode()).digest())
    most = {"T": games if training_games is None else training_games, "V": games, "E": games}
    rounds = [
        [one.games[k] for one in chosen if k < min(len(one.games), most[one.part])] for k in range(games)
    ]
    rows = list(dict.fromkeys(row for one in rounds for row in one))
    return GameStore(store.frame[rows])


@dataclass(frozen=True, eq=False)
class RankedMoves:
    """The players of a pool with the features of their moves: window i has one player's moves of one game.

    `windows_of[p]` are the windows of player p, in date order.
    """

    players: list[Player]
    windows: Windows
    windows_of: list[npt.NDArray[np.int64]]

    def part(self, name: str) -> list[int]:
        return [i for i, player in enumerate(self.players) if player.part == name]

    def moves(self, windows: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
        """The rows of all moves of these windows."""
        w = self.windows
        return np.concatenate([w.rows[w.offsets[i] : w.offsets[i + 1]] for i in windows])


def packs(windows: npt.NDArray[np.int64], count: int) -> Iterator[npt.NDArray[np.int64]]:
    """A player's games in disjoint runs of exactly `count`."""
    for first in range(0, len(windows) - count + 1, count):
        yield windows[first : first + count]


def load_ranked(players: list[Player], load: Load, kind: str, progress: Report = silent) -> RankedMoves:
    """Reads the features of the players' games; games without features, and players without any, are left out."""
    at: dict[int, list[tuple[int, int]]] = {}  # game: (player, side)
    for i, player in enumerate(players):
        for game, side in zip(player.games, player.sides, strict=True):
            at.setdefault(game, []).append((i, side))
    rows: list[Rows] = []
    windows: list[npt.NDArray[np.int32]] = []
    window_of: dict[tuple[int, int], int] = {}  # (player, game): window
    total = 0
    for n, (game, sides) in enumerate(sorted(at.items())):
        features = load(game)
        progress(Progress("reading features", n + 1, len(at)))
        if features is None:
            continue
        for i, side in sides:
            own = inputs_of(features, kind)[features.white == bool(side)]
            window_of[i, game] = len(windows)
            windows.append(np.arange(total, total + len(own), dtype=np.int32)[::-1])
            rows.append(own)
            total += len(own)
    if not rows:
        raise InputError(
            "none of the pool's games has features yet: extract them with `tengen strength features`"
        )
    kept, windows_of = [], []
    for i, player in enumerate(players):
        own_windows = [window_of[i, game] for game in player.games if (i, game) in window_of]
        if own_windows:
            kept.append(player)
            windows_of.append(np.array(own_windows, dtype=np.int64))
    return RankedMoves(kept, Windows.of(np.concatenate(rows), windows), windows_of)


def balanced_choice(
    groups: npt.NDArray[np.int64], rng: np.random.Generator, count: int
) -> npt.NDArray[np.int64]:
    """`count` indices into `groups`, every group equally often whatever its size."""
    present = np.unique(groups)
    picked = rng.choice(present, size=count)
    return np.array([rng.choice(np.flatnonzero(groups == group)) for group in picked], dtype=np.int64)
