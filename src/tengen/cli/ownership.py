"""A net's ownership for commands that judge dead stones (`--net`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from tengen.go.position import Position
from tengen.nets.evaluation import given
from tengen.nets.evaluator import Evaluator

Board = npt.NDArray[np.float32]


def net_ownership(net: Evaluator) -> Callable[[Sequence[Position]], list[Board]]:
    """From positions to a net's ownership of each, [size, size], 1 Black's to -1 White's.

    Raises InputError for a net without ownership, and for a board that the net does not take.
    """
    net.card.require("ownership", "name another net, or leave --net out")
    return lambda positions: [given(found.ownership) for found in net.evaluate(positions)]
