"""What a value head is taught by the end of a game. Needs torch."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from tengen.nets.heads import LEAST_SCALE, MARGIN_UNIT
from tengen.training.outcomes import Endings


def margin_of(out: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and scale of the mover's margin in points, from a net's `margin` [n, 2]."""
    return MARGIN_UNIT * out[:, 0], LEAST_SCALE + MARGIN_UNIT * F.softplus(out[:, 1])


def margin_loss(out: Tensor, endings: Endings) -> Tensor:
    """How unlikely the ends of the games were, their mean over the examples that have one.

    A counted game tells its margin: minus the log of the logistic density there. A resigned one tells on which
    side of the komi it lies: minus the log of that side's chance.
    """
    mean, scale = margin_of(out)
    margin, komi = torch.from_numpy(endings.margin), torch.from_numpy(endings.komi)
    counted = margin.isfinite()
    z = (torch.where(counted, margin, mean.detach()) - mean) / scale
    density = scale.log() + z + 2 * F.softplus(-z)
    won = torch.from_numpy(endings.won).float()
    side = F.softplus(-won * (mean - komi) / scale)
    told = counted | (won != 0)
    return torch.where(counted, density, side)[told].sum() / max(1, int(told.sum()))


def owner_loss(out: Tensor, endings: Endings) -> Tensor:
    """Cross-entropy of the points' owners from a net's `owner` [n, points], tanh's argument; a nobody's is half."""
    owner = torch.from_numpy(endings.owner)
    known = owner[:, 0] >= -1
    if not known.any():
        return out.sum() * 0
    target = (owner[known].float() + 1) / 2
    return F.binary_cross_entropy_with_logits(2 * out[known], target)
