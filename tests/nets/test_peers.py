"""The peers of DANN's Figure 4, and our own net."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from torch import nn  # noqa: E402

from tengen.nets.board_net import build_net  # noqa: E402
from tengen.nets.residual import pool  # noqa: E402


@pytest.mark.parametrize("name", ["maddison12", "darkforest12"])
def test_peers_have_twelve_layers_the_first_of_5x5(name: str) -> None:
    net = build_net(name, planes=25, width=16)
    kernels = [m.kernel_size for m in net.modules() if isinstance(m, nn.Conv2d)]
    assert kernels == [(5, 5), *[(3, 3)] * 11]


def test_maddison_has_a_bias_for_each_point() -> None:
    net = build_net("maddison12", planes=25, width=8, size=9)
    x = torch.rand(2, 25, 9, 9)
    before = net({"spatial": x})["policy"]
    with torch.no_grad():
        net.point_bias[40] += 1.0
    after = net({"spatial": x})["policy"]
    difference = torch.zeros(2, 81)
    difference[:, 40] = 1.0
    torch.testing.assert_close(after - before, difference)


def test_darkforest_predicts_three_moves() -> None:
    net = build_net("darkforest12", planes=25, width=24)
    heads = net({"spatial": torch.rand(2, 25, 9, 9)})
    assert heads["policy"].shape == (2, 81)
    assert heads["next"].shape == (2, 2, 81)
    assert net.next_moves == 2
    with torch.device("meta"):
        full = build_net("darkforest12", planes=25)
    widths = [m.out_channels for m in full.modules() if isinstance(m, nn.Conv2d)]
    assert widths == [92, *[384] * 10, 3]


@pytest.mark.parametrize("size", [5, 9, 13, 19])
def test_our_net_plays_on_every_board_and_may_pass(size: int) -> None:
    net = build_net("residual", planes=10, width=16, blocks=3, pooling=2, next_moves=2)
    heads = net({"spatial": torch.rand(3, 10, size, size)})
    assert heads["policy"].shape == (3, size * size + 1)
    assert heads["next"].shape == (3, 2, size * size)


def test_pooling_blocks_carry_news_across_the_whole_board() -> None:
    """With pooling, a change in one corner reaches the opposite corner through a single block."""
    torch.manual_seed(3)
    far = {}
    for pooling in (0, 1):
        net = build_net("residual", planes=2, width=16, blocks=1, pooling=pooling).eval()
        x = torch.rand(1, 2, 19, 19)
        trunk = net.blocks(net.stem(x))
        x[0, :, 0, 0] += 5
        far[pooling] = (net.blocks(net.stem(x)) - trunk)[0, :, 18, 18].abs().max().item()
    assert far[0] == 0
    assert far[1] > 0


def test_pool_gives_mean_and_maximum() -> None:
    x = torch.tensor([[[[1.0, 2.0], [3.0, 6.0]]]])
    assert pool(x).tolist() == [[3.0, 6.0]]
