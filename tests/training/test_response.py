"""DANN's native rectifier with local response normalisation against torch's, values and gradients."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from tengen import _native  # noqa: E402
from tengen.nets.board_net import build_net  # noqa: E402
from tengen.nets.dann import Response  # noqa: E402
from tengen.training.response import NativeResponse, use_native_response  # noqa: E402


@pytest.mark.parametrize("maps", [1, 8, 20, 64])
@pytest.mark.parametrize("threads", [1, 3])
def test_values_and_gradients_are_those_of_equation_2(maps: int, threads: int) -> None:
    torch.manual_seed(maps)
    x = (torch.randn(3, maps, 19, 19) * 40).requires_grad_()
    gradient = torch.randn_like(x)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        ours = NativeResponse(maps)(x)
        (ours_gradient,) = torch.autograd.grad(ours, x, gradient)
    finally:
        torch.set_num_threads(before)
    exact = Response(maps).double()(x.double())
    (exact_gradient,) = torch.autograd.grad(exact, x, gradient.double())
    torch.testing.assert_close(ours, exact.float(), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(ours_gradient, exact_gradient.float(), atol=1e-5, rtol=1e-4)


def test_a_net_takes_the_native_one_in_training_and_keeps_its_answers() -> None:
    torch.manual_seed(1)
    net = build_net("6al-2fc", planes=5, width=8, steps=2, size=9)
    x = torch.rand(2, 5, 9, 9)
    names, before = list(net.state_dict()), net({"spatial": x})["policy"]
    use_native_response(net)
    assert sum(isinstance(m, NativeResponse) for m in net.modules()) == 6 * 3  # one for each time step
    assert list(net.state_dict()) == names
    torch.testing.assert_close(net({"spatial": x})["policy"], before, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(net.eval()({"spatial": x})["policy"], before, atol=1e-4, rtol=1e-4)


def test_arrays_of_another_shape_are_refused() -> None:
    x = np.zeros((4, 3), np.float32)
    with pytest.raises(ValueError, match="the same shape"):
        _native.response_norm(x, x[:2].copy(), 1, 0.1)
