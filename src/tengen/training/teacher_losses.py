"""How far a net is from what its teacher says. Needs torch."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from tengen.training.teacher import Lesson
from tengen.training.value_losses import margin_of

_POINTS = 10.0  # a margin that is off by more is no longer punished by the square


def taught_loss(out: Tensor, lesson: Lesson) -> Tensor:
    """Cross-entropy of the teacher's policy over the board's points, from a net's `taught` [n, points]."""
    return F.cross_entropy(out, torch.from_numpy(lesson.policy).softmax(1))


def hint_loss(out: Tensor, lesson: Lesson) -> Tensor:
    """Squared error of the teacher's trunk, each channel scaled to variance 1 over the batch, from a net's `hint`
    [n, channels, size, size]: 1 for knowing no more than the mean, 0 for knowing all."""
    trunk = torch.from_numpy(lesson.trunk)
    mean, deviation = trunk.mean((0, 1, 2)), trunk.std((0, 1, 2)) + 1e-3
    return F.mse_loss(out.permute(0, 2, 3, 1), (trunk - mean) / deviation)


def judged_loss(margin: Tensor, owner: Tensor, lesson: Lesson) -> Tensor:
    """How far a net's `margin` [n, 2] and `owner` [n, points] are from the teacher's: Huber's error of the mean margin,
    and the cross-entropy of the owners less that of the teacher's own, so that 0 is agreement. How sure the margin
    is, games alone tell."""
    mean, _ = margin_of(margin)
    points = F.smooth_l1_loss(mean / _POINTS, torch.from_numpy(lesson.margin) / _POINTS)
    chance = (torch.from_numpy(lesson.owner) + 1) / 2
    own = torch.special.entr(chance) + torch.special.entr(1 - chance)
    owners: Tensor = F.binary_cross_entropy_with_logits(2 * owner, chance) - own.mean()
    return points + owners
