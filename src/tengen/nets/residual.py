"""The net that ships: pre-activation residual blocks, some of which see the whole board. Needs torch.

    stem       3x3 convolution of the planes; a linear map of the global inputs, if the net has them, is added to
               its maps as a bias
    block      x + conv(relu(norm(conv(relu(norm(x))))))
    pooling    in some blocks a quarter of the first convolution's maps give only their mean and maximum over
               the board, from which a linear map makes a bias for the other maps: what is urgent depends on
               the rest of the board
    policy     relu(norm(x)); 1x1 convolution to a few maps, biased by pooled values; norm, ReLU; 1x1 to one
               plane; pass from the pooled values
    value      1x1 convolution to a few maps, norm, ReLU; from them the owner of each point and, from their
               means through a hidden layer, the margin at the end of the game, the win rate, or one win rate a
               komi label: the option `heads` chooses. With `margin_of_owners` the mean margin is the sum of the
               owners, and the hidden layer only corrects it: it need not learn to count

The margin is a logistic distribution, its mean and scale in points, so one answer gives the win rate at every komi,
and the curve over komi cannot rise. `least_scale` is the least scale: with 0.5 points a lead of half a point on a
finished board is a win rate of 73 %, with 0.1 one of 99 %. The shapes are those of KataGo's nets (blocks, pooling,
heads), so that one writer of graphs serves both: see `tengen.nets.residual_form`.

Fully convolutional, so it plays on every board size. `next_moves` adds planes that predict the moves after the next
one. The head `teacher_policy` predicts a teacher's policy; `teacher` (the channels of a teacher's trunk) adds it, and
another that predicts the teacher's trunk at each point. These two exist only in training.

A net may take over the weights of one without global inputs, or with fewer blocks, and is the same net at first: the
map of the global inputs and the last convolutions of the further blocks are zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from tengen.errors import InputError
from tengen.nets.board_net import BoardNet, architecture, flat
from tengen.nets.heads import LEAST_SCALE, POINTS_OF_MARGIN
from tengen.nets.katago_layers import KataGoNet
from tengen.nets.norm_relu import NormRelu2d
from tengen.nets.residual_form import katago_form

VALUE_MAPS = 32
VALUE_HIDDEN = 64
HEADS = ("policy", "margin", "ownership")  # unless the option `heads` says otherwise
CHOICE = ("policy", "value", "values", "margin", "ownership", "teacher_policy")


def pool(x: Tensor) -> Tensor:
    """Mean and maximum over the board: [N, maps, size, size] to [N, 2 * maps]."""
    return torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)


class Block(nn.Module):
    def __init__(self, width: int, pooled: int) -> None:
        super().__init__()
        self.pooled = pooled
        heard = width - pooled
        self.norm1 = NormRelu2d(width)
        self.conv1 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm2 = NormRelu2d(heard)
        self.conv2 = nn.Conv2d(heard, width, 3, padding=1, bias=False)
        if pooled:
            self.pool_norm = NormRelu2d(pooled)
            self.pool_bias = nn.Linear(2 * pooled, heard, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.conv1(self.norm1(x))
        if self.pooled:
            seen, y = torch.split(y, [self.pooled, y.shape[1] - self.pooled], 1)
            y = y + self.pool_bias(pool(self.pool_norm(seen)))[:, :, None, None]
        out: Tensor = x + self.conv2(self.norm2(y))
        return out


class ResidualNet(BoardNet):
    TRAINING_LAYERS = ("taught_out", "hint")

    def __init__(
        self,
        planes: int,
        width: int,
        blocks: int,
        pooling: int,
        next_moves: int = 0,
        teacher: int = 0,
        heads: Sequence[str] = HEADS,
        globals: Sequence[str] = (),
        komi: float | None = None,
        komi_labels: Sequence[float] = (),
        margin_of_owners: bool = False,
        least_scale: float = LEAST_SCALE,
    ) -> None:
        super().__init__()
        if other := [name for name in heads if name not in CHOICE]:
            raise InputError(f"a residual net's heads are some of {', '.join(CHOICE)}, not '{other[0]}'")
        taught = bool(teacher) or "teacher_policy" in heads
        if "policy" not in heads and (next_moves or taught):
            raise InputError("next_moves and a teacher are for residual nets with the head policy")
        if margin_of_owners and not {"margin", "ownership"} <= set(heads):
            raise InputError("margin_of_owners is for residual nets with the heads margin and ownership")
        if not 0 < least_scale <= LEAST_SCALE:
            raise InputError(
                f"net.least_scale is above 0 and at most {LEAST_SCALE:g} points, not {least_scale:g}"
            )
        heads = [name for name in heads if name != "teacher_policy"]
        more = ["next"] * bool(next_moves) + ["trunk"] + ["teacher_policy"] * taught
        self.declare([*heads, *more, *["teacher_trunk"] * bool(teacher)], globals, komi, komi_labels)
        self.planes, self.next_moves, self.teacher = planes, next_moves, teacher
        self.least_scale = least_scale
        self.has_pass = "policy" in heads
        self.stem = nn.Conv2d(planes, width, 3, padding=1, bias=False)
        # Every `pooling`-th block sees the whole board.
        kinds = [width // 4 if pooling and (i + 1) % pooling == 0 else 0 for i in range(blocks)]
        self.blocks = nn.Sequential(*(Block(width, pooled) for pooled in kinds))
        self.norm = NormRelu2d(width)
        head = width // 2
        if "policy" in heads:
            self.head_conv = nn.Conv2d(width, head, 1, bias=False)
            self.head_pool = nn.Conv2d(width, head, 1, bias=False)
            self.head_pool_norm = NormRelu2d(head)
            self.head_bias = nn.Linear(2 * head, head, bias=False)
            self.head_norm = NormRelu2d(head)
            self.head_out = nn.Conv2d(head, 1 + next_moves, 1, bias=False)
            self.head_pass = nn.Linear(2 * head, 1, bias=False)
        self.judges = any(name in heads for name in ("value", "values", "margin"))
        if self.judges or "ownership" in heads:
            self.value_conv = nn.Conv2d(width, VALUE_MAPS, 1, bias=False)
            self.value_norm = NormRelu2d(VALUE_MAPS)
        if self.judges:
            self.value_hidden = nn.Linear(VALUE_MAPS, VALUE_HIDDEN)
        self.margin_of_owners = margin_of_owners
        if margin_of_owners:
            self.value_rest = nn.Linear(VALUE_HIDDEN, 2)
        elif "margin" in heads:
            self.value_out = nn.Linear(VALUE_HIDDEN, 2)
        if "ownership" in heads:
            self.value_owner = nn.Conv2d(VALUE_MAPS, 1, 1, bias=False)
        if "value" in heads:
            self.value_win = nn.Linear(VALUE_HIDDEN, 1)
        if "values" in heads:
            self.value_komi = nn.Linear(VALUE_HIDDEN, len(self.komi_labels))
        if taught:
            self.taught_out = nn.Conv2d(head, 1, 1, bias=False)
        if teacher:
            self.hint = nn.Conv2d(width, teacher, 1)
        for block in self.blocks:  # residual branches begin small, so that depth does not blow up the sum
            assert isinstance(block, Block)
            nn.init.normal_(block.conv2.weight, std=(9 * width * blocks) ** -0.5)
        if self.globals:
            self.global_bias = nn.Linear(self.global_inputs, width, bias=False)

    def forward(self, inputs: dict[str, Tensor]) -> dict[str, Tensor]:
        x = self.stem(inputs["spatial"])
        if self.globals:
            x = x + self.global_bias(inputs["global"])[:, :, None, None]
        x = self.norm(self.blocks(x))
        return {**self._policy(x), **self._judgement(x), "trunk": x.permute(0, 2, 3, 1)}

    def _policy(self, x: Tensor) -> dict[str, Tensor]:
        """`policy`, `next` and the training heads, from the trunk x [n, width, size, size]."""
        if "policy" not in self.heads:
            return {}
        seen = pool(self.head_pool_norm(self.head_pool(x)))
        y = self.head_conv(x) + self.head_bias(seen)[:, :, None, None]
        y = self.head_norm(y)
        out = self.head_out(y)
        heads = {"policy": torch.cat([flat(out[:, :1]), self.head_pass(seen)], 1)}
        if self.next_moves:
            heads["next"] = torch.flatten(out[:, 1:], 2)
        if self.training and "teacher_policy" in self.heads:
            heads["teacher_policy"] = flat(self.taught_out(y))
        if self.training and self.teacher:
            heads["teacher_trunk"] = self.hint(x)
        return heads

    def _judgement(self, x: Tensor) -> dict[str, Tensor]:
        """`margin`, `value`, `values` and `ownership`, from the trunk."""
        if not self.judges and "ownership" not in self.heads:
            return {}
        v = self.value_norm(self.value_conv(x))
        heads = {}
        if "ownership" in self.heads:
            heads["ownership"] = torch.flatten(self.value_owner(v), 1)
        if self.judges:
            hidden = torch.relu(self.value_hidden(v.mean((2, 3))))
            if self.margin_of_owners:
                owned = POINTS_OF_MARGIN * heads["ownership"].tanh().mean(1, keepdim=True)
                heads["margin"] = self.value_rest(hidden) + F.pad(owned, (0, 1))
            elif "margin" in self.heads:
                heads["margin"] = self.value_out(hidden)
            if "value" in self.heads:
                heads["value"] = self.value_win(hidden)
            if "values" in self.heads:
                heads["values"] = self.value_komi(hidden)
        return heads

    def take_over(
        self, trained: Mapping[str, Tensor], examples: Callable[[], dict[str, Tensor]]
    ) -> list[str]:
        """As of every net; global inputs and further blocks that the trained net does not have change nothing at first:
        their last weights are zero. Where the trained net counts by itself, the owners' sum takes its place."""
        own = dict(self.state_dict())
        if self.margin_of_owners and "value_out.weight" in trained:
            row = torch.tensor([0.0, 1.0])  # of mean and scale, the scale is kept
            rest = {
                "value_rest.weight": trained["value_out.weight"] * row[:, None],
                "value_rest.bias": trained["value_out.bias"] * row,
            }
            trained = {name: w for name, w in trained.items() if not name.startswith("value_out.")} | rest
        added = {name for name in own if name.startswith("global_bias") and name not in trained}
        blocks = 1 + max(
            (int(name.split(".")[1]) for name in trained if name.startswith("blocks.")), default=-1
        )
        for i in range(blocks, len(self.blocks)) if blocks else ():
            added |= {name for name in own if name.startswith(f"blocks.{i}.")}
        zero = ("global_bias.weight", "conv2.weight")
        news = {name: torch.zeros_like(own[name]) if name.endswith(zero) else own[name] for name in added}
        return super().take_over({**trained, **news}, examples)

    def form(self, name: str) -> KataGoNet:
        return katago_form(self.arrays(), name)


@architecture("residual")
def build(
    name: str,
    planes: int,
    width: int = 64,
    blocks: int = 6,
    pooling: int = 3,
    next_moves: int = 0,
    teacher: int = 0,
    heads: Sequence[str] = HEADS,
    globals: Sequence[str] = (),
    komi: float | None = None,
    komi_labels: Sequence[float] = (),
    margin_of_owners: bool = False,
    least_scale: float = LEAST_SCALE,
) -> ResidualNet:
    return ResidualNet(
        planes,
        width,
        blocks,
        pooling,
        next_moves,
        teacher,
        heads,
        globals,
        komi,
        komi_labels,
        margin_of_owners,
        least_scale,
    )
