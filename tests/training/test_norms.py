"""Norms in training: native ones against torch's; settling ones: the output at play, then constants."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

import numpy as np  # noqa: E402
from torch import nn  # noqa: E402

from tengen import _native  # noqa: E402
from tengen.nets.board_net import build_net  # noqa: E402
from tengen.nets.norm_relu import NormRelu2d  # noqa: E402
from tengen.training.norms import (  # noqa: E402
    NativeNormRelu2d,
    SettledNorm2d,
    SettledNormRelu2d,
    use_native_norms,
    use_settled_norms,
)


@pytest.mark.parametrize(("count", "size", "channels"), [(1, 2, 1), (3, 5, 7), (64, 19, 24)])
@pytest.mark.parametrize("threads", [1, 3])
def test_native_norms_are_those_of_torch(count: int, size: int, channels: int, threads: int) -> None:
    torch.manual_seed(size)
    plain = NormRelu2d(channels)
    nn.init.normal_(plain.weight)
    nn.init.normal_(plain.bias)
    native = NativeNormRelu2d(channels)
    native.load_state_dict(plain.state_dict())
    plain.double()
    x = (2 * torch.randn(count, channels, size, size) + 30).requires_grad_()
    gradient = torch.randn_like(x)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        ours = native(x)
        ours_gradients = torch.autograd.grad(ours, (x, *native.parameters()), gradient)
    finally:
        torch.set_num_threads(before)
    exact = plain(x.double())
    exact_gradients = torch.autograd.grad(exact, (x, *plain.parameters()), gradient.double())
    for one, other in zip((ours, *ours_gradients), (exact, *exact_gradients), strict=True):
        torch.testing.assert_close(one, other.float(), atol=1e-4 * other.abs().max().item(), rtol=0)
    for name, wanted in plain.state_dict().items():  # the running statistics, too
        torch.testing.assert_close(native.state_dict()[name], wanted.to(native.state_dict()[name].dtype))
    torch.testing.assert_close(native.eval()(x), plain.eval()(x.double()).float(), atol=1e-4, rtol=1e-4)


def test_sums_do_not_depend_on_the_number_of_threads() -> None:
    x = np.random.default_rng(1).normal(size=(5000, 9)).astype(np.float32)
    said = []
    for threads in (1, 2, 5):
        mean, variance = np.empty(9), np.empty(9)
        _native.norm_statistics(x, mean, variance, threads)
        said.append((mean.tolist(), variance.tolist()))
    assert said[0] == said[1] == said[2]
    assert np.allclose(said[0][0], x.mean(0), atol=1e-6) and np.allclose(said[0][1], x.var(0), atol=1e-5)


def test_arrays_of_a_wrong_shape_are_refused() -> None:
    x, each = np.zeros((4, 3), np.float32), np.zeros(3, np.float32)
    with pytest.raises(ValueError, match="one number for each channel"):
        _native.norm_relu(x, each[:2].copy(), each, x.copy())
    with pytest.raises(ValueError, match="the same shape"):
        _native.norm_relu(x, each, each, x[:2].copy())


def test_a_net_takes_native_norms_or_settling_ones_and_keeps_its_weights() -> None:
    net = build_net("residual", planes=10, width=16, blocks=3, pooling=3)
    names, count = list(net.state_dict()), sum(isinstance(m, NormRelu2d) for m in net.modules())
    use_native_norms(net)
    assert sum(type(m) is NativeNormRelu2d for m in net.modules()) == count > 0
    use_settled_norms(net, 19)
    assert sum(type(m) is SettledNormRelu2d for m in net.modules()) == count
    assert list(net.state_dict()) == names


@pytest.mark.parametrize("seen", [50, 100])
def test_a_norm_with_its_rectifier_is_the_norm_and_then_the_rectifier(seen: int) -> None:
    torch.manual_seed(2)
    x, gradient = torch.randn(6, 3, 5, 5), torch.randn(6, 3, 5, 5)
    plain = made_norm(seen=seen)
    both = SettledNormRelu2d(3)
    both.load_state_dict(plain.state_dict())
    found = []
    for norm in (plain, both):
        point = x.clone().requires_grad_()
        out = torch.relu(norm(point))
        found.append((out, *torch.autograd.grad(out, (point, *norm.parameters()), gradient)))
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(plain.running_var, both.running_var)


def made_norm(scale: float = 1.0, seen: int = 50) -> SettledNorm2d:
    """A norm that has seen so many minibatches."""
    torch.manual_seed(1)
    norm = SettledNorm2d(3)
    nn.init.normal_(norm.weight)
    nn.init.normal_(norm.bias)
    assert norm.running_mean is not None and norm.running_var is not None
    assert norm.num_batches_tracked is not None
    norm.running_mean.normal_()
    norm.running_var.uniform_(0.5, 2.0).mul_(scale)
    norm.num_batches_tracked.fill_(seen)
    return norm


@pytest.mark.parametrize("seen", [50, 100])
@pytest.mark.parametrize("scale", [0.001, 1.0, 1000.0])
def test_the_output_in_training_is_that_at_play(scale: float, seen: int) -> None:
    """Also where a minibatch varies far more, or far less, than those that gave the statistics."""
    norm, x = made_norm(scale, seen), 2 * torch.randn(4, 3, 5, 5) + 1
    expected = made_norm(scale, seen).eval()(x)
    torch.testing.assert_close(norm(x), expected, atol=1e-5, rtol=1e-4)


def test_a_new_norm_begins_with_the_statistics_of_its_first_minibatch() -> None:
    norm, x = SettledNorm2d(3), 20 * torch.randn(64, 3, 5, 5) + 100
    plain = nn.BatchNorm2d(3)
    torch.testing.assert_close(norm(x), plain(x), atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(norm.running_mean, x.mean((0, 2, 3)), atol=1e-3, rtol=1e-4)
    norm(x + 50)
    torch.testing.assert_close(norm.running_mean, x.mean((0, 2, 3)) + 25, atol=1e-3, rtol=1e-4)


def test_statistics_are_means_over_a_hundred_minibatches_and_then_constants() -> None:
    norm, all_of_them = SettledNorm2d(3), 5 * torch.randn(150, 8, 3, 5, 5) + 2
    for x in all_of_them:
        norm(x)
    hundred = all_of_them[:100]
    torch.testing.assert_close(norm.running_mean, hundred.mean((0, 1, 3, 4)), atol=1e-4, rtol=1e-4)
    variance = hundred.var((1, 3, 4), correction=0).mean(0)
    torch.testing.assert_close(norm.running_var, variance, atol=1e-3, rtol=1e-3)


def test_while_statistics_are_taken_a_shift_of_the_whole_minibatch_has_no_gradient() -> None:
    """As in a batch norm: the mean over the minibatch of the gradient is zero."""
    x = torch.randn(4, 3, 5, 5, requires_grad=True)
    (made_norm()(x) ** 3).sum().backward()
    torch.testing.assert_close(x.grad.mean((0, 2, 3)), torch.zeros(3), atol=1e-5, rtol=0)


@pytest.mark.parametrize("kind", [SettledNorm2d, SettledNormRelu2d])
def test_smaller_boards_are_normed_by_the_statistics_of_the_largest(kind: type[nn.BatchNorm2d]) -> None:
    """They leave the statistics as they are, and what shifts or stretches a minibatch has its gradient."""
    norm = kind(3)
    norm.load_state_dict(made_norm().state_dict())
    norm.board = 7
    before = norm.running_var.clone()
    x = (20 * torch.randn(4, 3, 5, 5) + 9).requires_grad_()
    out = norm(x)
    torch.testing.assert_close(out, norm.eval()(x))
    (out**3).sum().backward()
    assert (x.grad.mean((0, 2, 3)).abs() > 0.1).all()  # 0 in a batch norm
    assert torch.equal(norm.running_var, before)
    norm.train()(torch.randn(4, 3, 7, 7))
    assert not torch.equal(norm.running_var, before)


def test_norms_are_turned_in_place() -> None:
    net = nn.Sequential(nn.Conv2d(3, 3, 1), nn.BatchNorm2d(3))
    names = list(net.state_dict())
    use_settled_norms(net, 19)
    assert isinstance(net[1], SettledNorm2d) and list(net.state_dict()) == names
    assert net[1].board == 19
