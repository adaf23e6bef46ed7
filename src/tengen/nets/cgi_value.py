"""The value nets of "Multi-labelled value networks for computer Go" (Wu et al., 2017), Figure 1. Needs torch.

    trunk      12 convolutions of the 50 planes, the first 5x5, the others 3x3, each with a rectifier
    value      256 rectifiers, fully connected; one tanh for each komi label
    ownership  one more 3x3 convolution to one plane, and a sigmoid (the dashed box of Figure 1)

| name       | value                                                           | ownership |
| ---------- | --------------------------------------------------------------- | --------- |
| vn         | one tanh, at `komi`                                             | no        |
| ml-vn      | a tanh for each komi label                                      | no        |
| bv-vn      | one tanh, at `komi`                                             | yes       |
| bv-ml-vn   | a tanh for each komi label                                      | yes       |
| ordered-vn | ours: the chance of every margin of the board, added up by komi | yes       |

The win rates of `ordered-vn` cannot rise with komi: each is the sum of the chances of all margins above its label.
Its labels are all of the board, from -(area + 0.5) to area + 0.5. It has the head `margin` as well, which is mean and
deviation of the same distribution.

The paper's printed slips and silences: a rectifier before each tanh would keep all values above 0, so it is left out;
"the last two of 13 layers are fully connected" and "the 12th layer is connected to a convolution" are read as twelve
convolutions and then the heads. The first kernel is AlphaGo's, whose structure the paper takes over.

`norm` puts a batch normalisation between each convolution and its rectifier, which the paper does not have: without it
and from random weights the nets learnt nothing on 19x19 from their first examples, up to 100,000. An exported net has
none, because the graph of a trained net has it in the weights of the convolutions. `value_planes` is the number of
planes to which a 1x1 convolution brings the last layer before the 256 rectifiers read it: AlphaGo's value net has one
such plane; with 0 they read all of the last layer, as Figure 1 is drawn, which on 19x19 is nine tenths of the net's
weights.

Outputs are of the side to move (tengen.nets.heads); the paper's are Black's. From planes of the mover's view this is
the easier function: the mover's chances are his lead less or plus komi, Black's are a product with the colour. The bias
of each tanh, which in Black's view stands for its komi, has the sign of the mover's colour.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from tengen.errors import InputError
from tengen.nets.board_net import BoardNet, architecture, flat
from tengen.nets.heads import LEAST_SCALE, LOGISTIC_DEVIATION, margin_unit

COLOUR_PLANE = 49  # of cgi50: ones if Black is to move
# Of `ordered-vn`: a chance that keeps logits finite, and the least scale beyond LEAST_SCALE, in margin_unit.
_LEAST, _LEAST_MARGIN = 1e-6, 1e-3


def _layer(planes: int, width: int, kernel: int, norm: bool) -> nn.Sequential:
    convolution = nn.Conv2d(planes, width, kernel, padding=kernel // 2)
    return nn.Sequential(convolution, *[nn.BatchNorm2d(width)] * norm, nn.ReLU())


class Shape(NamedTuple):
    """What the nets of all names share; see above for `norm` and `value_planes`."""

    size: int
    layers: int
    width: int
    hidden: int
    norm: bool
    value_planes: int


class CgiValueNet(BoardNet):
    """A net of Figure 1 on boards of one size; `value_out` gives x of v = tanh(x), which is half the logit."""

    def __init__(
        self,
        planes: int,
        shape: Shape,
        ownership: bool,
        komi: float | None = None,
        komi_labels: tuple[float, ...] = (),
        ordered: bool = False,
    ) -> None:
        super().__init__()
        size, width, hidden = shape.size, shape.width, shape.hidden
        if not 2 <= size <= 19:
            raise InputError(f"net.size must be from 2 to 19, not {size}")
        if planes <= COLOUR_PLANE:
            raise InputError(
                f"value nets of the CGI paper read the colour from plane {COLOUR_PLANE}: net.encoding is cgi50"
            )
        if min(shape.layers, width, hidden) < 1 or shape.value_planes < 0:
            raise InputError(
                "net.layers, net.width and net.hidden must be 1 or more, net.value_planes 0 or more"
            )
        heads = ["values" if komi_labels else "value"] + ["margin"] * ordered + ["ownership"] * ownership
        self.declare(heads, komi=komi, komi_labels=komi_labels)
        self.planes, self.size, self.ordered = planes, size, ordered
        kernels = [(planes, 5), *[(width, 3)] * (shape.layers - 1)]
        self.trunk = nn.Sequential(*(_layer(given, width, kernel, shape.norm) for given, kernel in kernels))
        self.value_planes = nn.Conv2d(width, shape.value_planes, 1) if shape.value_planes else None
        self.value_hidden = nn.Linear((shape.value_planes or width) * size * size, hidden)
        outputs = 2 * size * size + 1 if ordered else max(1, len(komi_labels))
        self.value_out = nn.Linear(hidden, outputs)
        if not ordered:
            # Of a logistic distribution of the margin whose scale is twice the size, in points: many labels far from
            # an even game begin near what they will be.
            labels = torch.tensor(self.card_komi_labels, dtype=torch.float32)
            self.komi_bias = nn.Parameter(-labels / (4 * size))
        if ownership:
            self.value_owner = nn.Conv2d(width, 1, 3, padding=1)
        for module in self.modules():
            # The paper gives no first weights: He et al. (2015), or signals fade in twelve layers without norms.
            if isinstance(module, nn.Conv2d | nn.Linear):
                nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
                assert module.bias is not None
                nn.init.zeros_(module.bias)
        nn.init.normal_(self.value_out.weight, std=0.1 / np.sqrt(hidden))

    @torch.no_grad()
    def take_over(
        self, trained: Mapping[str, Tensor], examples: Callable[[], dict[str, Tensor]]
    ) -> list[str]:
        """Of a net like this one; or the convolutions of a policy net, which has "the same structure" (III.A).

        The policy net has no plane of the colour: its weights start at 0. Its signals may be of any size. Without norms
        each layer is divided by the size of its outputs on the examples, which changes what it computes by a factor
        alone.
        """
        if "layers.0.0.weight" not in trained:
            return super().take_over(trained, examples)
        taken = {
            name.replace("layers", "", 1)[1:]: w for name, w in trained.items() if name.startswith("layers.")
        }
        first = taken["0.0.weight"]
        colour = first.new_zeros(first.shape[0], self.planes - first.shape[1], *first.shape[2:])
        taken["0.0.weight"] = torch.cat([first, colour], 1)
        missing, unknown = self.trunk.load_state_dict(taken, strict=False)
        absent = [name for name in missing if ".1." not in name]
        if len(absent) < len(missing):  # norms, which the policy does not have: they make signals of size 1
            return [*absent, *unknown]
        x, size = examples()["spatial"], 1.0
        for layer in self.trunk:
            assert isinstance(layer, nn.Sequential)
            convolution = layer[0]
            assert isinstance(convolution, nn.Conv2d) and convolution.bias is not None
            convolution.bias /= size
            x = layer(x)
            of_layer = float(x.square().mean().sqrt()) or 1.0
            for weights in (convolution.weight, convolution.bias):
                weights /= of_layer
            x, size = x / of_layer, size * of_layer
        return [*missing, *unknown]

    def forward(self, inputs: dict[str, Tensor]) -> dict[str, Tensor]:
        planes = inputs["spatial"]
        x = self.trunk(planes)
        read = x if self.value_planes is None else self.value_planes(x)
        out = self.value_out(torch.relu(self.value_hidden(torch.flatten(read, 1))))
        black = planes[:, COLOUR_PLANE, :1, 0]
        if self.ordered:
            chances = out.softmax(1)
            heads = {"values": self._by_komi(chances, black), "margin": self._margin(chances)}
        else:
            # v = tanh(x): the win rate (v + 1) / 2 has the logit 2 x
            heads = {self.heads[0]: 2 * (out + (2 * black - 1) * self.komi_bias)}
        if "ownership" in self.heads:
            # sigmoid(2 a) is (tanh(a) + 1) / 2: the same number as the paper's sigmoid, in the unit of the head
            heads["ownership"] = flat(self.value_owner(x)) / 2
        return heads

    def _by_komi(self, chances: Tensor, black: Tensor) -> Tensor:
        """Logits of the mover's win at each label, from the chances of the mover's margins -area .. area [n, margins].

        `black` [n, 1] is 1 where Black is to move. Black must be ahead by more than the label, White by more than
        minus the label: White's curve is the mover's from the other end.
        """
        nothing = torch.zeros_like(chances[:, :1])
        # Sums of one-sided tails, so that neither of the two chances is a difference of near numbers.
        above = torch.cat([torch.cumsum(chances.flip(1), 1).flip(1), nothing], 1)
        below = torch.cat([nothing, torch.cumsum(chances, 1)], 1)
        logits = torch.log(above + _LEAST) - torch.log(below + _LEAST)
        return torch.where(black > 0.5, logits, logits.flip(1))

    def _margin(self, chances: Tensor) -> Tensor:
        """The head `margin` [n, 2] with the mean and the deviation of the mover's margin."""
        area = (chances.shape[1] - 1) // 2
        points = torch.arange(-area, area + 1, dtype=chances.dtype)
        mean = (chances * points).sum(1, keepdim=True)
        deviation = (chances * (points - mean).square()).sum(1, keepdim=True).sqrt()
        unit = margin_unit(area)
        scale = ((deviation / LOGISTIC_DEVIATION - LEAST_SCALE) / unit).clamp(min=_LEAST_MARGIN)
        return torch.cat([mean / unit, torch.log(torch.exp(scale) - 1)], 1)


def label_range(first: float, last: float) -> tuple[float, ...]:
    """The labels from first to last, one point apart.

    >>> label_range(-1.5, 1.5)
    (-1.5, -0.5, 0.5, 1.5)
    """
    count = last - first + 1
    if count < 2 or count != int(count):
        raise InputError(
            f"komi labels go up from first_label by whole points to last_label, not from {first:g} to {last:g}"
        )
    return tuple(first + i for i in range(int(count)))


@architecture("vn", "bv-vn")
def build_value(
    name: str,
    planes: int,
    size: int = 19,
    layers: int = 12,
    width: int = 192,
    hidden: int = 256,
    komi: float = 7.5,
    norm: bool = False,
    value_planes: int = 0,
) -> CgiValueNet:
    shape = Shape(size, layers, width, hidden, norm, value_planes)
    return CgiValueNet(planes, shape, name == "bv-vn", komi=float(komi))


@architecture("ml-vn", "bv-ml-vn")
def build_multi_labelled(
    name: str,
    planes: int,
    size: int = 19,
    layers: int = 12,
    width: int = 192,
    hidden: int = 256,
    first_label: float = -12.5,
    last_label: float = 27.5,
    norm: bool = False,
    value_planes: int = 0,
) -> CgiValueNet:
    labels = label_range(first_label, last_label)
    shape = Shape(size, layers, width, hidden, norm, value_planes)
    return CgiValueNet(planes, shape, name == "bv-ml-vn", komi_labels=labels)


@architecture("ordered-vn")
def build_ordered(
    name: str,
    planes: int,
    size: int = 19,
    layers: int = 12,
    width: int = 192,
    hidden: int = 256,
    norm: bool = False,
    value_planes: int = 0,
) -> CgiValueNet:
    labels = label_range(-size * size - 0.5, size * size + 0.5)
    shape = Shape(size, layers, width, hidden, norm, value_planes)
    return CgiValueNet(planes, shape, True, komi_labels=labels, ordered=True)
