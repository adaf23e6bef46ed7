"""Deep alternative neural networks (Wang et al., AAAI 2017: "Beyond Monte Carlo Tree Search"). Needs torch.

An alternative layer (AL) is a convolution followed by a recurrence over T steps (equation 1):

    u(0) = f(w_c * input)
    u(t) = u(0) + f(w_r * u(t - 1)) + b,   t = 1 .. T

with f a ReLU followed by local response normalisation (equation 2). The configurations of Table 2 are read
from their names: `5c-al-2fc` is five convolutions, one AL, two fully connected layers; `b-6c-2fc` is the
baseline. Section "Overall architecture" gives six layers of 64, 128, 256, 256, 512, 512 kernels of 3x3, 2x2
max pooling, and fully connected layers of 1024, each with a ReLU.

Where the paper is silent: pooling has stride 2 and follows layers 2, 4 and 6 (rounding up: 19, 10, 5, 3);
a plain layer (C) is f(w * input) + b, an AL without steps; a last linear map turns the second FC layer into
one logit for each point; T is 3 where a table does not name it.
"""

from __future__ import annotations

import re

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from tengen.nets.board_net import BoardNet, architecture

WIDTHS = (64, 128, 256, 256, 512, 512)
FULL = 1024
POOL_AFTER = (2, 4, 6)


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


class AlternativeLayer(nn.Module):
    """Equation 1 for T = `steps`, then the ReLU that follows every AL. Without steps: a plain layer."""

    def __init__(self, planes: int, width: int, steps: int) -> None:
        super().__init__()
        self.steps = steps
        self.feed_forward = nn.Conv2d(planes, width, 3, padding=1, bias=False)
        self.bias = nn.Parameter(torch.zeros(width, 1, 1))
        self.f = Response(width)
        if steps:
            self.recurrent = nn.Conv2d(width, width, 3, padding=1, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        start = self.f(self.feed_forward(x))
        u = start
        for _ in range(self.steps):
            u = start + self.f(self.recurrent(u)) + self.bias
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

    def __init__(self, name: str, planes: int, width: int, steps: int, size: int) -> None:
        super().__init__()
        recurrent, full = parse_layers(name)
        self.planes, self.size = planes, size
        widths = [max(8, w * width // WIDTHS[0]) for w in WIDTHS[: len(recurrent)]]
        parts: list[nn.Module] = []
        side, before = size, planes
        for i, (is_recurrent, maps) in enumerate(zip(recurrent, widths, strict=True), start=1):
            parts.append(AlternativeLayer(before, maps, steps if is_recurrent else 0))
            before = maps
            if i in POOL_AFTER:
                parts.append(nn.MaxPool2d(2, ceil_mode=True))
                side = (side + 1) // 2
        self.trunk = nn.Sequential(*parts)
        hidden = FULL * width // WIDTHS[0]
        inputs = before * side * side
        head: list[nn.Module] = [nn.Flatten()]
        for _ in range(full):
            head += [nn.Linear(inputs, hidden), nn.ReLU()]
            inputs = hidden
        self.head = nn.Sequential(*head, nn.Linear(inputs, size * size))
        self._begin()

    def _begin(self) -> None:
        """He's initialisation of what feeds forward, so that signals keep their size through eight layers."""
        parts = [m for m in self.modules() if isinstance(m, nn.Conv2d | nn.Linear)]
        recurrent = [m.recurrent for m in self.trunk if isinstance(m, AlternativeLayer) and m.steps]
        for part in parts[:-1]:
            if part not in recurrent:
                nn.init.kaiming_normal_(part.weight, nonlinearity="relu")

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
def build(name: str, planes: int, width: int = 64, steps: int = 3, size: int = 19) -> Dann:
    return Dann(name, planes, width, steps, size)
