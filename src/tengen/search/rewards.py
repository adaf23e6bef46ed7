"""What an imagined line is worth to the side of its candidate, in points of the fight's window.

The DANN paper does not define its reward. Three definitions:

ownership  The margin in the window that the net expects when the line stops (the sum of its ownership there), less the
           margin that it expects if the candidate's side passes instead. All of it comes at the end of the line.
lead       The same with the net's lead on the whole board in place of the margin in the window: it counts what the
           fight is worth outside of the window, and who may play elsewhere when the line stops.
captures   Stones taken in the line less stones lost, at the step at which they are taken, and at the end the change of
           territory in the window: empty points that only one side's stones reach. It needs no net.

A pass is the yardstick of `ownership` and `lead`, not the position itself: the net's expectation before a move counts
on the best move being played, so an urgent move would gain nothing and a move elsewhere would.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from tengen import _native
from tengen.go.color import Color
from tengen.go.position import Position
from tengen.nets.agent import RewardName
from tengen.nets.evaluation import Evaluation, Floats, given
from tengen.nets.evaluator import Evaluator
from tengen.nets.paired import judging
from tengen.search.ended import before_passes
from tengen.search.imagining import Fight, Lines, evaluate_once, never


class Reward(Protocol):
    def to_go(self, lines: Lines, stop: Callable[[], bool] = never) -> Floats:
        """R_t of equation 5 for n lines, float32 [steps + 1, n], in the view of the candidate's side.

        Row 0 is the whole reward R, with what the candidate itself takes; row t is what step t, counted from 1, and all
        later ones bring. Raises StoppedError when `stop` says so.
        """
        ...


class _AtTheEnd(ABC):
    """What the net expects when the line stops, less what it expects if the candidate's side passes instead."""

    name: ClassVar[RewardName]
    head: ClassVar[str]  # what the net must have

    def __init__(self, net: Evaluator) -> None:
        net.card.require(
            self.head,
            f"the reward {self.name} is made of it: choose reward=captures, a net with it, or a pair "
            "POLICY-NET+VALUE-NET",
        )
        self.net = judging(net)

    @abstractmethod
    def points(self, said: Evaluation, fight: Fight) -> float:
        """For the candidate's side."""

    def to_go(self, lines: Lines, stop: Callable[[], bool] = never) -> Floats:
        fights = lines.fights
        passed = [before_passes(fight.position.copy().play(fight.position.pass_)) for fight in fights]
        ends = [_last_board(position) for position in lines.finals]
        said = evaluate_once(self.net, [*passed, *ends], stop)
        without = [self.points(one, fight) for one, fight in zip(said, fights, strict=False)]
        rewards = [
            self.points(end, fights[which]) - without[which]
            for end, which in zip(said[len(fights) :], lines.which, strict=True)
        ]
        return np.broadcast_to(np.array(rewards, np.float32), lines.captured.shape)


class Ownership(_AtTheEnd):
    """See above; the net needs ownership."""

    name, head = "ownership", "ownership"

    def points(self, said: Evaluation, fight: Fight) -> float:
        black = float(given(said.ownership)[fight.mask].sum())
        return black if fight.mover is Color.BLACK else -black


class WholeLead(_AtTheEnd):
    """See above; the net needs margins."""

    name, head = "lead", "margin"

    def points(self, said: Evaluation, fight: Fight) -> float:
        return given(said.lead).of(fight.mover)


def _last_board(position: Position) -> Position:
    """The position without the stops at its end: nets are trained on games that go on."""
    if not position.passes:
        return position
    board, side = position.copy(), position.to_move
    while board.passes:
        board.undo()
    board.to_move = side
    return board


class Captures:
    """See above; any net will do."""

    def __init__(self, net: Evaluator | None = None) -> None:
        pass

    def to_go(self, lines: Lines, stop: Callable[[], bool] = never) -> Floats:
        before = np.array([_territory(fight.position, fight.mask) for fight in lines.fights])
        masks = [lines.fights[which].mask for which in lines.which]
        after = np.array([_territory(p, mask) for p, mask in zip(lines.finals, masks, strict=True)])
        signs = np.array([1 if fight.mover is Color.BLACK else -1 for fight in lines.fights])
        grown = (after - before[lines.which]) * signs[lines.which]
        return np.asarray(lines.captured[::-1].cumsum(0)[::-1] + grown, np.float32)


def _territory(position: Position, mask: npt.NDArray[np.bool_]) -> int:
    """Black's empty points less White's."""
    owner = np.where(position.stones() == 0, _native.count(position, [])[0], 0)[mask]
    return int((owner == Color.BLACK).sum()) - int((owner == Color.WHITE).sum())


REWARDS: dict[RewardName, Callable[[Evaluator], Reward]] = {
    "ownership": Ownership,
    "lead": WholeLead,
    "captures": Captures,
}
