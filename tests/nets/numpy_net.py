"""KataGo's nets computed plainly (katago-nets, section 2): float64, one step after another, mask and all.

It reads the structures of `net_writer`, so it shares nothing with the reader and the graphs of `tengen`.
A board may sit at the top left of a larger array.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from nets.net_writer import Attention, Conv, Ffn, Gpool, Layer, Nested, Net, Norm, Ordinary, PointNorm, RmsTip

Array = npt.NDArray[Any]


def activate(x: Array, kind: str) -> Array:
    match kind:
        case "identity":
            return x
        case "relu":
            return np.maximum(x, 0.0)
        case "mish":
            return x * np.tanh(np.logaddexp(0.0, x))
        case "silu":
            return x / (1.0 + np.exp(-x))
    raise ValueError(kind)


def convolve(x: Array, conv: Conv) -> Array:
    """x [channels, height, width]."""
    ky, kx, _, outputs = conv.weight.shape
    dy, dx = conv.dilation
    above, left = dy * (ky // 2), dx * (kx // 2)
    height, width = x.shape[1:]
    padded = np.pad(x, ((0, 0), (above, above), (left, left)))
    out = np.zeros((outputs, height, width))
    for j in range(ky):
        for i in range(kx):
            seen = padded[:, j * dy : j * dy + height, i * dx : i * dx + width]
            out += np.einsum("io,iyx->oyx", conv.weight[j, i].astype(np.float64), seen)
    return out


class NumpyNet:
    """Evaluates one board: spatial [22, height, width], globals [19]."""

    def __init__(self, net: Net) -> None:
        self.net = net

    def __call__(self, spatial: Array, globals_: Array) -> dict[str, Array]:
        """policy [channels, points + 1], value [3], score [4 or 6], ownership [points], trunk [y, x, channels]:
        of the array, points off the board included."""
        net = self.net
        spatial = spatial.astype(np.float64)
        self.mask = spatial[0]
        self.area = self.mask.sum()
        self.width = (np.sqrt(self.area) - 14.0) / 10.0
        x = convolve(spatial, net.initial) + (globals_.astype(np.float64) @ net.globals)[:, None, None]
        for block in net.blocks:
            x = x + self.block(x, block)
        tip = activate(self.tip_norm(x, net.tip), net.tip_act) * self.mask
        return {**self.policy(tip), **self.value(tip), "trunk": tip.transpose(1, 2, 0)}

    def tip_norm(self, x: Array, tip: Norm | RmsTip) -> Array:
        if isinstance(tip, Norm):
            return self.norm(x, tip)
        if tip.spatial:
            mean = ((x * self.mask) ** 2).sum() / (self.area * len(x))
        else:
            mean = (x**2).mean(axis=0, keepdims=True)
        return x / np.sqrt(mean + tip.epsilon) * tip.gamma[:, None, None] + tip.beta[:, None, None]

    def norm(self, x: Array, norm: Norm) -> Array:
        x = (x - norm.mean[:, None, None]) / np.sqrt(norm.variance.astype(np.float64) + norm.epsilon)[
            :, None, None
        ]
        if norm.scale is not None:
            x = x * norm.scale[:, None, None]
        if norm.bias is not None:
            x = x + norm.bias[:, None, None]
        return x

    def nb(self, x: Array, norm: Norm, act: str) -> Array:
        return activate(self.norm(x, norm), act) * self.mask

    def layer(self, x: Array, layer: Layer) -> Array:
        return convolve(self.nb(x, layer.norm, layer.act), layer.conv)

    def pool(self, z: Array) -> Array:
        mean = z.sum(axis=(1, 2)) / self.area
        return np.concatenate([mean, mean * self.width, z[:, self.mask == 1].max(axis=1)])

    def block(self, x: Array, block: object) -> Array:
        match block:
            case Ordinary():
                return self.layer(self.layer(x, block.first), block.second)
            case Gpool():
                z = self.nb(x, block.first.norm, block.first.act)
                regular = convolve(z, block.first.conv)
                pooled = self.pool(self.nb(convolve(z, block.pool_conv), block.pool_norm, block.pool_act))
                return self.layer(regular + (pooled @ block.pool_bias)[:, None, None], block.second)
            case Nested():
                z = self.layer(x, block.first)
                for inner in block.inner:
                    z = z + self.block(z, inner)
                return self.layer(z, block.second)
            case Attention():
                return self.attention(x, block)
            case Ffn():
                n = self.tokens(x, block.norm)
                hidden = activate(n @ block.w1, "silu") * (n @ block.gate)
                return self.board(hidden @ block.w2)
        raise TypeError(block)

    def tokens(self, x: Array, norm: PointNorm) -> Array:
        """TNORM, [points, channels]."""
        x = x / np.sqrt((x**2).mean(axis=0) + norm.epsilon) * norm.weight[:, None, None] * self.mask
        return x.reshape(len(x), -1).T

    def board(self, tokens: Array) -> Array:
        return tokens.T.reshape(-1, *self.mask.shape) * self.mask

    def attention(self, x: Array, block: Attention) -> Array:
        n = self.tokens(x, block.norm)
        query, key, value = n @ block.query, n @ block.key, n @ block.value
        shown = self.mask.ravel() == 1
        answers = []
        for head in range(block.heads):
            kv = head // (block.heads // block.kv_heads)
            q = query[:, head * block.query_size : (head + 1) * block.query_size]
            k = key[:, kv * block.query_size : (kv + 1) * block.query_size]
            v = value[:, kv * block.value_size : (kv + 1) * block.value_size]
            q, k = self.rotate(q, block, kv), self.rotate(k, block, kv)
            logits = np.where(shown[None, :], q @ k.T / np.sqrt(block.query_size), -np.inf)
            chances = np.exp(logits - logits.max(axis=1, keepdims=True))
            answers.append(chances / chances.sum(axis=1, keepdims=True) @ v)
        return self.board(np.concatenate(answers, axis=1) @ block.out)

    def rotate(self, tokens: Array, block: Attention, kv: int) -> Array:
        y, x = (line.ravel() for line in np.indices(self.mask.shape))
        out = tokens.copy()
        if block.rope is None and block.theta is None:
            return out
        for p in range(block.query_size // 2):
            if block.rope is not None:
                angle = x * float(block.rope[kv, p, 0]) + y * float(block.rope[kv, p, 1])
            else:
                assert block.theta is not None
                quarter = block.query_size // 4
                coordinate, j = (y, p) if p < quarter else (x, p - quarter)
                angle = coordinate * block.theta ** (-2 * j / (block.query_size / 2))
            a, b = tokens[:, 2 * p], tokens[:, 2 * p + 1]
            out[:, 2 * p] = a * np.cos(angle) - b * np.sin(angle)
            out[:, 2 * p + 1] = a * np.sin(angle) + b * np.cos(angle)
        return out

    def policy(self, tip: Array) -> dict[str, Array]:
        head = self.net.policy
        pooled = self.pool(self.nb(convolve(tip, head.g1), head.g1_norm, head.g1_act))
        h = convolve(tip, head.p1) + (pooled @ head.g2bias)[:, None, None]
        board = convolve(self.nb(h, head.p1_norm, head.p1_act), head.p2)
        passing = pooled @ head.passing
        if head.pass2 is not None:
            passing = activate(passing + head.pass_bias, head.pass_act) @ head.pass2
        return {"policy": np.concatenate([board.reshape(len(board), -1), passing[:, None]], axis=1)}

    def value(self, tip: Array) -> dict[str, Array]:
        head = self.net.value
        u = self.nb(convolve(tip, head.v1), head.v1_norm, head.v1_act)
        mean = u.sum(axis=(1, 2)) / self.area
        pooled = np.concatenate([mean, mean * self.width, mean * (self.width**2 - 0.1)])
        e = activate(pooled @ head.v2 + head.v2_bias, head.v2_act)
        return {
            "value": e @ head.v3 + head.v3_bias,
            "score": e @ head.sv3 + head.sv3_bias,
            "ownership": convolve(u, head.ownership).ravel(),
        }
