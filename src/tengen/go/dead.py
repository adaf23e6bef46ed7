"""A guess at which stones are dead, where nobody says."""

from __future__ import annotations

import numpy as np

from tengen.go.color import Color
from tengen.go.playouts import playout_statistics
from tengen.go.position import Position

PLAYOUTS = 300  # with each side first
# The mean owner of a string's points, from -1 (the enemy) to 1: strings in seki come out near 0.
DEAD_BELOW = -0.2


def guess_dead(position: Position, *, playouts: int = PLAYOUTS, seed: int = 0) -> list[int]:
    """One point of every string that is probably dead at the end of the game, in order.

    Guided playouts with either side first say who owns the points in the end: a string is dead if its points
    are mostly the enemy's. Pass-alive strings live, and strings in the enemy's pass-alive territory are dead,
    for certain. Playouts read no deep semeai and spoil some seki: a guess is a guess.
    """
    ownership = np.zeros(position.size**2)
    for color in Color:
        first = position.copy()
        first.to_move = color
        ownership += playout_statistics(first, playouts, seed=seed, policy="guided").ownership.ravel() / 2
    stones = position.stones().ravel()
    life = {color: position.pass_alive(color) for color in Color}
    dead = []
    judged: set[int] = set()
    for point in np.flatnonzero(stones).tolist():
        if point in judged:
            continue
        string = position.string(point)
        judged.update(string)
        color = Color(int(stones[point]))
        if life[color].stones.flat[point]:
            continue
        own = ownership[string].mean() * (1 if color is Color.BLACK else -1)
        if own < DEAD_BELOW or life[color.opponent].territory.flat[point]:
            dead.append(point)
    return dead
