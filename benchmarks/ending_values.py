"""How often net and search are right about the winner at the end of counted games.

Games of the pool whose result is a count and whose last position is after two passes, drawn with a fixed seed. Each
of the last positions of a game is judged three times: by the net alone, by the net on the board before the passes that
ended the game, and by a search. `right`: the win rate is above a half for the recorded winner. `points`: mean distance
of the lead from the record. Ends with status 1 if the search is right less often than the net.

    python benchmarks/ending_values.py pool.parquet --games 200 [--net NAME] [--visits 20] [--positions 10] [--json]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from settle_agreement import draw_games, recorded_lead

from tengen import Color, Game
from tengen.engine.prefix import up_to
from tengen.go.perspective import Lead, WinRate
from tengen.nets.library import open_net
from tengen.search.ended import before_passes
from tengen.search.player import Limit, Question, last_report
from tengen.search.puct import PuctPlayer


@dataclass
class Tally:
    positions: int = 0
    right: int = 0
    points: float = 0.0
    seconds: float = 0.0

    def add(self, game: Game, win: WinRate | None, lead: Lead | None, seconds: float) -> None:
        assert win is not None and lead is not None, "a net with win rates and margins is needed"
        black = recorded_lead(game)
        self.positions += 1
        self.right += win.of(Color.BLACK if black > 0 else Color.WHITE) > 0.5
        self.points += abs(lead.of(Color.BLACK) - black)
        self.seconds += seconds

    def to_json(self) -> dict[str, float]:
        n = max(self.positions, 1)
        return {
            "positions": self.positions,
            "right": self.right / n,
            "points": self.points / n,
            "milliseconds": 1000 * self.seconds / n,
        }


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("pool", type=Path)
    words.add_argument("--games", type=int, default=200)
    words.add_argument("--net", default="tengen")
    words.add_argument("--visits", type=int, default=20)
    words.add_argument("--positions", type=int, default=10, help="last positions of each game")
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--json", action="store_true")
    terms = words.parse_args()

    net = open_net(terms.net)
    player = PuctPlayer(net)
    question = Question(Limit(visits=terms.visits))
    games = [g for g in draw_games(terms.pool, terms.games, terms.seed) if recorded_lead(g) != 0]
    judges = ("net", "net before the passes", f"search, {terms.visits} visits")
    tallies = {(back, judge): Tally() for back in range(terms.positions) for judge in judges}
    for number, game in enumerate(games, 1):
        for back in range(min(terms.positions, len(game.moves))):
            prefix = up_to(game, len(game.moves) - back)
            position = prefix.position()
            for judge in judges:
                begun = time.process_time()
                if judge == judges[2]:
                    root = last_report(player, prefix, question)
                    win, lead = root.win_rate, root.lead
                else:
                    said = net.evaluate([position if judge == "net" else before_passes(position)])[0]
                    win, lead = said.win, said.lead
                tallies[back, judge].add(game, win, lead, time.process_time() - begun)
        print(f"\r{number} of {len(games)} games", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)

    sums = {
        judge: Tally(
            *(
                np.sum(
                    [
                        [t.positions, t.right, t.points, t.seconds]
                        for (_, j), t in tallies.items()
                        if j == judge
                    ],
                    axis=0,
                ).tolist()
            )
        )
        for judge in judges
    }
    is_good = sums[judges[2]].right >= sums["net"].right
    if terms.json:
        found = {
            "net": terms.net,
            "visits": terms.visits,
            "games": len(games),
            "all": {judge: sums[judge].to_json() for judge in judges},
            "moves_before_the_end": [
                {judge: tallies[back, judge].to_json() for judge in judges} for back in range(terms.positions)
            ],
        }
        print(json.dumps(found, indent=2))
        return 0 if is_good else 1
    print(f"{len(games)} games of {terms.pool}, net {terms.net}")
    print(f"{'moves before the end':>20s}" + "".join(f"{judge + ': right, points':>44s}" for judge in judges))
    rows = [(str(back), [tallies[back, judge] for judge in judges]) for back in range(terms.positions)]
    for name, row in [*rows, ("all", [sums[judge] for judge in judges])]:
        cells = [tally.to_json() for tally in row]
        print(f"{name:>20s}" + "".join(f"{cell['right']:>34.1%}{cell['points']:>10.2f}" for cell in cells))
    costs = [f"{judge} {sums[judge].to_json()['milliseconds']:.1f} ms" for judge in judges]
    print(f"CPU a position: {', '.join(costs)}")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
