"""Exports a run to a strength model that runs without torch. Needs torch."""

from __future__ import annotations

import hashlib

import torch
from torch import Tensor, nn

from tengen.strength.influence import influence
from tengen.strength.set_transformer import SetModel
from tengen.training.tracing import traced


class _Face(nn.Module):
    """The graph's inputs and outputs: the mask as numbers, the outputs, and the moves' influence on them."""

    def __init__(self, net: SetModel) -> None:
        super().__init__()
        self.net = net

    def forward(self, moves: Tensor, mask: Tensor, direction: Tensor) -> tuple[Tensor, Tensor]:
        kept = mask > 0.5
        return self.net(moves, kept), influence(self.net, moves, kept, direction)[1]


def to_onnx(net: SetModel, outputs: int) -> bytes:
    """`moves` [B, n, d_x], `mask` [B, n], `direction` [B, outputs] to `output` [B, outputs], `influence` [B, n]."""
    # More moves than inducing points, so that the export records the cheaper order of products with W^V.
    given = {
        "moves": torch.zeros(2, 500, len(net.centre)),
        "mask": torch.ones(2, 500),
        "direction": torch.zeros(2, outputs),
    }
    sets, axes = {0: "sets"}, {0: "sets", 1: "n"}
    free = {"moves": axes, "mask": axes, "direction": sets, "output": sets, "influence": axes}
    # Constants are not folded: the forward and the backward pass share their weights.
    return traced(_Face(net), given, ("output", "influence"), free, folding=False)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
