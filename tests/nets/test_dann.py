"""Alternative layers: equations 1 and 2 in plain loops, the configurations of Table 2, parameter counts."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

import torch.nn.functional as F  # noqa: E402, N812

from tengen.errors import InputError  # noqa: E402
from tengen.nets.dann import (  # noqa: E402
    CONFIGURATIONS,
    AlternativeLayer,
    LocalResponseNorm,
    build,
    parse_layers,
)


@pytest.mark.parametrize("maps", [8, 24, 64])
def test_local_response_norm_is_equation_2(maps: int) -> None:
    torch.manual_seed(0)
    x = torch.randn(1, maps, 3, 3) * 20
    length = maps // 8 + 1
    expected = torch.empty_like(x)
    for k in range(maps):
        around = range(max(0, k - length // 2), min(maps - 1, k + length // 2) + 1)
        total = sum(x[0, other] ** 2 for other in around)
        expected[0, k] = x[0, k] / (1 + 0.001 / length * total) ** 0.75
    torch.testing.assert_close(LocalResponseNorm(maps)(x), expected)


def test_local_response_norm_agrees_with_torch_where_the_window_is_odd() -> None:
    x = torch.randn(2, 64, 5, 5) * 10
    torch.testing.assert_close(LocalResponseNorm(64)(x), F.local_response_norm(x, 9, 0.001, 0.75, 1.0))


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_alternative_layer_is_equation_1_unfolded(steps: int) -> None:
    torch.manual_seed(steps)
    layer = AlternativeLayer(3, 16, steps)
    layer.bias.data.normal_()
    x = torch.randn(2, 3, 7, 7)
    wc, wr = layer.feed_forward.weight, layer.recurrent.weight

    def f(y: torch.Tensor) -> torch.Tensor:
        return F.local_response_norm(F.relu(y), 3, 0.001, 0.75, 1.0)

    states = [f(F.conv2d(x, wc, padding=1))]
    for _ in range(steps):
        recurrent = F.conv2d(states[-1], wr, padding=1)
        states.append(states[0] + f(recurrent) + layer.bias)
    torch.testing.assert_close(layer(x), F.relu(states[-1]))


def test_the_gradient_of_a_shared_weight_is_the_sum_over_time_steps() -> None:
    torch.manual_seed(5)
    layer = AlternativeLayer(2, 8, 3)
    x = torch.randn(1, 2, 5, 5)
    layer(x).sum().backward()
    copies = [layer.recurrent.weight.detach().clone().requires_grad_() for _ in range(3)]
    f = layer.f[0]
    start = f(layer.feed_forward(x)).detach()
    u = start
    for weight in copies:
        u = start + f(F.conv2d(u, weight, padding=1)) + layer.bias
    F.relu(u).sum().backward()
    torch.testing.assert_close(layer.recurrent.weight.grad, sum(c.grad for c in copies))


def test_a_layer_without_steps_has_no_recurrence() -> None:
    plain, recurrent = AlternativeLayer(3, 8, 0), AlternativeLayer(3, 8, 2)
    assert sum(p.numel() for p in plain.parameters()) == 3 * 8 * 9 + 8
    assert sum(p.numel() for p in recurrent.parameters()) == 3 * 8 * 9 + 8 + 8 * 8 * 9


def test_names_of_table_2() -> None:
    assert parse_layers("b-6c-2fc") == ([False] * 6, 2)
    assert parse_layers("5c-al-2fc") == ([False] * 5 + [True], 2)
    assert parse_layers("2al-4c-2fc") == ([True] * 2 + [False] * 4, 2)
    assert parse_layers("5al-2fc") == ([True] * 5, 2)
    with pytest.raises(ValueError, match="6xl"):
        parse_layers("6xl-2fc")


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_every_configuration_gives_a_logit_for_each_point(name: str) -> None:
    net = build(name, planes=41, width=8, steps=2, size=9)
    assert net({"spatial": torch.rand(2, 41, 9, 9)})["policy"].shape == (2, 81)


@pytest.mark.parametrize("name", ["b-6c-2fc", "al-5c-2fc", "6al-2fc"])
def test_pooling_may_keep_the_board_and_layers_may_be_equally_wide(name: str) -> None:
    net = build(name, planes=41, width=16, steps=2, size=9, pooling="keep", full=24, even=True)
    x = torch.rand(2, 41, 9, 9)
    assert net.trunk(x).shape == (2, 16, 9, 9)
    assert net({"spatial": x})["policy"].shape == (2, 81)
    assert [layer.out_features for layer in net.head if isinstance(layer, torch.nn.Linear)] == [24, 24, 81]


def test_a_layer_with_batch_norms_has_one_for_each_time_step() -> None:
    torch.manual_seed(1)
    layer = AlternativeLayer(3, 8, 2, "batch")
    x = torch.randn(4, 3, 5, 5)
    first, second, third = (torch.nn.BatchNorm2d(8) for _ in range(3))
    start = F.relu(first(layer.feed_forward(x)))
    u = start + F.relu(second(layer.recurrent(start))) + layer.bias
    u = start + F.relu(third(layer.recurrent(u))) + layer.bias
    torch.testing.assert_close(layer(x), F.relu(u))


def test_units_of_the_full_layers_begin_at_their_points() -> None:
    """If the board is whole and there are units enough, all points are judged alike."""
    torch.manual_seed(1)
    net = build(
        "6al-2fc", planes=5, width=8, steps=2, size=9, pooling="keep", full=100, norm="batch", even=True
    )
    head = net.head
    features = torch.rand(1, 8, 9, 9)
    turned = features.rot90(1, (2, 3))
    for layer in head:  # the units that stand for no point say something of their own, faintly
        if isinstance(layer, torch.nn.Linear):
            layer.weight.data[81:] = 0
            layer.weight.data[:, 81:] = 0 if layer.in_features == 100 else layer.weight.data[:, 81:]
    logits = head(features).view(1, 9, 9)
    assert logits.std() > 0.01
    torch.testing.assert_close(head(turned).view(1, 9, 9), logits.rot90(1, (1, 2)))


@pytest.mark.parametrize(("option", "reason"), [("pooling", "halve or keep"), ("norm", "response or batch")])
def test_an_unknown_option_names_the_known_ones(option: str, reason: str) -> None:
    with pytest.raises(InputError, match=f"{option} of a DANN is {reason}, not 'some'"):
        build("6al-2fc", planes=41, **{option: "some"})  # type: ignore[arg-type]


def test_parameters_do_not_grow_with_the_steps() -> None:
    assert (
        build("6al-2fc", 41, 8, steps=2).parameter_count == build("6al-2fc", 41, 8, steps=5).parameter_count
    )


def test_parameter_counts_at_the_papers_widths() -> None:
    widths = [64, 128, 256, 256, 512, 512]
    inputs = [41, *widths[:-1]]
    convolutions = sum(9 * i * w + w for i, w in zip(inputs, widths, strict=True))
    recurrent = [9 * w * w for w in widths]
    # Pooled after layers 2, 4 and 6, the board is 3x3 for the fully connected layers.
    head = (512 * 9 + 1) * 1024 + (1024 + 1) * 1024 + (1024 + 1) * 361
    with torch.device("meta"):  # shapes only
        counts = {name: build(name, 41).parameter_count for name in ("b-6c-2fc", "al-5c-2fc", "6al-2fc")}
    assert counts == {
        "b-6c-2fc": convolutions + head,
        "al-5c-2fc": convolutions + head + recurrent[0],
        "6al-2fc": convolutions + head + sum(recurrent),
    }
