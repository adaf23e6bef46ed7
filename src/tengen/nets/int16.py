"""Residual nets natively, with their blocks in 16-bit integers; the heads stay with ONNX Runtime.

The blocks are nine tenths of an evaluation. Their 3x3 convolutions go through Winograd's F(4x4, 3x3) with
products of 16-bit integers (native/integer_conv.hpp), made from the weights when the net is loaded: there is nothing
to calibrate, and each board finds its own scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tengen import _native
from tengen.errors import InputError
from tengen.nets.katago_graph import build_heads
from tengen.nets.katago_layers import Block, Conv, Floats, KataGoNet, NestedBlock, OrdinaryBlock, PoolingBlock
from tengen.nets.runtime import Arrays, Runtime, cut_batch

BATCH = 16
_LANES = 8  # channels come in eights


def why_not(net: KataGoNet) -> str | None:
    """What keeps a net from running in 16-bit integers, or None."""

    def fits(block: Block) -> bool:
        match block:
            case NestedBlock():
                convs, acts = [block.conv1, block.conv2], [block.act1, block.act2]
                inner = all(fits(one) for one in block.blocks)
            case OrdinaryBlock():
                convs, acts, inner = [block.conv1, block.conv2], [block.act1, block.act2], True
            case PoolingBlock():
                convs = [block.conv1, block.pool_conv, block.conv2]
                acts = [block.act1, block.pool_act, block.act2]
                inner = block.conv1.weight.shape[:2] == block.pool_conv.weight.shape[:2]
            case _:
                return False
        return inner and all(map(_fits, convs)) and set(acts) <= {"identity", "relu", "mish"}

    first = net.trunk.initial
    stem = first.dilation == (1, 1) and first.weight.shape[0] == first.weight.shape[1]
    if stem and all(fits(block) for block in net.trunk.blocks):
        return None
    return "int16 is for nets of ordinary, pooling and nested blocks, whose channels come in eights"


def _fits(conv: Conv) -> bool:
    kernel = conv.weight.shape[:2]
    plain = kernel == (1, 1) or (kernel == (3, 3) and conv.dilation == (1, 1))
    return plain and conv.inputs % _LANES == 0 and conv.outputs % _LANES == 0


def native_trunk(net: KataGoNet) -> _native.Trunk:
    """The blocks of a net for which `why_not` says nothing."""
    return _native.Trunk(net.trunk.channels, [_native_block(block) for block in net.trunk.blocks])


def _native_block(block: Block) -> _native.TrunkBlock:
    assert isinstance(block, OrdinaryBlock | PoolingBlock | NestedBlock)
    ends: dict[str, Any] = {
        "scale": block.norm1.scale,
        "bias": block.norm1.bias,
        "act": block.act1,
        "bias2": block.norm2.bias,
        "act2": block.act2,
        "conv2": block.conv2.weight,
    }
    if isinstance(block, NestedBlock):
        inner = [_native_block(one) for one in block.blocks]
        return _native.TrunkBlock.nested(
            **ends, conv1=block.conv1.weight, blocks=inner, scale2=block.norm2.scale
        )
    conv1 = block.conv1.weight * block.norm2.scale
    if isinstance(block, OrdinaryBlock):
        return _native.TrunkBlock.ordinary(**ends, conv1=_plain(conv1))
    pooled = block.pool_conv.weight * block.pool_norm.scale
    return _native.TrunkBlock.pooling(
        **ends,
        conv1=_plain(np.concatenate([conv1, pooled], axis=3)),
        pool_bias=block.pool_norm.bias,
        pool_act=block.pool_act,
        pool_matrix=_plain(block.pool_bias.weight * block.norm2.scale),
    )


def _plain(array: Floats) -> Floats:
    return np.ascontiguousarray(array, np.float32)


class Int16Runtime:
    """Runs a net whose blocks are native; see Runtime."""

    def __init__(self, net: KataGoNet, threads: int | None = None, batch: int = BATCH) -> None:
        if reason := why_not(net):
            raise InputError(f"{net.name}: {reason}")
        self._globals = None if net.trunk.globals is None else net.trunk.globals.weight
        self._stem = _native.SparseConv(net.trunk.initial.weight)
        self._trunk = native_trunk(net)
        self._heads = Runtime(build_heads(net).SerializeToString(), threads, batch)
        self.threads = self._heads.threads
        self.batch = batch

    def names(self, size: int) -> frozenset[str]:
        """The outputs that there are."""
        return self._heads.names(size)

    def run(self, size: int, inputs: Arrays, outputs: Sequence[str]) -> Arrays:
        """The named outputs, float32, for inputs whose first axis is the batch."""

        def one(chunk: Arrays) -> Arrays:
            planes = np.ascontiguousarray(chunk["spatial"], np.float32)
            bias = np.zeros((len(planes), self._trunk.channels), np.float32)
            if self._globals is not None:
                # Not a matrix product of BLAS, whose rounding depends on the row: integers would make much of it.
                bias = np.einsum("ng,gc->nc", chunk["global"], self._globals)
            stream = self._stem.run(planes, bias, self.threads)
            self._trunk.run(stream, self.threads)
            return self._heads.run(size, {"stream": stream}, outputs)

        return cut_batch(one, inputs, size, self.batch)
