"""DANN's rectifier with local response normalisation in one native pass, with its gradient. Needs torch."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from tengen import _native
from tengen.nets.dann import Response
from tengen.training.winograd import boards_of

BETA = 0.75  # of equation 2; the only one that is native


class _Response(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, reach: int, factor: float) -> Tensor:
        boards = boards_of(x)
        y = torch.empty_like(boards)
        _native.response_norm(boards.numpy(), y.numpy(), reach, factor, torch.get_num_threads())
        ctx.save_for_backward(boards)
        ctx.terms = reach, factor
        return y.permute(0, 3, 1, 2)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        (boards,) = ctx.saved_tensors
        dx = torch.empty_like(boards)
        given = boards_of(gradient).numpy()
        reach, factor = ctx.terms
        _native.response_norm_gradient(
            boards.numpy(), given, dx.numpy(), reach, factor, torch.get_num_threads()
        )
        return dx.permute(0, 3, 1, 2), None, None


class NativeResponse(Response):
    """Same values, several times as fast."""

    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            return super().forward(x)
        factor = self.alpha / self.length
        y: Tensor = _Response.apply(x, self.length // 2, factor)  # type: ignore[no-untyped-call]
        return y


def use_native_response(net: nn.Module) -> None:
    """Turns a DANN's rectifiers into native ones, in place."""
    for module in net.modules():
        if type(module) is Response and module.beta == BETA:
            module.__class__ = NativeResponse
