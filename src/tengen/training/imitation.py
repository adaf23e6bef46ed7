"""How an agent of long-term evaluation begins: it learns to foretell the lines of the games. Needs no reward.

A line is what followed in a game on a move of it: moves inside the window are moves of the line, a move elsewhere is
a stop. The agent looks where it chooses to, and learns two things: the next move, where it can see it, and to look next
at the point of the move after it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tengen import _native
from tengen.search.imagining import Fight, Ints, Lines, Scene, imagine
from tengen.search.imagining_sides import NOT_DRAWN, AgentSide, Looked, places_of
from tengen.training.data import Examples


class GameSide:
    """Both sides of lines, as they were played: `moves` int32 [steps, n], with pass after the end of a game.

    `watcher` is an agent that looks along. Its record has the moves of the games in place of its own draws: as action
    the next move, as place that of the move after it; NOT_DRAWN where it does not see the point.
    """

    def __init__(self, moves: Ints, watcher: AgentSide) -> None:
        self.moves, self.watcher, self._step = moves, watcher, 0

    def begin(self, centres: Ints) -> None:
        self._step = 0
        self.watcher.begin(centres)

    def step(self, scene: Scene, rng: np.random.Generator, acts: bool) -> Ints:
        pass_ = scene.positions[0].pass_
        places = self.watcher.places[scene.live]
        self.watcher.step(scene, rng, False)
        looked = self.watcher.looked[-1]
        played = self._inside(scene, self.moves[self._step])
        playable = np.stack([_native.playable_moves(position)[0] for position in scene.positions])
        legal = playable.astype(bool)[np.arange(len(played)), np.minimum(played, pass_ - 1)]
        played = np.where((played == pass_) | legal, played, pass_).astype(np.int32)
        later = (
            self.moves[self._step + 1]
            if self._step + 1 < len(self.moves)
            else np.full_like(self.moves[0], pass_)
        )
        shape, size = self.watcher.agent.shape, scene.positions[0].size
        action = _allowed(places_of(played, places, shape.near, size), looked.may_play)
        action[played == pass_] = shape.stop
        place = _allowed(places_of(self._inside(scene, later), places, shape.near, size), looked.may_look)
        self.watcher.looked[-1] = looked._replace(action=action, place=place)
        self._step += 1
        return played

    def _inside(self, scene: Scene, moves: Ints) -> Ints:
        """The moves [m] of the lines that go on; pass for a move outside of the window."""
        size, pass_ = scene.positions[0].size, scene.positions[0].pass_
        found = moves[scene.live]
        rows, columns = np.divmod(np.minimum(found, pass_ - 1), size)
        row, column = np.divmod(scene.centres, size)
        reach = scene.window // 2
        inside = (found < pass_) & (abs(rows - row) <= reach) & (abs(columns - column) <= reach)
        return np.where(inside, found, pass_).astype(np.int32)


def _allowed(places: npt.NDArray[np.int64], allowed: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Places [m] (NOT_DRAWN: none) that are allowed [m, k]; NOT_DRAWN for others."""
    seen = allowed[np.arange(len(places)), np.maximum(places, 0)]
    return np.where((places != NOT_DRAWN) & seen, places, NOT_DRAWN)


def followed(
    examples: Examples, positions: Sequence[int], symmetries: Sequence[int], steps: int, window: int
) -> tuple[list[Fight], Ints]:
    """Moves of games as candidates, and what followed on them, int32 [steps, n]."""
    fights, after = [], []
    for position, symmetry in zip(positions, symmetries, strict=True):
        carried = examples.carried[symmetry]
        board = examples.position(position, symmetry)
        move, *later = carried[examples.played_on(position, steps + 1)].tolist()
        if not board.is_legal(move):
            continue
        fights.append(Fight(board, move, window))
        after.append(later + [board.pass_] * (steps - len(later)))
    return fights, np.array(after, np.int32).reshape(-1, steps).T


def lines_of_games(
    fights: Sequence[Fight], moves: Ints, watcher: AgentSide, rng: np.random.Generator
) -> tuple[Lines, Sequence[Looked]]:
    """The lines of the games and what the agent saw in them; `watcher` keeps a record."""
    side = GameSide(moves, watcher)
    lines = imagine(fights, 1, len(moves), side, side, rng)
    return lines, watcher.looked
