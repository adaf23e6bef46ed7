"""The net that ships: pre-activation residual blocks, some of which see the whole board. Needs torch.

    stem     3x3 convolution of the planes
    block    x + conv(relu(norm(conv(relu(norm(x))))))
    pooling  in some blocks some maps of the first convolution also give their mean and maximum over the
             board, from which a linear map makes a bias for every other map: what is urgent depends on the
             rest of the board
    head     relu(norm(x)); 1x1 convolution to a few maps, biased by pooled values; norm, ReLU; 1x1 to one
             plane; pass from the pooled values

Fully convolutional, so it plays on every board size. `next_moves` adds planes that predict the moves after
the next one; they only teach, and the exported net does without them.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tengen.nets.policy_net import PolicyNet, architecture, flat


def pool(x: Tensor) -> Tensor:
    """Mean and maximum over the board: [N, maps, size, size] to [N, 2 * maps]."""
    return torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)


class Block(nn.Module):
    def __init__(self, width: int, pooled: int) -> None:
        super().__init__()
        self.norm1 = nn.BatchNorm2d(width)
        self.conv1 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.pooled = pooled
        if pooled:
            self.bias = nn.Linear(2 * pooled, width - pooled)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.conv1(torch.relu(self.norm1(x)))
        if self.pooled:
            # The first maps are read over the whole board and bias the others.
            seen, rest = y[:, : self.pooled], y[:, self.pooled :]
            rest = rest + self.bias(pool(torch.relu(seen)))[:, :, None, None]
            y = torch.cat([seen, rest], 1)
        out: Tensor = x + self.conv2(torch.relu(self.norm2(y)))
        return out


class Tengen(PolicyNet):
    has_pass = True

    def __init__(self, planes: int, width: int, blocks: int, pooling: int, next_moves: int) -> None:
        super().__init__()
        self.planes, self.next_moves = planes, next_moves
        self.stem = nn.Conv2d(planes, width, 3, padding=1, bias=False)
        # Every `pooling`-th block sees the whole board.
        kinds = [width // 4 if pooling and (i + 1) % pooling == 0 else 0 for i in range(blocks)]
        self.blocks = nn.Sequential(*(Block(width, pooled) for pooled in kinds))
        self.norm = nn.BatchNorm2d(width)
        head = width // 2
        self.head_conv = nn.Conv2d(width, head, 1, bias=False)
        self.head_pool = nn.Conv2d(width, head, 1, bias=False)
        self.head_bias = nn.Linear(2 * head, head)
        self.head_norm = nn.BatchNorm2d(head)
        self.head_out = nn.Conv2d(head, 1 + next_moves, 1, bias=False)
        self.head_pass = nn.Linear(2 * head, 1)
        for block in self.blocks:  # residual branches begin small, so that depth does not blow up the sum
            assert isinstance(block, Block)
            nn.init.normal_(block.conv2.weight, std=(9 * width * blocks) ** -0.5)

    def forward(self, planes: Tensor) -> dict[str, Tensor]:
        x = torch.relu(self.norm(self.blocks(self.stem(planes))))
        seen = pool(torch.relu(self.head_pool(x)))
        y = self.head_conv(x) + self.head_bias(seen)[:, :, None, None]
        out = self.head_out(torch.relu(self.head_norm(y)))
        heads = {"policy": torch.cat([flat(out[:, :1]), self.head_pass(seen)], 1)}
        if self.next_moves:
            heads["next"] = torch.flatten(out[:, 1:], 2)
        return heads


@architecture("tengen")
def build(
    name: str, planes: int, width: int = 64, blocks: int = 6, pooling: int = 3, next_moves: int = 0
) -> Tengen:
    return Tengen(planes, width, blocks, pooling, next_moves)
