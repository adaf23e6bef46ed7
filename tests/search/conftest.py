"""What the tests of the players have in common."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from tengen import Position
from tengen.nets.evaluation import Evaluation
from tengen.nets.fake import FakeEvaluator


@pytest.fixture
def net() -> FakeEvaluator:
    return FakeEvaluator()


# Black has 15 points and White 10, for the white stone at the left is dead. It stands: with every stone alive Black has
# 10 points and White 11.
SETTLED = """
    . X X O .
    . X X O .
    O X X O .
    . X X O .
    . X X O .
    """
OWNERS = "XXXOO"  # of the columns, see Sighted


class Sighted(FakeEvaluator):
    """A fake net that knows the owners of the columns of a board: a letter each, X, O or . for nobody."""

    def __init__(self, columns: str) -> None:
        super().__init__()
        self.owners = np.array(["O.X".index(letter) - 1 for letter in columns], np.float32)

    def evaluate(self, positions: Sequence[Position], **options: Any) -> list[Evaluation]:
        board = np.tile(self.owners, (len(self.owners), 1))
        return [dataclasses.replace(e, ownership=board) for e in super().evaluate(positions, **options)]


@pytest.fixture
def sighted() -> Callable[[str], Sighted]:
    return Sighted
