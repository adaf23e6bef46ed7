"""The heads of our nets: their names, and what the raw numbers of each mean. Needs no torch.

A head has the same name in the torch net, as an output of the ONNX graph, on the card (`card.heads`) and in the
reader. Win rates come from `values`, `value` or `margin`, the first of them that a net has.

All numbers are raw: what the last layer gives, before any softmax, sigmoid or tanh. **All are in the view of the side
to move**, in the symmetry of the input planes; points are row-major from the top left.

The losses, the export and the reader all take the units from here. KataGo's own nets keep KataGo's outputs (`value`
of 3 numbers, `score` of 4 or 6), which `tengen.nets.katago_graph` describes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

# Points that the two numbers of the head `margin` are counted in, on 19x19; see `margin_unit`.
MARGIN_UNIT = 20.0
_LARGEST_AREA = 19 * 19
# The margin of a board that one side owns, in the unit of the head `margin`: the same on every size.
POINTS_OF_MARGIN = _LARGEST_AREA / MARGIN_UNIT
# Points: the least scale of a margin's distribution, unless the settings of the card say `least_scale`.
LEAST_SCALE = 0.5
# The deviation of a logistic distribution of scale 1.
LOGISTIC_DEVIATION = math.pi / math.sqrt(3)


@dataclass(frozen=True, slots=True)
class Head:
    """One head: its shape, what its numbers mean, and whether it exists only in training."""

    shape: str
    meaning: str
    training_only: bool = False


HEADS: dict[str, Head] = {
    "policy": Head(
        "[n, moves]",
        "Logits of the next move: the points, and pass last if the card's settings say `pass`.",
    ),
    "next": Head("[n, next_moves, points]", "Logits of the moves after the next one, without pass."),
    "value": Head(
        "[n, 1]",
        "Logit of the mover's win at the one komi of the card's komi_labels, or at the position's own komi if "
        "komi is an input of the net.",
    ),
    "values": Head(
        "[n, komi_labels]",
        "Logits of the mover's win, one for each of the card's komi_labels: the game's komi, which Black gives, "
        "whoever is to move. They fall along the labels if Black is to move and rise if White is.",
    ),
    "margin": Head(
        "[n, 2]",
        "The mover's margin before komi, a logistic distribution: the mean is unit * a points, the scale "
        "least + unit * softplus(b) points, least as in LEAST_SCALE; the unit is MARGIN_UNIT on 19x19 and in "
        "proportion to the area.",
    ),
    "ownership": Head(
        "[n, points]", "Argument of tanh, which is 1 for the mover's points, -1 for the other's."
    ),
    "trunk": Head("[n, size, size, channels]", "What the heads read, after the last norm and activation."),
    "teacher_policy": Head(
        "[n, points]", "Logits of the teacher's policy, without pass.", training_only=True
    ),
    "teacher_trunk": Head(
        "[n, channels of the teacher, size, size]",
        "The teacher's trunk, each channel scaled to mean 0 and variance 1.",
        training_only=True,
    ),
}


def exported(heads: Iterable[str]) -> tuple[str, ...]:
    """The heads that an exported net has: the outputs of its graph, and the heads on its card."""
    return tuple(name for name in heads if not HEADS[name].training_only)


def margin_unit(points: int) -> float:
    """The unit of the head `margin` on a board of so many points.

    Heads read means over the board, in which the same share of it is the same number on every size. So a net that
    has learnt margins on 19x19 gives margins of the right order on smaller boards.
    """
    return MARGIN_UNIT * points / _LARGEST_AREA


def margin_in_points(
    margin: npt.NDArray[np.floating], points: int, least: float = LEAST_SCALE
) -> tuple[float, float]:
    """Mean and scale of the mover's margin, from the two numbers of the head `margin` on a board of so many points."""
    mean, scale = margin.astype(np.float64)
    unit = margin_unit(points)
    return float(unit * mean), float(least + unit * np.logaddexp(0.0, scale))
