"""KataGo's network files, versions 8 to 17, as plain values.

A file is a gzip stream of ASCII words and blocks of little-endian float32 (`.bin.gz`), or the same with the
numbers written out (`.txt.gz`). Every size is checked against its neighbours and against the bytes that are
left before anything is made of it, so a broken or hostile file ends in a `NetFileError` and nothing else.
"""

from __future__ import annotations

import hashlib
import math
import re
import zlib
from pathlib import Path
from typing import NoReturn

import numpy as np

from tengen.errors import InputError
from tengen.nets.katago_layers import (
    GLOBAL_INPUTS,
    SPATIAL_PLANES,
    AttentionBlock,
    BatchNorm,
    Block,
    Conv,
    Dense,
    FeedForwardBlock,
    Floats,
    KataGoNet,
    Matrix,
    Multipliers,
    NestedBlock,
    OrdinaryBlock,
    PolicyHead,
    PoolingBlock,
    RmsTip,
    TransformerNorm,
    Trunk,
    ValueHead,
)

VERSIONS = range(8, 18)

# Generous beside the nets there are (1,024 channels, 60 blocks, 7x7 kernels).
_MAX_CHANNELS = 8192
_MAX_BLOCKS = 1024
_MAX_DEPTH = 4
_MAX_KERNEL = 15
_MAX_DILATION = 8
_MAX_WORD = 256
# Weights hardly shrink under gzip, decimal text about threefold: more than this is a bomb.
_MAX_SWELLING = 24
_SMALL_FILE = 64 << 20

_ACTIVATIONS = ("ACTIVATION_IDENTITY", "ACTIVATION_RELU", "ACTIVATION_MISH", "ACTIVATION_SILU")


class NetFileError(InputError):
    """A network file that cannot be read; the message names the file, the place and the fault."""


def read_net(path: str | Path) -> KataGoNet:
    """Reads a KataGo network file, gzipped or not, binary or text."""
    path = Path(path)
    try:
        packed = path.read_bytes()
    except OSError as error:
        raise NetFileError(f"{path}: {error.strerror or error}") from None
    return parse_net(packed, str(path))


def parse_net(packed: bytes, source: str = "net") -> KataGoNet:
    """Reads the bytes of a network file; `source` names them in errors."""
    data = _unpack(packed, source) if packed[:2] == b"\x1f\x8b" else packed
    return _Reader(data, source, hashlib.sha256(packed).hexdigest()).net()


def _unpack(packed: bytes, source: str) -> bytes:
    limit = max(_SMALL_FILE, _MAX_SWELLING * len(packed))
    inflate = zlib.decompressobj(wbits=31)
    try:
        data = inflate.decompress(packed, limit)
    except zlib.error as error:
        raise NetFileError(f"{source}: broken gzip stream: {error}") from None
    if not inflate.eof:
        if inflate.unconsumed_tail:
            raise NetFileError(f"{source}: unpacks to more than {limit >> 20} MiB: not a network file")
        raise NetFileError(f"{source}: the file is cut off: its gzip stream has no end")
    if inflate.unused_data:
        raise NetFileError(f"{source}: {len(inflate.unused_data)} bytes follow the end of the gzip stream")
    return data


class _Reader:
    """Takes the records of a file one after another (katago-nets, section 1)."""

    def __init__(self, data: bytes, source: str, sha256: str) -> None:
        self.data = data
        self.at = 0
        self.source = source
        self.sha256 = sha256
        self.record = "header"  # the record being read, for messages
        self.version = 0

    def fail(self, fault: str) -> NoReturn:
        raise NetFileError(f"{self.source}: {fault} (at byte {self.at}, in {self.record})")

    # Words and numbers

    _WORD = re.compile(rb"[ \t\r\n]*([^ \t\r\n]+)")
    _NOT_TEXT = re.compile(rb"[^\x20-\x7e\t\r\n]")

    def word(self) -> str:
        found = self._WORD.match(self.data, self.at, min(len(self.data), self.at + _MAX_WORD))
        if found is None:
            self.fail("the file ends here" if not self.data[self.at :].strip() else "a word is missing")
        text = found[1]
        if not (text.isascii() and text.decode("ascii").isprintable()):
            self.fail("binary data where a word should be")
        if found.end() - self.at >= _MAX_WORD:
            self.fail("a word without end")
        self.at = found.end()
        return text.decode("ascii")

    def name(self) -> str:
        self.record = self.word()
        return self.record

    def integer(self, what: str, low: int, high: int) -> int:
        word = self.word()
        if not re.fullmatch(r"-?[0-9]{1,9}", word):
            self.fail(f"{what} must be a whole number, not '{word}'")
        value = int(word)
        if not low <= value <= high:
            self.fail(f"{what} is {value}: it must be {low}" + (f" to {high}" if high > low else ""))
        return value

    def flag(self, what: str) -> bool:
        return self.integer(what, 0, 1) == 1

    def zeros(self, count: int) -> None:
        for _ in range(count):
            self.integer("a reserved field (a newer format?)", 0, 0)

    def number(self, what: str) -> float:
        word = self.word()
        try:
            value = float(word)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            self.fail(f"{what} must be a number, not '{word}'")
        return value

    def channels(self, what: str) -> int:
        return self.integer(what, 1, _MAX_CHANNELS)

    def floats(self, *shape: int) -> Floats:
        count = math.prod(shape)
        start = self.at
        while start < len(self.data) and self.data[start] in b" \t\r\n":
            start += 1
        if self.data[start : start + 1] == b"@":
            if self.data[start : start + 5] != b"@BIN@":
                self.fail("a block of numbers must begin with @BIN@")
            start += 5
            if len(self.data) - start < 4 * count:
                self.fail(
                    f"{count} numbers announced, but the file has only {len(self.data) - start} bytes left"
                )
            values = np.frombuffer(self.data, dtype="<f4", count=count, offset=start)
            self.at = start + 4 * count
        else:
            values = self._decimals(count)
        if not np.isfinite(values).all():
            self.fail("a weight that is not a finite number")
        return values.reshape(shape).astype(np.float32, copy=False)

    def _decimals(self, count: int) -> Floats:
        if len(self.data) - self.at < 2 * count - 1:  # a digit and a space each
            self.fail(
                f"{count} numbers announced, but the file has only {len(self.data) - self.at} bytes left"
            )
        values = np.empty(count, dtype=np.float32)
        done = 0
        while done < count:
            end = self.at + (1 << 20)
            while end < len(self.data) and self.data[end] not in b" \t\r\n":
                end += 1
                if end - self.at > (1 << 21):
                    self.fail("a number without end")
            chunk = self.data[self.at : end]
            if self._NOT_TEXT.search(chunk):  # vertical tabs and NULs would pass for blanks
                self.fail("binary data where numbers should be")
            words = chunk.split(maxsplit=count - done)
            rest = words.pop() if len(words) > count - done else b""
            if not words:
                self.fail(f"the file ends after {done} of {count} numbers")
            if len(max(words, key=len)) > _MAX_WORD:  # numpy gives every word the room of the longest
                self.fail("a number without end")
            try:
                values[done : done + len(words)] = np.array(words, dtype=np.bytes_).astype(np.float32)
            except ValueError as error:
                self.fail(f"a block of numbers holds something else: {str(error)[:80]}")
            done += len(words)
            self.at = min(end, len(self.data)) - len(rest)
        return values

    # Layers

    def conv(self, inputs: int | None, outputs: int | None = None) -> Conv:
        name = self.name()
        ky = self.integer("kernel height", 1, _MAX_KERNEL)
        kx = self.integer("kernel width", 1, _MAX_KERNEL)
        if ky % 2 == 0 or kx % 2 == 0:
            self.fail(f"a {ky}x{kx} kernel has no middle")
        cin, cout = self.channels("input channels"), self.channels("output channels")
        self.fit(inputs, cin, outputs, cout)
        dilation = (self.integer("dilation", 1, _MAX_DILATION), self.integer("dilation", 1, _MAX_DILATION))
        return Conv(name, self.floats(ky, kx, cin, cout), dilation)

    def matrix(self, inputs: int | None, outputs: int | None = None) -> Matrix:
        name = self.name()
        cin, cout = self.channels("rows"), self.channels("columns")
        self.fit(inputs, cin, outputs, cout)
        return Matrix(name, self.floats(cin, cout))

    def fit(self, inputs: int | None, cin: int, outputs: int | None, cout: int) -> None:
        if inputs is not None and cin != inputs:
            self.fail(f"takes {cin} channels, but is given {inputs}")
        if outputs is not None and cout != outputs:
            self.fail(f"gives {cout} channels where {outputs} are needed")

    def bias(self, channels: int) -> Floats:
        self.name()
        self.fit(channels, self.channels("channels"), None, 0)
        return self.floats(channels)

    def norm(self, channels: int) -> BatchNorm:
        name = self.name()
        self.fit(channels, self.channels("channels"), None, 0)
        epsilon = self.number("epsilon")
        has_scale, has_bias = self.flag("hasScale"), self.flag("hasBias")
        mean, variance = self.floats(channels), self.floats(channels)
        scale = self.floats(channels) if has_scale else np.ones(channels, np.float32)
        bias = self.floats(channels) if has_bias else np.zeros(channels, np.float32)
        spread = variance.astype(np.float64) + epsilon
        if not (spread > 0).all():
            self.fail("a variance that is not positive")
        slope = scale / np.sqrt(spread)
        folded = (slope.astype(np.float32), (bias - slope * mean).astype(np.float32))
        if not (np.isfinite(folded[0]).all() and np.isfinite(folded[1]).all()):
            self.fail("a normalisation too large for float32")
        return BatchNorm(name, *folded)

    def transformer_norm(self, channels: int) -> TransformerNorm:
        name = self.name()
        self.fit(channels, self.channels("channels"), None, 0)
        epsilon = self.positive("epsilon")
        return TransformerNorm(name, self.floats(channels), epsilon)

    def positive(self, what: str) -> float:
        value = self.number(what)
        if value <= 0:
            self.fail(f"{what} must be above 0, not {value:g}")
        return value

    def rms_tip(self, channels: int) -> RmsTip:
        name = self.name()
        self.fit(channels, self.channels("channels"), None, 0)
        epsilon = self.positive("epsilon")
        spatial = self.flag("spatial")
        self.integer("group size", 0, 0)
        gamma, beta = self.floats(channels), self.floats(channels)
        return RmsTip(name, gamma, beta, epsilon, spatial)

    def activation(self) -> str:
        """`identity`, `relu`, `mish` or `silu`."""
        self.name()
        if self.version < 11:
            return "relu"
        kind = self.word()
        if kind not in _ACTIVATIONS:
            self.fail(f"unknown activation '{kind}'")
        return kind.removeprefix("ACTIVATION_").lower()

    # Blocks

    def blocks(self, count: int, channels: int, depth: int = 0) -> tuple[Block, ...]:
        return tuple(self.block(channels, depth) for _ in range(count))

    def block(self, channels: int, depth: int) -> Block:
        kind = self.word()
        name = self.name()
        match kind:
            case "ordinary_block":
                norm1, act1, conv1 = self.norm(channels), self.activation(), self.conv(channels)
                norm2, act2 = self.norm(conv1.outputs), self.activation()
                return OrdinaryBlock(
                    name, norm1, act1, conv1, norm2, act2, self.conv(conv1.outputs, channels)
                )
            case "gpool_block":
                return self.pooling_block(name, channels)
            case "nested_bottleneck_block":
                if depth == _MAX_DEPTH:
                    self.fail(f"blocks nested more than {_MAX_DEPTH} deep")
                inner = self.integer("number of inner blocks", 0, _MAX_BLOCKS)
                norm1, act1, conv1 = self.norm(channels), self.activation(), self.conv(channels)
                blocks = self.blocks(inner, conv1.outputs, depth + 1)
                norm2, act2 = self.norm(conv1.outputs), self.activation()
                conv2 = self.conv(conv1.outputs, channels)
                return NestedBlock(name, norm1, act1, conv1, blocks, norm2, act2, conv2)
            case "transformer_attention_block":
                return self.attention_block(name, channels)
            case "transformer_ffn_block":
                self.fit(channels, self.channels("channels"), None, 0)
                hidden = self.channels("hidden channels")
                if not self.flag("gated"):
                    self.fail("a feed-forward block without a gate is not supported")
                norm = self.transformer_norm(channels)
                linear, gate = self.matrix(channels, hidden), self.matrix(channels, hidden)
                return FeedForwardBlock(name, norm, linear, gate, self.matrix(hidden, channels))
        return self.fail(f"unknown kind of block '{kind}'")

    def pooling_block(self, name: str, channels: int) -> PoolingBlock:
        norm1, act1, conv1, pool_conv = (
            self.norm(channels),
            self.activation(),
            self.conv(channels),
            self.conv(channels),
        )
        pool_norm, pool_act = self.norm(pool_conv.outputs), self.activation()
        pool_bias = self.matrix(3 * pool_conv.outputs, conv1.outputs)
        norm2, act2 = self.norm(conv1.outputs), self.activation()
        conv2 = self.conv(conv1.outputs, channels)
        return PoolingBlock(
            name, norm1, act1, conv1, pool_conv, pool_norm, pool_act, pool_bias, norm2, act2, conv2
        )

    def attention_block(self, name: str, channels: int) -> AttentionBlock:
        heads, kv_heads = self.channels("heads"), self.channels("key heads")
        query_size, value_size = self.channels("query size"), self.channels("value size")
        if heads % kv_heads:
            self.fail(f"{heads} heads cannot share {kv_heads} key heads")
        use_rope, learned = self.flag("useRope"), self.flag("learnedRope")
        norm = self.transformer_norm(channels)
        query = self.matrix(channels, heads * query_size)
        key = self.matrix(channels, kv_heads * query_size)
        value = self.matrix(channels, kv_heads * value_size)
        out = self.matrix(heads * value_size, channels)
        rope, theta = None, None
        if use_rope:
            self.name()
            if learned:
                if query_size % 2:
                    self.fail(f"a query of {query_size} numbers has no pairs to rotate")
                self.integer("key heads", kv_heads, kv_heads)
                self.integer("pairs", query_size // 2, query_size // 2)
                self.integer("coordinates", 2, 2)
                rope = self.floats(kv_heads, query_size // 2, 2)
            else:
                if query_size % 4:
                    self.fail(f"a query of {query_size} numbers has no pairs to rotate for both coordinates")
                theta = self.positive("theta")
        return AttentionBlock(
            name, heads, kv_heads, query_size, value_size, norm, query, key, value, out, rope, theta
        )

    # The file

    def net(self) -> KataGoNet:
        name = self.word()
        self.version = self.integer("version", 0, 10**6)
        if self.version not in VERSIONS:
            self.fail(
                f"network version {self.version} is not supported "
                f"(supported: {VERSIONS.start} to {VERSIONS.stop - 1})"
            )
        self.integer("number of spatial inputs", SPATIAL_PLANES, SPATIAL_PLANES)
        self.integer("number of global inputs", GLOBAL_INPUTS, GLOBAL_INPUTS)
        multipliers = Multipliers()
        if self.version >= 13:
            multipliers = Multipliers(*(self.positive("a multiplier") for _ in range(7)))
        pass_alive_suicide = False
        if self.version >= 15:
            if self.integer("metadata encoder", 0, 1000):
                self.fail("human-style nets, which ask for the players' ranks and dates, are not supported")
            pass_alive_suicide = self.flag("pass-alive suicide flag")
            self.zeros(6)
        trunk = self.trunk()
        policy = self.policy_head(trunk.channels)
        value = self.value_head(trunk.channels)
        if self.data[self.at :].strip(b" \t\r\n"):
            self.fail(f"{len(self.data) - self.at} bytes follow the end of the net")
        return KataGoNet(
            name, self.version, self.sha256, multipliers, pass_alive_suicide, trunk, policy, value
        )

    def trunk(self) -> Trunk:
        self.name()
        count = self.integer("number of blocks", 1, _MAX_BLOCKS)
        channels = self.channels("trunk channels")
        for what in ("middle", "regular", "dilated", "pooling"):
            self.integer(f"{what} channels", 0, _MAX_CHANNELS)
        rms = False
        if self.version >= 15:
            rms = self.flag("kind of tip norm")
            self.zeros(5)
        initial = self.conv(SPATIAL_PLANES, channels)
        global_inputs = self.matrix(GLOBAL_INPUTS, channels)
        blocks = self.blocks(count, channels)
        tip = self.rms_tip(channels) if rms else self.norm(channels)
        return Trunk(initial, global_inputs, blocks, tip, self.activation())

    def policy_head(self, channels: int) -> PolicyHead:
        self.name()
        outputs = {8: 1, 9: 1, 10: 1, 11: 1, 16: 4}.get(self.version, 2)
        if self.version >= 17:
            outputs = self.integer("policy channels", 2, 4)
            if outputs == 3:
                self.fail("3 policy channels: must be 2 or 4")
            self.zeros(3)
        conv, pool_conv = self.conv(channels), self.conv(channels)
        pool_norm, pool_act = self.norm(pool_conv.outputs), self.activation()
        pooled = 3 * pool_conv.outputs
        pool_bias = self.matrix(pooled, conv.outputs)
        norm, act = self.norm(conv.outputs), self.activation()
        out = self.conv(conv.outputs, outputs)
        if self.version < 15:
            pass_hidden, pass_bias, pass_act, pass_out = self.matrix(pooled, outputs), None, None, None
        else:
            pass_hidden = self.matrix(pooled)
            pass_bias, pass_act = self.bias(pass_hidden.outputs), self.activation()
            pass_out = self.matrix(pass_hidden.outputs, outputs)
        return PolicyHead(
            conv,
            pool_conv,
            pool_norm,
            pool_act,
            pool_bias,
            norm,
            act,
            out,
            pass_hidden,
            pass_bias,
            pass_act,
            pass_out,
        )

    def value_head(self, channels: int) -> ValueHead:
        self.name()
        if self.version >= 17:
            self.zeros(3)
        conv = self.conv(channels)
        norm, act = self.norm(conv.outputs), self.activation()
        hidden = self.matrix(3 * conv.outputs)
        hidden_bias, hidden_act = self.bias(hidden.outputs), self.activation()
        value = Dense("value", self.matrix(hidden.outputs, 3), self.bias(3))
        scores = 4 if self.version == 8 else 6
        score = Dense("score", self.matrix(hidden.outputs, scores), self.bias(scores))
        ownership = self.conv(conv.outputs, 1)
        return ValueHead(conv, norm, act, hidden, hidden_bias, hidden_act, (value, score), ownership)
