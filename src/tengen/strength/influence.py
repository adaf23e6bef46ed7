"""The influence of each move of a set on the output: the derivative by the move's weight. Needs torch.

A move of weight w counts as if it were in the set w times: attention to it is multiplied by w. The derivative of the
output by ln w at w = 1 is the effect of one more such move and, up to its sign and second-order terms, of leaving the
move out. The weight enters only through attention to the move, in the gathering blocks and in the pooling, so the
derivative is the sum of the derivatives by the move's attention scores.

The derivative is written out, without autograd, so that it can be exported as a graph like the net itself.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from tengen.strength.set_transformer import (
    AttentionBlock,
    InducedSetAttention,
    MeanPooled,
    SetModel,
    SetTransformer,
)


class _Pass(NamedTuple):
    """Intermediate values of the forward pass through a block that the backward pass needs."""

    block: AttentionBlock
    h: Tensor
    query: Tensor
    key: Tensor
    weights: Tensor
    before_norm: Tensor
    fed: Tensor
    before_last: Tensor
    out: Tensor


def _forth(block: AttentionBlock, q: Tensor, h: Tensor, mask: Tensor) -> _Pass:
    weights = block.weights(q, h, mask)
    before_norm = q + block.value(weights @ h)
    hat = block.norm_attention(before_norm)
    fed = block.feed(hat)
    before_last = hat + F.relu(fed)
    out = block.norm_feed(before_last)
    return _Pass(block, h, block.query(q), block.key(h), weights, before_norm, fed, before_last, out)


def _back_norm(norm: nn.LayerNorm, x: Tensor, gradient: Tensor) -> Tensor:
    centred = x - x.mean(-1, keepdim=True)
    deviation = ((centred**2).mean(-1, keepdim=True) + norm.eps).sqrt()
    unit = centred / deviation
    g = gradient * norm.weight
    back: Tensor = (g - g.mean(-1, keepdim=True) - unit * (g * unit).mean(-1, keepdim=True)) / deviation
    return back


def _back(done: _Pass, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of q and h, and of the scores summed over queries [B, n], from that of a block's output."""
    block = done.block
    g = _back_norm(block.norm_feed, done.before_last, gradient)
    g = g + (g * (done.fed > 0)) @ block.feed.weight
    g = _back_norm(block.norm_attention, done.before_norm, g)
    summed = g @ block.value.weight
    by_weight = summed @ done.h.transpose(1, 2)
    by_score = done.weights * (by_weight - (done.weights * by_weight).sum(-1, keepdim=True))
    q = g + by_score @ done.key @ block.query.weight * block.scale
    h = done.weights.transpose(1, 2) @ summed
    h = h + by_score.transpose(1, 2) @ done.query @ block.key.weight * block.scale
    return q, h, by_score.sum(1)


def influence(net: SetModel, x: Tensor, mask: Tensor, direction: Tensor) -> tuple[Tensor, Tensor]:
    """The outputs [B, outputs], and each move's influence [B, n] on their sum weighted by `direction` [B, outputs]."""
    if isinstance(net, MeanPooled):
        return _mean_influence(net, x, mask, direction)
    assert isinstance(net, SetTransformer)
    h = net.enter(net.scaled(x))
    passes: list[tuple[_Pass, _Pass]] = []
    for block in net.blocks:
        assert isinstance(block, InducedSetAttention)
        points = block.points.expand(x.shape[0], -1, -1)
        gather = _forth(block.gather, points, h, mask)
        all_points = torch.ones_like(gather.out[:, :, 0], dtype=torch.bool)
        spread = _forth(block.spread, h, gather.out, all_points)
        passes.append((gather, spread))
        h = spread.out
    pool = _forth(net.pool, net.seed.expand(x.shape[0], 1, -1), h, mask)
    output = net.leave(pool.out)[:, 0]
    _, g, found = _back(pool, (direction @ net.leave.weight)[:, None])
    for gather, spread in reversed(passes):
        by_moves, by_points, _ = _back(spread, g)
        _, by_keys, more = _back(gather, by_points)
        g = by_moves + by_keys
        found = found + more
    return output, found


def _mean_influence(net: MeanPooled, x: Tensor, mask: Tensor, direction: Tensor) -> tuple[Tensor, Tensor]:
    kept = mask[:, :, None].to(x.dtype)
    count = kept.sum(1, keepdim=True).clamp(min=1)
    h = net.encode(x) * kept
    mean = h.sum(1, keepdim=True) / count
    along = ((h - mean) * kept / count) @ (direction @ net.leave.weight)[:, :, None]
    return net.leave(mean[:, 0]), along[:, :, 0]
