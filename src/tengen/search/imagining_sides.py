"""Who makes the moves of imagined lines: the agent, or the predictor within the window."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen import _native
from tengen.nets.agent import Agent, AgentStep
from tengen.nets.evaluation import Floats, given
from tengen.nets.evaluator import Evaluator
from tengen.nets.paired import moving
from tengen.planes.glimpse import Glimpses
from tengen.search.imagining import NO_MOVE, Bools, Ints, Scene, evaluate_once, never, window_mask

NOT_DRAWN = -1  # the action of an agent whose turn it was not
# The predictor stops where its policy has less than this in the window: it wants to play elsewhere.
SETTLED = 0.02
# It draws from its policy to this power: a line is worth more if its moves are good.
SHARP = 2.0

Draws = npt.NDArray[np.int64]


class Looked(NamedTuple):
    """What an agent saw and drew in one step of m lines, as training needs it.

    live [m]: the numbers of the lines; may_play [m, near^2 + 1] and may_look [m, near^2]: what could be drawn; action
    [m] (NOT_DRAWN where it was not the agent's turn) and place [m]: what was drawn.
    """

    live: npt.NDArray[np.intp]
    seen: Glimpses
    numbers: Floats
    may_play: Bools
    may_look: Bools
    action: Draws
    place: Draws
    said: AgentStep


class AgentSide:
    """The agent. It looks at every step, also where it is not its turn to move.

    `places` is where it looks next in each line; `looked` has the steps of the last lines if it is told to keep a
    record.
    """

    def __init__(self, agent: Agent, threads: int = 1, record: bool = False) -> None:
        self.agent, self.threads, self.record = agent, threads, record
        self.looked: list[Looked] = []

    def begin(self, centres: Ints) -> None:
        self.places = centres.copy()
        self._state = np.zeros((len(centres), self.agent.shape.hidden), np.float32)
        self.looked = []

    def step(self, scene: Scene, rng: np.random.Generator, acts: bool) -> Ints:
        shape, live, size = self.agent.shape, scene.live, scene.positions[0].size
        rows, columns = np.divmod(self.places[live], size)
        seen = shape.sensor.look(scene.positions, self.places[live], self.threads)
        inside = self._in_window(scene, rows, columns, size)
        may_look = (inside & seen.on_board).reshape(len(live), -1)
        moves = (inside & seen.playable).reshape(len(live), -1)
        may_play = np.concatenate([moves, np.ones((len(live), 1), bool)], 1)  # a stop is always possible
        numbers = self._numbers(scene, rows, columns, size)
        said = self.agent.step(seen, numbers, self._state[live])
        action = draw(said.actions, may_play, rng) if acts else np.full(len(live), NOT_DRAWN)
        place = draw(said.places, may_look, rng)
        if self.record:
            self.looked.append(Looked(live, seen, numbers, may_play, may_look, action, place, said))
        self._state[live] = said.state
        self.places[live] = _points(place, rows, columns, shape.near, size)
        points = _points(np.minimum(action, shape.stop - 1), rows, columns, shape.near, size)
        return np.where(action == shape.stop, size * size, points).astype(np.int32)

    def _in_window(self, scene: Scene, rows: Ints, columns: Ints, size: int) -> Bools:
        """[m, near, near]: which points around the sensor are in the window of the fight; the edge does not count."""
        half, reach = self.agent.shape.near // 2, scene.window // 2
        offsets = np.arange(-half, half + 1)
        row, column = np.divmod(scene.centres, size)
        high = abs((rows - row)[:, None] + offsets) <= reach
        wide = abs((columns - column)[:, None] + offsets) <= reach
        inside: Bools = high[:, :, None] & wide[:, None, :]
        return inside

    def _numbers(self, scene: Scene, rows: Ints, columns: Ints, size: int) -> Floats:
        """The input `numbers` of tengen.nets.agent, [m, NUMBERS]."""
        row, column = np.divmod(scene.centres, size)
        last_row, last_column = np.divmod(scene.last, size)
        moved = scene.last != NO_MOVE
        window, near = max(scene.window // 2, 1), max(self.agent.shape.near // 2, 1)
        parts = (
            (rows - row) / window,
            (columns - column) / window,
            np.where(moved, last_row - rows, 0) / near,
            np.where(moved, last_column - columns, 0) / near,
            np.where(moved, 1, -1),
            np.full(len(moved), 1 if scene.mover_acts else -1),
        )
        return np.stack(parts, 1).astype(np.float32)


def _points(places: Draws, rows: Ints, columns: Ints, near: int, size: int) -> Ints:
    """The board's points of places in the near windows around (rows, columns)."""
    row, column = np.divmod(places, near)
    return ((rows + row - near // 2) * size + columns + column - near // 2).astype(np.int32)


def places_of(points: Ints, centres: Ints, near: int, size: int) -> Draws:
    """The places of points [m] in the near windows around `centres` [m]; NOT_DRAWN for those outside and for passes."""
    row, column = (
        at - centre + near // 2
        for at, centre in zip(np.divmod(points, size), np.divmod(centres, size), strict=True)
    )
    inside = (points < size * size) & (row >= 0) & (row < near) & (column >= 0) & (column < near)
    return np.where(inside, row * near + column, NOT_DRAWN).astype(np.int64)


class PredictorSide:
    """Draws good moves by a net's policy within the window, and stops where the net wants to play elsewhere."""

    def __init__(self, net: Evaluator, stop: Callable[[], bool] = never) -> None:
        net.card.require("policy", "it is to move in imagined lines")
        self.net, self._stop = moving(net), stop

    def begin(self, centres: Ints) -> None:
        """Nothing is kept from step to step."""

    def step(self, scene: Scene, rng: np.random.Generator, acts: bool) -> Ints:
        size = scene.positions[0].size
        if not acts:
            return np.full(len(scene.live), NO_MOVE, np.int32)
        said = evaluate_once(self.net, scene.positions, self._stop)
        policy = np.stack([given(one.policy)[:-1] for one in said])
        windows = [window_mask(centre, scene.window, size).ravel() for centre in scene.centres.tolist()]
        playable = [_native.playable_moves(position)[0] for position in scene.positions]
        allowed = np.stack(windows) & np.stack(playable).astype(bool) & (policy > 0)
        stops = np.where(allowed, policy, 0).sum(1) < SETTLED
        allowed[stops] = True  # something to draw from, which is not used
        drawn = draw(np.float32(SHARP) * np.log(np.maximum(policy, np.float32(1e-30))), allowed, rng)
        return np.where(stops, size * size, drawn).astype(np.int32)


def draw(logits: Floats, allowed: Bools, rng: np.random.Generator) -> Draws:
    """One index [n] of each row, by the softmax of the logits [n, k] over what is allowed: one at least in each row."""
    kept = np.where(allowed, logits, -np.inf).astype(np.float64)
    weights = np.exp(kept - kept.max(1, keepdims=True))
    sums = weights.cumsum(1)
    drawn = (sums <= rng.random(len(sums))[:, None] * sums[:, -1:]).sum(1)
    last = weights.shape[1] - 1 - (weights[:, ::-1] > 0).argmax(1)  # against rounding at the upper end
    return np.asarray(np.minimum(drawn, last), np.int64)
