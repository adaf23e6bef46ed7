"""Nets declare heads and global inputs, and give and take just these."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from safetensors.torch import load_file  # noqa: E402

from tengen.errors import InputError  # noqa: E402
from tengen.nets.board_net import BoardNet, architectures, bound_to_size, build_net  # noqa: E402
from tengen.nets.heads import HEADS, exported, margin_in_points  # noqa: E402
from tengen.nets.library import SHIPPED, find_card  # noqa: E402
from tengen.training.value_losses import margin_of  # noqa: E402

SHAPES = {
    "policy": lambda net, size: (2, size * size + net.has_pass),
    "next": lambda net, size: (2, net.next_moves, size * size),
    "value": lambda net, size: (2, 1),
    "values": lambda net, size: (2, len(net.komi_labels)),
    "margin": lambda net, size: (2, 2),
    "ownership": lambda net, size: (2, size * size),
    "trunk": lambda net, size: (2, size, size, 16),
    "teacher_policy": lambda net, size: (2, size * size),
    "teacher_trunk": lambda net, size: (2, net.teacher, size, size),
}


def inputs_of(net: BoardNet, size: int) -> dict[str, torch.Tensor]:
    given = {"spatial": torch.rand(2, net.planes, size, size)}
    return given | ({"global": torch.rand(2, net.global_inputs)} if net.globals else {})


def residual(**options: Any) -> BoardNet:
    return build_net("residual", planes=10, width=16, blocks=2, pooling=2, **options)


@pytest.mark.parametrize("name", architectures())
def test_every_architecture_gives_the_heads_it_declares(name: str) -> None:
    options: dict[str, Any] = {"size": 9} if bound_to_size(name) else {}
    options |= {"blocks": 2} if name == "residual" else {}
    net = build_net(name, planes=50, width=16, **options).eval()
    given = net(inputs_of(net, 9))
    assert set(given) == set(exported(net.heads))
    for head, tensor in given.items():
        assert tuple(tensor.shape) == SHAPES[head](net, 9)


@pytest.mark.parametrize(
    "options",
    [
        {"heads": ["policy"]},
        {"heads": ["policy", "value"], "komi": 7.5},
        {"heads": ["policy", "value", "margin"], "globals": ["komi", "rules"]},
        {"heads": ["values", "ownership"], "komi_labels": [6.5, 7.5, 8.5]},
        {"heads": ["ownership"]},
        {"next_moves": 2, "teacher": 5, "globals": ["rank"]},
        {"margin_of_owners": True},
    ],
    ids=str,
)
def test_a_residual_net_has_the_heads_and_inputs_of_its_options(options: dict[str, Any]) -> None:
    net = residual(**options)
    given = net(inputs_of(net, 7))
    assert set(given) == set(net.heads)
    assert set(net.heads) >= set(options.get("heads", ()))
    for head, tensor in given.items():
        assert tuple(tensor.shape) == SHAPES[head](net, 7), head
    assert set(net.eval()(inputs_of(net, 7))) == set(exported(net.heads))


def test_global_inputs_reach_every_head() -> None:
    torch.manual_seed(0)
    net = residual(heads=["policy", "margin", "ownership"], globals=["komi"]).eval()
    given = inputs_of(net, 5)
    before = net(given)
    after = net(given | {"global": given["global"] + 1})
    assert all(not torch.allclose(before[head], after[head]) for head in before)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"heads": ["policy", "weather"]},
            "some of policy, value, values, margin, ownership, teacher_policy, not 'weather'",
        ),
        ({"globals": ["weather"]}, "unknown global input 'weather'"),
        ({"heads": ["policy", "value"]}, "option komi"),
        ({"heads": ["policy"], "komi": 7.5}, "option komi"),
        ({"heads": ["policy", "values"]}, "goes with komi_labels"),
        ({"heads": ["policy"], "komi_labels": [7.5]}, "goes with komi_labels"),
        ({"heads": ["values"], "komi_labels": [7.5, 6.5]}, "must rise"),
        ({"heads": ["value", "values"], "komi": 7.5, "komi_labels": [7.5]}, "not both"),
        ({"heads": ["policy", "policy"]}, "once"),
        ({"heads": ["ownership"], "next_moves": 1}, "with the head policy"),
        ({"heads": ["policy", "margin"], "margin_of_owners": True}, "with the heads margin and ownership"),
    ],
)
def test_declarations_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        residual(**options)


def test_the_komi_of_a_card() -> None:
    assert residual(heads=["value"], komi=7.5).card_komi_labels == (7.5,)
    assert residual(heads=["value"], globals=["komi"]).card_komi_labels == ()
    assert residual(heads=["values"], komi_labels=[6.5, 7.5]).card_komi_labels == (6.5, 7.5)
    assert residual().card_komi_labels == ()


def test_a_margin_of_owners_is_their_sum_with_a_correction() -> None:
    net = residual(margin_of_owners=True).eval()
    torch.nn.init.zeros_(net.value_rest.weight)
    net.value_rest.bias.data = torch.tensor([0.1, -1.0])
    for size in (5, 9):
        given = net(inputs_of(net, size))
        mean, _ = margin_of(given["margin"], size**2)
        correction = margin_in_points(np.array([0.1, -1.0]), size**2)[0]
        torch.testing.assert_close(mean, given["ownership"].tanh().sum(1) + correction)


def test_a_net_that_counts_by_itself_may_begin_one_that_counts_owners() -> None:
    trained, net = residual().eval(), residual(margin_of_owners=True).eval()
    inputs = inputs_of(net, 9)
    assert net.take_over(trained.state_dict(), lambda: inputs) == []
    before, after = trained(inputs), net(inputs)
    torch.testing.assert_close(after["policy"], before["policy"])
    torch.testing.assert_close(after["margin"][:, 1], before["margin"][:, 1])  # the scale is kept
    torch.testing.assert_close(margin_of(after["margin"], 81)[0], after["ownership"].tanh().sum(1))


def test_the_shipped_weights_fit_the_net() -> None:
    settings = find_card("tengen")[0].settings
    net = build_net(settings["net"], planes=39, **settings["options"])
    net.load_state_dict(load_file(SHIPPED / "tengen" / "weights.safetensors"))
    assert exported(net.heads) == ("policy", "margin", "ownership", "trunk")


def test_only_nets_with_katagos_layers_offer_a_form() -> None:
    assert build_net("res13", planes=10, width=8).form("net") is None
    form = residual(heads=["values"], komi_labels=[6.5, 7.5], globals=["komi", "rules"]).form("net")
    assert form is not None
    assert form.policy is None
    assert form.trunk.globals is not None
    assert form.trunk.globals.inputs == 9


def test_every_head_has_a_meaning_and_losses_and_reader_share_its_units() -> None:
    assert set(SHAPES) == set(HEADS)
    assert exported(HEADS) == ("policy", "next", "value", "values", "margin", "ownership", "trunk")
    raw = np.array([[0.7, -1.2]], np.float32)
    for points in (81, 361):
        mean, scale = margin_of(torch.from_numpy(raw), points)
        assert margin_in_points(raw[0], points) == pytest.approx((float(mean[0]), float(scale[0])), rel=1e-6)
    assert margin_in_points(raw[0], 361)[0] == pytest.approx(14)
    assert margin_in_points(raw[0], 81)[0] == pytest.approx(14 * 81 / 361)  # the same share of the board
