"""Losses against a teacher's answers. Needs torch."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from tengen.nets.heads import LEAST_SCALE, margin_unit
from tengen.training.teacher import TeacherTargets
from tengen.training.value_losses import margin_of


def teacher_policy_loss(out: Tensor, targets: TeacherTargets) -> Tensor:
    """Cross-entropy of the teacher's policy, from a net's `policy` [n, points + 1] or `teacher_policy` [n, points].

    A head without pass learns less from a position the likelier the teacher passes there.
    """
    return F.cross_entropy(out, torch.from_numpy(targets.policy[:, : out.shape[1]]))


def teacher_trunk_loss(out: Tensor, targets: TeacherTargets) -> Tensor:
    """Squared error of the teacher's trunk, each channel scaled to variance 1 over the batch, from a net's
    `teacher_trunk` [n, channels, size, size]: 1 if it predicts no more than the mean, 0 if it predicts all."""
    assert targets.trunk is not None
    trunk = torch.from_numpy(targets.trunk)
    mean, deviation = trunk.mean((0, 1, 2)), trunk.std((0, 1, 2)) + 1e-3
    return F.mse_loss(out.permute(0, 2, 3, 1), (trunk - mean) / deviation)


def teacher_value_loss(margin: Tensor, ownership: Tensor, targets: TeacherTargets) -> Tensor:
    """Huber's error of the mean of a net's `margin` [n, 2], plus the cross-entropy of its `ownership` [n, points] less
    that of the teacher's own, so that 0 is agreement.

    Errors of the margin count in units of 10 points on 19x19 (in proportion to the area on other boards), and beyond
    one unit linearly. The scale of the margin is learnt from win rates and from games alone.
    """
    points = ownership.shape[1]
    mean, _ = margin_of(margin, points)
    unit = margin_unit(points) / 2
    error = F.smooth_l1_loss(mean / unit, torch.from_numpy(targets.margin) / unit)
    chance = (torch.from_numpy(targets.owner) + 1) / 2
    own = torch.special.entr(chance) + torch.special.entr(1 - chance)
    owners: Tensor = F.binary_cross_entropy_with_logits(2 * ownership, chance) - own.mean()
    return error + owners


def win_logit(heads: dict[str, Tensor], targets: TeacherTargets, least: float = LEAST_SCALE) -> Tensor:
    """The logit [n] of the mover's win at the targets' komi: the head `value` if the net has it, which must take komi
    as an input, else of the logistic distribution of its margin."""
    if "value" in heads:
        return heads["value"][:, 0]
    mean, scale = margin_of(heads["margin"], targets.owner.shape[1], least)
    return (mean - torch.from_numpy(targets.komi)) / scale


def teacher_win_loss(heads: dict[str, Tensor], targets: TeacherTargets, least: float = LEAST_SCALE) -> Tensor:
    """Cross-entropy of the teacher's win rate less that of the teacher's own, so that 0 is agreement."""
    win = torch.from_numpy(targets.win)
    own = torch.special.entr(win) + torch.special.entr(1 - win)
    loss: Tensor = F.binary_cross_entropy_with_logits(win_logit(heads, targets, least), win) - own.mean()
    return loss
