"""What a game that two passes ended is worth.

Where all stones stand (`Rules.stones_stand`) the board is counted as it is. Elsewhere the players agree on dead stones.
A settled board is counted (`tengen.go.settle`). On any other board somebody passed too early, and there is nothing to
count: the game is worth what the net says of the board before the passes. The net is not asked about the board after
them, for nets are trained on games that go on.
"""

from __future__ import annotations

import dataclasses
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from tengen import _native
from tengen.go.color import Color
from tengen.go.perspective import Lead, WinRate
from tengen.go.position import Position
from tengen.go.settle import CLEAR, Board, Settled, settle
from tengen.nets.evaluation import Evaluation, Margin
from tengen.nets.evaluator import Evaluator
from tengen.nets.komi import komi_labels_for

# Of a board in a search. Fewer than for a final count: a settled board is clear to a few.
PLAYOUTS = 64
CAPACITY = 10_000  # boards remembered

Key = tuple[object, ...]


def before_passes(position: Position) -> Position:
    """The position before its last two passes, four passes, ...; itself if the game goes on."""
    if not position.is_over:
        return position
    board = position.copy()
    while board.is_over:
        board.undo()
        board.undo()
    board.to_move = position.to_move
    return board


def settled_board(position: Position, ownership: Board | None) -> Settled | None:
    """The settled board, by playouts and a net's ownership [size, size]; None if it is not settled."""
    if ownership is not None and not _may_be_settled(position, ownership):
        return None
    judged = settle(position, ownership, playouts=PLAYOUTS)
    return judged if judged.is_settled else None


class Judge:
    """Settles the boards that a search meets, each once."""

    def __init__(self) -> None:
        self._known: OrderedDict[Key, Settled | None] = OrderedDict()

    def settled(self, position: Position, ownership: Board | None) -> Settled | None:
        """`settled_board`, remembered: what the net said of the same stones at another time does not matter."""
        key = (
            position.rules,
            position.stones().tobytes(),
            *(position.captured(color) for color in Color),
            position.handicap_bonus,
        )
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        found = self._known[key] = settled_board(position, ownership)
        if len(self._known) > CAPACITY:
            self._known.popitem(last=False)
        return found

    def margin(self, position: Position, ownership: Board | None) -> float | None:
        """Black's margin of an ended game, handicap bonus counted, komi not; None if the board is not settled."""
        if position.rules.stones_stand:
            score = position.score()
        elif (settled := self.settled(position, ownership)) is not None:
            score = settled.score
        else:
            return None
        return score.lead.of(Color.BLACK) + position.rules.komi

    def evaluate(self, net: Evaluator, positions: Sequence[Position]) -> list[Evaluation]:
        """What the net says of positions of one game, win rates by komi included; ended games are counted."""
        first = positions[0]
        labels = komi_labels_for(net.card, first.size, first.rules.komi).tolist()
        found = net.evaluate([before_passes(position) for position in positions], komi_labels=labels)
        for i, (position, said) in enumerate(zip(positions, found, strict=True)):
            if position.is_over and (margin := self.margin(position, said.ownership)) is not None:
                found[i] = counted(said, margin, position.rules.komi)
        return found

    def count(self, tree: _native.Tree, leaves: Sequence[Position], said: Sequence[Evaluation]) -> None:
        """Sets the margins of the selected leaves that two passes ended and that can be counted."""
        for i, (leaf, evaluation) in enumerate(zip(leaves, said, strict=True)):
            if leaf.is_over and (margin := self.margin(leaf, evaluation.ownership)) is not None:
                tree.count(i, margin)


def counted(said: Evaluation, margin: float, komi: float) -> Evaluation:
    """The evaluation of a game that ended with this margin: the result in all heads that the net has."""
    lead, labels = margin - komi, said.komi_labels
    win = 0.5 * (1 + np.sign(lead))
    wins = None if labels is None else (0.5 * (1 + np.sign(margin - labels))).astype(np.float32)
    return dataclasses.replace(
        said,
        win=None if said.win is None else WinRate(float(win), Color.BLACK),
        lead=None if said.lead is None else Lead(lead, Color.BLACK),
        margin=None if said.margin is None else Margin(margin, 0.0),
        win_by_komi=None if said.win_by_komi is None else wins,
    )


def _may_be_settled(position: Position, ownership: Board) -> bool:
    """False where no playouts could settle a stone: they count as much as the net, and 1 at most."""
    stones = position.stones()
    unclear = (stones > 0) & (np.abs(ownership) < 2 * CLEAR - 1)
    for color in Color:
        life = position.pass_alive(color)
        unclear &= ~(life.stones | life.territory)
    points = np.flatnonzero(unclear)
    return all(abs(float(ownership.ravel()[position.string(int(p))].mean())) >= 2 * CLEAR - 1 for p in points)
