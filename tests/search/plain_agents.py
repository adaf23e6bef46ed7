"""Agents without a net, for tests of imagined lines."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tengen.nets.agent import AgentShape, AgentStep
from tengen.nets.evaluation import Floats
from tengen.planes.glimpse import Glimpses

Logits = Callable[[int, int], Floats]  # of lines and actions


class PlainAgent:
    """The same logits at every step; the sensor stays where it is. The state counts the steps."""

    def __init__(self, logits: Logits, shape: AgentShape | None = None) -> None:
        self.shape = shape or AgentShape(near=5, cells=1, cell=1, window=5, width=1, hidden=1)
        self.logits = logits
        self.numbers: list[Floats] = []
        self.states: list[Floats] = []

    def step(self, seen: Glimpses, numbers: Floats, state: Floats) -> AgentStep:
        self.numbers.append(numbers)
        self.states.append(state.copy())
        count, points = len(numbers), self.shape.near**2
        places = np.full((count, points), -1e9, np.float32)
        places[:, points // 2] = 0
        return AgentStep(self.logits(count, points + 1), places, np.zeros(count, np.float32), state + 1)


def anywhere(count: int, actions: int) -> Floats:
    """Any move, rarely a stop."""
    logits = np.zeros((count, actions), np.float32)
    logits[:, -1] = -3
    return logits


def stops(count: int, actions: int) -> Floats:
    logits = np.full((count, actions), -1e9, np.float32)
    logits[:, -1] = 0
    return logits


def at(*offsets: int) -> Logits:
    """The first of these places of the near window that can be played, else a stop."""

    def logits(count: int, actions: int) -> Floats:
        out = np.full((count, actions), -1e9, np.float32)
        out[:, -1] = -1e6
        for rank, offset in enumerate(offsets):
            out[:, offset] = -1e3 * rank
        return out

    return logits
