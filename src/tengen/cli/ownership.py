"""A net's ownership for commands that judge dead stones (`--net`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from tengen.errors import InputError
from tengen.go.position import Position
from tengen.nets.library import open_net

Board = npt.NDArray[np.float32]


def net_ownership(name: str) -> Callable[[Sequence[Position]], list[Board]]:
    """From positions to a net's ownership of each, [size, size], 1 Black's to -1 White's.

    Raises InputError for a net without ownership, and for a board that the net does not take.
    """
    net = open_net(name)

    def owners(positions: Sequence[Position]) -> list[Board]:
        for size in {position.size for position in positions}:
            net.card.check_size(size)
        found = [said.ownership for said in net.evaluate(positions)]
        if any(ownership is None for ownership in found):
            raise InputError(f"net {name} has no ownership: name another net, or leave --net out")
        return found

    return owners
