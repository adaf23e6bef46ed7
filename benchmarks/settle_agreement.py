"""How often the settled count of a finished game is the recorded one, beside the three rules it replaced.

Games of the pool whose result is a count and whose last position is after two passes, drawn with a fixed seed. A count
is `exact` if it equals the record under the record's rules, and `close` if the winner is the same and the margins
differ by one point at most (a dame, a false eye). `known` are the games whose owners training learns from: as
`tengen games settle` decides it, and as training did before. Settled boards (`is_settled`) are counted apart.

    python benchmarks/settle_agreement.py pool.parquet --games 500 [--net NAME] [--dead-below -0.3 -0.2 0]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from tengen import Color, Game, Position
from tengen.games.settling import AGREES
from tengen.games.store import GameStore
from tengen.go import settle as settling
from tengen.go.playouts import playout_statistics
from tengen.go.result import ResultKind

Board = npt.NDArray[np.float32]
Count = tuple[float | None, bool, bool]  # Black's lead with komi; are the owners known; is the board settled
BEFORE_THE_END = (6, 20, 40)  # moves


@dataclass
class Tally:
    games: int = 0
    exact: int = 0
    close: int = 0
    winner: int = 0
    known: int = 0
    seconds: float = 0.0
    settled: list[tuple[bool, bool]] = field(default_factory=list)  # is_settled, exact

    def add(self, game: Game, lead: float | None, is_known: bool) -> bool:
        """A count: Black's lead with komi (None: not judged). Returns whether it is exact."""
        recorded = recorded_lead(game)
        self.games += 1
        self.known += is_known
        if lead is None:
            return False
        is_same = (lead > 0) == (recorded > 0)
        self.exact += lead == recorded
        self.winner += is_same
        self.close += is_same and abs(lead - recorded) <= 1
        return lead == recorded

    def line(self, name: str) -> str:
        counts = (self.exact, self.close, self.winner, self.known)
        shares = "".join(f"{count / self.games:8.1%}" if count else "       -" for count in counts)
        return f"{name:34s}{shares}{1000 * self.seconds / self.games:10.1f} ms"


def recorded_lead(game: Game) -> float:
    return (game.result.margin or 0.0) * (1 if game.result.winner is Color.BLACK else -1)


def draw_games(pool: Path, count: int, seed: int) -> list[Game]:
    """Games of the pool whose result is a count and whose last position is after two passes."""
    store = GameStore.open(pool).filter(pl.col("result") == ResultKind.SCORE.value)
    games = []
    for i in np.random.default_rng(seed).permutation(len(store)).tolist():
        game = store.game(i)
        if game.position().passes >= 2:
            games.append(game)
        if len(games) == count:
            break
    return games


def dead_below(position: Position, owner: Board, bound: float, certain: bool) -> list[int]:
    stones, dead, seen = position.stones().ravel(), [], set[int]()
    life = {color: position.pass_alive(color) for color in Color}
    for point in np.flatnonzero(stones).tolist():
        if point in seen:
            continue
        string = position.string(point)
        seen.update(string)
        color = Color(int(stones[point]))
        if certain and life[color].stones.flat[point]:
            continue
        own = float(owner.ravel()[string].mean()) * (1 if color is Color.BLACK else -1)
        if own < bound or (certain and life[color.opponent].territory.flat[point]):
            dead.append(point)
    return dead


def old_score(position: Position, net: Board | None) -> list[int]:
    """`tengen score` before: 300 playouts with each side first, dead below -0.2."""
    owner = np.zeros((position.size, position.size), np.float32)
    for color in Color:
        first = position.copy()
        first.to_move = color
        owner += playout_statistics(first, 300, policy="guided").ownership / 2
    return dead_below(position, owner, -0.2, certain=True)


def old_engine(position: Position, net: Board | None) -> list[int]:
    """GTP and matches before: 256 playouts, the net's word as much as theirs, dead below 0."""
    owner = playout_statistics(position, 256, policy="guided").ownership
    return dead_below(position, owner if net is None else (owner + net) / 2, 0.0, certain=False)


def old_training(game: Game, position: Position) -> bool:
    """Owners from 48 playouts, somebody's beyond 0.5; kept if their sum is within three points of the record."""
    found = playout_statistics(position, 48, policy="guided").ownership
    margin = float((found > 0.5).sum()) - float((found < -0.5).sum())
    return abs(margin - recorded_lead(game) - game.komi) <= 3.0


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("pool", type=Path)
    words.add_argument("--games", type=int, default=500)
    words.add_argument("--net")
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--playouts", type=int, nargs="+", default=[48, 256, 600])
    words.add_argument("--dead-below", type=float, nargs="*", default=[], help="other bounds to compare")
    terms = words.parse_args()

    games = draw_games(terms.pool, terms.games, terms.seed)
    positions = [game.position() for game in games]
    opinions: list[Board | None] = [None] * len(games)
    if terms.net:
        from tengen.nets.library import open_net

        net = open_net(terms.net)
        opinions = []
        for i in range(0, len(positions), 16):
            opinions += [said.ownership for said in net.evaluate(positions[i : i + 16])]

    tallies: dict[str, Tally] = {}
    bound_in_use = settling.DEAD_BELOW

    def measure(name: str, count: Callable[[Game, Position, Board | None], Count]) -> None:
        tally = tallies[name] = Tally()
        for game, position, opinion in zip(games, positions, opinions, strict=True):
            begun = time.process_time()
            lead, is_known, is_settled = count(game, position, opinion)
            tally.seconds += time.process_time() - begun
            tally.settled.append((is_settled, tally.add(game, lead, is_known)))
        print(tally.line(name), flush=True)

    def by_rule(rule: Callable[[Position, Board | None], list[int]], heard: bool) -> Callable[..., Count]:
        def count(game: Game, position: Position, opinion: Board | None) -> Count:
            return (
                position.score(rule(position, opinion if heard else None)).lead.of(Color.BLACK),
                False,
                False,
            )

        return count

    def by_settling(playouts: int, heard: bool, bound: float = settling.DEAD_BELOW) -> Callable[..., Count]:
        def count(game: Game, position: Position, opinion: Board | None) -> Count:
            settling.DEAD_BELOW = bound
            found = settling.settle(position, opinion if heard else None, playouts=playouts)
            lead = found.score.lead.of(Color.BLACK)
            return lead, abs(lead - recorded_lead(game)) <= AGREES, found.is_settled

        return count

    print(f"{len(games)} games of {terms.pool}")
    print(f"{'':34s}{'exact':>8s}{'close':>8s}{'winner':>8s}{'known':>8s}{'CPU a game':>13s}")
    measure("before: tengen score (300 + 300)", by_rule(old_score, False))
    measure("before: engine (256)", by_rule(old_engine, False))
    measure("before: training (48)", lambda game, at, _: (None, old_training(game, at), False))
    for playouts in terms.playouts:
        measure(f"settle ({playouts})", by_settling(playouts, False))
    for bound in terms.dead_below:
        measure(f"settle, dead below {bound:g}", by_settling(settling.PLAYOUTS, False, bound))
    if terms.net:
        measure(f"before: engine (256) and {terms.net}", by_rule(old_engine, True))
        measure(f"settle and {terms.net}", by_settling(settling.PLAYOUTS, True))
        for bound in terms.dead_below:
            measure(
                f"settle and {terms.net}, dead below {bound:g}", by_settling(settling.PLAYOUTS, True, bound)
            )

    for name, tally in tallies.items():
        settled = [exact for is_settled, exact in tally.settled if is_settled]
        if settled:
            share, right = len(settled) / tally.games, sum(settled) / len(settled)
            print(f"{name}: {share:.1%} are settled, of these {right:.1%} exact")
    settling.DEAD_BELOW = bound_in_use
    for back in BEFORE_THE_END:
        early = [settling.settle(game.position(-back)) for game in games[:150] if len(game.moves) > back]
        print(f"{back} moves before the end {sum(s.is_settled for s in early) / len(early):.1%} are settled")


if __name__ == "__main__":
    main()
