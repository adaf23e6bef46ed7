"""Are guided playouts worth their time? Flat Monte Carlo with guided against uniform playouts.

Both players try every move, play out each the same number of times, and take the one with the best share of
wins; they differ in the playout policy alone. Prints guided's share of wins with its standard error.

    python benchmarks/playout_strength.py --games 100 --playouts 32
"""

from __future__ import annotations

import argparse
import math
import random
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from tengen import Color, Position
from tengen.go.playouts import Policy, playout_statistics


def candidates(position: Position) -> list[int]:
    """Legal moves that do not fill a point whose sides are all one's own."""
    size, color, stones = position.size, position.to_move, position.stones()

    def surrounded(point: int) -> bool:
        y, x = divmod(point, size)
        sides = [(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)]
        return all(stones[v, u] == color for v, u in sides if 0 <= v < size and 0 <= u < size)

    return [p for p in position.legal_moves[:-1] if not surrounded(p)]


def choose(position: Position, playouts: int, policy: Policy, seed: int) -> tuple[int, float]:
    """The move with the best share of wins for the side to move, and that share."""
    me = position.to_move
    best, best_share = position.pass_, -1.0
    for point in candidates(position):
        after = position.copy().play(point)
        share = playout_statistics(after, playouts, seed=seed, policy=policy).black_wins / playouts
        share = share if me is Color.BLACK else 1 - share
        if share > best_share:
            best, best_share = point, share
    return best, best_share


def game(number: int, size: int, playouts: int) -> bool:
    """Did guided win? It is Black in games of even number; pairs of games share their first two moves."""
    draw = random.Random(number // 2)
    position = Position(size, komi=7.5)
    for _ in range(2):
        position.play(draw.choice(position.legal_moves[:-1]))
    policies: dict[Color, Policy] = {
        Color.BLACK: "guided" if number % 2 == 0 else "uniform",
        Color.WHITE: "uniform" if number % 2 == 0 else "guided",
    }
    while not position.is_over and position.move_number < 2 * size * size:
        color = position.to_move
        move, share = choose(position, playouts, policies[color], seed=number * 1000 + position.move_number)
        if 0 <= share < 0.03:
            return policies[color.opponent] == "guided"
        position.play(move)
    black_won = playout_statistics(position, 100).black_wins > 50
    return policies[Color.BLACK if black_won else Color.WHITE] == "guided"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--playouts", type=int, default=32, help="for each candidate move")
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args()
    play = partial(game, size=args.size, playouts=args.playouts)
    with ProcessPoolExecutor(args.processes) as pool:
        wins = sum(pool.map(play, range(args.games)))
    share = wins / args.games
    error = math.sqrt(share * (1 - share) / args.games)
    print(
        f"guided won {wins} of {args.games} against uniform on {args.size}x{args.size} "
        f"at {args.playouts} playouts a move: {share:.1%} +- {error:.1%}"
    )


if __name__ == "__main__":
    main()
