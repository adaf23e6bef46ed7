"""Norms for minibatches of different boards. Needs torch.

A batch norm in training takes mean and variance of the minibatch, and at play those of training as a whole. Where each
minibatch has one board size, the two differ: a 9x9 board has more edge and fewer open points than a 19x19 board. So the
net would be trained with one norm for each size and play with the mean of all. Batch renormalisation (Ioffe, 2017)
takes the running statistics in training as well; the gradient is that of a batch norm.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

MOMENTUM = 0.01  # of the running statistics: a hundred minibatches, some of each size
MOST_SCALE, MOST_SHIFT = 3.0, 5.0  # bounds of the correction, as in the paper


class RunningNorm2d(nn.BatchNorm2d):
    """A batch norm whose output in training is that at play; same parameters, same names."""

    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            return super().forward(x)
        assert self.running_mean is not None and self.running_var is not None
        with torch.no_grad():
            # For the statistics alone: eight times as fast as torch.var_mean.
            _, mean, inverse = torch.native_batch_norm(x, None, None, None, None, True, 0.0, self.eps)
            variance = inverse**-2 - self.eps
            deviation = (self.running_var + self.eps).sqrt()
            scale = (1 / (inverse * deviation)).clamp(1 / MOST_SCALE, MOST_SCALE)
            shift = ((mean - self.running_mean) / deviation).clamp(-MOST_SHIFT, MOST_SHIFT)
            self.running_mean.lerp_(mean, MOMENTUM)
            self.running_var.lerp_(variance, MOMENTUM)
        return F.batch_norm(
            x, None, None, self.weight * scale, self.weight * shift + self.bias, training=True, eps=self.eps
        )


def use_running_norms(net: nn.Module) -> None:
    """Turns the batch norms of a net into such ones, in place; their parameters stay the same."""
    for module in net.modules():
        if type(module) is nn.BatchNorm2d:
            module.__class__ = RunningNorm2d
