"""Small nets with random weights, written in KataGo's file format (katago-nets, section 1).

The witness for the reader: nothing here knows of `tengen`.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]

BLOCKS = (
    "ordinary",
    "gpool",
    "nested",
    "nested attention",
    "attention",
    "attention learned",
    "attention fixed",
    "ffn",
)
TIPS = ("bn", "rms point", "rms spatial")
ACTIVATIONS = ("identity", "relu", "mish", "silu")
MULTIPLIERS = (20.0, 19.0, 18.0, 17.0, 40.0, 0.5, 150.0)


@dataclass
class Conv:
    weight: Array  # [ky, kx, in, out]
    dilation: tuple[int, int] = (1, 1)


@dataclass
class Norm:
    mean: Array
    variance: Array
    scale: Array | None
    bias: Array | None
    epsilon: float = 1e-20


@dataclass
class PointNorm:
    """TNORM."""

    weight: Array
    epsilon: float = 1e-6


@dataclass
class RmsTip:
    gamma: Array
    beta: Array
    spatial: bool
    epsilon: float = 1e-6


@dataclass
class Layer:
    """BN (or the tip's norm), ACT, CONV: the steps of the convolutional blocks."""

    norm: Norm
    act: str
    conv: Conv


@dataclass
class Ordinary:
    first: Layer
    second: Layer


@dataclass
class Gpool:
    first: Layer
    pool_conv: Conv
    pool_norm: Norm
    pool_act: str
    pool_bias: Array
    second: Layer


@dataclass
class Nested:
    first: Layer
    inner: list[object]
    second: Layer


@dataclass
class Attention:
    heads: int
    kv_heads: int
    query_size: int
    value_size: int
    norm: PointNorm
    query: Array
    key: Array
    value: Array
    out: Array
    rope: Array | None = None  # [kv heads, pairs, (x, y)]
    theta: float | None = None


@dataclass
class Ffn:
    norm: PointNorm
    w1: Array
    gate: Array
    w2: Array


@dataclass
class Policy:
    p1: Conv
    g1: Conv
    g1_norm: Norm
    g1_act: str
    g2bias: Array
    p1_norm: Norm
    p1_act: str
    p2: Conv
    passing: Array
    pass_bias: Array | None = None
    pass_act: str = ""
    pass2: Array | None = None


@dataclass
class Value:
    v1: Conv
    v1_norm: Norm
    v1_act: str
    v2: Array
    v2_bias: Array
    v2_act: str
    v3: Array
    v3_bias: Array
    sv3: Array
    sv3_bias: Array
    ownership: Conv


@dataclass
class Net:
    version: int
    initial: Conv
    globals: Array
    blocks: list[object]
    tip: Norm | RmsTip
    tip_act: str
    policy: Policy
    value: Value
    name: str = "random-net"
    multipliers: tuple[float, ...] = MULTIPLIERS
    pass_alive_suicide: bool = False


@dataclass
class Maker:
    """Draws layers whose outputs are about as large as their inputs."""

    version: int
    rng: np.random.Generator
    activation: str | None = None
    dilation: tuple[int, int] = (1, 1)
    eights: bool = False  # every layer's channels are a multiple of 8

    def floats(self, *shape: int, deviation: float = 1.0, mean: float = 0.0) -> Array:
        return (mean + deviation * self.rng.standard_normal(shape)).astype(np.float32)

    def act(self) -> str:
        if self.version < 11:
            return "relu"
        return self.activation or str(self.rng.choice(ACTIVATIONS))

    def conv(self, cin: int, cout: int, kernel: int | tuple[int, int] = 3) -> Conv:
        ky, kx = (kernel, kernel) if isinstance(kernel, int) else kernel
        dilation = self.dilation if (ky, kx) != (1, 1) else (1, 1)
        return Conv(self.floats(ky, kx, cin, cout, deviation=(ky * kx * cin) ** -0.5), dilation)

    def matrix(self, cin: int, cout: int) -> Array:
        return self.floats(cin, cout, deviation=cin**-0.5)

    def norm(self, channels: int) -> Norm:
        has_scale, has_bias = self.rng.random(2) < 0.7
        return Norm(
            self.floats(channels, deviation=0.3),
            self.rng.uniform(0.5, 2.0, channels).astype(np.float32),
            self.floats(channels, mean=1.0, deviation=0.3) if has_scale else None,
            self.floats(channels, deviation=0.3) if has_bias else None,
            epsilon=float(self.rng.choice([1e-20, 1e-3])),
        )

    def layer(self, cin: int, cout: int, kernel: int | tuple[int, int] = 3) -> Layer:
        return Layer(self.norm(cin), self.act(), self.conv(cin, cout, kernel))

    def block(self, kind: str, channels: int) -> object:
        middle, pooled = (channels - 8, 8) if self.eights else (channels - 2, 3)
        match kind:
            case "ordinary":
                return Ordinary(self.layer(channels, middle), self.layer(middle, channels))
            case "gpool":
                return Gpool(
                    self.layer(channels, middle),
                    self.conv(channels, pooled),
                    self.norm(pooled),
                    self.act(),
                    self.matrix(3 * pooled, middle),
                    self.layer(middle, channels),
                )
            case "nested" | "nested attention":
                inner = (
                    ("ordinary", "gpool") if kind == "nested" else ("attention learned", "ffn", "ordinary")
                )
                return Nested(
                    self.layer(channels, middle, 1),
                    [self.block(one, middle) for one in inner],
                    self.layer(middle, channels, 1),
                )
            case "attention" | "attention learned" | "attention fixed":
                heads, kv_heads, query, value = 4, 2, 8, 3
                return Attention(
                    heads,
                    kv_heads,
                    query,
                    value,
                    PointNorm(self.floats(channels, mean=1.0, deviation=0.2)),
                    self.matrix(channels, heads * query),
                    self.matrix(channels, kv_heads * query),
                    self.matrix(channels, kv_heads * value),
                    self.matrix(heads * value, channels),
                    rope=self.floats(kv_heads, query // 2, 2) if kind == "attention learned" else None,
                    theta=50.0 if kind == "attention fixed" else None,
                )
            case "ffn":
                return Ffn(
                    PointNorm(self.floats(channels, mean=1.0, deviation=0.2)),
                    self.matrix(channels, 10),
                    self.matrix(channels, 10),
                    self.matrix(10, channels),
                )
        raise ValueError(kind)

    def policy(self, channels: int, outputs: int) -> Policy:
        head = Policy(
            self.conv(channels, 5, 1),
            self.conv(channels, 4, 1),
            self.norm(4),
            self.act(),
            self.matrix(12, 5),
            self.norm(5),
            self.act(),
            self.conv(5, outputs, 1),
            self.matrix(12, outputs),
        )
        if self.version >= 15:
            head.passing, head.pass_bias = self.matrix(12, 6), self.floats(6, deviation=0.3)
            head.pass_act, head.pass2 = self.act(), self.matrix(6, outputs)
        return head

    def value(self, channels: int) -> Value:
        scores = 4 if self.version == 8 else 6
        return Value(
            self.conv(channels, 4, 1),
            self.norm(4),
            self.act(),
            self.matrix(12, 7),
            self.floats(7, deviation=0.3),
            self.act(),
            self.matrix(7, 3),
            self.floats(3, deviation=0.3),
            self.matrix(7, scores),
            self.floats(scores, deviation=0.3),
            self.conv(4, 1, 1),
        )


def make_net(
    version: int = 14,
    blocks: tuple[str, ...] = ("ordinary",),
    *,
    seed: int = 0,
    channels: int = 8,
    activation: str | None = None,
    tip: str = "bn",
    policy_channels: int | None = None,
    dilation: tuple[int, int] = (1, 1),
    initial_kernel: int | tuple[int, int] = 3,
    eights: bool = False,
) -> Net:
    """A net of random weights; each activation is drawn if none is given. RMS tips need version 15."""
    make = Maker(version, np.random.default_rng(seed), activation, dilation, eights)
    outputs = 1 if version < 12 else 4 if version == 16 else 2
    rms = tip != "bn"
    return Net(
        version,
        make.conv(22, channels, initial_kernel),
        make.matrix(19, channels),
        [make.block(kind, channels) for kind in blocks],
        RmsTip(make.floats(channels, mean=1.0, deviation=0.2), make.floats(channels), tip == "rms spatial")
        if rms
        else make.norm(channels),
        make.act(),
        make.policy(channels, policy_channels or outputs),
        make.value(channels),
    )


@dataclass
class Writer:
    version: int
    text: bool
    parts: list[bytes] = field(default_factory=list)
    layers: int = 0

    def words(self, *words: object) -> None:
        self.parts.append((" ".join(str(word) for word in words) + "\n").encode())

    def name(self) -> str:
        self.layers += 1
        return f"layer{self.layers}"

    def floats(self, values: Array) -> None:
        if self.text:
            self.words(*(f"{value:.9g}" for value in values.ravel().tolist()))
        else:
            self.parts.append(b"@BIN@" + values.astype("<f4").tobytes() + b"\n")

    def conv(self, conv: Conv) -> None:
        self.words(self.name(), *conv.weight.shape, *conv.dilation)
        self.floats(conv.weight)

    def matrix(self, weight: Array) -> None:
        self.words(self.name(), *weight.shape)
        self.floats(weight)

    def bias(self, weight: Array) -> None:
        self.words(self.name(), len(weight))
        self.floats(weight)

    def act(self, kind: str) -> None:
        self.words(self.name(), *([f"ACTIVATION_{kind.upper()}"] if self.version >= 11 else []))

    def norm(self, norm: Norm) -> None:
        has_scale, has_bias = (int(part is not None) for part in (norm.scale, norm.bias))
        self.words(self.name(), len(norm.mean), norm.epsilon, has_scale, has_bias)
        for part in (norm.mean, norm.variance, norm.scale, norm.bias):
            if part is not None:
                self.floats(part)

    def point_norm(self, norm: PointNorm) -> None:
        self.words(self.name(), len(norm.weight), norm.epsilon)
        self.floats(norm.weight)

    def layer(self, layer: Layer) -> None:
        self.norm(layer.norm)
        self.act(layer.act)
        self.conv(layer.conv)

    def block(self, block: object) -> None:
        match block:
            case Ordinary():
                self.words("ordinary_block", self.name())
                self.layer(block.first)
            case Gpool():
                self.words("gpool_block", self.name())
                self.layer(block.first)
                self.conv(block.pool_conv)
                self.norm(block.pool_norm)
                self.act(block.pool_act)
                self.matrix(block.pool_bias)
            case Nested():
                self.words("nested_bottleneck_block", self.name(), len(block.inner))
                self.layer(block.first)
                for inner in block.inner:
                    self.block(inner)
            case Attention():
                self.attention(block)
                return
            case Ffn():
                channels, hidden = block.w1.shape
                self.words("transformer_ffn_block", self.name(), channels, hidden, 1)
                self.point_norm(block.norm)
                for weight in (block.w1, block.gate, block.w2):
                    self.matrix(weight)
                return
        self.layer(block.second)  # type: ignore[attr-defined]

    def attention(self, block: Attention) -> None:
        use_rope = block.rope is not None or block.theta is not None
        sizes = (block.heads, block.kv_heads, block.query_size, block.value_size)
        flags = (int(use_rope), int(block.rope is not None))
        self.words("transformer_attention_block", self.name(), *sizes, *flags)
        self.point_norm(block.norm)
        for weight in (block.query, block.key, block.value, block.out):
            self.matrix(weight)
        if block.rope is not None:
            self.words(self.name(), *block.rope.shape)
            self.floats(block.rope)
        elif block.theta is not None:
            self.words(self.name(), block.theta)

    def net(self, net: Net) -> None:
        self.words(net.name)
        self.words(net.version)
        self.words(22)
        self.words(19)
        if net.version >= 13:
            self.words(*net.multipliers)
        if net.version >= 15:
            self.words(0, int(net.pass_alive_suicide), *[0] * 6)
        channels = net.initial.weight.shape[3]
        self.words("trunk", len(net.blocks), channels, channels - 2, channels - 2, 0, 3)
        if net.version >= 15:
            self.words(int(isinstance(net.tip, RmsTip)), *[0] * 5)
        self.conv(net.initial)
        self.matrix(net.globals)
        for block in net.blocks:
            self.block(block)
        if isinstance(net.tip, RmsTip):
            self.words(self.name(), len(net.tip.gamma), net.tip.epsilon, int(net.tip.spatial), 0)
            self.floats(net.tip.gamma)
            self.floats(net.tip.beta)
        else:
            self.norm(net.tip)
        self.act(net.tip_act)
        self.policy(net.policy)
        self.value(net.value)

    def policy(self, head: Policy) -> None:
        self.words("policyhead", *([head.p2.weight.shape[3], 0, 0, 0] if self.version >= 17 else []))
        self.conv(head.p1)
        self.conv(head.g1)
        self.norm(head.g1_norm)
        self.act(head.g1_act)
        self.matrix(head.g2bias)
        self.norm(head.p1_norm)
        self.act(head.p1_act)
        self.conv(head.p2)
        self.matrix(head.passing)
        if head.pass_bias is not None and head.pass2 is not None:
            self.bias(head.pass_bias)
            self.act(head.pass_act)
            self.matrix(head.pass2)

    def value(self, head: Value) -> None:
        self.words("valuehead", *([0, 0, 0] if self.version >= 17 else []))
        self.conv(head.v1)
        self.norm(head.v1_norm)
        self.act(head.v1_act)
        self.matrix(head.v2)
        self.bias(head.v2_bias)
        self.act(head.v2_act)
        self.matrix(head.v3)
        self.bias(head.v3_bias)
        self.matrix(head.sv3)
        self.bias(head.sv3_bias)
        self.conv(head.ownership)


def net_bytes(net: Net, *, text: bool = False) -> bytes:
    """The file before gzip."""
    writer = Writer(net.version, text)
    writer.net(net)
    return b"".join(writer.parts)


def packed(net: Net, *, text: bool = False) -> bytes:
    """The bytes of a .bin.gz or .txt.gz file."""
    return gzip.compress(net_bytes(net, text=text), 1, mtime=0)
