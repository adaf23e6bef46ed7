"""3x3 convolutions by Winograd's minimal filtering F(4x4, 3x3), with their gradient. Needs torch.

Done natively, some tiles at a time, so that nothing but boards goes through memory.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from tengen import _native

LANES, COLUMNS = 8, 16

# G of F(4x4, 3x3) with the points 0, 1, -1, 2, -2 and infinity (Lavin and Gray, 2015).
_G = torch.tensor(
    [
        [1 / 4, 0, 0],
        [-1 / 6, -1 / 6, -1 / 6],
        [-1 / 6, 1 / 6, -1 / 6],
        [1 / 24, 1 / 12, 1 / 6],
        [1 / 24, -1 / 12, 1 / 6],
        [0, 0, 1],
    ],
    dtype=torch.float64,
)
_FILTER = torch.kron(_G, _G).float()  # [36, 9]


def boards_of(x: Tensor) -> Tensor:
    """[N, C, size, size] as [N, size, size, C], contiguous: free for channels_last tensors."""
    return x.permute(0, 2, 3, 1).contiguous()


def _kernels(weight: Tensor) -> Tensor:
    """The transformed kernels of weight [K, C, 3, 3] as panels of 16 outputs: [36, panels, C, 16]."""
    outputs, inputs = weight.shape[:2]
    panels = -(-outputs // COLUMNS)
    kernels = F.pad(weight.permute(2, 3, 1, 0), (0, panels * COLUMNS - outputs)).view(
        9, inputs, panels, COLUMNS
    )
    return (_FILTER @ kernels.transpose(1, 2).reshape(9, -1)).view(36, panels, inputs, COLUMNS)


def _convolve(boards: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Boards [N, size, size, C] convolved with weight [K, C, 3, 3], as [N, K, size, size] in channels_last."""
    y = torch.empty(*boards.shape[:3], weight.shape[0])
    _native.winograd_convolve(
        boards.numpy(),
        _kernels(weight).numpy(),
        y.numpy(),
        None if bias is None else bias.numpy(),
        torch.get_num_threads(),
    )
    return y.permute(0, 3, 1, 2)


class _Convolution(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        boards = boards_of(x)
        ctx.save_for_backward(boards, weight)
        return _convolve(boards, weight, bias)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        boards, weight = ctx.saved_tensors
        outputs, inputs = weight.shape[:2]
        gradients = boards_of(gradient)
        dx = dw = db = None
        if ctx.needs_input_grad[0]:
            dx = _convolve(gradients, weight.flip(2, 3).transpose(0, 1))
        if ctx.needs_input_grad[1]:
            du = torch.empty(36, inputs, -(-outputs // COLUMNS) * COLUMNS)
            _native.winograd_kernel_gradient(
                boards.numpy(), gradients.numpy(), du.numpy(), torch.get_num_threads()
            )
            dw = (_FILTER.T @ du.view(36, -1)).view(3, 3, inputs, -1)[..., :outputs].permute(3, 2, 0, 1)
        if ctx.needs_input_grad[2]:
            db = gradient.sum((0, 2, 3))
        return dx, dw, db


def conv3x3(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """The convolution of x [N, C, size, size] with weight [K, C, 3, 3] and zero padding, channels_last."""
    if x.shape[1] % LANES or weight.shape[0] % LANES:
        return F.conv2d(x, weight, bias, padding=1)
    y: Tensor = _Convolution.apply(x, weight, bias)  # type: ignore[no-untyped-call]
    return y


class WinogradConv2d(nn.Conv2d):
    """A 3x3 convolution with zero padding that is done by `conv3x3`; same weights, same names."""

    def forward(self, x: Tensor) -> Tensor:
        return conv3x3(x, self.weight, self.bias)


def use_winograd(net: nn.Module) -> None:
    """Turns the 3x3 convolutions of a net into Winograd ones, in place; their parameters stay the same."""
    for module in net.modules():
        if (
            type(module) is nn.Conv2d
            and (module.kernel_size, module.stride, module.padding) == ((3, 3), (1, 1), (1, 1))
            and module.groups == 1
            and module.in_channels % LANES == 0
            and module.out_channels % LANES == 0
        ):
            module.__class__ = WinogradConv2d
