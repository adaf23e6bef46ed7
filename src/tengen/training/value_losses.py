"""The losses of a value head against how games ended. Needs torch."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from tengen.nets.policy import LEAST_SCALE, MARGIN_UNIT
from tengen.training.outcomes import Endings


def margin_of(out: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and scale of the mover's margin in points, from a net's `margin` [n, 2]."""
    return MARGIN_UNIT * out[:, 0], LEAST_SCALE + MARGIN_UNIT * F.softplus(out[:, 1])


def margin_loss(out: Tensor, endings: Endings) -> Tensor:
    """Minus the log likelihood of how the games ended, its mean over the examples for which that is known.

    Where the margin is known it is the logistic density there; where only the winner is known, as in most resigned
    games, the chance of that side of the komi.
    """
    mean, scale = margin_of(out)
    margin, komi = torch.from_numpy(endings.margin), torch.from_numpy(endings.komi)
    known = margin.isfinite()
    z = (torch.where(known, margin, mean.detach()) - mean) / scale
    density = scale.log() + z + 2 * F.softplus(-z)
    won = torch.from_numpy(endings.won).float()
    side = F.softplus(-won * (mean - komi) / scale)
    decided = known | (won != 0)
    return torch.where(known, density, side)[decided].sum() / max(1, int(decided.sum()))


def owner_loss(out: Tensor, endings: Endings) -> Tensor:
    """Cross-entropy of the points' owners from a net's `owner` [n, points], tanh's argument; nobody's point is 0.5."""
    owner = torch.from_numpy(endings.owner)
    known = owner[:, 0] >= -1
    if not known.any():
        return out.sum() * 0
    target = (owner[known].float() + 1) / 2
    return F.binary_cross_entropy_with_logits(2 * out[known], target)
