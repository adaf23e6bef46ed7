"""From a checkpoint to a net that runs without torch: ONNX and safetensors. Needs torch."""

from __future__ import annotations

import io
import warnings
from pathlib import Path

import onnx
import torch
from safetensors.torch import save
from torch import Tensor, nn

from tengen.errors import InputError
from tengen.nets.policy_net import PolicyNet, build_net
from tengen.planes import encoding
from tengen.training import checkpoint as checkpoints
from tengen.training.recipe import PolicyRecipe

OPSET = 17


def load_trained(folder: Path) -> tuple[PolicyNet, PolicyRecipe, checkpoints.Checkpoint]:
    """The net of a run's last checkpoint (or of a checkpoint's folder), averaged weights if it has them."""
    saved = checkpoints.load(folder)
    recipe = PolicyRecipe.from_table(saved.state["recipe"], str(folder))
    net = build_net(recipe.net, planes=len(encoding(recipe.encoding)), **recipe.options)
    weights = dict(saved.tensors["net"])
    weights.update(saved.tensors.get("ema", {}))
    try:
        net.load_state_dict(weights)
    except RuntimeError as error:
        raise InputError(f"the checkpoint in {folder} does not fit its recipe: {error}") from None
    return net.eval(), recipe, saved


class _PolicyOnly(nn.Module):
    """The head that plays; those that only teach are left behind."""

    def __init__(self, net: PolicyNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, planes: Tensor) -> Tensor:
        return self.net(planes)["policy"]


def to_onnx(net: PolicyNet, encoding_name: str, size: int = 19) -> onnx.ModelProto:
    """`planes` float32 [n, planes, size, size] to `policy` [n, moves], logits; any size, unless it has one.

    The encoding and whether the net may pass are in its metadata, so the file is enough to run it.
    """
    size = net.size or size
    axes = {0: "n"} if net.size else {0: "n", 2: "size", 3: "size"}
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        # torch's older exporter needs no further packages; torch is pinned, so it stays.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            _PolicyOnly(net).eval(),
            (torch.zeros(2, net.planes, size, size),),
            buffer,  # type: ignore[arg-type]
            dynamo=False,
            opset_version=OPSET,
            input_names=["planes"],
            output_names=["policy"],
            dynamic_axes={"planes": axes, "policy": {0: "n"} if net.size else {0: "n", 1: "moves"}},
        )
    model = onnx.load_from_string(buffer.getvalue())
    onnx.helper.set_model_props(
        model, {"encoding": encoding_name, "pass": "yes" if net.has_pass else "no", "planes": str(net.planes)}
    )
    return model


def to_safetensors(net: PolicyNet) -> bytes:
    """The weights, to go on training from; names as in the architecture's module."""
    return save({name: tensor.contiguous() for name, tensor in net.state_dict().items()})
