"""Openings of a match: positions from the games of a pool."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tengen.engine.terms import Terms
from tengen.errors import InputError
from tengen.go.game import Game, Move

MAX_OPENINGS = 5000


@dataclass(frozen=True, slots=True)
class Opening:
    """The moves that a game starts with. `source` says from which game of the pool they are."""

    moves: tuple[Move, ...] = ()
    source: str = ""


def read_openings(terms: Terms) -> list[Opening]:
    """Beginnings of the pool's games of the right size and handicap stones, in an order drawn by the seed.

    Each has `terms.opening_moves` moves or, with `terms.from_end`, all moves but the last so many. Shorter games
    are left out, and so are games that are over by then. No two openings are the same.
    """
    from tengen.games.store import GameStore

    store, stones = GameStore.open(terms.openings), terms.game().setup
    order = np.random.default_rng(terms.seed).permutation(len(store)).tolist()
    openings: dict[tuple[Move, ...], Opening] = {}
    for i in order:
        game = store.game(i)
        length = len(game.moves) - terms.from_end if terms.from_end else terms.opening_moves
        if game.size != terms.size or game.setup != stones or not 0 <= length <= len(game.moves):
            continue
        moves = tuple(game.moves[:length])
        if moves in openings or (terms.from_end and game.position(length).is_over):
            continue
        identity = str(store.frame["id"][i])
        openings[moves] = Opening(moves, _source(game, identity, length, Path(terms.openings).name))
        if len(openings) == MAX_OPENINGS:
            break
    if not openings:
        wanted = f"of {terms.from_end or terms.opening_moves} moves or more on {terms.size}x{terms.size}"
        kind = f"game with {terms.handicap} stones on the points that GTP fixes" if stones else "even game"
        raise InputError(f"{terms.openings}: no {kind} {wanted}")
    return list(openings.values())


def _source(game: Game, identity: str, length: int, pool: str) -> str:
    """Names the game: `moves 1 to 12 of 212 of game 0a1b2c3d4e5f6071 of pool.parquet (Ann - Bo, 2001-02-03)`."""
    players = f"{game.black or 'Black'} - {game.white or 'White'}"
    about = f"{players}, {game.date}" if game.date else players
    return f"moves 1 to {length} of {len(game.moves)} of game {identity} of {pool} ({about})"
