"""The nets of the Golois paper: layer order, depth, input and output layers, parameter counts."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from torch import nn  # noqa: E402

from tengen.errors import InputError  # noqa: E402
from tengen.nets.board_net import architectures, build_net  # noqa: E402
from tengen.nets.golois import Golois, ResidualInput, ResidualLayer, build  # noqa: E402

NAMES = ["alpha13", "dark13", "res13", "res20", "res13-sbn", "res20-sbn"]


def net_of(name: str, planes: int = 42, width: int = 8) -> Golois:
    torch.manual_seed(0)
    return build(name, planes, width)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [5, 9, 19])
def test_one_logit_for_each_point_on_any_board(name: str, size: int) -> None:
    heads = net_of(name)({"spatial": torch.rand(2, 42, size, size)})
    assert {k: tuple(v.shape) for k, v in heads.items()} == {"policy": (2, size * size)}


@pytest.mark.parametrize("name", NAMES)
def test_the_number_in_the_name_counts_input_hidden_and_output_layers(name: str) -> None:
    layers = int("".join(c for c in name if c.isdigit()))
    assert len(net_of(name).hidden) == layers - 2


def kinds(module: nn.Module) -> list[str]:
    return [type(m).__name__ for m in module.modules() if not list(m.children())]


def test_layer_order_of_the_figures() -> None:
    assert kinds(net_of("alpha13").hidden[0]) == ["Conv2d", "ReLU"]  # figure 1
    assert kinds(net_of("dark13").hidden[0]) == ["Conv2d", "ReLU", "BatchNorm2d"]  # figure 4
    assert kinds(net_of("res13").hidden[0]) == ["Conv2d", "ReLU", "Identity"]  # figure 3
    assert kinds(net_of("res13-sbn").hidden[0]) == ["Conv2d", "ReLU", "BatchNorm2d"]  # figure 5


@pytest.mark.parametrize("sbn", [False, True])
def test_residual_layer_adds_the_input_before_relu_and_norm(sbn: bool) -> None:
    torch.manual_seed(1)
    layer = ResidualLayer(6, sbn)
    x = torch.randn(4, 6, 5, 5)
    inner = torch.clamp(layer.convolution(x) + x, min=0)
    if sbn:  # batch statistics: (x - mean) / sqrt(var + eps), with weight 1 and bias 0 at the start
        mean, var = inner.mean((0, 2, 3), keepdim=True), inner.var((0, 2, 3), keepdim=True, unbiased=False)
        inner = (inner - mean) / torch.sqrt(var + 1e-5)
    torch.testing.assert_close(layer(x), inner)


def test_input_layer_of_figure_6() -> None:
    torch.manual_seed(2)
    layer = ResidualInput(3, 7)
    x = torch.randn(2, 3, 9, 9)
    assert layer.wide.kernel_size == (5, 5)
    assert layer.point.kernel_size == (1, 1)
    torch.testing.assert_close(layer(x), torch.relu(layer.wide(x) + layer.point(x)))


def test_the_usual_nets_begin_with_a_5x5_layer_of_their_own_kind() -> None:
    for name in ("alpha13", "dark13"):
        net = net_of(name)
        assert kinds(net.input) == kinds(net.hidden[0])
        assert net.input[0].kernel_size == (5, 5)


def test_output_is_a_3x3_convolution_to_one_plane() -> None:
    output = net_of("res20-sbn").output
    assert (output.out_channels, output.kernel_size) == (1, (3, 3))


@pytest.mark.parametrize("planes", [39, 42])
def test_parameter_counts_at_the_papers_width(planes: int) -> None:
    w = 256
    hidden, output = 9 * w * w + w, 9 * w + 1
    wide, point = 25 * planes * w + w, planes * w + w
    norm = 2 * w
    expected = {
        "alpha13": wide + 11 * hidden + output,
        "dark13": wide + norm + 11 * (hidden + norm) + output,
        "res13": wide + point + 11 * hidden + output,
        "res20": wide + point + 18 * hidden + output,
        "res13-sbn": wide + point + 11 * (hidden + norm) + output,
        "res20-sbn": wide + point + 18 * (hidden + norm) + output,
    }
    with torch.device("meta"):  # shapes only
        assert {name: build(name, planes).parameter_count for name in NAMES} == expected


def test_the_first_weights_are_torch7s() -> None:
    """Uniform in +-1/sqrt(inputs of a neuron), which is also what torch does today."""
    weight = build("res13", 42, 64).hidden[0].convolution.weight.detach()
    bound = (9 * 64) ** -0.5
    assert float(weight.abs().max()) <= bound
    assert float(weight.abs().max()) > 0.99 * bound


def test_names_that_are_not_known_and_options_that_are_none() -> None:
    assert set(NAMES) <= set(architectures())
    with pytest.raises(InputError, match="unknown net 'res14'"):
        build_net("res14", planes=39)
    with pytest.raises(InputError, match="'res13' has no option 'widht'"):
        build_net("res13", planes=39, widht=64)
