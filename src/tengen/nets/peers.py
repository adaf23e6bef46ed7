"""The 12-layer nets that DANN's Figure 4 is compared with. Needs torch.

`maddison12`: "Move Evaluation in Go Using Deep Convolutional Neural Networks" (Maddison et al., ICLR 2015): a
5x5 layer and 3x3 layers of equal width, ReLU after each, zero padding, no pooling, a bias of its own for each
point of the output.

`darkforest12`: "Better Computer Go Player with Neural Network and Long-term Prediction" (Tian and Zhu, ICLR
2016): a 5x5 layer of 92 maps, ten 3x3 layers of 384, a 3x3 layer of k maps with one softmax each, which
predict the next k = 3 moves; batch normalisation after each ReLU, as in its published program (and figure 4
of the Golois paper). CGI's policy net predicts three moves in the same way.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tengen.nets.board_net import BoardNet, architecture, flat
from tengen.nets.golois import usual_layer


class Maddison(BoardNet):
    def __init__(self, planes: int, width: int, size: int) -> None:
        super().__init__()
        self.planes, self.size = planes, size
        self.layers = nn.Sequential(
            usual_layer(planes, width, 5, norm=False),
            *(usual_layer(width, width, 3, norm=False) for _ in range(10)),
            nn.Conv2d(width, 1, 3, padding=1, bias=False),
        )
        self.point_bias = nn.Parameter(torch.zeros(size * size))

    def forward(self, inputs: dict[str, Tensor]) -> dict[str, Tensor]:
        return {"policy": flat(self.layers(inputs["spatial"])) + self.point_bias}


class DarkForest(BoardNet):
    def __init__(self, planes: int, width: int, moves: int) -> None:
        super().__init__()
        self.planes = planes
        self.next_moves = moves - 1
        self.declare(("policy", "next") if self.next_moves else ("policy",))
        first = max(1, 92 * width // 384)
        self.layers = nn.Sequential(
            usual_layer(planes, first, 5, norm=True),
            usual_layer(first, width, 3, norm=True),
            *(usual_layer(width, width, 3, norm=True) for _ in range(9)),
            nn.Conv2d(width, moves, 3, padding=1),
        )

    def forward(self, inputs: dict[str, Tensor]) -> dict[str, Tensor]:
        rows = torch.flatten(self.layers(inputs["spatial"]), 2)
        return {"policy": rows[:, 0], "next": rows[:, 1:]} if self.next_moves else {"policy": rows[:, 0]}


@architecture("maddison12")
def build_maddison(name: str, planes: int, width: int = 128, size: int = 19) -> Maddison:
    return Maddison(planes, width, size)


@architecture("darkforest12")
def build_darkforest(name: str, planes: int, width: int = 384, moves: int = 3) -> DarkForest:
    return DarkForest(planes, width, moves)
