"""The averaged weights of a net."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from tengen.training.averaging import Average  # noqa: E402


def filled(value: float) -> torch.nn.Linear:
    net = torch.nn.Linear(2, 1)
    with torch.no_grad():
        for p in net.parameters():
            p.fill_(value)
    return net


def test_it_follows_the_weights_slowly_and_a_young_one_faster() -> None:
    net = filled(0.0)
    average = Average(net, 0.9)
    with torch.no_grad():
        net.weight.fill_(1.0)
    average.step(1)  # of so young an average 2 / 11 are kept
    assert average.weights["weight"].mean() == pytest.approx(9 / 11)
    average.step(1000)
    assert average.weights["weight"].mean() == pytest.approx(1 - 0.9 * 2 / 11)


def test_the_net_has_it_only_while_it_is_applied() -> None:
    net = filled(0.0)
    average = Average(net, 0.5)
    with torch.no_grad():
        net.weight.fill_(1.0)
    with average.applied():
        assert not net.training and float(net.weight.detach().sum()) == 0.0
    assert net.training and float(net.weight.detach().sum()) == 2.0


def test_without_one_the_net_stays_as_it_is() -> None:
    average = Average(net := filled(3.0), 0.0)
    average.step(5)
    with average.applied():
        assert not average.weights and float(net.bias.detach()) == 3.0
