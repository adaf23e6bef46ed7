"""The policy net of "Multi-labelled value networks" (CGI, section III.A). Needs torch.

It follows AlphaGo's: a 5x5 convolution, 3x3 convolutions, each with ReLU, and a 1x1 convolution whose softmax over the
points is the policy; 13 layers in all. It predicts the next three moves, as Tian & Zhu (2015) proposed: the output
layer has a plane for each.

The bias that AlphaGo's output layer has for every point is left out, so that the net takes boards of any size. The
first weights are those of He et al. (2015), as without normalisation the signal of thirteen layers would vanish.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tengen.errors import InputError
from tengen.nets.board_net import BoardNet, architecture
from tengen.nets.golois import usual_layer


class CgiPolicy(BoardNet):
    """`layers` convolutions of `width` channels; `next_moves` moves after the next one are predicted too."""

    def __init__(self, planes: int, width: int, layers: int, next_moves: int) -> None:
        super().__init__()
        if layers < 2 or next_moves < 0:
            raise InputError("the net 'cgi-policy' has 2 layers or more, and next_moves of 0 or more")
        self.declare(("policy", "next") if next_moves else ("policy",))
        self.planes, self.next_moves = planes, next_moves
        first = usual_layer(planes, width, 5, norm=False)
        self.layers = nn.Sequential(
            first, *(usual_layer(width, width, 3, norm=False) for _ in range(layers - 2))
        )
        self.output = nn.Conv2d(width, 1 + next_moves, 1)
        for module in self.layers.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
                assert module.bias is not None
                nn.init.zeros_(module.bias)

    def forward(self, inputs: dict[str, Tensor]) -> dict[str, Tensor]:
        moves = torch.flatten(self.output(self.layers(inputs["spatial"])), 2)
        heads = {"policy": moves[:, 0]}
        return heads | {"next": moves[:, 1:]} if self.next_moves else heads


@architecture("cgi-policy")
def build(name: str, planes: int, width: int = 192, layers: int = 13, next_moves: int = 2) -> CgiPolicy:
    return CgiPolicy(planes, width, layers, next_moves)
