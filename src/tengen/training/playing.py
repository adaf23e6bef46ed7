"""Games between policies, many boards at once: what self-play and reinforcement learning both play. Needs no torch.

How a game goes:

- The side to move draws its move from its policy: the softmax of the logits divided by a temperature, over the
  playable moves. Playable are legal moves that fill neither an own eye nor a point of anyone's pass-alive territory.
  The net sees the board in a random symmetry.
- A side passes if no playable move does more than put own stones in atari to no use: so a seki stays. A net's own
  pass is never drawn, and nobody resigns.
- Two passes end the game. The rules have superko, so that no game goes round in circles; a game that is still not
  over after `MOVES_A_POINT` moves for each point of the board ends there.
- At the end pass-alive stones and territory (Benson, 1976) are their side's, enemy stones within are dead. All other
  stones are alive: whoever could take them has passed. An empty point is the side's whose stones alone it reaches, and
  nobody's if it reaches both, as in a seki.
- Openings differ by rule: the first m moves of a game are drawn at `opening_temperature`; m is 0 to `openings`, each
  with the same chance.
- Games may begin with the first moves of other games (`Beginnings`), so that they reach positions of these players.

Every random choice is a function of the seed, the number of the game and the number of the move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from tengen import _native
from tengen.errors import InputError
from tengen.games.store import GameStore
from tengen.go.color import Color
from tengen.go.game import Game, unpack
from tengen.go.position import Position
from tengen.go.result import Result, ResultKind
from tengen.go.rules import PRESETS, Ko, Rules, Scoring
from tengen.nets.evaluation import Floats, given
from tengen.nets.evaluator import Evaluator
from tengen.nets.net_evaluator import NetEvaluator, origins
from tengen.training.permutation import mix

# Positions of one size and the symmetries (uint8 [n]) in which they are seen, to logits [n, moves]: the points, seen in
# the symmetry; a last one for the pass does not count.
Policy = Callable[[Sequence[Position], npt.NDArray[np.uint8]], Floats]

MOVES_A_POINT = 4
_LARGEST = 19
_EIGHT = 8


@dataclass(frozen=True)
class Terms:
    """How games are played. Two runs with the same terms and nets play the same games."""

    size: int
    komi: float = 7.5
    rules: str = "aga"  # A preset that counts area and has superko: games must end.
    seed: int = 1
    temperature: float = 1.0
    openings: int = 0  # Moves, at most, that are drawn at the temperature of openings.
    opening_temperature: float = 1.5
    begin: str = ""  # The identity of what games begin with (`Beginnings`); empty for the empty board.

    def __post_init__(self) -> None:
        if not 2 <= self.size <= _LARGEST:
            raise InputError(f"a board has 2 to {_LARGEST} lines, not {self.size}")
        fitting = [n for n, r in PRESETS.items() if r.scoring is Scoring.AREA and r.ko is not Ko.SIMPLE]
        if self.rules not in fitting:
            raise InputError(
                f"games to the very end need rules that count area and have superko: {', '.join(fitting)}, "
                f"not '{self.rules}'"
            )
        if self.openings < 0:
            raise InputError(f"the number of opening moves must be 0 or more, not {self.openings}")
        for name in ("temperature", "opening_temperature"):
            if not 0.01 <= getattr(self, name) <= 100:
                raise InputError(f"the {name} must be from 0.01 to 100, not {getattr(self, name)}")

    def start(self) -> Position:
        return Position(self.size, self.game_rules)

    @property
    def game_rules(self) -> Rules:
        return Rules.named(self.rules).with_komi(self.komi)


class Beginnings:
    """First moves for games, from a pool: those of one of its games, as many as chance says.

    Only games on the board's size without handicap or set-up stones serve. Moves are taken until the first pass.
    """

    def __init__(self, store: GameStore, size: int) -> None:
        empty = (pl.col("handicap") == 0) & (pl.col("setup").bin.size() == 0)
        self._games = store.filter(empty, pl.col("size") == size, pl.col("move_count") > 0)
        if not len(self._games):
            raise InputError(f"no game of the pool has moves and begins on an empty {size}x{size} board")

    @property
    def identity(self) -> str:
        """Of the games that serve, see `GameStore.identity`."""
        return self._games.identity

    def play(self, position: Position, seed: int) -> int:
        """Plays them on an empty board and returns how many. The seed decides which game, and how many of its moves."""
        which, share = (int(mix(np.uint64(seed), stream)) for stream in (3, 5))
        moves = self._games.game(which % len(self._games)).moves
        moves = moves[: share % len(moves)]
        for count, move in enumerate(moves):
            taken = move.point != position.pass_ and move.color is position.to_move
            if not (taken and position.is_legal(move.point)):
                return count
            position.play(move.point)
        return len(moves)


@dataclass(frozen=True, eq=False)
class Played:
    """A finished game.

    `moves`: packed, as pools keep them. `owner` uint8 [size, size]: 0 nobody, 1 Black, 2 White. `playable` uint8
    [moves, points]: what could be drawn at each move, in the symmetry in which the net saw the board; none at a pass
    and at moves that the game began with.
    """

    number: int
    moves: npt.NDArray[np.uint16]
    owner: npt.NDArray[np.uint8]
    playable: npt.NDArray[np.uint8]

    @property
    def margin(self) -> float:
        """Black's points less White's, before komi."""
        return float((self.owner == Color.BLACK).sum()) - float((self.owner == Color.WHITE).sum())

    def game(self, terms: Terms, black: str, white: str) -> Game:
        lead = self.margin - terms.komi
        winner = None if lead == 0 else Color.BLACK if lead > 0 else Color.WHITE
        result = Result(ResultKind.SCORE if winner else ResultKind.DRAW, winner, abs(lead))
        return Game(
            size=terms.size,
            rules=terms.game_rules,
            black=black,
            white=white,
            result=result,
            moves=unpack(self.moves),
        )


def game_seeds(terms: Terms, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """A seed for each game, uint64 [n]."""
    return mix(numbers.astype(np.uint64), 4 * terms.seed)


def symmetries(seeds: npt.NDArray[np.uint64], moves: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
    """The symmetries in which games with these seeds are seen after so many moves, uint8 [n]."""
    return (mix(seeds ^ moves.astype(np.uint64), 1) % np.uint64(8)).astype(np.uint8)


def play(
    terms: Terms,
    numbers: Iterable[int],
    policies: Sequence[Policy],
    boards: int,
    threads: int = 1,
    beginnings: Beginnings | None = None,
) -> Iterator[Played]:
    """Plays the games of these numbers, so many boards at a time, and gives each when it is over.

    One policy plays both sides; of two, the first has Black in games of even number and White in the others.
    """
    waiting = iter(numbers)
    area, longest = terms.size**2, MOVES_A_POINT * terms.size**2
    open_: list[_Open] = []
    while True:
        while len(open_) < boards and (number := next(waiting, None)) is not None:
            open_.append(_Open(number, terms, beginnings))
        if not open_:
            return
        seeds = np.array([game.seed for game in open_], np.uint64)
        counts = np.array([game.count for game in open_], np.int64)
        seen = symmetries(seeds, counts)
        positions = [game.position for game in open_]
        logits = _ask(policies, positions, seen, [(game.number + game.count) for game in open_], area)
        heat = np.array([game.temperature(terms) for game in open_], np.float32)
        drawn, playable = _native.draw_moves(positions, logits, seen, seeds, heat, threads)
        over = []
        for i, (game, move) in enumerate(zip(open_, drawn.tolist(), strict=True)):
            game.playable.append(playable[i])
            game.count += 1
            game.passes = game.passes + 1 if move == area else 0
            if game.passes >= 2 or game.count >= longest:
                over.append(game)
        if over:
            open_ = [game for game in open_ if game.passes < 2 and game.count < longest]
        for game in over:
            yield game.ended()


class _Open:
    """A game that is going on."""

    def __init__(self, number: int, terms: Terms, beginnings: Beginnings | None) -> None:
        self.number = number
        self.seed = int(game_seeds(terms, np.array([number]))[0])
        self.opening = int(mix(np.uint64(self.seed), 2) % np.uint64(terms.openings + 1))
        self.position = terms.start()
        self.count = beginnings.play(self.position, self.seed) if beginnings else 0
        self.playable = [np.zeros(terms.size**2, np.uint8)] * self.count
        self.passes = 0

    def temperature(self, terms: Terms) -> float:
        return terms.opening_temperature if self.count < self.opening else terms.temperature

    def ended(self) -> Played:
        return Played(self.number, self.position.moves(), final_owner(self.position), np.stack(self.playable))


def final_owner(position: Position) -> npt.NDArray[np.uint8]:
    """The owners at the end of a game, uint8 [size, size]: 0 nobody, 1 Black, 2 White."""
    stones, dead = position.stones(), np.zeros((position.size, position.size), bool)
    for color in Color:
        dead |= position.pass_alive(color).territory & (stones == color.opponent)
    return position.score(np.flatnonzero(dead).tolist()).owner


def _ask(
    policies: Sequence[Policy],
    positions: Sequence[Position],
    seen: npt.NDArray[np.uint8],
    turns: Sequence[int],
    area: int,
) -> Floats:
    """Logits [positions, area]; position i is for policy `turns[i]`, modulo their number."""
    if len(policies) == 1:
        return np.ascontiguousarray(policies[0](positions, seen)[:, :area], np.float32)
    logits = np.empty((len(positions), area), np.float32)
    whose = np.array(turns) % len(policies)
    for player, policy in enumerate(policies):
        chosen = np.flatnonzero(whose == player)
        if len(chosen):
            logits[chosen] = policy([positions[i] for i in chosen.tolist()], seen[chosen])[:, :area]
    return logits


class NetPolicy:
    """The policy of any net.

    The net is asked about boards by eights, filled up with empty ones: runtimes round a single board in another way
    than several, and a game must not depend on how many others are going on.
    """

    def __init__(self, net: Evaluator, size: int) -> None:
        net.card.require("policy", "self-play draws its moves from it")
        net.card.check_size(size)
        self.net, self.size = net, size
        # Boards that are asked about at once: nearly as many as the runtime takes.
        self.batch = _EIGHT
        if isinstance(net, NetEvaluator):
            self.batch *= max(1, net.runtime.batch * _LARGEST**2 // size**2 // _EIGHT)

    def __call__(self, positions: Sequence[Position], seen: npt.NDArray[np.uint8]) -> Floats:
        if not isinstance(self.net, NetEvaluator):
            return self._evaluated(positions, seen)
        parts = []
        for first in range(0, len(positions), self.batch):
            part = slice(first, first + self.batch)
            inputs = self.net.inputs(positions[part], seen[part])
            count = len(positions[part])
            if missing := -count % _EIGHT:
                inputs = {
                    name: np.concatenate([array, np.zeros((missing, *array.shape[1:]), np.float32)])
                    for name, array in inputs.items()
                }
            parts.append(self.net.logits(inputs)[:count])
        return np.concatenate(parts)

    def _evaluated(self, positions: Sequence[Position], seen: npt.NDArray[np.uint8]) -> Floats:
        """Of nets that only evaluate: a pair of nets, or the fake one."""
        chances = np.stack(
            [given(e.policy)[:-1] for e in self.net.evaluate(positions, symmetries=seen.tolist())]
        )
        logits = np.log(np.maximum(chances, 1e-9))
        turned = np.empty_like(logits)
        for i, symmetry in enumerate(seen.tolist()):
            turned[i, origins(self.size, symmetry)] = logits[i]
        return turned
