"""Pools of games that playouts play to the last point, with final margins and owners."""

from __future__ import annotations

from pathlib import Path

from tengen import Color, Game, Position, Rules
from tengen.games.store import GameStore
from tengen.go.game import Move
from tengen.go.playouts import playout_moves
from tengen.go.result import Result
from tengen.go.settle import settle


def played_out(seed: int, size: int, komi: float = 7.5) -> Game:
    """One guided playout from the empty board, as a record of the years 2010 to 2017."""
    rules = Rules.named("chinese").with_komi(komi)
    points = playout_moves(Position(size, rules), seed=seed, policy="guided")
    moves = [Move(Color.WHITE if n % 2 else Color.BLACK, point) for n, point in enumerate(points)]
    return Game(
        size=size,
        rules=rules,
        black=f"b{seed}",
        white="w",
        black_rank="6d",
        white_rank="7d",
        date=f"{2010 + seed % 8}-01-01",
        moves=moves,
    )


def made_ends(path: Path, games: int, size: int = 5, komi: float = 7.5) -> Path:
    """A pool of counted games with margins and owners."""
    played = [played_out(seed, size, komi) for seed in range(games)]
    ended = [settle(game.position(), playouts=16) for game in played]
    for game, end in zip(played, ended, strict=True):
        game.result = Result.of_lead(end.margin - komi)
    GameStore.from_games(played, [end.margin for end in ended], [end.area for end in ended]).write(path)
    return path
