"""Any net's float32 graph with its inner layers in eight bits, for nets that have no description of their layers.

Convolutions and fully connected layers with learnt weights are quantised as in `tengen.nets.int8`: evened input
channels, ranges of least squared error, a scale for each output channel, and weights small enough not to saturate
sums of two products in 16 bits. What lies between them stays in float32. The first layers stay in float32, since
their inputs are few and exact, and so do the last ones, since errors there go straight into the heads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper, numpy_helper

from tengen.nets.graph import MICROSOFT, tensor
from tengen.nets.int8 import STAGE, Site, make_site
from tengen.nets.katago_layers import Floats
from tengen.nets.runtime import Arrays, Runtime
from tengen.progress import Progress, Report, silent

_POINTS = 48  # points of each batch whose activations are kept


@dataclass(frozen=True, slots=True)
class _Layer:
    """A layer to quantise: its node, its weight [ky, kx, in, out] and its bias [out]."""

    node: onnx.NodeProto
    weight: Floats
    bias: Floats
    rectified: bool  # whether a ReLU follows and nothing else reads the output

    @property
    def given(self) -> str:
        return str(self.node.input[0])

    @property
    def out(self) -> str:
        return str(self.node.output[0])


def quantize_graph(
    model: onnx.ModelProto,
    batches: Sequence[Arrays],
    threads: int | None = None,
    progress: Report = silent,
) -> onnx.ModelProto:
    """The int8 form of a float32 graph, calibrated on batches of inputs of one board size."""
    layers = _inner_layers(model)
    if not layers:
        return model
    seen = _watch(model, layers, batches, threads, progress)
    quantised = onnx.ModelProto()
    quantised.CopyFrom(model)
    if not any(entry.domain == MICROSOFT for entry in quantised.opset_import):
        quantised.opset_import.append(helper.make_opsetid(MICROSOFT, 1))
    writer = _Writer(quantised.graph)
    for layer in layers:
        y = np.maximum(seen[layer.out], 0) if layer.rectified else seen[layer.out]
        siblings = [other.weight for other in layers if other.given == layer.given]
        writer.replace(layer, make_site(seen[layer.given], y, layer.weight, siblings, "identity"))
    writer.finish()
    return quantised


def _inner_layers(model: onnx.ModelProto) -> list[_Layer]:
    """The layers with learnt weights, without those that read an input and those that no other layer follows."""
    graph = model.graph
    learnt = {one.name: one for one in graph.initializer}
    for node in graph.node:  # equal weights are kept once, and passed on by name
        if node.op_type == "Identity" and node.input[0] in learnt:
            learnt[node.output[0]] = learnt[node.input[0]]
    readers: dict[str, list[onnx.NodeProto]] = {}
    for node in graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    outputs = {one.name for one in graph.output}
    layers = []
    for node in graph.node:
        layer = _read_layer(node, learnt)
        if layer is not None:
            after = readers.get(node.output[0], [])
            rectified = [one.op_type for one in after] == ["Relu"] and node.output[0] not in outputs
            layers.append(_Layer(node, *layer, rectified))
    inputs = _reached(graph, {one.name for one in graph.input}, layers)
    return [
        layer
        for layer in layers
        if layer.given not in inputs and not _reached(graph, {layer.out}, layers) & outputs
    ]


def _read_layer(
    node: onnx.NodeProto, learnt: dict[str, onnx.TensorProto]
) -> tuple[Floats, npt.NDArray[np.float32]] | None:
    """The weight [ky, kx, in, out] and the bias of a node that can be quantised, else None."""
    about = {one.name: helper.get_attribute_value(one) for one in node.attribute}
    if node.op_type not in ("Conv", "Gemm") or node.input[1] not in learnt:
        return None
    weight = numpy_helper.to_array(learnt[node.input[1]])
    if node.op_type == "Conv":
        if about.get("group", 1) != 1 or weight.ndim != 4:
            return None
        kernel = weight.transpose(2, 3, 1, 0)
    else:
        plain = about.get("alpha", 1.0) == about.get("beta", 1.0) == 1.0 and not about.get("transA", 0)
        if not plain:
            return None
        kernel = (weight.T if about.get("transB", 0) else weight)[None, None]
    bias = np.zeros(kernel.shape[3], np.float32)
    if len(node.input) > 2:
        if node.input[2] not in learnt:
            return None
        bias = numpy_helper.to_array(learnt[node.input[2]])
    return np.ascontiguousarray(kernel, np.float32), np.asarray(bias, np.float32)


def _reached(graph: onnx.GraphProto, names: set[str], layers: Sequence[_Layer]) -> set[str]:
    """The tensors that depend on these ones other than through one of the layers."""
    stops = {layer.node.name for layer in layers}
    found = set(names)
    for node in graph.node:  # in the order of computation
        if node.name not in stops and found.intersection(node.input):
            found.update(node.output)
    return found


def _watch(
    model: onnx.ModelProto,
    layers: Sequence[_Layer],
    batches: Sequence[Arrays],
    threads: int | None,
    progress: Report,
) -> dict[str, Floats]:
    """Samples of what the layers take and give, [samples, channels] by the tensor's name."""
    names = list(dict.fromkeys(name for layer in layers for name in (layer.given, layer.out)))
    watched = onnx.ModelProto()
    watched.CopyFrom(model)
    del watched.graph.output[:]
    for name in names:
        value = tensor(name)
        value.type.tensor_type.ClearField("shape")
        watched.graph.output.append(value)
    runtime = Runtime(watched.SerializeToString(), threads)
    rng = np.random.default_rng(0)
    samples: dict[str, list[Floats]] = {name: [] for name in names}
    for i, batch in enumerate(batches):
        for name, values in runtime.run(batch["spatial"].shape[-1], batch, names).items():
            rows = np.moveaxis(values, 1, -1).reshape(-1, values.shape[1])
            chosen = rng.choice(len(rows), min(len(rows), _POINTS), replace=False)
            # the largest of each channel, so that no range is too small by chance
            samples[name] += [rows[chosen], rows.max(axis=0, keepdims=True)]
        progress(Progress(STAGE, i + 1, len(batches)))
    return {name: np.concatenate(parts) for name, parts in samples.items()}


class _Writer:
    """Puts quantised layers in the place of nodes of a graph."""

    def __init__(self, graph: onnx.GraphProto) -> None:
        self.graph = graph
        self.nodes: dict[str, list[onnx.NodeProto]] = {}  # by the node that they replace
        self.bytes: dict[str, str] = {}  # tensors that are at hand as bytes

    def constant(self, value: npt.ArrayLike, dtype: npt.DTypeLike = np.float32) -> str:
        name = f"int8_constant{len(self.graph.initializer)}"
        self.graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(value, dtype), name))
        return name

    def replace(self, layer: _Layer, site: Site) -> None:
        node = layer.node
        made = self.nodes.setdefault(node.name, [])
        count = 0

        def op(kind: str, *inputs: str, out: str = "", domain: str = "", **about: Any) -> str:
            nonlocal count
            count += 1
            out = out or f"{node.name}_int8_{count}"
            made.append(helper.make_node(kind, list(inputs), [out], f"{out}_node", domain=domain, **about))
            return out

        conv = node.op_type == "Conv"
        step, zero = self.constant(site.given.step), self.constant(site.given.zero, np.uint8)
        if layer.given not in self.bytes:
            even = 1.0 / site.even
            evened = op("Mul", layer.given, self.constant(even[:, None, None] if conv else even))
            self.bytes[layer.given] = op("QuantizeLinear", evened, step, zero)
        given = self.bytes[layer.given]
        zeros = self.constant(np.zeros(len(site.steps)), np.int8)
        bias = layer.bias + site.shift
        if not conv:
            weight = self.constant(site.weight[0, 0], np.int8)
            scales = (step, self.constant(site.steps), zero, zeros)
            op(
                "MatMulIntegerToFloat",
                given,
                weight,
                *scales,
                self.constant(bias),
                out=layer.out,
                domain=MICROSOFT,
            )
            return
        steps, bias = site.steps / site.spread, bias / site.spread
        out_step, out_zero = self.constant(site.out.step), self.constant(site.out.zero, np.uint8)
        y = op(
            "QLinearConv",
            given,
            step,
            zero,
            self.constant(site.weight.transpose(3, 2, 0, 1), np.int8),
            self.constant(steps),
            zeros,
            out_step,
            out_zero,
            self.constant(np.clip(np.rint(bias / (site.given.step * steps)), -(2**30), 2**30), np.int32),
            **{one.name: helper.get_attribute_value(one) for one in node.attribute},
        )
        floats = op("DequantizeLinear", y, out_step, out_zero)
        op("Mul", floats, self.constant(site.spread[:, None, None]), out=layer.out)

    def finish(self) -> None:
        """Writes the nodes in order, and drops weights that nothing reads any more."""
        nodes = [new for old in self.graph.node for new in self.nodes.get(old.name, [old])]
        needed = {one.name for one in self.graph.output}
        kept = []
        for node in reversed(nodes):
            if needed.intersection(node.output):
                needed.update(node.input)
                kept.append(node)
        del self.graph.node[:]
        self.graph.node.extend(reversed(kept))
        constants = [one for one in self.graph.initializer if one.name in needed]
        del self.graph.initializer[:]
        self.graph.initializer.extend(constants)
