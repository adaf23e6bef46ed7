"""Batch norms in training: fast ones with their rectifier, and ones for minibatches of different boards. Needs torch.

A batch norm in training takes mean and variance of the minibatch, and at play those of training as a whole. Where each
minibatch has one board size, the two differ: a 9x9 board has more edge and fewer open points than a 19x19 board. So the
net would be trained with one norm for each size and play with the mean of all.

Here the statistics are those of the largest board, for all. Its minibatches are normalised by batch renormalisation
(Ioffe, 2017): the running statistics in training as well, and the gradient of a batch norm. Smaller boards are
normalised by the same statistics, which are constants to them, with the gradient of a constant map. With the gradient of
a batch norm nothing would hold their activations: that gradient leaves out what changes a minibatch's mean and variance.
They grew, took over the running statistics of all boards, and 19x19 was left with a fraction of the range.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from tengen import _native
from tengen.nets.norm_relu import NormRelu2d
from tengen.training.winograd import boards_of

MOMENTUM = 0.01  # of the running statistics: a hundred minibatches; the first hundred count alike


def statistics(x: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and variance [channels] of x [N, channels, size, size]; no gradient goes through them."""
    boards = boards_of(x.detach())
    mean, variance = torch.empty(2, boards.shape[-1], dtype=torch.float64)
    _native.norm_statistics(boards.numpy(), mean.numpy(), variance.numpy(), torch.get_num_threads())
    return mean.float(), variance.float()


class _NormRelu(torch.autograd.Function):
    """relu(weight * (x - mean) / deviation + bias), mean and deviation being those of x (native/norm_relu.hpp)."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, mean: Tensor, inverse: Tensor) -> Tensor:
        boards = boards_of(x)
        scale = weight * inverse
        shift = bias - mean * scale
        y = torch.empty_like(boards)
        _native.norm_relu(boards.numpy(), scale.numpy(), shift.numpy(), y.numpy(), torch.get_num_threads())
        ctx.save_for_backward(boards, scale, shift, mean, inverse)
        return y.permute(0, 3, 1, 2)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        boards, scale, shift, mean, inverse = ctx.saved_tensors
        shared = (boards.numpy(), boards_of(gradient).numpy(), scale.numpy(), shift.numpy())
        threads, channels = torch.get_num_threads(), boards.shape[-1]
        total, product = torch.empty(2, channels, dtype=torch.float64)
        _native.norm_relu_sums(*shared, mean.numpy(), total.numpy(), product.numpy(), threads)
        db, dw = total, product * inverse
        dx = None
        if ctx.needs_input_grad[0]:
            rows = boards.numel() // channels
            along = -scale * inverse * dw / rows
            everywhere = -scale * db / rows - along * mean
            dx = torch.empty_like(boards)
            factors = (scale.numpy(), along.float().numpy(), everywhere.float().numpy())
            _native.norm_relu_gradient(*shared, *factors, dx.numpy(), threads)
            dx = dx.permute(0, 3, 1, 2)
        return dx, dw.float(), db.float(), None, None


def norm_relu(x: Tensor, weight: Tensor, bias: Tensor, mean: Tensor, inverse: Tensor) -> Tensor:
    """x [N, channels, size, size] by its own statistics, mean and 1 / deviation [channels]; channels_last."""
    y: Tensor = _NormRelu.apply(x, weight, bias, mean, inverse)  # type: ignore[no-untyped-call]
    return y


class NativeNormRelu2d(NormRelu2d):
    """A batch norm with its rectifier in two native passes; same parameters, same names, same values."""

    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            return super().forward(x)
        assert self.running_mean is not None and self.running_var is not None
        assert self.num_batches_tracked is not None and self.momentum is not None
        mean, variance = statistics(x)
        rows = x.numel() // x.shape[1]
        with torch.no_grad():
            self.num_batches_tracked += 1
            self.running_mean.lerp_(mean, self.momentum)
            self.running_var.lerp_(variance * (rows / max(1, rows - 1)), self.momentum)
        return norm_relu(x, self.weight, self.bias, mean, (variance + self.eps).rsqrt())


def _corrected(norm: nn.BatchNorm2d, mean: Tensor, variance: Tensor) -> tuple[Tensor, Tensor]:
    """Weight and bias with which a norm by the minibatch's statistics gives what one by the running ones would.

    The running statistics then take in the minibatch's; the first minibatch of a norm is all that there is.
    """
    assert norm.running_mean is not None and norm.running_var is not None
    assert norm.num_batches_tracked is not None
    with torch.no_grad():
        norm.num_batches_tracked += 1
        seen = int(norm.num_batches_tracked)
        if seen == 1:
            norm.running_mean.copy_(mean)
            norm.running_var.copy_(variance)
        deviation = (norm.running_var + norm.eps).sqrt()
        scale = (variance + norm.eps).sqrt() / deviation
        shift = (mean - norm.running_mean) / deviation
        momentum = max(MOMENTUM, 1 / seen)
        norm.running_mean.lerp_(mean, momentum)
        norm.running_var.lerp_(variance, momentum)
    return norm.weight * scale, norm.weight * shift + norm.bias


def _is_given(norm: nn.BatchNorm2d, board: int, x: Tensor) -> bool:
    """Whether the statistics are constants to this input: at play, and for boards smaller than those that give them."""
    assert norm.num_batches_tracked is not None
    return not norm.training or (x.shape[-1] < board and bool(norm.num_batches_tracked))


def _given(norm: nn.BatchNorm2d, x: Tensor) -> Tensor:
    """The norm by the running statistics."""
    mean, variance = norm.running_mean, norm.running_var
    return F.batch_norm(x, mean, variance, norm.weight, norm.bias, training=False, eps=norm.eps)


class RunningNorm2d(nn.BatchNorm2d):
    """A batch norm whose output in training is that at play; same parameters, same names."""

    board = 0  # the side of the boards that give the statistics

    def forward(self, x: Tensor) -> Tensor:
        if _is_given(self, self.board, x):
            return _given(self, x)
        weight, bias = _corrected(self, *statistics(x))
        return F.batch_norm(x, None, None, weight, bias, training=True, eps=self.eps)


class RunningNormRelu2d(NormRelu2d):
    """Such a norm with its rectifier."""

    board = 0

    def forward(self, x: Tensor) -> Tensor:
        if _is_given(self, self.board, x):
            return torch.relu(_given(self, x))
        mean, variance = statistics(x)
        weight, bias = _corrected(self, mean, variance)
        return norm_relu(x, weight, bias, mean, (variance + self.eps).rsqrt())


def use_native_norms(net: nn.Module) -> None:
    """Turns norms with rectifiers into native ones, in place; their parameters stay the same."""
    for module in net.modules():
        if type(module) is NormRelu2d:
            module.__class__ = NativeNormRelu2d


def use_running_norms(net: nn.Module, board: int) -> None:
    """Turns the batch norms of a net into running ones by the statistics of that board, in place; their parameters stay
    the same."""
    for module in net.modules():
        if type(module) is nn.BatchNorm2d:
            module.__class__ = RunningNorm2d
        elif isinstance(module, NormRelu2d):
            module.__class__ = RunningNormRelu2d
        if isinstance(module, RunningNorm2d | RunningNormRelu2d):
            module.board = board
