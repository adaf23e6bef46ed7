"""A kept net in less room: of its fp32 graph large matrices are stored in 8 bits, a scale for each stretch of a unit's
weights (a unit weighs its own point far more than others), and convolutions in 16 bits. It computes in fp32.

python scripts/smaller_net.py out/nets/dann runs/kept/dann
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

LARGE, STRETCH = 100_000, 57

source, target = map(Path, sys.argv[1:])
model = onnx.load(source / "fp32.onnx")
graph, nodes = model.graph, []


def store(name, node, **arrays):
    nodes.append(node)
    for what, array in arrays.items():
        graph.initializer.append(numpy_helper.from_array(array, f"{name}/{what}"))


for weights in list(graph.initializer):
    array, name = numpy_helper.to_array(weights), weights.name
    if array.dtype != np.float32 or array.ndim not in (2, 4) or array.size < 1000:
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
target.mkdir(parents=True, exist_ok=True)
data = model.SerializeToString()
(target / "fp32.onnx").write_bytes(data)
card = json.loads((source / "card.json").read_text())
card["files"] = {"fp32": {"file": "fp32.onnx", "sha256": hashlib.sha256(data).hexdigest()}}
card["precision"] = "fp32"
(target / "card.json").write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n")
print(f"{target}: {len(data) / 1e6:.1f} MB")
