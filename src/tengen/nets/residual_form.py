"""The weights of our net, as `tengen.nets.residual` names them, in the form of a KataGo net. Needs no torch.

So the same writers make its graphs, in float32 with Winograd's convolutions and in int8, and its blocks run in int16.
KataGo pools three numbers a map where our net pools two, one of them with the board's size: those rows of the
matrices are zero.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np

from tengen.nets.heads import POINTS_OF_MARGIN
from tengen.nets.katago_layers import (
    BatchNorm,
    Block,
    Conv,
    Dense,
    Floats,
    KataGoNet,
    Matrix,
    Multipliers,
    OrdinaryBlock,
    PolicyHead,
    PoolingBlock,
    Trunk,
    ValueHead,
)

EPSILON = 1e-5  # of torch's batch norms
RELU = "relu"
# The layers behind the hidden one, and the heads they give; `value_rest` corrects the sum of the owners.
_VALUE_LAYERS = {
    "value_out": "margin",
    "value_rest": "margin",
    "value_win": "value",
    "value_komi": "values",
}


class _Weights:
    def __init__(self, weights: Mapping[str, Floats]) -> None:
        self.weights = weights

    def conv(self, name: str, outputs: slice = slice(None)) -> Conv:
        """[out, in, ky, kx] to [ky, kx, in, out]."""
        weight = self.weights[f"{name}.weight"][outputs]
        return Conv(name, np.ascontiguousarray(weight.transpose(2, 3, 1, 0)), (1, 1))

    def norm(self, name: str) -> BatchNorm:
        gamma, beta, mean, variance = (
            self.weights[f"{name}.{part}"].astype(np.float64)
            for part in ("weight", "bias", "running_mean", "running_var")
        )
        scale = gamma / np.sqrt(variance + EPSILON)
        return BatchNorm(name, scale.astype(np.float32), (beta - mean * scale).astype(np.float32))

    def matrix(self, name: str) -> Matrix:
        return Matrix(name, np.ascontiguousarray(self.weights[f"{name}.weight"].T))

    def pooling(self, name: str) -> Matrix:
        """Rows for (mean, maximum) to rows for (mean, mean scaled by the board's size, maximum)."""
        mean, greatest = np.split(self.matrix(name).weight, 2)
        return Matrix(name, np.concatenate([mean, np.zeros_like(mean), greatest]))

    def block(self, name: str) -> Block:
        norm1, norm2 = self.norm(f"{name}.norm1"), self.norm(f"{name}.norm2")
        conv2 = self.conv(f"{name}.conv2")
        if f"{name}.pool_norm.weight" not in self.weights:
            return OrdinaryBlock(name, norm1, RELU, self.conv(f"{name}.conv1"), norm2, RELU, conv2)
        pooled = len(self.weights[f"{name}.pool_norm.weight"])
        return PoolingBlock(
            name=name,
            norm1=norm1,
            act1=RELU,
            conv1=self.conv(f"{name}.conv1", slice(pooled, None)),
            pool_conv=self.conv(f"{name}.conv1", slice(pooled)),
            pool_norm=self.norm(f"{name}.pool_norm"),
            pool_act=RELU,
            pool_bias=self.pooling(f"{name}.pool_bias"),
            norm2=norm2,
            act2=RELU,
            conv2=conv2,
        )

    def policy(self) -> PolicyHead:
        return PolicyHead(
            conv=self.conv("head_conv"),
            pool_conv=self.conv("head_pool"),
            pool_norm=self.norm("head_pool_norm"),
            pool_act=RELU,
            pool_bias=self.pooling("head_bias"),
            norm=self.norm("head_norm"),
            act=RELU,
            out=self.conv("head_out", slice(1)),
            pass_hidden=self.pooling("head_pass"),
            pass_bias=None,
            pass_act=None,
            pass_out=None,
            ours=True,
            next=self.conv("head_out", slice(1, None)) if len(self.weights["head_out.weight"]) > 1 else None,
        )

    def value(self) -> ValueHead:
        outputs = tuple(
            Dense(head, self.matrix(layer), self.weights[f"{layer}.bias"])
            for layer, head in _VALUE_LAYERS.items()
            if f"{layer}.weight" in self.weights
        )
        hidden = None
        if outputs:
            weight = self.matrix("value_hidden").weight
            hidden = Matrix("value_hidden", np.pad(weight, ((0, 2 * len(weight)), (0, 0))))
        return ValueHead(
            conv=self.conv("value_conv"),
            norm=self.norm("value_norm"),
            act=RELU,
            hidden=hidden,
            hidden_bias=self.weights["value_hidden.bias"] if outputs else np.zeros(0, np.float32),
            hidden_act=RELU,
            outputs=outputs,
            ownership=self.conv("value_owner") if "value_owner.weight" in self.weights else None,
            owned=POINTS_OF_MARGIN if "value_rest.weight" in self.weights else 0.0,
        )


def katago_form(weights: Mapping[str, Floats], name: str) -> KataGoNet:
    """The net with these weights. Its heads and global inputs are those that it has weights for; layers that exist
    only in training are left out."""
    read = _Weights(weights)
    blocks = 1 + max(int(key.split(".")[1]) for key in weights if key.startswith("blocks."))
    digest = hashlib.sha256()
    for key in sorted(weights):
        digest.update(key.encode() + np.ascontiguousarray(weights[key]).tobytes())
    return KataGoNet(
        name=name,
        version=8,
        sha256=digest.hexdigest(),
        multipliers=Multipliers(),
        pass_alive_suicide=False,
        trunk=Trunk(
            read.conv("stem"),
            read.matrix("global_bias") if "global_bias.weight" in weights else None,
            tuple(read.block(f"blocks.{i}") for i in range(blocks)),
            read.norm("norm"),
            RELU,
        ),
        policy=read.policy() if "head_conv.weight" in weights else None,
        value=read.value() if "value_conv.weight" in weights else None,
    )
