"""Losses against a teacher's answers. Needs torch."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from tengen.training.teacher import TeacherTargets
from tengen.training.value_losses import margin_of

_POINTS = 10.0  # errors of the margin beyond this count linearly, not squared


def teacher_policy_loss(out: Tensor, targets: TeacherTargets) -> Tensor:
    """Cross-entropy of the teacher's policy over the board's points, from a net's `teacher_policy` [n, points]."""
    return F.cross_entropy(out, torch.from_numpy(targets.policy).softmax(1))


def teacher_trunk_loss(out: Tensor, targets: TeacherTargets) -> Tensor:
    """Squared error of the teacher's trunk, each channel scaled to variance 1 over the batch, from a net's
    `teacher_trunk` [n, channels, size, size]: 1 if it predicts no more than the mean, 0 if it predicts all."""
    trunk = torch.from_numpy(targets.trunk)
    mean, deviation = trunk.mean((0, 1, 2)), trunk.std((0, 1, 2)) + 1e-3
    return F.mse_loss(out.permute(0, 2, 3, 1), (trunk - mean) / deviation)


def teacher_value_loss(margin: Tensor, ownership: Tensor, targets: TeacherTargets) -> Tensor:
    """Huber's error of the mean of a net's `margin` [n, 2], plus the cross-entropy of its `ownership` [n, points] less
    that of the teacher's own, so that 0 is agreement. The scale of the margin is learnt from games alone."""
    mean, _ = margin_of(margin, ownership.shape[1])
    points = F.smooth_l1_loss(mean / _POINTS, torch.from_numpy(targets.margin) / _POINTS)
    chance = (torch.from_numpy(targets.owner) + 1) / 2
    own = torch.special.entr(chance) + torch.special.entr(1 - chance)
    owners: Tensor = F.binary_cross_entropy_with_logits(2 * ownership, chance) - own.mean()
    return points + owners
