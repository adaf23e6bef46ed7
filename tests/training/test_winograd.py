"""Winograd's convolution against torch's own, values and gradients."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

import torch.nn.functional as F  # noqa: E402, N812

from tengen import _native  # noqa: E402
from tengen.nets.board_net import build_net  # noqa: E402
from tengen.training.winograd import WinogradConv2d, conv3x3, use_winograd  # noqa: E402


@pytest.mark.parametrize("size", [2, 4, 5, 9, 13, 19])
@pytest.mark.parametrize("threads", [1, 3])
def test_values_and_gradients_are_those_of_the_convolution(size: int, threads: int) -> None:
    torch.manual_seed(size)
    x = torch.randn(3, 16, size, size).contiguous(memory_format=torch.channels_last).requires_grad_()
    weight = (torch.randn(24, 16, 3, 3) / 12).requires_grad_()
    bias = torch.randn(24).requires_grad_()
    gradient = torch.randn(3, 24, size, size)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        ours = conv3x3(x, weight, bias)
        ours_gradients = torch.autograd.grad(ours, (x, weight, bias), gradient)
    finally:
        torch.set_num_threads(before)
    exact = F.conv2d(x.double(), weight.double(), bias.double(), padding=1)
    exact_gradients = torch.autograd.grad(exact, (x, weight, bias), gradient.double())
    for one, other in zip((ours, *ours_gradients), (exact, *exact_gradients), strict=True):
        assert one.shape == other.shape
        error, scale = (one - other).abs().max().item(), other.abs().max().item()
        assert error < 2e-5 * scale  # float32 carries 6e-8; F(4x4, 3x3) loses about two digits of it


def test_channels_that_are_no_multiple_of_8_take_the_usual_way() -> None:
    x, weight = torch.randn(2, 5, 9, 9), torch.randn(8, 5, 3, 3)
    torch.testing.assert_close(conv3x3(x, weight), F.conv2d(x, weight, padding=1))


def test_a_net_keeps_its_weights_and_its_answers() -> None:
    torch.manual_seed(1)
    net = build_net("residual", planes=10, width=16, blocks=2).eval()
    x = torch.rand(2, 10, 9, 9)
    names, before = list(net.state_dict()), net({"spatial": x})["policy"]
    use_winograd(net)
    # Two of each block; the stem's ten planes are no multiple of 8.
    assert sum(isinstance(m, WinogradConv2d) for m in net.modules()) == 4
    assert list(net.state_dict()) == names
    torch.testing.assert_close(net({"spatial": x})["policy"], before, atol=1e-4, rtol=1e-4)


def test_arrays_of_a_wrong_shape_are_refused() -> None:
    boards, kernels = np.zeros((2, 5, 5, 8), np.float32), np.zeros((36, 1, 8, 16), np.float32)
    with pytest.raises(ValueError, match="kernels must be"):
        _native.winograd_convolve(boards, kernels[:, :, :4].copy(), boards.copy())
    with pytest.raises(ValueError, match="same size"):
        _native.winograd_convolve(boards, kernels, np.zeros((2, 6, 6, 8), np.float32))
    with pytest.raises(ValueError, match="bias must be"):
        _native.winograd_convolve(boards, kernels, boards.copy(), np.zeros(7, np.float32))
    with pytest.raises(ValueError, match="multiple of 8"):
        _native.winograd_convolve(np.zeros((2, 5, 5, 6), np.float32), kernels, boards.copy())
    with pytest.raises(ValueError, match="kernels must be"):
        _native.winograd_kernel_gradient(boards, boards, np.zeros((36, 8, 8), np.float32))
