"""Bytes for numbers: scales, weights, and a net in int8 beside the same net in float32."""

from __future__ import annotations

from collections import Counter

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nets.net_writer import make_net, packed

from tengen.go.position import Position
from tengen.nets.int8 import BYTE_MAX, PAIR_MAX, WEIGHT_MAX, choose_scale, quantize, quantize_weight
from tengen.nets.katago_file import parse_net
from tengen.nets.katago_graph import build
from tengen.nets.katago_reader import make_card
from tengen.nets.net_evaluator import NetEvaluator
from tengen.nets.runtime import Runtime


@given(st.integers(0, 10**6), st.floats(0.01, 100), st.floats(-3, 3))
@settings(max_examples=20, deadline=None)
def test_a_scale_keeps_numbers_within_its_step(seed: int, spread: float, middle: float) -> None:
    values = (np.random.default_rng(seed).uniform(-1, 1, 2000) * spread + middle).astype(np.float32)
    scale = choose_scale(values)
    assert 0 <= scale.zero <= BYTE_MAX
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    assert scale.step <= (high - low) / BYTE_MAX * 1.001
    assert np.sqrt(np.mean((scale.rounded(values) - values) ** 2)) <= (high - low) / BYTE_MAX
    assert scale.rounded(np.zeros(1, np.float32))[0] == 0.0  # the board's edge is exactly nothing


def test_numbers_that_are_all_nothing_have_a_scale() -> None:
    scale = choose_scale(np.zeros(10, np.float32))
    assert scale.step > 0
    assert (scale.rounded(np.zeros(3, np.float32)) == 0).all()


def test_weights_are_near_and_never_saturate_a_pair() -> None:
    """Without VNNI two neighbouring products are added in 16 bits: 2 * 255 * 127 would not fit."""
    rng = np.random.default_rng(3)
    weight = rng.standard_normal((3, 3, 7, 5)).astype(np.float32)
    largest = np.full(7, BYTE_MAX, np.float32)
    bytes_, steps = quantize_weight(weight, largest)
    assert bytes_.dtype == np.int8
    assert np.abs(bytes_.astype(int)).max() <= WEIGHT_MAX
    assert np.abs(bytes_ * steps - weight).max() <= steps.max()
    products = np.abs(bytes_.astype(int)) * BYTE_MAX
    products = np.concatenate([products, np.zeros_like(products[:, :, :1])], axis=2)
    assert (products[:, :, 0::2] + products[:, :, 1::2]).max() <= PAIR_MAX


def test_weights_use_all_their_bits_where_activations_are_small() -> None:
    weight = np.random.default_rng(3).standard_normal((3, 3, 8, 5)).astype(np.float32)
    bytes_, _ = quantize_weight(weight, np.full(8, 60, np.float32))
    assert (np.abs(bytes_.astype(int)).max(axis=(0, 1, 2)) == WEIGHT_MAX).all()


@pytest.fixture(scope="module", params=["relu", "mish"])
def nets(request: pytest.FixtureRequest) -> tuple[NetEvaluator, NetEvaluator, onnx.ModelProto]:
    """A net of random weights in float32 and in int8, and the graph of the latter."""
    version = 8 if request.param == "relu" else 14
    blocks = ("ordinary", "gpool") if request.param == "relu" else ("nested", "ordinary")
    net = parse_net(packed(make_net(version, blocks, channels=16, activation=request.param)))
    card = make_card(net)
    exact = NetEvaluator(card, Runtime(build(net).SerializeToString(), threads=1))
    positions = [game(seed) for seed in range(12)]
    batches = [exact.inputs(positions[i : i + 4], np.zeros(4, np.uint8)) for i in range(0, len(positions), 4)]
    graph = quantize(net, batches, threads=1)
    return exact, NetEvaluator(card, Runtime(graph.SerializeToString(), threads=1), "int8"), graph


def game(seed: int, size: int = 9) -> Position:
    rng = np.random.default_rng(seed)
    position = Position(size, "tromp-taylor")
    for _ in range(int(rng.integers(4, 40))):
        position.play(int(rng.choice(position.legal_moves[:-1])))
    return position


@pytest.mark.parametrize("size", [9, 13])
def test_int8_says_nearly_what_float32_says(
    nets: tuple[NetEvaluator, NetEvaluator, onnx.ModelProto], size: int
) -> None:
    exact, ours, _ = nets
    positions = [game(seed, size) for seed in range(100, 110)]
    pairs = list(zip(exact.evaluate(positions), ours.evaluate(positions), strict=True))
    for a, b in pairs:
        assert b.policy == pytest.approx(a.policy, abs=0.03)
        assert b.ownership == pytest.approx(a.ownership, abs=0.15)
        assert b.raw is not None
        assert a.raw is not None
        assert b.raw.win == pytest.approx(a.raw.win, abs=0.05)
    assert any((a.policy != b.policy).any() for a, b in pairs)


def test_the_graph_is_what_vnni_runs_fast(
    nets: tuple[NetEvaluator, NetEvaluator, onnx.ModelProto],
) -> None:
    """Unsigned activations, signed weights with a scale a channel, and no way from bytes to floats and back."""
    graph = nets[2].graph
    constants = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}
    convolutions = [node for node in graph.node if node.op_type == "QLinearConv"]
    assert convolutions
    for node in convolutions:
        weight, steps, zeros = (constants[node.input[i]] for i in (3, 4, 5))
        assert weight.dtype == zeros.dtype == np.int8
        assert not zeros.any()
        assert len(steps) == len(weight)
        assert constants[node.input[2]].dtype == np.uint8
    makers = {node.output[0]: node.op_type for node in graph.node}
    for node in graph.node:
        if node.op_type == "QuantizeLinear":
            assert makers[node.input[0]] != "DequantizeLinear"
    kinds = Counter(node.op_type for node in graph.node)
    assert kinds["QuantizeLinear"] <= len(convolutions) + kinds["MatMulIntegerToFloat"]
