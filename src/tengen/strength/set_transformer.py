"""The Set Transformer of the thesis (Section 4.4, equations 4.4 to 4.8). Needs torch.

Sets of different sizes share a batch: they are padded to the longest and the padding is masked, so that each set
gives the same output as alone. There is one attention head, one seed, and no dropout (Section 4.4.2).

The thesis states two initialisations: U(-1/d_in, 1/d_in) in Section 4.4 and U(-1/sqrt(d_in), 1/sqrt(d_in)) in
Section 4.7.2 and Algorithm 4.1. We use the second: it keeps the variance of the activations, which both sections give
as the reason.
"""

from __future__ import annotations

import math
from itertools import pairwise

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

_FAR_BELOW = -1e9  # a score that softmax maps to 0; finite, so that an empty set gives no NaN


def linear(d_in: int, d_out: int, bias: bool = False) -> nn.Linear:
    """A fully-connected layer with the thesis' initialisation of weights and bias."""
    layer = nn.Linear(d_in, d_out, bias=bias)
    for p in layer.parameters():
        nn.init.uniform_(p, -1 / math.sqrt(d_in), 1 / math.sqrt(d_in))
    return layer


class AttentionBlock(nn.Module):
    """Equations 4.4 and 4.5: queries [B, m, d] that attend to the elements h [B, n, d] of a set.

    `mask` [B, n] is true where h has an element. Attention to an empty set gives a zero vector.
    """

    def __init__(self, d: int, d_q: int) -> None:
        super().__init__()
        self.query, self.key, self.value = linear(d, d_q), linear(d, d_q), linear(d, d)
        self.feed = linear(d, d, bias=True)
        self.norm_attention, self.norm_feed = nn.LayerNorm(d), nn.LayerNorm(d)
        self.scale = 1 / math.sqrt(d_q)

    def weights(self, q: Tensor, h: Tensor, mask: Tensor) -> Tensor:
        """Attention coefficients [B, m, n]; those of padding are 0."""
        scores = self.query(q) @ self.key(h).transpose(1, 2) * self.scale
        scores = scores.masked_fill(~mask[:, None], _FAR_BELOW)
        weights: Tensor = scores.softmax(-1) * mask[:, None]
        return weights

    def forward(self, q: Tensor, h: Tensor, mask: Tensor) -> Tensor:
        weights = self.weights(q, h, mask)
        # W^V is linear: it is applied before or after the sum, where there are fewer vectors.
        attended = self.value(weights @ h) if q.shape[1] < h.shape[1] else weights @ self.value(h)
        h = self.norm_attention(q + attended)
        out: Tensor = self.norm_feed(h + F.relu(self.feed(h)))
        return out


class InducedSetAttention(nn.Module):
    """ISAB, equation 4.6: m learnt points attend to the set, and the set attends to the result."""

    def __init__(self, d: int, d_q: int, m: int) -> None:
        super().__init__()
        self.points = nn.Parameter(torch.rand(m, d))
        self.gather, self.spread = AttentionBlock(d, d_q), AttentionBlock(d, d_q)

    def forward(self, h: Tensor, mask: Tensor) -> Tensor:
        everything = torch.ones(h.shape[0], len(self.points), dtype=torch.bool, device=h.device)
        points = self.points.expand(h.shape[0], -1, -1)
        out: Tensor = self.spread(h, self.gather(points, h, mask), everything)
        return out


class SetModel(nn.Module):
    """Base class of models of sets of moves: inputs [B, n, d_x] and mask [B, n] to outputs [B, outputs].

    `centre` [d_x] and `scaling` [d_x, d_x] normalise the inputs first (tengen.strength.scaling).
    """

    centre: Tensor
    scaling: Tensor

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.register_buffer("centre", torch.zeros(inputs))
        self.register_buffer("scaling", torch.eye(inputs))

    @property
    def parameter_count(self) -> int:
        return sum(p.numel() for p in self.parameters())

    def scaled(self, x: Tensor) -> Tensor:
        return (x - self.centre) @ self.scaling

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        raise NotImplementedError


class Ordered(nn.Module):
    """A last layer for ordered groups: logits (c x - c^2 / 2) / v of one number x, a measurement of the rank.

    These are the logits of a measurement with normal error of variance v, where c is the middle of a group (as in
    tengen.strength.ridge). The distribution over groups has one peak, and the model learns one number instead of
    eleven. `centres` [groups] are the middles, relative to the middle of all.
    """

    centres: Tensor

    def __init__(self, d_in: int, centres: Tensor) -> None:
        super().__init__()
        self.reading = linear(d_in, 1, bias=True)
        self.log_variance = nn.Parameter(torch.tensor(2.0))
        self.register_buffer("centres", centres)
        self.unit = float(centres.abs().max())  # so that x initially has the size of other outputs

    @property
    def weight(self) -> Tensor:
        """The weights of the equivalent linear layer, [groups, d_in]."""
        return self.centres[:, None] * self.unit * self.reading.weight * torch.exp(-self.log_variance)

    def forward(self, h: Tensor) -> Tensor:
        x = self.unit * self.reading(h)
        out: Tensor = (self.centres * x - self.centres**2 / 2) * torch.exp(-self.log_variance)
        return out


class SetTransformer(SetModel):
    """Encoder and decoder, equations 4.7 and 4.8: `depth` ISABs, then one seed that attends to all elements.

    With `centres` (ours) the last layer is `Ordered`.
    """

    def __init__(
        self,
        inputs: int,
        outputs: int = 1,
        *,
        depth: int = 3,
        hidden: int = 64,
        query: int = 64,
        inducing: int = 32,
        centres: Tensor | None = None,
    ) -> None:
        super().__init__(inputs)
        self.enter = linear(inputs, hidden)
        self.blocks = nn.ModuleList(InducedSetAttention(hidden, query, inducing) for _ in range(depth))
        self.seed = nn.Parameter(torch.rand(hidden))
        self.pool = AttentionBlock(hidden, query)
        self.leave = linear(hidden, outputs) if centres is None else Ordered(hidden, centres)

    def encode(self, x: Tensor, mask: Tensor) -> Tensor:
        h: Tensor = self.enter(self.scaled(x))
        for block in self.blocks:
            h = block(h, mask)
        return h

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        seed = self.seed.expand(x.shape[0], 1, -1)
        out: Tensor = self.leave(self.pool(seed, self.encode(x, mask), mask))
        return out[:, 0]


class MeanPooled(SetModel):
    """A simple alternative: a small perceptron on every move, the mean over the moves, a linear layer.

    Without depth it is a linear model of the mean move. With `centres` the last layer is `Ordered`.
    """

    def __init__(
        self,
        inputs: int,
        outputs: int = 1,
        *,
        hidden: int = 64,
        depth: int = 1,
        centres: Tensor | None = None,
    ) -> None:
        super().__init__(inputs)
        widths = [inputs] + [hidden] * depth
        self.layers = nn.ModuleList(linear(a, b, bias=True) for a, b in pairwise(widths))
        self.leave = (
            linear(widths[-1], outputs, bias=True) if centres is None else Ordered(widths[-1], centres)
        )

    def encode(self, x: Tensor) -> Tensor:
        h = self.scaled(x)
        for layer in self.layers:
            h = F.relu(layer(h))
        return h

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        kept = mask[:, :, None].to(x.dtype)
        out: Tensor = self.leave((self.encode(x) * kept).sum(1) / kept.sum(1).clamp(min=1))
        return out
