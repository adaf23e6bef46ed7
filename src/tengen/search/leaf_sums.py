"""What the leaves of a search say beside their values: ownership, and the chance of a game without result."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tengen.go.game import WHITE_BIT
from tengen.go.position import Position
from tengen.nets.evaluation import Evaluation
from tengen.search.no_result import no_result_chance
from tengen.search.owners import Boards, Owned, OwnerSums
from tengen.search.player import Question


class LeafSums:
    """Sums over the leaves below one position; those of another are dropped.

    `ask` gives the net's evaluation of a position, for moves without leaves and for the root itself.
    """

    def __init__(self, ask: Callable[[Position], Evaluation]) -> None:
        self._ask = ask
        self._at: tuple[int, int] | None = None  # size of the board, hash of the record
        self._owners, self._no_results = OwnerSums(), OwnerSums()

    def add(
        self,
        position: Position,
        question: Question,
        leaves: Sequence[Position],
        evaluations: Sequence[Evaluation],
    ) -> None:
        """Counts leaves below the position, as far as the question asks for them."""
        owners, no_result = question.ownership or question.moves_ownership, question.no_result
        if not owners and not no_result:
            return
        self._stand_at(position)
        played = len(position.moves())
        for leaf, said in zip(leaves, evaluations, strict=True):
            if len(moves := leaf.moves()) > played:  # the root itself is counted in `OwnerSums.root`
                move = int(moves[played]) & ~WHITE_BIT
                if owners:
                    self._owners.add(move, said.ownership)
                if no_result:
                    self._no_results.add(move, _no_result(said, position))

    def owned(self, position: Position) -> Owned | None:
        """Below the position, itself included."""
        self._stand_at(position)
        return self._owners.root(lambda: self._ask(position).ownership)

    def owned_after(self, position: Position, move: int) -> Owned | None:
        self._stand_at(position)
        return self._owners.of(move, lambda: self._ask(position.copy().play(move)).ownership)

    def no_result_after(self, position: Position, move: int) -> float | None:
        self._stand_at(position)
        found = self._no_results.of(move, lambda: _no_result(self._ask(position.copy().play(move)), position))
        return None if found is None else float(found.mean[0])

    def _stand_at(self, position: Position) -> None:
        at = (position.size, position.record_hash)
        if self._at != at:
            self._at, self._owners, self._no_results = at, OwnerSums(), OwnerSums()


def _no_result(said: Evaluation, position: Position) -> Boards | None:
    """[1]"""
    chance = no_result_chance(said, position.rules)
    return None if chance is None else np.array([chance], np.float32)
