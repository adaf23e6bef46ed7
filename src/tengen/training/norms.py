"""Batch norms in training: fast ones with their rectifier, and ones for minibatches of different boards. Needs torch.

A batch norm in training takes mean and variance of the minibatch, and at play those of training as a whole. Where each
minibatch has one board size, the two differ: a 9x9 board has more edge and fewer open points than a 19x19 board. So the
net would be trained with one norm for each size and play with the mean of all.

Here the statistics are those of the largest board, taken from its first hundred minibatches; after that, and for
smaller boards, they are constants, also to the gradient. So the net in training is the net at play, on every board.
What was tried instead: with running statistics of all boards (batch renormalisation; Ioffe, 2017) nothing holds the
activations of small boards, because the gradient of a batch norm leaves out what changes a minibatch's mean and
variance; they took over the statistics, and on 19x19 some channels kept a tenth of their range. With running statistics
of the largest board and constants for the others, the statistics were always behind the weights, and the loss rose.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from tengen import _native
from tengen.nets.norm_relu import NormRelu2d
from tengen.training.winograd import boards_of

MINIBATCHES = 100  # of the largest board, from which a new norm takes its statistics


def statistics(x: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and variance [channels] of x [N, channels, size, size]; no gradient goes through them."""
    boards = boards_of(x.detach())
    mean, variance = torch.empty(2, boards.shape[-1], dtype=torch.float64)
    _native.norm_statistics(boards.numpy(), mean.numpy(), variance.numpy(), torch.get_num_threads())
    return mean.float(), variance.float()


class _NormRelu(torch.autograd.Function):
    """relu(weight * (x - mean) / deviation + bias), mean and deviation being those of x (native/norm_relu.hpp), or
    constants."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, mean: Tensor, inverse: Tensor, constant: bool
    ) -> Tensor:
        boards = boards_of(x)
        scale = weight * inverse
        shift = bias - mean * scale
        y = torch.empty_like(boards)
        _native.norm_relu(boards.numpy(), scale.numpy(), shift.numpy(), y.numpy(), torch.get_num_threads())
        ctx.save_for_backward(boards, scale, shift, mean, inverse)
        ctx.constant = constant
        return y.permute(0, 3, 1, 2)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        boards, scale, shift, mean, inverse = ctx.saved_tensors
        # What the statistics change of the gradient.
        through = 0.0 if ctx.constant else 1.0
        shared = (boards.numpy(), boards_of(gradient).numpy(), scale.numpy(), shift.numpy())
        threads, channels = torch.get_num_threads(), boards.shape[-1]
        total, product = torch.empty(2, channels, dtype=torch.float64)
        _native.norm_relu_sums(*shared, mean.numpy(), total.numpy(), product.numpy(), threads)
        db, dw = total, product * inverse
        dx = None
        if ctx.needs_input_grad[0]:
            rows = boards.numel() // channels
            along = -through * scale * inverse * dw / rows
            everywhere = -through * scale * db / rows - along * mean
            dx = torch.empty_like(boards)
            factors = (scale.numpy(), along.float().numpy(), everywhere.float().numpy())
            _native.norm_relu_gradient(*shared, *factors, dx.numpy(), threads)
            dx = dx.permute(0, 3, 1, 2)
        return dx, dw.float(), db.float(), None, None, None


def norm_relu(
    x: Tensor, weight: Tensor, bias: Tensor, mean: Tensor, inverse: Tensor, constant: bool = False
) -> Tensor:
    """x [N, channels, size, size] by its own statistics, mean and 1 / deviation [channels], or by constants;
    channels_last."""
    y: Tensor = _NormRelu.apply(x, weight, bias, mean, inverse, constant)  # type: ignore[no-untyped-call]
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
    """Weight and bias with which a norm by the minibatch's statistics gives what one by the mean of those before would.

    The mean then takes in the minibatch's; the first one has only itself.
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
        norm.running_mean.lerp_(mean, 1 / seen)
        norm.running_var.lerp_(variance, 1 / seen)
    return norm.weight * scale, norm.weight * shift + norm.bias


def _is_settled(norm: nn.BatchNorm2d, board: int, x: Tensor) -> bool:
    """Whether the statistics are constants to this input."""
    seen = int(norm.num_batches_tracked or 0)
    return not norm.training or seen >= MINIBATCHES or (x.shape[-1] < board and seen > 0)


def _settled(norm: nn.BatchNorm2d, x: Tensor) -> Tensor:
    mean, variance = norm.running_mean, norm.running_var
    return F.batch_norm(x, mean, variance, norm.weight, norm.bias, training=False, eps=norm.eps)


class SettledNorm2d(nn.BatchNorm2d):
    """A batch norm whose output in training is that at play; same parameters, same names."""

    board = 0  # the side of the boards that give the statistics

    def forward(self, x: Tensor) -> Tensor:
        if _is_settled(self, self.board, x):
            return _settled(self, x)
        weight, bias = _corrected(self, *statistics(x))
        return F.batch_norm(x, None, None, weight, bias, training=True, eps=self.eps)


class SettledNormRelu2d(NormRelu2d):
    """Such a norm with its rectifier."""

    board = 0

    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            return super().forward(x)
        if _is_settled(self, self.board, x):
            assert self.running_mean is not None and self.running_var is not None
            inverse = (self.running_var + self.eps).rsqrt()
            return norm_relu(x, self.weight, self.bias, self.running_mean, inverse, constant=True)
        mean, variance = statistics(x)
        weight, bias = _corrected(self, mean, variance)
        return norm_relu(x, weight, bias, mean, (variance + self.eps).rsqrt())


def use_native_norms(net: nn.Module) -> None:
    """Turns norms with rectifiers into native ones, in place; their parameters stay the same."""
    for module in net.modules():
        if type(module) is NormRelu2d:
            module.__class__ = NativeNormRelu2d


def use_settled_norms(net: nn.Module, board: int) -> None:
    """Turns the batch norms of a net into such that settle on the statistics of that board, in place; their parameters
    stay the same."""
    for module in net.modules():
        if type(module) is nn.BatchNorm2d:
            module.__class__ = SettledNorm2d
        elif isinstance(module, NormRelu2d):
            module.__class__ = SettledNormRelu2d
        if isinstance(module, SettledNorm2d | SettledNormRelu2d):
            module.board = board
