"""A net in less room, to ship or to keep. It computes in the precisions of its card, as before.

A net of ours that runs from its weights: convolutions and matrices in 16 bits, and no int8 beside int16, which is
faster. Another net, in fp32 alone: large matrices in 8 bits, a scale for each stretch of a unit's weights (a unit
weighs its own point far more than others), convolutions in 16 bits.

python scripts/smaller_net.py out/nets/dann runs/kept/dann
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper
from safetensors.numpy import load_file, save

LARGE, STRETCH = 100_000, 57
SMALL = 1000  # arrays of fewer numbers stay as they are
WEIGHTS, GRAPH = "weights.safetensors", "fp32.onnx"


def smaller_weights(path):
    half = {
        name: array.astype(np.float16) if array.ndim > 1 and array.size >= SMALL else array
        for name, array in load_file(path).items()
    }
    if any(not np.isfinite(array).all() for array in half.values()):
        raise SystemExit(f"{path}: a weight is too large for 16 bits")
    return save(half)


def smaller_graph(path):
    model = onnx.load(path)
    graph, nodes = model.graph, []

    def store(name, node, **arrays):
        nodes.append(node)
        for what, array in arrays.items():
            graph.initializer.append(numpy_helper.from_array(array, f"{name}/{what}"))

    for weights in list(graph.initializer):
        array, name = numpy_helper.to_array(weights), weights.name
        if array.dtype != np.float32 or array.ndim not in (2, 4) or array.size < SMALL:
            continue
        graph.initializer.remove(weights)
        if array.ndim == 4 or array.size < LARGE or array.shape[1] % STRETCH:
            node = helper.make_node("Cast", [f"{name}/fp16"], [name], to=onnx.TensorProto.FLOAT)
            store(name, node, fp16=array.astype(np.float16))
            continue
        parts = array.reshape(len(array), -1, STRETCH)
        scale = (np.abs(parts).max(2) / 127).clip(1e-12).astype(np.float32)
        small = np.clip(np.rint(parts / scale[:, :, None]), -127, 127).astype(np.int8).reshape(array.shape)
        node = helper.make_node(
            "DequantizeLinear", [f"{name}/int8", f"{name}/scale"], [name], axis=1, block_size=STRETCH
        )
        store(name, node, int8=small, scale=scale)
    for node in reversed(nodes):
        graph.node.insert(0, node)
    for one in model.opset_import:
        if one.domain in ("", "ai.onnx"):
            one.version = max(one.version, 21)
    model.ir_version = max(model.ir_version, 10)
    onnx.checker.check_model(model)
    return model.SerializeToString()


source, target = map(Path, sys.argv[1:])
card = json.loads((source / "card.json").read_text(encoding="utf-8"))
if card["files"]["fp32"]["file"] == WEIGHTS:
    file, data = WEIGHTS, smaller_weights(source / WEIGHTS)
    kept = [precision for precision in ("fp32", "int16") if precision in card["files"]]
else:
    file, data, kept = GRAPH, smaller_graph(source / GRAPH), ["fp32"]
stored = {"file": file, "sha256": hashlib.sha256(data).hexdigest()}
card["files"] = dict.fromkeys(kept, stored)
if card["precision"] not in kept:
    card["precision"] = kept[-1]
for one in {"int16", "int8"}.difference(kept):
    card["measured"].pop(f"{one} against fp32", None)
target.mkdir(parents=True, exist_ok=True)
(target / file).write_bytes(data)
(target / "card.json").write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
print(f"{target}: {len(data) / 1e6:.1f} MB")
