"""The nets of "Improved Architectures for Computer Go" (Cazenave, ICLR 2017 submission). Needs torch.

Section 2 draws the layers, section 3.3 lists the nets. A net of L layers is an input layer, L - 2 hidden
3x3 layers and a 3x3 output layer with one plane, whose softmax over the points is the policy.

| name                    | paper               | hidden layer                                               |
| ----------------------- | ------------------- | ---------------------------------------------------------- |
| alpha13                 | net_alpha, figure 1 | convolution, ReLU                                          |
| dark13                  | net_dark, figure 4  | convolution, ReLU, batch normalisation                     |
| res13, res20            | net_13, net_20, fig. 3 | convolution + identity, ReLU                            |
| res13-sbn, res20-sbn    | net_13/sbn, fig. 5  | convolution + identity, ReLU, batch normalisation          |

The residual nets begin with figure 6 (5x5 and 1x1 in parallel, added, ReLU); the two usual ones with a
5x5 layer of their own kind, for figure 6 is "the input layer of our network".
"""

from __future__ import annotations

from typing import Literal

from torch import Tensor, nn

from tengen.nets.board_net import BoardNet, architecture, flat

Kind = Literal["alpha", "dark", "res", "res-sbn"]


class ResidualLayer(nn.Module):
    """Figures 3 and 5: ReLU(convolution(x) + x), then batch normalisation outside the block if `sbn`."""

    def __init__(self, width: int, sbn: bool) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(width, width, 3, padding=1)
        self.relu = nn.ReLU()
        self.norm = nn.BatchNorm2d(width) if sbn else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.norm(self.relu(self.convolution(x) + x))
        return out


class ResidualInput(nn.Module):
    """Figure 6: ReLU of the sum of a 5x5 and a 1x1 convolution of the input planes."""

    def __init__(self, planes: int, width: int) -> None:
        super().__init__()
        self.wide = nn.Conv2d(planes, width, 5, padding=2)
        self.point = nn.Conv2d(planes, width, 1)
        self.relu = nn.ReLU()

    def forward(self, planes: Tensor) -> Tensor:
        out: Tensor = self.relu(self.wide(planes) + self.point(planes))
        return out


def usual_layer(planes: int, width: int, kernel: int, norm: bool) -> nn.Sequential:
    """Figure 1, and with `norm` figure 4."""
    layers = [nn.Conv2d(planes, width, kernel, padding=kernel // 2), nn.ReLU()]
    return nn.Sequential(*layers, nn.BatchNorm2d(width)) if norm else nn.Sequential(*layers)


class Golois(BoardNet):
    """A net of section 3.3. The paper's width is 256, and 512 for one net of the second experiments."""

    def __init__(self, kind: Kind, layers: int, planes: int, width: int) -> None:
        super().__init__()
        self.planes = planes
        hidden = range(layers - 2)
        if kind in ("res", "res-sbn"):
            self.input: nn.Module = ResidualInput(planes, width)
            self.hidden = nn.Sequential(*(ResidualLayer(width, kind == "res-sbn") for _ in hidden))
        else:
            self.input = usual_layer(planes, width, 5, kind == "dark")
            self.hidden = nn.Sequential(*(usual_layer(width, width, 3, kind == "dark") for _ in hidden))
        self.output = nn.Conv2d(width, 1, 3, padding=1)

    def forward(self, inputs: dict[str, Tensor]) -> dict[str, Tensor]:
        return {"policy": flat(self.output(self.hidden(self.input(inputs["spatial"]))))}


@architecture("alpha13", "dark13", "res13", "res20", "res13-sbn", "res20-sbn")
def build(name: str, planes: int, width: int = 256) -> Golois:
    kinds: dict[str, tuple[Kind, int]] = {
        "alpha13": ("alpha", 13),
        "dark13": ("dark", 13),
        "res13": ("res", 13),
        "res20": ("res", 20),
        "res13-sbn": ("res-sbn", 13),
        "res20-sbn": ("res-sbn", 20),
    }
    kind, layers = kinds[name]
    return Golois(kind, layers, planes, width)
