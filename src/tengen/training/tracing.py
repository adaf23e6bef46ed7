"""Torch modules as ONNX graphs. Needs torch."""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

OPSET = 17


def traced(
    module: nn.Module,
    inputs: Mapping[str, Tensor],
    outputs: Sequence[str],
    axes: Mapping[str, Mapping[int, str]],
    folding: bool = True,
) -> bytes:
    """The graph of a module with these inputs by name, in the order of its arguments, and outputs by name.

    axes: which lengths of inputs and outputs are free, by their names. folding: constants are worked out beforehand.
    """
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        # torch's older exporter needs no further packages; torch is pinned, so it stays.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module.eval(),
            tuple(inputs.values()),
            buffer,  # type: ignore[arg-type]
            dynamo=False,
            opset_version=OPSET,
            do_constant_folding=folding,
            input_names=list(inputs),
            output_names=list(outputs),
            dynamic_axes={name: dict(free) for name, free in axes.items()},
        )
    return buffer.getvalue()
