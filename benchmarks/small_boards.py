"""How far a net's leads on small boards are from those of a judge, in the games of examples.

usage: python benchmarks/small_boards.py [--net tengen] [--judge b15c192] [GAME.sgf ...]

Every second position of each game is evaluated by both nets, without search. Without games: those of examples on 9x9
and 13x13. `tengen nets pull b15c192` first.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from tengen import Color, Game, open_net
from tengen.nets.evaluation import given

EXAMPLES = Path(__file__).parents[1] / "examples"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", nargs="*", type=Path)
    parser.add_argument("--net", default="tengen")
    parser.add_argument("--judge", default="b15c192")
    asked = parser.parse_args()
    nets = [open_net(name) for name in (asked.net, asked.judge)]
    for path in asked.games or sorted(EXAMPLES.glob("*.sgf")):
        game = Game.from_sgf(path)
        if not asked.games and game.size == 19:
            continue
        positions = [game.position(n) for n in range(0, len(game.moves) + 1, 2)]
        leads = [[given(e.lead).of(Color.BLACK) for e in net.evaluate(positions)] for net in nets]
        off = np.abs(np.subtract(*leads)).mean()
        print(
            f"{path.stem:16} {len(positions):4} positions, mean difference {off:5.2f} points, "
            f"last lead {leads[0][-1]:+.1f} and {leads[1][-1]:+.1f}, result {game.result}"
        )


if __name__ == "__main__":
    main()
