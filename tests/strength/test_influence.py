"""The influence compared with its definition: a set in which one move has a slightly larger weight."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from tengen.strength.influence import influence  # noqa: E402
from tengen.strength.set_transformer import MeanPooled, SetModel, SetTransformer  # noqa: E402


def nets() -> list[SetModel]:
    torch.manual_seed(5)
    found = [
        SetTransformer(4, 2, depth=2, hidden=8, query=6, inducing=3),
        MeanPooled(4, 2, hidden=6, depth=2),
        SetTransformer(4, 2, depth=1, hidden=8, query=6, inducing=3, centres=torch.tensor([-1.0, 2.0])),
    ]
    for name, p in found[0].named_parameters():
        if "norm" in name:
            torch.nn.init.uniform_(p, 0.5, 1.5)
    return [net.double().eval() for net in found]


@pytest.mark.parametrize("which", [0, 1, 2])
def test_one_more_of_a_move_does_what_its_influence_says(which: int) -> None:
    net = nets()[which]
    copies = 400
    x = torch.randn(1, 6, 4, dtype=torch.float64)
    many = x.repeat(1, copies, 1)
    direction = torch.tensor([[0.7, -0.3]], dtype=torch.float64)
    with torch.no_grad():
        output, pull = influence(net, x, torch.ones(1, 6, dtype=torch.bool), direction)
        before = net(many, torch.ones(1, 6 * copies, dtype=torch.bool))
        torch.testing.assert_close(output, before)  # as a set of weights it is the same set
        for i in range(6):
            more = torch.cat([many, x[:, i : i + 1]], 1)
            after = net(more, torch.ones(1, 6 * copies + 1, dtype=torch.bool))
            change = float(((after - before) * direction).sum()) * copies
            assert change == pytest.approx(float(pull[0, i]), rel=0.02, abs=1e-5)


@pytest.mark.parametrize("which", [0, 1, 2])
def test_padding_has_no_influence_and_lends_none(which: int) -> None:
    net = nets()[which]
    x = torch.randn(1, 9, 4, dtype=torch.float64)
    mask = torch.arange(9)[None] < 6
    direction = torch.ones(1, 2, dtype=torch.float64)
    with torch.no_grad():
        _, padded = influence(net, x, mask, direction)
        _, alone = influence(net, x[:, :6], mask[:, :6], direction)
    torch.testing.assert_close(padded[:, :6], alone)
    assert (padded[:, 6:] == 0).all()


def test_leaving_a_move_out_of_many_is_near_its_influence() -> None:
    net = nets()[0]
    x = torch.randn(1, 80, 4, dtype=torch.float64)
    mask = torch.ones(1, 80, dtype=torch.bool)
    direction = torch.tensor([[1.0, 0.0]], dtype=torch.float64)
    with torch.no_grad():
        output, pull = influence(net, x, mask, direction)
        left = []
        for i in range(80):
            rest = mask.clone()
            rest[0, i] = False
            left.append(float((output - net(x, rest))[0, 0]))
    together = torch.corrcoef(torch.stack([pull[0], torch.tensor(left, dtype=torch.float64)]))
    assert together[0, 1] > 0.98
