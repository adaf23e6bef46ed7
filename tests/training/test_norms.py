"""Norms that take running statistics in training: the output at play, the gradient of a batch norm."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from torch import nn  # noqa: E402

from tengen.training.norms import RunningNorm2d, use_running_norms  # noqa: E402


def made_norm(scale: float = 1.0) -> RunningNorm2d:
    torch.manual_seed(1)
    norm = RunningNorm2d(3)
    nn.init.normal_(norm.weight)
    nn.init.normal_(norm.bias)
    assert norm.running_mean is not None and norm.running_var is not None
    norm.running_mean.normal_()
    norm.running_var.uniform_(0.5, 2.0).mul_(scale)
    return norm


def test_the_output_in_training_is_that_at_play() -> None:
    norm, x = made_norm(), 2 * torch.randn(4, 3, 5, 5) + 1
    expected = made_norm().eval()(x)
    torch.testing.assert_close(norm(x), expected, atol=1e-5, rtol=1e-5)


def test_statistics_move_slowly_to_those_of_the_minibatches() -> None:
    norm, x = made_norm(), 2 * torch.randn(64, 3, 5, 5) + 1
    before = norm.running_mean.clone()
    norm(x)
    step = norm.running_mean - before
    torch.testing.assert_close(step, 0.01 * (x.mean((0, 2, 3)) - before), atol=1e-5, rtol=1e-3)
    for _ in range(1000):
        norm(x)
    torch.testing.assert_close(norm.running_var, x.var((0, 2, 3), correction=0), atol=1e-2, rtol=1e-2)


def test_a_shift_of_the_whole_minibatch_has_no_gradient() -> None:
    """As in a batch norm: the mean over the minibatch of the gradient is zero."""
    x = torch.randn(4, 3, 5, 5, requires_grad=True)
    (made_norm()(x) ** 3).sum().backward()
    torch.testing.assert_close(x.grad.mean((0, 2, 3)), torch.zeros(3), atol=1e-5, rtol=0)


def test_norms_are_turned_in_place() -> None:
    net = nn.Sequential(nn.Conv2d(3, 3, 1), nn.BatchNorm2d(3))
    names = list(net.state_dict())
    use_running_norms(net)
    assert isinstance(net[1], RunningNorm2d) and list(net.state_dict()) == names
