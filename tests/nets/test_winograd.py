"""Winograd's convolution against the sum it stands for."""

from __future__ import annotations

import numpy as np
import pytest
from nets.net_writer import make_net, packed

from tengen.nets import winograd
from tengen.nets.graph import tensor
from tengen.nets.katago_file import parse_net
from tengen.nets.katago_graph import Builder
from tengen.nets.runtime import Runtime


def test_one_tile_is_the_plain_convolution() -> None:
    rng = np.random.default_rng(1)
    given, kernel = rng.standard_normal((7, 7)), rng.standard_normal((3, 3))
    product = (winograd.KERNEL @ kernel @ winograd.KERNEL.T) * (winograd.IN @ given @ winograd.IN.T)
    plain = [[(given[y : y + 3, x : x + 3] * kernel).sum() for x in range(5)] for y in range(5)]
    assert winograd.OUT @ product @ winograd.OUT.T == pytest.approx(np.array(plain), abs=1e-10)


@pytest.mark.parametrize(("size", "tiles"), [(2, 1), (5, 1), (6, 2), (9, 2), (13, 3), (19, 4)])
def test_tiles_cover_the_board_and_each_sees_one_line_more_on_both_sides(size: int, tiles: int) -> None:
    lines = winograd.tile_lines(size)
    assert lines.shape == (7, tiles)
    assert lines[0, 0] == -1
    assert set(lines[1:6].ravel()) >= set(range(size))


@pytest.mark.parametrize("size", [2, 5, 7, 9, 13, 19])
@pytest.mark.parametrize("boards", [1, 3])
def test_the_graph_convolves_every_board_of_a_batch(size: int, boards: int) -> None:
    """Points, edges, boards: against an explicit sum over the nine neighbours."""
    rng = np.random.default_rng(size)
    weight = rng.standard_normal((3, 3, 4, 6)).astype(np.float32)
    builder = Builder(parse_net(packed(make_net())))
    x = builder.op("Transpose", "spatial", perm=[0, 2, 3, 1])
    y = builder.winograd(x, weight)
    graph = super(Builder, builder).model(
        [tensor("spatial", "n", 4, "size", "size")], [tensor(y, "n", "size", "size", 6)], {}
    )
    given = rng.standard_normal((boards, 4, size, size)).astype(np.float32)
    found = Runtime(graph.SerializeToString(), threads=1).run(size, {"spatial": given}, [y])[y]
    padded = np.pad(given.transpose(0, 2, 3, 1), ((0, 0), (1, 1), (1, 1), (0, 0)))
    expected = sum(
        padded[:, ky : ky + size, kx : kx + size] @ weight[ky, kx] for ky in range(3) for kx in range(3)
    )
    assert found == pytest.approx(expected, abs=1e-4)
