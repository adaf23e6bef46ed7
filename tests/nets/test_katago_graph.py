"""The ONNX graphs of nets with random weights against a plain computation of the same nets."""

from __future__ import annotations

import zlib

import numpy as np
import numpy.typing as npt
import pytest
from nets.net_writer import ACTIVATIONS, BLOCKS, TIPS, Net, make_net, net_bytes
from nets.numpy_net import NumpyNet

from tengen.nets.katago_file import VERSIONS, parse_net
from tengen.nets.katago_graph import build
from tengen.nets.runtime import Arrays, Runtime

OUTPUTS = ("policy", "value", "score", "ownership", "trunk")
BATCH = 2


def inputs(size: int) -> Arrays:
    rng = np.random.default_rng(size)
    spatial = (rng.random((BATCH, 22, size, size)) < 0.3).astype(np.float32)
    spatial[:, 0] = 1.0
    return {"spatial": spatial, "global": rng.standard_normal((BATCH, 19)).astype(np.float32)}


def graph_outputs(net: Net, *sizes: int) -> list[Arrays]:
    runtime = Runtime(build(parse_net(net_bytes(net))).SerializeToString(), threads=1)
    return [runtime.run(size, inputs(size), OUTPUTS) for size in sizes]


def check(net: Net, *sizes: int) -> None:
    plain = NumpyNet(net)
    for size, ours in zip(sizes, graph_outputs(net, *sizes), strict=True):
        given = inputs(size)
        for i in range(BATCH):
            expected = plain(given["spatial"][i], given["global"][i])
            for name in OUTPUTS:
                difference = np.abs(ours[name][i] - expected[name])
                assert ours[name][i].shape == expected[name].shape, name
                assert difference.max() < 1e-4, f"{name} on {size}x{size}: {difference.max()}"


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("version", VERSIONS)
def test_every_block_in_every_version(version: int, block: str) -> None:
    net = make_net(version, (block,), seed=zlib.crc32(f"{version} {block}".encode()))
    check(net, 9, 19)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("tip", TIPS)
def test_every_tip_with_every_activation(tip: str, activation: str) -> None:
    check(make_net(15, ("gpool", "ffn"), activation=activation, tip=tip), 9)


@pytest.mark.parametrize("channels", [2, 4])
def test_version_17_says_how_many_policies_it_has(channels: int) -> None:
    net = make_net(17, policy_channels=channels)
    check(net, 9)
    assert graph_outputs(net, 9)[0]["policy"].shape == (BATCH, channels, 82)


@pytest.mark.parametrize("dilation", [(2, 2), (1, 3)])
def test_dilated_convolutions(dilation: tuple[int, int]) -> None:
    check(make_net(14, ("ordinary", "gpool"), dilation=dilation), 9, 19)


@pytest.mark.parametrize("kernel", [1, 5, (3, 5), (5, 1)])
def test_kernels_of_other_sizes(kernel: int | tuple[int, int]) -> None:
    check(make_net(14, initial_kernel=kernel), 9)


def test_kernels_of_other_sizes_in_blocks_and_heads() -> None:
    net = make_net(14, ("ordinary", "gpool"))
    rng = np.random.default_rng(1)

    def kernel(*shape: int) -> npt.NDArray[np.float32]:
        return (0.2 * rng.standard_normal(shape)).astype(np.float32)

    ordinary, gpool = net.blocks
    ordinary.first.conv.weight = kernel(5, 5, 8, 6)  # type: ignore[attr-defined]
    ordinary.second.conv.weight = kernel(1, 3, 6, 8)  # type: ignore[attr-defined]
    gpool.pool_conv.weight = kernel(1, 1, 8, 3)  # type: ignore[attr-defined]
    net.policy.p1.weight = kernel(3, 3, 8, 5)
    net.policy.p2.weight = kernel(3, 3, 5, 2)
    net.value.ownership.weight = kernel(3, 3, 4, 1)
    check(net, 9)


@pytest.mark.parametrize("size", [*range(2, 19)])
def test_every_board_size(size: int) -> None:
    check(make_net(15, ("gpool", "attention fixed")), size)


def test_blocks_one_after_another() -> None:
    check(make_net(17, BLOCKS * 2, tip="rms spatial"), 9)


def test_a_board_in_a_larger_array_gives_the_same_numbers() -> None:
    # KataGo pads and masks, our graph has boards of their own size.
    net = make_net(15, BLOCKS, tip="rms spatial")
    given, ours = inputs(9), graph_outputs(net, 9)[0]
    spatial = np.zeros((22, 12, 12), np.float32)
    spatial[:, :9, :9] = given["spatial"][0]
    expected = NumpyNet(net)(spatial, given["global"][0])
    board = expected["policy"][:, :-1].reshape(-1, 12, 12)[:, :9, :9].reshape(-1, 81)
    assert np.abs(ours["policy"][0, :, :-1] - board).max() < 1e-4
    assert np.abs(ours["policy"][0, :, -1] - expected["policy"][:, -1]).max() < 1e-4
    assert np.abs(ours["value"][0] - expected["value"]).max() < 1e-4
    assert np.abs(ours["score"][0] - expected["score"]).max() < 1e-4
    assert np.abs(ours["trunk"][0] - expected["trunk"][:9, :9]).max() < 1e-4
