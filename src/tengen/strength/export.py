"""From a run to a strength model that runs without torch. Needs torch."""

from __future__ import annotations

import hashlib
import io
import warnings

import torch
from torch import Tensor, nn

from tengen.strength.set_transformer import SetModel
from tengen.training.export import OPSET


class _Face(nn.Module):
    """The graph's face: the mask as numbers, the outputs with and without each move."""

    def __init__(self, net: SetModel) -> None:
        super().__init__()
        self.net = net

    def forward(self, moves: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        return self.net.with_influence(moves, mask > 0.5)


def to_onnx(net: SetModel) -> bytes:
    """`moves` [B, n, d_x], `mask` [B, n] to `output` [B, outputs], `without` [B, n, outputs]."""
    buffer = io.BytesIO()
    # More moves than inducing points, so that the cheaper order of W^V is the one that is recorded.
    x, mask = torch.zeros(2, 500, len(net.spread)), torch.ones(2, 500)
    axes = {0: "sets", 1: "n"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's older exporter, see tengen.training.export
        torch.onnx.export(
            _Face(net).eval(),
            (x, mask),
            buffer,  # type: ignore[arg-type]
            dynamo=False,
            opset_version=OPSET,
            input_names=["moves", "mask"],
            output_names=["output", "without"],
            dynamic_axes={"moves": axes, "mask": axes, "output": {0: "sets"}, "without": axes},
        )
    return buffer.getvalue()


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
