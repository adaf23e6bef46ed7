"""A game up to one of its turns."""

from __future__ import annotations

from dataclasses import replace

from tengen.go.game import Game


def up_to(game: Game, turn: int) -> Game:
    """The game with its first `turn` moves; before the first move, the colour of that move is to play."""
    first = game.first_to_move
    if first is None and game.moves:
        first = game.moves[0].color
    return replace(game, moves=game.moves[:turn], first_to_move=first)
