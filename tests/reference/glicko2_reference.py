"""Glicko-2 in plain Python, written from Glickman's guide: slow, and nothing in common with the core.

The volatility is found by bisection where a witness is wanted, and by the guide's own iteration where a
plain implementation is to be timed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

SCALE = 400 / math.log(10)
TAU = 0.5
RANKS_PER_FOLD = 23.15


@dataclass(frozen=True)
class Player:
    rating: float = 1500.0
    deviation: float = 350.0
    volatility: float = 0.06


Solver = Callable[[Callable[[float], float], float, float], float]


def bisection(f: Callable[[float], float], a: float, excess: float) -> float:
    """The root of a falling function, whatever the bracket of the guide."""
    low, high = a - 40.0, max(a, math.log(excess) if excess > 0 else a) + 40.0
    for _ in range(200):
        middle = (low + high) / 2
        if f(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def illinois(f: Callable[[float], float], a: float, excess: float) -> float:
    """Step 5 of the guide of 2022."""
    left = a
    if excess > 0:
        right = math.log(excess)
    else:
        k = 1
        while f(a - k * TAU) < 0:
            k += 1
        right = a - k * TAU
    f_left, f_right = f(left), f(right)
    while abs(right - left) > 1e-6:
        middle = left + (left - right) * f_left / (f_right - f_left)
        f_middle = f(middle)
        if f_middle * f_right <= 0:
            left, f_left = right, f_right
        else:
            f_left /= 2
        right, f_right = middle, f_middle
    return left


def g(phi: float) -> float:
    return 1 / math.sqrt(1 + 3 * phi**2 / math.pi**2)


def update(player: Player, games: Sequence[tuple[Player, float]], solve: Solver = bisection) -> Player:
    """The player after one rating period of (opponent, own score); within OGS' bounds."""
    mu, phi, sigma = (player.rating - 1500) / SCALE, player.deviation / SCALE, player.volatility
    precision, gain = 0.0, 0.0
    for opponent, score in games:
        weight = g(opponent.deviation / SCALE)
        expected = 1 / (1 + math.exp(-weight * (mu - (opponent.rating - 1500) / SCALE)))
        precision += weight**2 * expected * (1 - expected)
        gain += weight * (score - expected)
    v = 1 / precision
    delta = v * gain
    a = math.log(sigma**2)

    def f(x: float) -> float:
        ex = math.exp(x)
        return ex * (delta**2 - phi**2 - v - ex) / (2 * (phi**2 + v + ex) ** 2) - (x - a) / TAU**2

    new_sigma = math.exp(solve(f, a, delta**2 - phi**2 - v) / 2)
    new_phi = 1 / math.sqrt(1 / (phi**2 + new_sigma**2) + precision)
    return Player(
        rating=min(6000.0, max(100.0, 1500 + SCALE * (mu + new_phi**2 * gain))),
        deviation=min(500.0, max(30.0, SCALE * new_phi)),
        volatility=min(0.15, max(0.01, new_sigma)),
    )


def shifted(player: Player, ranks: float) -> Player:
    """The player with so many ranks more on the OGS scale, rank = ln(rating / 525) * 23.15."""
    if ranks == 0:
        return player
    rank = math.log(player.rating / 525) * RANKS_PER_FOLD + ranks
    return Player(525 * math.exp(rank / RANKS_PER_FOLD), player.deviation, player.volatility)


def expected(black: Player, white: Player, ranks: float) -> float:
    """Black's expected score with a head start (thesis, equation 3.4 with its sign put right)."""
    weight = g(math.hypot(black.deviation, white.deviation) / SCALE)
    return 1 / (1 + math.exp(-weight * (shifted(black, ranks).rating - white.rating) / SCALE))


def one_game_at_a_time(
    games: Sequence[tuple[int, int, float, float]], players: int, solve: Solver = bisection
) -> tuple[list[float], list[Player]]:
    """(black, white, Black's score, Black's head start) in order: predictions, and the last ratings."""
    pool = [Player() for _ in range(players)]
    predictions = []
    for black, white, score, ranks in games:
        b, w = pool[black], pool[white]
        predictions.append(expected(b, w, ranks))
        pool[black] = update(b, [(shifted(w, -ranks), score)], solve)
        pool[white] = update(w, [(shifted(b, ranks), 1 - score)], solve)
    return predictions, pool


def whole_periods(
    periods: Sequence[Sequence[tuple[int, int, float]]], players: int, solve: Solver = bisection
) -> tuple[list[float], list[Player]]:
    """Periods of (black, white, score), empty ones too: predictions, and the ratings after the last period.

    A player is widened from his first period on; before it, nothing is known that could grow old.
    """
    pool = [Player() for _ in range(players)]
    predictions: list[float] = []
    known: set[int] = set()
    for period in periods:
        before = list(pool)
        predictions += [expected(before[b], before[w], 0.0) for b, w, _ in period]
        for number in range(players):
            mine = [(before[w], s) for b, w, s in period if b == number]
            mine += [(before[b], 1 - s) for b, w, s in period if w == number]
            if mine:
                pool[number] = update(before[number], mine, solve)
                known.add(number)
            elif number in known:
                p = before[number]
                wider = math.hypot(p.deviation, SCALE * p.volatility)
                pool[number] = Player(p.rating, min(500.0, wider), p.volatility)
    return predictions, pool
