"""How fast nets run here: positions a second by batch and threads, against the machine's own limit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from onnx import TensorProto, helper

from tengen.go.position import Position
from tengen.nets.evaluator import Evaluator
from tengen.nets.katago_layers import KataGoNet, NestedBlock, PoolingBlock
from tengen.nets.library import open_net
from tengen.nets.runtime import Arrays, Runtime

_ROOF = 1024  # side of the matrices


@dataclass(frozen=True, slots=True)
class Rate:
    """One row of the table."""

    precision: str
    threads: int
    batch: int
    positions_a_second: float
    outside: float
    """The share of the time that is not the graph's: encoding, reading of outputs, Python."""
    share_of_roof: float | None = None
    """The plain convolutions' work as a share of what the machine can do at most; None if the work is unknown."""

    def to_json(self) -> dict[str, str | int | float | None]:
        return asdict(self)


def _rate(work: Callable[[], object], seconds: float) -> float:
    """Calls a second, the best of three spans."""
    work()
    best = 0.0
    for _ in range(3):
        started, calls = time.perf_counter(), 0
        while (spent := time.perf_counter() - started) < seconds / 3 or calls == 0:
            work()
            calls += 1
        best = max(best, calls / spent)
    return best


def roof(threads: int, seconds: float = 1.0) -> float:
    """GFLOP/s of a large float32 matrix product in ONNX Runtime: what the machine can do at most."""
    shape = [_ROOF, _ROOF]
    sides = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in "abc"]
    graph = helper.make_graph([helper.make_node("MatMul", ["a", "b"], ["c"])], "roof", sides[:2], sides[2:])
    model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
    runtime = Runtime(model.SerializeToString(), threads, batch=_ROOF)
    inputs = {name: np.random.default_rng(0).random((_ROOF, _ROOF), np.float32) for name in "ab"}
    session = runtime.session(19)
    return 2 * _ROOF**3 * _rate(lambda: session.run(["c"], inputs), seconds) / 1e9


def rates(
    name: str, precisions: list[str], threads: list[int], batches: list[int], size: int, seconds: float
) -> Iterator[Rate]:
    """Whole evaluations, from positions to judgements, of a game's later positions."""
    positions = _positions(size, max(batches))
    for precision in precisions:
        for count in threads:
            net: Evaluator = open_net(name, precision, count)
            for batch in batches:
                chosen = positions[:batch]
                calls = _rate(lambda net=net, chosen=chosen: net.evaluate(chosen), seconds)  # type: ignore[misc]
                yield Rate(precision, count, batch, batch * calls, _outside(net, chosen))


def _outside(net: Evaluator, positions: list[Position], calls: int = 5) -> float:
    """The share of an evaluation's time that is spent outside the runtime, in the median call."""
    runtime: Runtime | None = getattr(net, "runtime", None)
    if runtime is None:
        return 0.0
    inside = 0.0
    run = runtime.run

    def timed(size: int, inputs: Arrays, outputs: Sequence[str]) -> Arrays:
        nonlocal inside
        started = time.perf_counter()
        found = run(size, inputs, outputs)
        inside += time.perf_counter() - started
        return found

    shares = []
    runtime.run = timed  # type: ignore[method-assign]
    try:
        for _ in range(calls):
            started, inside = time.perf_counter(), 0.0
            net.evaluate(positions)
            shares.append(1.0 - inside / (time.perf_counter() - started))
    finally:
        runtime.run = run  # type: ignore[method-assign]
    return sorted(shares)[calls // 2]


def _positions(size: int, count: int) -> list[Position]:
    """Different positions with stones all over the board, the same on every machine."""
    random = np.random.default_rng(7)
    positions = []
    for _ in range(count):
        position = Position(size)
        for _ in range(size * size // 3):
            position.play(int(random.choice(position.legal_moves[:-1])))
        positions.append(position)
    return positions


def multiplications(net: KataGoNet, size: int = 19) -> float:
    """GFLOP of one evaluation by plain convolution: two for each weight of the trunk's convolutions and point."""

    def weights(block: object) -> int:
        if isinstance(block, NestedBlock):
            return block.conv1.weight.size + block.conv2.weight.size + sum(weights(b) for b in block.blocks)
        total = 0
        for field in getattr(block, "__slots__", ()):
            weight = getattr(getattr(block, field), "weight", None)
            if weight is not None and not (isinstance(block, PoolingBlock) and field == "pool_bias"):
                total += int(weight.size)
        return total

    trunk = net.trunk
    total = trunk.initial.weight.size + sum(weights(block) for block in trunk.blocks)
    if net.policy:
        total += net.policy.conv.weight.size + net.policy.pool_conv.weight.size
    if net.value:
        total += net.value.conv.weight.size
    return 2 * total * size * size / 1e9
