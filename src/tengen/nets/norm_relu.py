"""A batch norm with its rectifier, for the nets that have them together. Needs torch."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class NormRelu2d(nn.BatchNorm2d):
    """A batch norm and the rectifier behind it."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(super().forward(x))
