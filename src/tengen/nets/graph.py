"""Writing ONNX graphs: names, constants, sizes that are known only when the graph runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
MICROSOFT = "com.microsoft"  # ONNX Runtime's own operators

Array = npt.NDArray[Any]
# A length: a number, or the name of an int64 tensor [1] computed by the graph.
Length = int | str


class Graph:
    """Collects nodes and constants; every method returns the name of a tensor."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}
        self._shared: dict[object, str] = {}

    def op(self, kind: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        return self.ops(kind, *inputs, outputs=1, domain=domain, **attributes)[0]

    def ops(self, kind: str, *inputs: str, outputs: int, domain: str = "", **attributes: Any) -> list[str]:
        name = f"{kind.lower()}{len(self.nodes)}"
        names = [name] if outputs == 1 else [f"{name}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=name, domain=domain, **attributes))
        return names

    def constant(self, value: npt.ArrayLike, dtype: npt.DTypeLike = np.float32) -> str:
        array = np.ascontiguousarray(np.asarray(value, dtype=dtype))
        key = (array.dtype.str, array.shape, array.tobytes()) if array.size <= 64 else None
        if key is not None and key in self._shared:
            return self._shared[key]
        name = f"constant{len(self.constants)}"
        self.constants[name] = numpy_helper.from_array(array, name)
        if key is not None:
            self._shared[key] = name
        return name

    def once(self, key: str, make: Any) -> str:
        """The tensor of that key, made at the first call: for subgraphs that many layers share."""
        if key not in self._shared:
            self._shared[key] = make()
        return self._shared[key]

    def shape(self, *lengths: Length) -> str:
        """An int64 tensor of these lengths, for Reshape; 0 keeps a length, -1 works it out."""
        if all(isinstance(length, int) for length in lengths):
            return self.constant(lengths, np.int64)
        parts = [self.constant([part], np.int64) if isinstance(part, int) else part for part in lengths]
        return self.once(f"shape {parts}", lambda: self.op("Concat", *parts, axis=0))

    def times(self, a: Length, b: int) -> Length:
        if isinstance(a, int):
            return a * b
        return self.once(f"{a} * {b}", lambda: self.op("Mul", a, self.constant([b], np.int64)))

    def reshape(self, x: str, *lengths: Length) -> str:
        return self.op("Reshape", x, self.shape(*lengths))

    def split(self, x: str, sizes: list[int], axis: int = -1) -> list[str]:
        """Parts of a tensor along an axis; a single part is the tensor itself."""
        if len(sizes) == 1:
            return [x]
        return self.ops("Split", x, self.constant(sizes, np.int64), outputs=len(sizes), axis=axis)

    def model(
        self,
        inputs: list[onnx.ValueInfoProto],
        outputs: list[onnx.ValueInfoProto],
        notes: dict[str, str],
    ) -> onnx.ModelProto:
        nodes, constants = self._needed([output.name for output in outputs])
        graph = helper.make_graph(nodes, "net", inputs, outputs, constants)
        model = helper.make_model(
            graph,
            ir_version=8,
            opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)],
            producer_name="tengen",
        )
        helper.set_model_props(model, notes)
        return model

    def _needed(self, outputs: list[str]) -> tuple[list[onnx.NodeProto], list[onnx.TensorProto]]:
        """Nodes and constants that the outputs depend on."""
        wanted = set(outputs)
        nodes = []
        for node in reversed(self.nodes):
            if wanted.intersection(node.output):
                wanted.update(node.input)
                nodes.append(node)
        return nodes[::-1], [tensor for name, tensor in self.constants.items() if name in wanted]


def tensor(name: str, *lengths: int | str) -> onnx.ValueInfoProto:
    """A float32 input or output; a word is a length that may vary."""
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, list(lengths))
