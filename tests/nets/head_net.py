"""Small ONNX graphs with the heads that a test wants: every head is linear in the input planes."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from tengen.nets.card import ModelCard
from tengen.nets.net_evaluator import NetEvaluator
from tengen.nets.runtime import Runtime

PLANES = 39
ENCODING = "golois39"
BOARDS = {"policy": 1, "ownership": 1}  # heads over points, without pass
CHANNELS = 3  # of the trunk


def head_graph(heads: dict[str, int], globals_: int = 0, seed: int = 0) -> bytes:
    """A graph with these outputs and so many numbers each.

    `policy`, `ownership` and `next` are made of the planes at each point by 1x1 convolutions, so they see no
    direction; the others of the planes' means and, if there are any, of the global inputs.
    """
    rng = np.random.default_rng(seed)
    nodes, constants, outputs = [], [], []
    inputs = [helper.make_tensor_value_info("spatial", TensorProto.FLOAT, ["n", PLANES, "size", "size"])]
    nodes.append(helper.make_node("ReduceMean", ["spatial"], ["means"], axes=[2, 3], keepdims=0))
    seen, width = "means", PLANES
    if globals_:
        inputs.append(helper.make_tensor_value_info("global", TensorProto.FLOAT, ["n", globals_]))
        nodes.append(helper.make_node("Concat", ["means", "global"], ["all"], axis=1))
        seen, width = "all", PLANES + globals_

    def constant(name: str, array: np.ndarray) -> str:  # type: ignore[type-arg]
        constants.append(numpy_helper.from_array(array, name))
        return name

    def weights(*shape: int) -> np.ndarray:  # type: ignore[type-arg]
        return (2 * rng.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32)

    for head, count in heads.items():
        if head in ("policy", "ownership", "next", "trunk"):
            weight = constant(f"{head} weight", weights(count, PLANES)[:, :, None, None])
            nodes.append(helper.make_node("Conv", ["spatial", weight], [f"{head} board"]))
            shape = [0, -1] if head in BOARDS else [0, count, -1]
            if head == "trunk":
                nodes.append(helper.make_node("Transpose", [f"{head} board"], [head], perm=[0, 2, 3, 1]))
            else:
                flat = constant(f"{head} shape", np.array(shape, np.int64))
                nodes.append(helper.make_node("Reshape", [f"{head} board", flat], [head]))
        else:
            weight = constant(f"{head} weight", 4 * weights(width, count))
            nodes.append(helper.make_node("MatMul", [seen, weight], [head]))
        outputs.append(helper.make_tensor_value_info(head, TensorProto.FLOAT, None))
    graph = helper.make_graph(nodes, "heads", inputs, outputs, constants)
    model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
    return model.SerializeToString()


def head_net(
    heads: dict[str, int],
    *,
    komi_labels: tuple[float, ...] = (),
    inputs: tuple[str, ...] = (),
    globals_: int = 0,
    seed: int = 0,
) -> NetEvaluator:
    """A net of our own with these heads; its card declares them."""
    card = ModelCard(
        name="heads",
        architecture="policy",
        encoding=ENCODING,
        board_sizes=(5, 9),
        heads=tuple(heads),
        inputs=inputs,
        komi_labels=komi_labels,
    )
    return NetEvaluator(card, Runtime(head_graph(heads, globals_, seed), threads=1))
