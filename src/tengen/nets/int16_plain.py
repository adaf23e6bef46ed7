"""Plain nets natively, with their layers in 16-bit integers; the heads stay with ONNX Runtime.

A plain net is a first convolution of the planes, 3x3 convolutions of one width, each with a bias and a rectifier, and
heads: the policy and value nets of the CGI paper, for example. Its float32 graph is cut behind the last of these
layers. The part before runs as the blocks of residual nets do (`tengen.nets.int16`), the rest is a graph of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import helper, numpy_helper

from tengen import _native
from tengen.errors import InputError
from tengen.nets.katago_layers import Floats
from tengen.nets.runtime import Arrays, Runtime, cut_batch

BATCH = 16
_LANES = 8  # channels come in eights
_LEAST_LAYERS = 2
_STREAM = "stream"  # what the heads read: [n, size, size, channels]


@dataclass(frozen=True)
class _Layer:
    """A convolution with its bias and rectifier; weight [ky, kx, in, out]."""

    weight: Floats
    bias: Floats
    output: str


@dataclass(frozen=True)
class PlainNet:
    """The layers of a plain net, the first convolution first, and the graph of its heads."""

    layers: tuple[_Layer, ...]
    heads: onnx.ModelProto


def plain_net(graph: onnx.ModelProto) -> PlainNet | None:
    """The net of a float32 graph, or None if it is not a plain one."""
    layers = tuple(_leading_layers(graph.graph))
    if len(layers) < 1 + _LEAST_LAYERS:
        return None
    end, channels = layers[-1].output, layers[-1].weight.shape[3]
    behind = _behind(graph.graph, end)
    read = {name for node in behind for name in node.input}
    heads = onnx.ModelProto()
    heads.CopyFrom(graph)
    parts = heads.graph
    for kept in (parts.node, parts.initializer, parts.input):
        del kept[:]
    # ONNX Runtime's convolutions have channels first.
    parts.node.append(helper.make_node("Transpose", [_STREAM], [end], perm=[0, 3, 1, 2]))
    parts.node.extend(behind)
    parts.initializer.extend(one for one in graph.graph.initializer if one.name in read)
    shape = [None, "size", "size", channels]
    parts.input.append(helper.make_tensor_value_info(_STREAM, onnx.TensorProto.FLOAT, shape))
    parts.input.extend(one for one in graph.graph.input if one.name in read)
    return PlainNet(layers, heads)


def _leading_layers(graph: onnx.GraphProto) -> Iterator[_Layer]:
    """The convolutions with rectifiers that lead on from `spatial`, as long as nothing else reads what is between."""
    weights = {initializer.name: initializer for initializer in graph.initializer}
    for node in graph.node:  # torch's exporter writes equal weights once
        if node.op_type == "Identity" and node.input[0] in weights:
            weights[node.output[0]] = weights[node.input[0]]
    readers: dict[str, list[onnx.NodeProto]] = {}
    for node in graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    convs = [node for node in readers.get("spatial", []) if node.op_type == "Conv"]
    width = 0
    while len(convs) == 1:
        layer = _layer(convs[0], readers, weights)
        if layer is None:
            return
        inputs, outputs = layer.weight.shape[2:]
        fits = layer.weight.shape[0] == 3 and inputs == outputs == width if width else outputs % _LANES == 0
        if not fits:
            return
        width = outputs
        yield layer
        convs = readers.get(layer.output, [])


def _layer(
    conv: onnx.NodeProto, readers: dict[str, list[onnx.NodeProto]], weights: dict[str, onnx.TensorProto]
) -> _Layer | None:
    """The layer that begins with a node, or None if it is not a convolution with a bias and a rectifier."""
    after = readers.get(conv.output[0], [])
    if conv.op_type != "Conv" or len(conv.input) != 3 or [node.op_type for node in after] != ["Relu"]:
        return None
    if conv.input[1] not in weights or conv.input[2] not in weights:
        return None
    weight = numpy_helper.to_array(weights[conv.input[1]])
    kernel = weight.shape[2]
    said = {attribute.name: helper.get_attribute_value(attribute) for attribute in conv.attribute}
    usual = {"group": 1, "strides": [1, 1], "dilations": [1, 1], "pads": [kernel // 2] * 4}
    if weight.shape[3] != kernel or any(said.get(name, value) != value for name, value in usual.items()):
        return None
    if kernel > 1 and "pads" not in said:
        return None
    bias = numpy_helper.to_array(weights[conv.input[2]])
    return _Layer(_plain(weight.transpose(2, 3, 1, 0)), _plain(bias), after[0].output[0])


def _behind(graph: onnx.GraphProto, end: str) -> list[onnx.NodeProto]:
    """The nodes that outputs of the graph need, if `end` is given."""
    made_by = {name: node for node in graph.node for name in node.output}
    wanted, found = [output.name for output in graph.output], set[int]()
    while wanted:
        name = wanted.pop()
        node = None if name == end else made_by.get(name)
        if node is not None and id(node) not in found:
            found.add(id(node))
            wanted.extend(node.input)
    return [node for node in graph.node if id(node) in found]


def _plain(array: Floats) -> Floats:
    return np.ascontiguousarray(array, np.float32)


class PlainInt16Runtime:
    """Runs a plain net whose layers are native; see Runtime."""

    def __init__(self, net: PlainNet, threads: int | None = None, batch: int = BATCH) -> None:
        first, *layers = net.layers
        self._stem = _native.SparseConv(first.weight)
        self._trunk = _native.Trunk.plain(
            first.bias, [layer.weight for layer in layers], [layer.bias for layer in layers]
        )
        self._heads = Runtime(net.heads.SerializeToString(), threads, batch)
        self._read = {given.name for given in net.heads.graph.input}
        self.threads = self._heads.threads
        self.batch = batch

    @classmethod
    def of_graph(cls, graph: onnx.ModelProto, name: str, threads: int | None = None) -> PlainInt16Runtime:
        net = plain_net(graph)
        if net is None:
            raise InputError(f"{name}: int16 is for plain and residual nets whose channels come in eights")
        return cls(net, threads)

    def names(self, size: int) -> frozenset[str]:
        """The outputs that there are."""
        return self._heads.names(size)

    def run(self, size: int, inputs: Arrays, outputs: Sequence[str]) -> Arrays:
        """The named outputs, float32, for inputs whose first axis is the batch."""

        def one(chunk: Arrays) -> Arrays:
            planes = _plain(chunk["spatial"])
            nothing = np.zeros((len(planes), self._trunk.channels), np.float32)
            stream = self._stem.run(planes, nothing, self.threads)
            self._trunk.run(stream, self.threads)
            given = {name: array for name, array in chunk.items() if name in self._read}
            return self._heads.run(size, given | {_STREAM: stream}, outputs)

        return cut_batch(one, inputs, size, self.batch)
