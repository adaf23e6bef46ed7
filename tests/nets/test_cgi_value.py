"""The value nets of the CGI paper, Figure 1: layers, heads, labels, and the head that cannot rise with komi."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from torch import nn  # noqa: E402

from tengen.errors import InputError  # noqa: E402
from tengen.nets.board_net import BoardNet, bound_to_size, build_net  # noqa: E402
from tengen.nets.cgi_value import COLOUR_PLANE  # noqa: E402
from tengen.nets.heads import LEAST_SCALE, LOGISTIC_DEVIATION, margin_in_points  # noqa: E402
from tengen.nets.int16_plain import plain_net  # noqa: E402
from tengen.nets.runtime import Runtime  # noqa: E402
from tengen.planes import encoding  # noqa: E402
from tengen.training.export import to_onnx  # noqa: E402

NAMES = ["vn", "ml-vn", "bv-vn", "bv-ml-vn", "ordered-vn"]
SMALL = {"size": 5, "layers": 3, "width": 8, "hidden": 16}


def net_of(name: str, **options: Any) -> BoardNet:
    torch.manual_seed(0)
    return build_net(name, planes=50, **(SMALL | options))


def boards(count: int, size: int = 5) -> Any:
    """Random planes, White to move in every other position."""
    planes = torch.rand(count, 50, size, size)
    planes[:, COLOUR_PLANE] = (torch.arange(count) % 2 == 0).float()[:, None, None]
    return {"spatial": planes}


def test_the_paper_s_nets_have_twelve_convolutions_and_256_rectifiers() -> None:
    with torch.device("meta"):
        net = build_net("bv-ml-vn", planes=50)
    convolutions = [m for m in net.trunk.modules() if isinstance(m, nn.Conv2d)]
    assert [m.kernel_size[0] for m in convolutions] == [5] + 11 * [3]
    assert {m.out_channels for m in convolutions} == {192}
    assert (net.value_hidden.out_features, net.value_out.out_features) == (256, 41)
    assert net.komi_labels == tuple(k - 12.5 for k in range(41))
    assert (net.size, net.heads) == (19, ("values", "ownership"))


@pytest.mark.parametrize("name", NAMES)
def test_heads_and_shapes_follow_the_name(name: str) -> None:
    net = net_of(name)
    shapes = {head: tuple(out.shape) for head, out in net(boards(3)).items()}
    labels = {"vn": 1, "bv-vn": 1, "ml-vn": 41, "bv-ml-vn": 41, "ordered-vn": 52}[name]
    wanted = {"value" if labels == 1 else "values": (3, labels)}
    if name == "ordered-vn":
        wanted["margin"] = (3, 2)
    if name not in ("vn", "ml-vn"):
        wanted["ownership"] = (3, 25)
    assert shapes == wanted
    assert net.card_komi_labels == ((7.5,) if labels == 1 else net.komi_labels)
    assert bound_to_size(name)


def test_the_colour_is_a_plane_of_the_encoding() -> None:
    assert [plane.name for plane in encoding("cgi50").planes][COLOUR_PLANE] == "black"


def test_the_ordered_net_never_rises_with_komi_for_either_side_to_move() -> None:
    net = net_of("ordered-vn")
    nn.init.normal_(net.value_out.weight, std=3)
    out = net(boards(64))["values"]
    assert out.isfinite().all()
    black, white = out[0::2].diff(dim=1), out[1::2].diff(dim=1)
    assert (black <= 0).all() and (white >= 0).all()
    assert (black < 0).any() and (white > 0).any()
    assert net.komi_labels[0] == -25.5 and net.komi_labels[-1] == 25.5


def test_the_ordered_net_adds_up_the_chances_of_margins_above_the_label() -> None:
    net = net_of("ordered-vn")
    with torch.no_grad():
        net.value_out.weight.zero_()
        net.value_out.bias.zero_()
        net.value_out.bias[25 + 3] = 30.0  # the mover wins by 3
    black, white = net(boards(2))["values"]
    won = {label: bool(value > 0) for label, value in zip(net.komi_labels, black.tolist(), strict=True)}
    assert won == {label: label < 3 for label in net.komi_labels}
    # White is ahead by 3: the margin is -3, and White wins at every komi above it.
    won = {label: bool(value > 0) for label, value in zip(net.komi_labels, white.tolist(), strict=True)}
    assert won == {label: label > -3 for label in net.komi_labels}


def test_the_ordered_net_s_margin_is_that_of_its_distribution() -> None:
    net = net_of("ordered-vn")
    with torch.no_grad():
        net.value_out.weight.zero_()
        net.value_out.bias.fill_(-40.0)
        net.value_out.bias[[25 - 9, 25 + 15]] = 0.0  # the mover loses by 9 or wins by 15, each half the time
    mean, scale = margin_in_points(net(boards(1))["margin"][0].detach().numpy(), 25)
    assert mean == pytest.approx(3, abs=1e-4)
    assert scale * LOGISTIC_DEVIATION == pytest.approx(12, abs=1e-3)
    with torch.no_grad():
        net.value_out.bias[25 + 15] = -40.0  # no doubt is left: the least scale
    mean, scale = margin_in_points(net(boards(1))["margin"][0].detach().numpy(), 25)
    assert (mean, scale) == (pytest.approx(-9, abs=1e-4), pytest.approx(LEAST_SCALE, abs=0.05))


def test_a_multi_labelled_net_may_rise_with_komi() -> None:
    net = net_of("ml-vn")
    nn.init.normal_(net.value_out.weight)
    assert (net(boards(8))["values"][0::2].diff(dim=1) > 0).any()


@pytest.mark.parametrize(
    ("name", "options", "reason"),
    [
        ("ml-vn", {"first_label": 7.5, "last_label": 7.5}, "komi labels go up from first_label"),
        ("ml-vn", {"first_label": 0.5, "last_label": 7.0}, "by whole points"),
        ("vn", {"komi_labels": [0.5, 1.5]}, "no option 'komi_labels'"),
        ("bv-vn", {"size": 20}, "net.size must be from 2 to 19"),
        ("vn", {"width": 0}, "must be 1 or more"),
        ("vn", {"value_planes": -1}, "0 or more"),
    ],
)
def test_options_that_make_no_net(name: str, options: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        net_of(name, **options)


@pytest.mark.parametrize("name", NAMES)
def test_they_need_the_plane_of_the_colour(name: str) -> None:
    with pytest.raises(InputError, match=r"net\.encoding is cgi50"):
        build_net(name, planes=39, **SMALL)


@pytest.mark.parametrize("name", ["vn", "ml-vn"])
def test_the_bias_of_a_komi_is_black_s(name: str) -> None:
    net = net_of(name)
    with torch.no_grad():
        net.value_out.weight.zero_()
        net.komi_bias.copy_(torch.linspace(0.5, -0.5, len(net.komi_bias)))
    black, white = next(iter(net(boards(2)).values()))
    assert torch.equal(black, -white)
    assert torch.equal(torch.tanh(black / 2), torch.tanh(net.komi_bias))


def test_a_value_net_begins_with_the_convolutions_of_a_policy_net_scaled_to_signals_of_size_1() -> None:
    """What a layer computes changes by a factor alone; heads stay as they were, and the colour counts nothing yet."""
    torch.manual_seed(1)
    policy = build_net("cgi-policy", planes=49, width=8, layers=4)  # three convolutions and the output
    for layer in policy.layers:
        layer[0].weight.data *= 7
        layer[0].bias.data.normal_()
    net, inputs = net_of("bv-ml-vn", first_label=0.5, last_label=2.5), boards(6)
    heads = {name: value.clone() for name, value in net.state_dict().items() if not name.startswith("trunk")}
    assert net.take_over(policy.state_dict(), lambda: inputs) == []

    assert not net.trunk[0][0].weight[:, COLOUR_PLANE].any()
    theirs, ours = inputs["spatial"][:, :COLOUR_PLANE], inputs["spatial"]
    for a, b in zip(policy.layers, net.trunk, strict=True):
        theirs, ours = a(theirs), b(ours)
        factor = theirs.square().mean().sqrt()
        assert factor > 2 and torch.allclose(theirs / factor, ours, atol=1e-4)
    assert all(torch.equal(net.state_dict()[name], value) for name, value in heads.items())


@pytest.mark.parametrize(("width", "layers"), [(9, 4), (8, 5), (8, 3)])
def test_a_policy_net_of_another_shape_is_not_taken(width: int, layers: int) -> None:
    policy = build_net("cgi-policy", planes=49, width=width, layers=layers)
    net = net_of("vn")
    try:
        assert net.take_over(policy.state_dict(), lambda: boards(2))
    except RuntimeError as error:
        assert "size mismatch" in str(error)


def test_a_normalised_net_has_norms_before_its_rectifiers_and_takes_over_a_policy_without_them() -> None:
    torch.manual_seed(1)
    policy = build_net("cgi-policy", planes=49, width=8, layers=4)
    net = net_of("bv-vn", norm=True)
    assert [type(part) for part in net.trunk[1]] == [nn.Conv2d, nn.BatchNorm2d, nn.ReLU]
    assert net.take_over(policy.state_dict(), lambda: boards(2)) == []
    for a, b in zip(policy.layers, net.trunk, strict=True):
        assert torch.equal(a[0].weight, b[0].weight[:, : a[0].in_channels])
    other = build_net("cgi-policy", planes=49, width=8, layers=3)
    assert net.take_over(other.state_dict(), lambda: boards(2))  # its third convolution is missing


def test_the_exported_graph_of_a_normalised_net_is_a_plain_net_that_computes_the_same() -> None:
    """Norms are part of the convolutions' weights there, so that the layers run in int16."""
    net = net_of("bv-ml-vn", norm=True, value_planes=2)
    for _ in range(20):  # statistics of their own
        net(boards(16))
    net.eval()
    graph = to_onnx(net)
    plain = plain_net(graph)
    assert plain is not None and len(plain.layers) == 3
    inputs = boards(4)
    ran = Runtime(graph.SerializeToString()).run(
        5, {"spatial": inputs["spatial"].numpy()}, ["values", "ownership"]
    )
    with torch.no_grad():
        wanted = net(inputs)
    for head, array in ran.items():
        assert torch.allclose(torch.from_numpy(array), wanted[head], atol=1e-4)


@pytest.mark.parametrize("planes", [0, 1, 4])
def test_the_rectifiers_read_as_many_planes_as_the_setting_says(planes: int) -> None:
    net = net_of("vn", value_planes=planes)
    assert net.value_hidden.in_features == (planes or SMALL["width"]) * 25
    assert net(boards(3))["value"].shape == (3, 1)
