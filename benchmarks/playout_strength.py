"""Do guided playouts make tree search stronger? A match of guided against uniform playouts.

Both players run the same plain UCT (Kocsis & Szepesvari 2006) with the same number of simulations a move;
they differ only in the playouts at the leaves. Prints the share of games that guided playouts won, with its
standard error.

    python benchmarks/playout_strength.py --games 100 --simulations 1000
"""

from __future__ import annotations

import argparse
import math
import random
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial

from tengen import Color, Position
from tengen.go.playouts import Policy, playout_statistics

EXPLORATION = 0.3
# Playouts at each new leaf, each of which is a simulation; more than one, to spend less time in Python.
PLAYOUTS = 4


@dataclass(slots=True)
class Node:
    """Wins are those of the side that moved here."""

    move: int = -1
    wins: float = 0.0
    visits: int = 0
    children: list[Node] = field(default_factory=list)

    def best(self) -> Node:
        log = math.log(self.visits + 1)
        return max(
            self.children,
            key=lambda child: (
                child.wins / child.visits + EXPLORATION * math.sqrt(log / child.visits)
                if child.visits
                else 10.0
            ),
        )


def sensible_moves(position: Position, rng: random.Random) -> list[int]:
    """Legal moves that fill no point whose sides are all one's own, in any order; else pass."""
    size, color, stones = position.size, position.to_move, position.stones()

    def surrounded(point: int) -> bool:
        y, x = divmod(point, size)
        sides = [(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)]
        return all(stones[v, u] == color for v, u in sides if 0 <= v < size and 0 <= u < size)

    moves = [p for p in position.legal_moves[:-1] if not surrounded(p)]
    rng.shuffle(moves)
    return moves or [position.pass_]


def search(root: Position, simulations: int, policy: Policy, rng: random.Random) -> Node:
    """The most visited move of a plain UCT search."""
    tree = Node(children=[Node(move) for move in sensible_moves(root, rng)])
    for _ in range(simulations // PLAYOUTS):
        position, path = root.copy(), [tree]
        while path[-1].children and not position.is_over:
            path.append(path[-1].best())
            position.play(path[-1].move)
        leaf = path[-1]
        if leaf.visits and not position.is_over:
            leaf.children = [Node(move) for move in sensible_moves(position, rng)]
        statistics = playout_statistics(position, PLAYOUTS, seed=rng.getrandbits(64), policy=policy)
        mover = root.to_move.opponent
        for node in path:
            black = statistics.black_wins
            node.wins += black if mover is Color.BLACK else PLAYOUTS - black
            node.visits += PLAYOUTS
            mover = mover.opponent
    return max(tree.children, key=lambda child: child.visits)


def guided_wins(number: int, size: int, simulations: int) -> bool:
    """One game. Guided is Black in games of even number; pairs of games share their first two moves."""
    opening, rng = random.Random(number // 2), random.Random(number)
    position = Position(size, komi=7.5)
    for _ in range(2):
        position.play(opening.choice(position.legal_moves[:-1]))
    guided = Color.BLACK if number % 2 == 0 else Color.WHITE
    while not position.is_over and position.move_number < 2 * size * size:
        color = position.to_move
        choice = search(position, simulations, "guided" if color is guided else "uniform", rng)
        if choice.wins < 0.05 * choice.visits:
            return color is not guided
        position.play(choice.move)
    # Nothing is left to play but eyes.
    black_won = playout_statistics(position, 101).black_wins > 50
    return black_won == (guided is Color.BLACK)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--simulations", type=int, default=1000, help="for each move")
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args()
    play = partial(guided_wins, size=args.size, simulations=args.simulations)
    with ProcessPoolExecutor(args.processes) as pool:
        wins = sum(pool.map(play, range(args.games)))
    share = wins / args.games
    error = math.sqrt(share * (1 - share) / args.games)
    print(
        f"guided won {wins} of {args.games} against uniform on {args.size}x{args.size} "
        f"at {args.simulations} simulations a move: {share:.1%} +- {error:.1%}"
    )


if __name__ == "__main__":
    main()
