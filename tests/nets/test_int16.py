"""Nets in 16-bit integers against plain computations of the same layers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from nets.net_writer import make_net, net_bytes
from nets.numpy_net import NumpyNet

from tengen import _native
from tengen.errors import InputError
from tengen.nets.int16 import Int16Runtime, why_not
from tengen.nets.katago_file import parse_net

Floats = npt.NDArray[np.float32]


def floats(rng: np.random.Generator, *shape: int) -> Floats:
    return rng.standard_normal(shape).astype(np.float32)


def convolution(x: Floats, weight: Floats) -> npt.NDArray[np.float64]:
    """The plain sum with zero padding; x [n, size, size, in], weight [k, k, in, out]."""
    reach, size = len(weight) // 2, x.shape[1]
    padded = np.pad(x.astype(np.float64), ((0, 0), (reach, reach), (reach, reach), (0, 0)))
    total = np.zeros((*x.shape[:3], weight.shape[3]))
    for y in range(len(weight)):
        for z in range(len(weight)):
            total += padded[:, y : y + size, z : z + size] @ weight[y, z].astype(np.float64)
    return total


def add_two_convolutions(
    x: Floats, first: Floats, second: Floats, threads: int = 1, act: str = "identity"
) -> Floats:
    """x + second(first(x)), by a block whose norms do nothing."""
    channels, between = first.shape[2:]
    block = _native.TrunkBlock.ordinary(
        np.ones(channels, np.float32),
        np.zeros(channels, np.float32),
        act,
        first,
        np.zeros(between, np.float32),
        act,
        second,
    )
    out = x.copy()
    _native.Trunk(channels, [block]).run(out, threads)
    return out


@pytest.mark.parametrize("size", [2, 3, 4, 5, 9, 13, 19])
@pytest.mark.parametrize(("kernel", "channels", "between"), [(3, 8, 24), (3, 40, 16), (1, 24, 8), (1, 8, 56)])
def test_convolutions_are_those_of_the_plain_sum(size: int, kernel: int, channels: int, between: int) -> None:
    rng = np.random.default_rng(size)
    x = floats(rng, 3, size, size, channels)
    first, second = (
        floats(rng, kernel, kernel, channels, between),
        floats(rng, kernel, kernel, between, channels),
    )
    exact = convolution(convolution(x, first).astype(np.float32), second)
    ours = add_two_convolutions(x, first, second) - x
    assert np.sqrt(np.mean((ours - exact) ** 2)) < (4e-3 if kernel == 3 else 3e-4) * exact.std()


@pytest.mark.parametrize("boards", [1, 2, 7])
def test_a_board_is_answered_alike_alone_and_among_others_and_by_any_number_of_threads(boards: int) -> None:
    rng = np.random.default_rng(boards)
    first, second = floats(rng, 3, 3, 16, 16), floats(rng, 3, 3, 16, 16)
    x = floats(rng, boards, 9, 9, 16) * 10.0 ** np.arange(boards).reshape(-1, 1, 1, 1).astype(np.float32)
    together = add_two_convolutions(x, first, second)
    for threads in (2, 3, 8):
        assert (add_two_convolutions(x, first, second, threads) == together).all()
    for i in range(boards):
        assert (add_two_convolutions(x[i : i + 1], first, second)[0] == together[i]).all()


@pytest.mark.parametrize("positive", [True, False])
def test_no_sum_overflows_even_where_every_input_and_every_kernel_is_the_greatest(positive: bool) -> None:
    """Inputs that make each transformed value as large as it can be, and kernels of one sign."""
    rng = np.random.default_rng(1)
    channels = 256
    for pattern in range(20):
        signs = np.ones((1, 19, 19, 1), np.float32) if pattern == 0 else np.sign(floats(rng, 1, 19, 19, 1))
        x = np.repeat(np.maximum(signs, 0) if positive else signs, channels, axis=3)
        weight = np.repeat(np.repeat(floats(rng, 3, 3, 1, 1), channels, axis=2), channels, axis=3)
        ours = add_two_convolutions(x, weight, weight, act="relu" if positive else "identity") - x
        middle = convolution(x, weight)
        exact = convolution((np.maximum(middle, 0) if positive else middle).astype(np.float32), weight)
        assert np.abs(ours - exact).max() < 2e-2 * np.abs(exact).max()


def test_nothing_stays_nothing() -> None:
    zeros, ones = np.zeros((2, 5, 5, 8), np.float32), np.ones((3, 3, 8, 8), np.float32)
    assert (add_two_convolutions(zeros, ones, ones) == 0).all()
    assert (add_two_convolutions(zeros + 1, 0 * ones, ones) == 1).all()
    assert add_two_convolutions(zeros[:0], ones, ones).shape == (0, 5, 5, 8)


@pytest.mark.parametrize("blocks", [("ordinary",), ("gpool",), ("nested",), ("gpool", "nested", "ordinary")])
@pytest.mark.parametrize("activation", ["identity", "relu", "mish"])
@pytest.mark.parametrize("kernel", [1, 3, 5])
def test_nets_of_every_block(blocks: tuple[str, ...], activation: str, kernel: int) -> None:
    net = make_net(14, blocks, channels=32, activation=activation, initial_kernel=kernel, eights=True)
    runtime, plain = Int16Runtime(parse_net(net_bytes(net)), threads=1), NumpyNet(net)
    rng = np.random.default_rng(0)
    for size in (9, 19):
        planes = (rng.random((2, 22, size, size)) < 0.3).astype(np.float32)
        planes[:, 0] = 1.0
        given = {"spatial": planes, "global": floats(rng, 2, 19)}
        names = ("policy", "value", "score", "ownership", "trunk")
        found = runtime.run(size, given, names)
        for i in range(2):
            expected = plain(planes[i], given["global"][i])
            for name in names:
                assert found[name][i].shape == expected[name].shape
                off = np.sqrt(np.mean((found[name][i] - expected[name]) ** 2))
                assert off < 1e-2 * max(1.0, expected[name].std()), f"{name} on {size}x{size}"


def test_more_boards_than_a_batch_holds() -> None:
    runtime = Int16Runtime(parse_net(net_bytes(make_net(8, channels=16, eights=True))), threads=2, batch=2)
    rng = np.random.default_rng(0)
    given = {"spatial": floats(rng, 5, 22, 9, 9), "global": floats(rng, 5, 19)}
    found = runtime.run(9, given, ("policy",))["policy"]
    alone = runtime.run(9, {name: array[4:] for name, array in given.items()}, ("policy",))["policy"]
    assert len(found) == 5
    np.testing.assert_allclose(found[4:], alone, atol=1e-5)


@pytest.mark.parametrize("kernel", [1, 3, 5])
@pytest.mark.parametrize("channels", [8, 32, 48, 96, 104])
def test_the_first_convolution_multiplies_what_is_not_zero(kernel: int, channels: int) -> None:
    rng = np.random.default_rng(kernel)
    planes = floats(rng, 2, 5, 9, 9) * (rng.random((2, 5, 9, 9)) < 0.2).astype(np.float32)
    weight, bias = floats(rng, kernel, kernel, 5, channels), floats(rng, 2, channels)
    exact = convolution(planes.transpose(0, 2, 3, 1), weight) + bias[:, None, None]
    for threads in (1, 3):
        np.testing.assert_allclose(_native.SparseConv(weight).run(planes, bias, threads), exact, atol=1e-4)


def test_what_cannot_run_in_int16_says_so() -> None:
    for net in (
        make_net(14, ("ordinary",), channels=32),  # 30 channels in the middle
        make_net(14, ("ordinary",), channels=32, eights=True, activation="silu"),
        make_net(14, ("ordinary",), channels=32, eights=True, dilation=(2, 2)),
        make_net(15, ("attention",), channels=32, eights=True),
        make_net(14, ("ordinary",), channels=32, eights=True, initial_kernel=(3, 5)),
    ):
        parsed = parse_net(net_bytes(net))
        assert why_not(parsed)
        with pytest.raises(InputError, match="int16 is for nets of"):
            Int16Runtime(parsed)


def test_parts_that_do_not_fit_are_refused() -> None:
    ones, zeros, kernel = np.ones(8, np.float32), np.zeros(8, np.float32), np.ones((3, 3, 8, 8), np.float32)
    block = _native.TrunkBlock.ordinary
    with pytest.raises(ValueError, match="multiple of 8"):
        block(ones, zeros, "relu", kernel[..., :7].copy(), zeros[:7], "relu", kernel[:, :, :7].copy())
    with pytest.raises(ValueError, match="1x1 or 3x3"):
        block(ones, zeros, "relu", np.ones((5, 5, 8, 8), np.float32), zeros, "relu", kernel)
    with pytest.raises(ValueError, match="no activation 'gelu'"):
        block(ones, zeros, "gelu", kernel, zeros, "relu", kernel)
    good = block(ones, zeros, "relu", kernel, zeros, "relu", kernel)
    with pytest.raises(ValueError, match="first norm does not fit"):
        _native.Trunk(16, [good])
    with pytest.raises(ValueError, match="second norm does not fit"):
        _native.Trunk(8, [block(ones, zeros, "relu", kernel, zeros[:4], "relu", kernel)])
    trunk = _native.Trunk(8, [good])
    with pytest.raises(ValueError, match="stream must be"):
        trunk.run(np.zeros((1, 9, 9, 16), np.float32))
    with pytest.raises(ValueError, match="threads must be positive"):
        trunk.run(np.zeros((1, 9, 9, 8), np.float32), 0)
    with pytest.raises(ValueError, match="planes must be"):
        _native.SparseConv(kernel).run(np.zeros((1, 4, 9, 9), np.float32), np.zeros((1, 8), np.float32))
