"""Deep alternative neural networks (Wang et al., AAAI 2017: "Beyond Monte Carlo Tree Search"). Needs torch.

An alternative layer (AL) is a convolution followed by a recurrence over T steps (equation 1):

    u(0) = f(w_c * input)
    u(t) = u(0) + f(w_r * u(t - 1)) + b,   t = 1 .. T

with f a ReLU followed by local response normalisation (equation 2). The configurations of Table 2 are read
from their names: `5c-al-2fc` is five convolutions, one AL, two fully connected layers; `b-6c-2fc` is the
baseline. Section "Overall architecture" gives six layers of 64, 128, 256, 256, 512, 512 kernels of 3x3, 2x2
max pooling, and fully connected layers of 1024, each with a ReLU.

Where the paper is silent: pooling follows layers 2, 4 and 6, and has stride 2 (rounding up: 19, 10, 5, 3); a plain
layer (C) is f(w * input) + b, an AL without steps; a last linear map turns the second FC layer into one logit for each
point; T is 3 where a table does not name it.

Four options make a net that two cores can train; each leaves the layers of a configuration as they are:

pooling = "keep"   stride 1, so that the board stays whole up to the FC layers
full = N           units of an FC layer, if they are not to follow `width`; with as many as the board has points, and
                   the board whole, unit j of each FC layer is at first about point j
even = true        all layers are `width` wide, not 1, 2, 4, 4, 8 and 8 times as wide
norm = "batch"     f is a batch norm followed by a ReLU, one for each time step
"""

from __future__ import annotations

import re

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from tengen.errors import InputError
from tengen.nets.board_net import BoardNet, architecture
from tengen.nets.norm_relu import NormRelu2d

WIDTHS = (64, 128, 256, 256, 512, 512)
FULL = 1024
POOL_AFTER = (2, 4, 6)
POOLINGS, NORMS = ("halve", "keep"), ("response", "batch")
ABOVE_ZERO = 3.0  # where rectifiers of FC layers begin, if their units stand for points
FAINT = 0.1  # of the usual size of weights: those of units that stand for no point


class LocalResponseNorm(nn.Module):
    """Equation 2: x / (1 + alpha / L * sum of x^2 over L neighbouring maps) ^ beta, L = K / 8 + 1 of K maps.

    The sum is a 1x1 convolution with a band of ones, which a CPU does several times faster than torch's own.
    """

    band: Tensor

    def __init__(self, maps: int, alpha: float = 0.001, beta: float = 0.75) -> None:
        super().__init__()
        self.length = maps // 8 + 1
        self.alpha, self.beta = alpha, beta
        k = torch.arange(maps)
        near = (k[:, None] - k[None, :]).abs() <= self.length // 2
        self.register_buffer("band", near.float()[:, :, None, None], persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        around = F.conv2d(x * x, self.band)
        return x * (1 + self.alpha / self.length * around) ** -self.beta


class Response(LocalResponseNorm):
    """f of equation 1: a ReLU, then local response normalisation."""

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(torch.relu(x))


class KeepingPool2d(nn.Module):
    """Max pooling of 2x2 with stride 1: the board keeps its size. Values are not negative, so zeros pad."""

    def forward(self, x: Tensor) -> Tensor:
        return F.max_pool2d(F.pad(x, (0, 1, 0, 1)), 2, stride=1)


class AlternativeLayer(nn.Module):
    """Equation 1 for T = `steps`, then the ReLU that follows every AL. Without steps: a plain layer."""

    def __init__(self, planes: int, width: int, steps: int, norm: str = "response") -> None:
        super().__init__()
        self.steps = steps
        self.feed_forward = nn.Conv2d(planes, width, 3, padding=1, bias=False)
        self.bias = nn.Parameter(torch.zeros(width, 1, 1))
        kind = Response if norm == "response" else NormRelu2d
        self.f = nn.ModuleList(kind(width) for _ in range(1 + steps))
        if steps:
            self.recurrent = nn.Conv2d(width, width, 3, padding=1, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        first, *later = self.f
        start = first(self.feed_forward(x))
        u = start
        for f in later:
            u = start + f(self.recurrent(u)) + self.bias
        return torch.relu(u if self.steps else u + self.bias)


def parse_layers(name: str) -> tuple[list[bool], int]:
    """Which layers are alternative, in order, and how many fully connected ones follow.

    >>> parse_layers("2c-al-3c-2fc")
    ([False, False, True, False, False, False], 2)
    """
    recurrent: list[bool] = []
    full = 0
    for part in name.removeprefix("b-").split("-"):
        match = re.fullmatch(r"(\d*)(al|c|fc)", part)
        if not match or full:
            raise ValueError(f"'{name}' is not a configuration such as 5c-al-2fc")
        count = int(match[1] or 1)
        if match[2] == "fc":
            full = count
        else:
            recurrent += [match[2] == "al"] * count
    return recurrent, full


class Dann(BoardNet):
    """A configuration of Table 2. `width` 64 is the paper's; other widths scale every layer alike."""

    def __init__(
        self,
        name: str,
        planes: int,
        width: int,
        steps: int,
        size: int,
        pooling: str = "halve",
        full: int | None = None,
        norm: str = "response",
        even: bool = False,
    ) -> None:
        super().__init__()
        for what, given, known in (("pooling", pooling, POOLINGS), ("norm", norm, NORMS)):
            if given not in known:
                raise InputError(f"{what} of a DANN is {' or '.join(known)}, not '{given}'")
        recurrent, full_layers = parse_layers(name)
        self.planes, self.size = planes, size
        widths = [width if even else max(8, w * width // WIDTHS[0]) for w in WIDTHS[: len(recurrent)]]
        parts: list[nn.Module] = []
        side, before = size, planes
        for i, (is_recurrent, maps) in enumerate(zip(recurrent, widths, strict=True), start=1):
            parts.append(AlternativeLayer(before, maps, steps if is_recurrent else 0, norm))
            before = maps
            if i in POOL_AFTER and pooling == "halve":
                parts.append(nn.MaxPool2d(2, ceil_mode=True))
                side = (side + 1) // 2
            elif i in POOL_AFTER:
                parts.append(KeepingPool2d())
        self.trunk = nn.Sequential(*parts)
        hidden = full or FULL * width // WIDTHS[0]
        inputs = before * side * side
        head: list[nn.Module] = [nn.Flatten()]
        for _ in range(full_layers):
            head += [nn.Linear(inputs, hidden), nn.ReLU()]
            inputs = hidden
        self.head = nn.Sequential(*head, nn.Linear(inputs, size * size))
        self._begin()
        if side == size and hidden >= size * size:
            self._begin_as_a_map()

    def _begin(self) -> None:
        """He's initialisation of what feeds forward, so that signals keep their size through eight layers."""
        parts = [m for m in self.modules() if isinstance(m, nn.Conv2d | nn.Linear)]
        recurrent = [m.recurrent for m in self.trunk if isinstance(m, AlternativeLayer) and m.steps]
        for part in parts[:-1]:
            if part not in recurrent:
                nn.init.kaiming_normal_(part.weight, nonlinearity="relu")

    @torch.no_grad()
    def _begin_as_a_map(self) -> None:
        """Unit j of every FC layer is at first about point j alone, by the same weights for all points.

        So the net begins as one that judges all points alike, which the convolutions learn from the first example. With
        random FC layers tens of thousands of examples are spent on finding out which unit is where.
        """
        first, *others = [layer for layer in self.head if isinstance(layer, nn.Linear)]
        assert self.size is not None
        points = self.size**2
        maps = first.in_features // points
        own = torch.arange(points)
        first.weight[:points] = 0
        first.weight.view(-1, maps, points)[own, :, own] = torch.randn(maps) * maps**-0.5
        first.bias[:points] = ABOVE_ZERO
        for layer in others:
            layer.weight *= FAINT
            layer.weight[:points, :points] = torch.eye(points)
            layer.bias[:points] = 0

    def forward(self, inputs: dict[str, Tensor]) -> dict[str, Tensor]:
        return {"policy": self.head(self.trunk(inputs["spatial"]))}


CONFIGURATIONS = (
    "b-6c-2fc",
    "al-5c-2fc",
    "c-al-4c-2fc",
    "2c-al-3c-2fc",
    "3c-al-2c-2fc",
    "4c-al-c-2fc",
    "5c-al-2fc",
    "2al-4c-2fc",
    "3al-3c-2fc",
    "4al-2c-2fc",
    "5al-c-2fc",
    "5al-2fc",
    "6al-2fc",
)


@architecture(*CONFIGURATIONS)
def build(
    name: str,
    planes: int,
    width: int = 64,
    steps: int = 3,
    size: int = 19,
    pooling: str = "halve",
    full: int | None = None,
    norm: str = "response",
    even: bool = False,
) -> Dann:
    return Dann(name, planes, width, steps, size, pooling, full, norm, even)
