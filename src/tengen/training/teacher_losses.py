"""How far a net is from what its teacher says. Needs torch."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from tengen.training.teacher import Lesson


def taught_loss(out: Tensor, lesson: Lesson) -> Tensor:
    """Cross-entropy of the teacher's policy over the board's points, from a net's `taught` [n, points]."""
    return F.cross_entropy(out, torch.from_numpy(lesson.policy).softmax(1))


def hint_loss(out: Tensor, lesson: Lesson) -> Tensor:
    """Squared error of the teacher's trunk, each channel scaled to variance 1 over the batch, from a net's `hint`
    [n, channels, size, size]: 1 for knowing no more than the mean, 0 for knowing all."""
    trunk = torch.from_numpy(lesson.trunk)
    mean, deviation = trunk.mean((0, 1, 2)), trunk.std((0, 1, 2)) + 1e-3
    return F.mse_loss(out.permute(0, 2, 3, 1), (trunk - mean) / deviation)
