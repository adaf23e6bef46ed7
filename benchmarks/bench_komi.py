"""What a change of komi costs, and how near drawn win rates by komi are to those of a net with komi as an input.

usage: python benchmarks/bench_komi.py [NET] [--visits N] [--rollouts N] [--pool POOL [--positions N]] [--handicaps]

1. A search of one move (10,000 visits), then the same tree at another komi, beside the time of the search. A move has
   two such changes: to the komi of its search, and back.
2. With a pool: positions of its games at random moves. The win rate at komi up to 60 points away, as a search has it
   from one evaluation, against an evaluation at every komi (`sweep`): mean difference, and how far the komi is off at
   which the game is level.
3. With --handicaps: the komi at which a game with handicap stones is level before the first move, from one evaluation
   and from a batch of them, one at each of some komi.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from tengen import Game, Rules, open_net
from tengen.games.store import GameStore
from tengen.go.game import Setup
from tengen.go.handicap import fixed_handicap, free_handicap
from tengen.nets.evaluation import falling, given
from tengen.nets.evaluator import Evaluator
from tengen.search.puct import PuctPlayer
from tengen.search.settings import PuctSettings

CHANGES = 40
HANDICAPS = ((9, 2), (9, 4), (13, 2), (13, 4), (19, 2), (19, 4), (19, 6), (19, 9), (19, 11))
AWAY = (1, 3, 5, 7, 10, 15, 20, 30, 40, 60)


def cost(net: Evaluator, visits: int, rollouts: int) -> None:
    game = Game(size=19, rules=Rules.named("chinese").with_komi(0.5), handicap=4)
    game.setup = Setup(black=fixed_handicap(19, 4))
    player = PuctPlayer(net, PuctSettings(visits=visits, rollouts=rollouts, komi_method="ml-dk"))
    began = time.perf_counter()
    root = player.choose(game).root
    search = time.perf_counter() - began
    tree = given(player.tree)
    began = time.perf_counter()
    for i in range(CHANGES):
        tree.komi = 0.5 if i % 2 else root.searched.komi
    change = (time.perf_counter() - began) / CHANGES
    print(
        f"{net.card.name}, 4 stones on 19x19, {rollouts} rollouts a leaf: {tree.nodes:,} nodes, "
        f"komi {root.searched.komi:.1f}; a search {search:.2f} s, a change of komi {1000 * change:.2f} ms, "
        f"two changes {2 * change / search:.4%} of the move"
    )


def curves(net: Evaluator, pool: Path, positions: int) -> None:
    store = GameStore.open(pool)
    random = np.random.default_rng(1)
    offsets = np.array([-a for a in reversed(AWAY)] + [0, *AWAY], np.float64)
    differences, level = [], []
    for i in random.permutation(len(store)).tolist():
        game = store.game(i)
        if len(differences) == positions:
            break
        if len(game.moves) < 80:
            continue
        position = game.position(int(random.integers(len(game.moves) - 2)))
        labels = (position.rules.komi + offsets).tolist()
        drawn, swept = (
            given(net.evaluate([position], komi_labels=labels, sweep=sweep)[0].win_by_komi).astype(np.float64)
            for sweep in (False, True)
        )
        differences.append(np.abs(drawn - swept).mean())
        if swept[0] > 0.5 > swept[-1]:
            level.append(abs(np.interp(-0.5, -swept, offsets) - np.interp(-0.5, -drawn, offsets)))
    print(
        f"{net.card.name}: {len(differences)} positions, win rate off by {np.mean(differences):.4f} in the mean; "
        f"the komi of a level game ({len(level)} positions) off by {np.mean(level):.2f} points in the mean, "
        f"median {np.median(level):.2f}"
    )


def handicaps(net: Evaluator) -> None:
    for size, stones in HANDICAPS:
        game = Game(size=size, rules=Rules.named("chinese").with_komi(0.5), handicap=stones)
        game.setup = Setup(black=free_handicap(size, stones))
        position, area = game.position(), size * size
        dense = np.arange(0.5, area, 1.0)
        batch = 0.5 + np.array([0, 1, 2, 4, 7, 12, 20, 35, 60, 100, 160, 250, 360], np.float64)
        batch = batch[batch < area]
        drawn, swept = (
            falling(given(net.evaluate([position], komi_labels=labels.tolist(), sweep=sweep)[0].win_by_komi))
            for labels, sweep in ((dense, False), (batch, True))
        )
        level = f"{np.interp(-0.5, -swept, batch):6.1f}" if swept[-1] < 0.5 else "  none"
        print(
            f"{size}x{size}, {stones:2} stones: level at komi {np.interp(-0.5, -drawn, dense):6.1f} from one "
            f"evaluation, {level} from {len(batch)}; Black's win rate at komi {batch[-1]:.1f} is {swept[-1]:.1%} there"
        )


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("net", nargs="?", default="tengen")
    words.add_argument("--visits", type=int, default=10_000)
    words.add_argument("--rollouts", type=int, default=0)
    words.add_argument("--pool", type=Path)
    words.add_argument("--positions", type=int, default=150)
    words.add_argument("--handicaps", action="store_true")
    terms = words.parse_args()
    net = open_net(terms.net, threads=1)
    if terms.visits:
        cost(net, terms.visits, terms.rollouts)
    if terms.pool:
        curves(net, terms.pool, terms.positions)
    if terms.handicaps:
        handicaps(net)


if __name__ == "__main__":
    main()
