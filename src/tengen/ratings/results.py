"""A list of results, the histories of its players and their recent moves (thesis, Definitions 1 and 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.go.color import Color
from tengen.go.game import WHITE_BIT

BLACK, WHITE = 0, 1  # columns of arrays (n, 2) with one entry for each side
SECONDS_A_DAY = 86400.0


@dataclass(frozen=True, eq=False)
class Results:
    """Games in the order in which they were played (Definition 1; t counts from 0 here).

    `players` names player p at index p. `black` and `white` (n) hold player numbers, `score` (n) is 1 where
    Black won, 0 where White won, 0.5 for a draw. `time` (n) is in seconds since 1970, or the game's number
    where there are no dates. `head_start` (n) is Black's advantage by handicap and komi, in ranks. `row` (n) is
    the game's row in the table it was read from.
    """

    players: list[str]
    black: npt.NDArray[np.int32]
    white: npt.NDArray[np.int32]
    score: npt.NDArray[np.float64]
    time: npt.NDArray[np.int64]
    head_start: npt.NDArray[np.float64]
    row: npt.NDArray[np.int64]

    @staticmethod
    def of(games: Iterable[tuple[str, str, float]]) -> Results:
        """A list without dates, from (black, white, score) in order.

        >>> results = Results.of([("Go", "Shusaku", 0), ("Shusaku", "Jowa", 1)])
        >>> len(results), results.players
        (2, ['Go', 'Shusaku', 'Jowa'])
        """
        numbers: dict[str, int] = {}
        rows = [
            (numbers.setdefault(b, len(numbers)), numbers.setdefault(w, len(numbers)), s) for b, w, s in games
        ]
        n = len(rows)
        return Results(
            players=list(numbers),
            black=np.array([b for b, _, _ in rows], dtype=np.int32),
            white=np.array([w for _, w, _ in rows], dtype=np.int32),
            score=np.array([s for _, _, s in rows], dtype=np.float64),
            time=np.arange(n, dtype=np.int64),
            head_start=np.zeros(n),
            row=np.arange(n, dtype=np.int64),
        )

    def __len__(self) -> int:
        return len(self.black)

    def head(self, n: int) -> Results:
        """The first n games; the list of players stays whole."""
        return Results(
            self.players,
            self.black[:n],
            self.white[:n],
            self.score[:n],
            self.time[:n],
            self.head_start[:n],
            self.row[:n],
        )

    @cached_property
    def sides(self) -> npt.NDArray[np.int32]:
        """Player numbers (n, 2): Black, White."""
        return np.stack([self.black, self.white], axis=1)

    @cached_property
    def _by_player(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Where each player's games begin (players + 1), and 2 * game + side of all of them in order."""
        flat = self.sides.ravel()
        starts = np.zeros(len(self.players) + 1, dtype=np.int64)
        np.cumsum(np.bincount(flat, minlength=len(self.players)), out=starts[1:])
        return starts, np.argsort(flat, kind="stable")

    @cached_property
    def games_of_players(self) -> npt.NDArray[np.int64]:
        """How many games each player has (players)."""
        return np.diff(self._by_player[0])

    @cached_property
    def earlier_games(self) -> npt.NDArray[np.int64]:
        """How many games each side had played before each game (n, 2)."""
        starts, order = self._by_player
        earlier = np.empty(2 * len(self), dtype=np.int64)
        earlier[order] = np.arange(2 * len(self)) - np.repeat(starts[:-1], self.games_of_players)
        return earlier.reshape(-1, 2)

    def number(self, name: str) -> int:
        """The number of the player of that name; KeyError if there is none."""
        return self._numbers[name]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.players)}

    def history(self, player: int, t: int | None = None) -> History:
        """H(p | t): the player's games up to and including game t (all of them if None)."""
        starts, order = self._by_player
        mine = order[starts[player] : starts[player + 1]]
        if t is not None:
            mine = mine[: np.searchsorted(mine, 2 * (t + 1))]
        return History(games=mine // 2, side=mine % 2)

    def ahead(self, games: int) -> npt.NDArray[np.int64]:
        """For each side of each game (n, 2): 2 * game + side of that player's game `games` later, or last one."""
        starts, order = self._by_player
        place = np.arange(2 * len(self))
        last = np.repeat(starts[1:] - 1, self.games_of_players)
        out = np.empty(2 * len(self), dtype=np.int64)
        out[order] = order[np.minimum(place + games, last)]
        return out.reshape(-1, 2)


class History(NamedTuple):
    """A player's games in order, and the player's side in each (0 Black, 1 White)."""

    games: npt.NDArray[np.int64]
    side: npt.NDArray[np.int64]


class RecentMoves(NamedTuple):
    """Moves of one player, oldest first: the game and the number of the move in it, both counted from 0."""

    games: npt.NDArray[np.int64]
    moves: npt.NDArray[np.int64]


def recent_moves(
    results: Results,
    moves_of: Callable[[int], npt.NDArray[np.uint16]],
    player: int,
    t: int,
    window: int = 500,
    size: int = 19,
) -> RecentMoves:
    """M^-(p | t, N) of Definition 2: the player's last `window` moves in games up to t, passes left out.

    `moves_of(game)` gives the packed moves of a game (the point, + 0x8000 for White). The record gives
    a move's colour; in even games that agrees with the parity that the thesis uses.
    """
    games: list[npt.NDArray[np.int64]] = []
    moves: list[npt.NDArray[np.int64]] = []
    found = 0
    history = results.history(player, t)
    for game, side in zip(history.games[::-1].tolist(), history.side[::-1].tolist(), strict=True):
        packed = moves_of(game)
        color = Color.WHITE if side == WHITE else Color.BLACK
        is_white = (packed & WHITE_BIT) != 0
        mine = (is_white == (color is Color.WHITE)) & ((packed & ~np.uint16(WHITE_BIT)) != size * size)
        numbers = np.flatnonzero(mine)[-(window - found) :]
        found += len(numbers)
        games.append(np.full(len(numbers), game, dtype=np.int64))
        moves.append(numbers.astype(np.int64))
        if found == window:
            break
    empty = np.zeros(0, dtype=np.int64)
    return RecentMoves(np.concatenate([empty, *games[::-1]]), np.concatenate([empty, *moves[::-1]]))
