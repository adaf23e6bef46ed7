"""Muon: what orthogonal means, which weights it learns, and that it learns."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from torch import nn  # noqa: E402

from tengen.nets.board_net import build_net  # noqa: E402
from tengen.training.optimisers import Muon, Optimisers, orthogonal  # noqa: E402
from tengen.training.recipe import PolicyOptimiser  # noqa: E402


@pytest.mark.parametrize("shape", [(3, 8, 8), (1, 8, 72), (2, 40, 16)])
def test_singular_values_come_near_one(shape: tuple[int, int, int]) -> None:
    torch.manual_seed(0)
    values = torch.linalg.svdvals(orthogonal(torch.randn(shape) * 7))
    assert values.min() > 0.3
    assert values.max() < 1.3


def test_directions_are_kept() -> None:
    """The singular vectors stay, only the values change: U S V' to about U V'."""
    torch.manual_seed(1)
    matrix = torch.randn(1, 6, 20)
    u, _, v = torch.linalg.svd(matrix[0], full_matrices=False)
    cosine = torch.nn.functional.cosine_similarity(orthogonal(matrix)[0].flatten(), (u @ v).flatten(), dim=0)
    assert cosine > 0.97


def test_first_step_is_the_orthogonal_gradient() -> None:
    weight = nn.Parameter(torch.zeros(8, 2, 3, 3))
    weight.grad = torch.randn(8, 2, 3, 3)
    Muon([weight], lr=0.5).step()
    # Momentum of the first gradient points the same way, and its length does not matter.
    expected = -0.5 * orthogonal(weight.grad.reshape(1, 8, 18)).reshape(8, 2, 3, 3)
    torch.testing.assert_close(weight.data, expected, atol=1e-4, rtol=1e-3)


def how(method: str) -> PolicyOptimiser:
    return PolicyOptimiser(method=method, weight_decay=0.01)  # type: ignore[arg-type]


def test_muon_learns_matrices_and_adamw_the_rest() -> None:
    net = build_net("residual", planes=4, width=16, blocks=1)
    parts = Optimisers(net, how("muon")).parts
    names = {p: name for name, p in net.named_parameters()}
    muon = {names[p] for g in parts[0].param_groups for p in g["params"]}
    rest = {names[p] for g in parts[1].param_groups for p in g["params"]}
    assert muon | rest == set(names.values())
    assert not muon & rest
    assert {"stem.weight", "blocks.0.conv1.weight"} <= muon
    assert {"head_out.weight", "norm.weight", "value_hidden.bias", "head_pass.weight"} <= rest


def test_a_layer_that_reads_a_whole_board_is_adamws() -> None:
    net = build_net("vn", planes=50, size=19, width=16, layers=3)  # 5,776 numbers to 256 rectifiers
    muon, adamw = Optimisers(net, how("muon")).parts
    names = {p: name for name, p in net.named_parameters()}
    assert {names[p] for p in muon.param_groups[0]["params"]} == {f"trunk.{i}.0.weight" for i in range(3)}
    assert "value_hidden.weight" in {names[p] for p in adamw.param_groups[0]["params"]}


@pytest.mark.parametrize("optimiser", ["sgd", "adamw", "muon"])
def test_state_goes_out_and_in(optimiser: str) -> None:
    def step(net: nn.Module, optimisers: Optimisers, seed: int) -> None:
        torch.manual_seed(seed)
        for p in net.parameters():
            p.grad = torch.randn_like(p)
        optimisers.step(1.0, 1.0)

    torch.manual_seed(0)
    one = build_net("residual", planes=4, width=16, blocks=1)
    two = build_net("residual", planes=4, width=16, blocks=1)
    first, second = Optimisers(one, how(optimiser)), Optimisers(two, how(optimiser))
    step(one, first, 1)
    two.load_state_dict(one.state_dict())
    second.load(first.tensors())
    step(one, first, 2)
    step(two, second, 2)
    for a, b in zip(one.parameters(), two.parameters(), strict=True):
        assert torch.equal(a, b)
