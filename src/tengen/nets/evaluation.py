"""What a net says of a position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.go.color import Color
from tengen.go.perspective import Lead, WinRate

Floats = npt.NDArray[np.float32]


class Margin(NamedTuple):
    """Black's area less White's at the end, before komi: mean and standard deviation, in points."""

    mean: float
    deviation: float


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """What a net says of a position. Always Black's view, whoever is to move.

    `policy` [size*size + 1]: chance of each move of the side to move, pass last; 0 where it may not play.
    `win_by_komi` [k]: P(margin > komi) for each of `komi_labels` [k], which rise; it never rises with them.
    `komi` is the position's own: rules and White's bonus for handicap together. `ownership` [size, size]:
    1 Black's, -1 White's. `trunk` [channels, size, size], on request: what the net's heads read, in the
    view of the side to move.
    """

    policy: Floats
    komi: float
    komi_labels: Floats
    win_by_komi: Floats
    margin: Margin
    ownership: Floats
    trunk: Floats | None = None

    @property
    def win_rate(self) -> WinRate:
        """The chance to win at the position's own komi, between labels by interpolation."""
        return WinRate(float(np.interp(self.komi, self.komi_labels, self.win_by_komi)), Color.BLACK)

    @property
    def lead(self) -> Lead:
        """Points ahead at the position's own komi."""
        return Lead(self.margin.mean - self.komi, Color.BLACK)


def falling(values: Floats) -> Floats:
    """The nearest (least squares) sequence along the last axis that never rises: isotonic projection.

    >>> falling(np.array([0.9, 0.5, 0.7, 0.1], dtype=np.float32)).tolist()
    [0.8999999761581421, 0.6000000238418579, 0.6000000238418579, 0.10000000149011612]
    """
    flat = values.reshape(-1, values.shape[-1])
    out = np.empty_like(flat)
    for row, result in zip(flat, out, strict=True):
        # Pool adjacent violators: blocks of (sum, count), merged while the later one is higher.
        blocks: list[tuple[float, int]] = []
        for value in row:
            total, count = float(value), 1
            while blocks and blocks[-1][0] * count < total * blocks[-1][1]:
                before = blocks.pop()
                total, count = total + before[0], count + before[1]
            blocks.append((total, count))
        result[:] = np.repeat([t / n for t, n in blocks], [n for _, n in blocks])
    return out.reshape(values.shape)
