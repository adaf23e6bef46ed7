"""Openings of matches that a net draws from its policy, with or without handicap stones."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tengen import _native
from tengen.games.store import GameStore
from tengen.go.game import Game, unpack
from tengen.nets.evaluator import Evaluator
from tengen.training.playing import NetPolicy, game_seeds, symmetries
from tengen.training.playing import Terms as Play


def draw_openings(net: Evaluator, start: Game, moves: int, count: int, seed: int, pool: Path) -> None:
    """Writes a pool of `count` games: the stones and rules of `start`, then so many moves of both sides.

    Each move is drawn from the policy (temperature 1). A game is a function of net, seed and its own number.
    """
    terms = Play(start.size, start.komi, seed=seed)
    policy = NetPolicy(net, start.size)
    seeds = game_seeds(terms, np.arange(count))
    positions = [start.start() for _ in range(count)]
    for number in range(moves):
        seen = symmetries(seeds, np.full(count, number))
        logits = np.ascontiguousarray(policy(positions, seen)[:, : start.size**2], np.float32)
        _native.draw_moves(positions, logits, seen, seeds, np.ones(count, np.float32))
    games = [
        Game(
            size=start.size,
            rules=start.rules,
            handicap=start.handicap,
            setup=start.setup,
            moves=unpack(position.moves()),
        )
        for position in positions
    ]
    GameStore.from_games(games, source=f"openings of {net.card.name}, seed {seed}").write(pool)
