"""From a KataGo network to an ONNX graph that ONNX Runtime runs fast on a CPU.

Inputs: `spatial` float32 [n, 22, size, size], `global` float32 [n, 19]. The batch and the board size are free;
the board fills the array, so KataGo's mask (plane 0) is 1 everywhere and drops out of every formula. Nets of ours
with KataGo's blocks (`tengen.nets.residual_form`) have other inputs, and the outputs that `tengen.nets.heads` lists.

Outputs of KataGo's nets, for the side to move, before any post-processing (katago-nets, section 2), points row-major:
`policy` [n, channels, points + 1] with pass last, `value` [n, 3], `score` [n, 4 or 6], `ownership` [n, points],
`trunk` [n, size, size, channels]: what both heads read, after the last norm and activation.

Inside, a tensor is [n, y, x, channels]. Then 1x1 convolutions are plain matrix products, and 3x3 convolutions go
through Winograd's F(5x5, 3x3), which needs 4.1 times fewer multiplications on 19x19 and whose transforms are
small matrix products. Batch norms behind a convolution are folded into it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto

from tengen.nets import winograd
from tengen.nets.graph import MICROSOFT, Graph, Length, tensor
from tengen.nets.katago_layers import (
    AttentionBlock,
    BatchNorm,
    Block,
    Conv,
    FeedForwardBlock,
    Floats,
    KataGoNet,
    Matrix,
    NestedBlock,
    OrdinaryBlock,
    PolicyHead,
    PoolingBlock,
    RmsTip,
    Trunk,
    ValueHead,
)

MAX_SIZE = 19


def build(net: KataGoNet) -> onnx.ModelProto:
    """The float32 graph of a net."""
    return Builder(net).model()


def build_heads(net: KataGoNet) -> onnx.ModelProto:
    """What is behind the blocks of the trunk: takes `stream` [n, size, size, channels], gives all outputs."""
    builder = Builder(net, "stream")
    builder.heads(builder.tip_of("stream", net.trunk))
    taken = tensor("stream", "n", "size", "size", net.trunk.channels)
    return Graph.model(builder, [taken], builder.outputs(), builder.about())


class Builder(Graph):
    """Writes the float32 graph. `sites` names, for each convolution of the trunk's blocks, the tensors it takes
    and gives ("3 in", "3 out"), for those who make a graph of another precision of it."""

    def __init__(self, net: KataGoNet, given: str = "spatial") -> None:
        """`given` is the input whose shape has the batch and the board size."""
        super().__init__()
        self.net = net
        self.given = given
        self.sites: dict[str, str] = {}
        self.tip = ""  # what the trunk's last activation takes
        self.tip_shift = np.zeros(net.trunk.channels, np.float32)
        self.size = self.op("Shape", given, start=2, end=3)

    def model(self) -> onnx.ModelProto:  # type: ignore[override]
        self.heads(self.trunk(self.net.trunk))
        return super().model(self.inputs(), self.outputs(), self.about())

    def outputs(self) -> list[onnx.ValueInfoProto]:
        policy, value = self.net.policy, self.net.value
        outputs = [tensor("trunk", "n", "size", "size", self.net.trunk.channels)]
        if policy is not None:
            lengths: list[int | str] = ["n", "moves"] if policy.ours else ["n", policy.out.outputs, "moves"]
            outputs.append(tensor("policy", *lengths))
            if policy.next is not None:
                outputs.append(tensor("next", "n", policy.next.outputs, "points"))
        if value is not None:
            outputs += [tensor(dense.output, "n", dense.matrix.outputs) for dense in value.outputs]
            if value.ownership is not None:
                outputs.append(tensor("ownership", "n", "points"))
        return outputs

    def about(self) -> dict[str, str]:
        return {"net": self.net.name, "version": str(self.net.version), "sha256": self.net.sha256}

    def inputs(self) -> list[onnx.ValueInfoProto]:
        trunk = self.net.trunk
        taken = [tensor("spatial", "n", trunk.initial.inputs, "size", "size")]
        if trunk.globals is not None:
            taken.append(tensor("global", "n", trunk.globals.inputs))
        return taken

    # Layers

    def trunk(self, trunk: Trunk) -> str:
        x = self.direct_conv("spatial", trunk.initial.weight, trunk.initial.dilation)
        x = self.op("Transpose", x, perm=[0, 2, 3, 1])
        if trunk.globals is not None:
            x = self.op("Add", x, self.spread(self.linear("global", trunk.globals.weight)))
        for block in trunk.blocks:
            x = self.op("Add", x, self.block(x, block))
        return self.tip_of(x, trunk)

    def tip_of(self, x: str, trunk: Trunk) -> str:
        tip = trunk.tip
        if isinstance(tip, BatchNorm):
            x, bias = self.op("Mul", x, self.constant(tip.scale)), tip.bias
        else:
            x, bias = self.rms(x, tip), tip.beta
        self.tip = self.op("Add", x, self.constant(bias + self.tip_shift))
        out = self.activate(self.tip, trunk.tip_act)
        if out == self.tip:  # no activation: the same tensor, which is about to get another name
            self.tip = "trunk"
        return self.rename(out, "trunk")

    def rename(self, x: str, name: str) -> str:
        """Gives the newest tensor the name of an output, for later nodes to read as well."""
        assert list(self.nodes[-1].output) == [x]
        self.nodes[-1].output[0] = name
        return name

    def rms(self, x: str, tip: RmsTip) -> str:
        if not tip.spatial:
            return self.point_norm(x, tip.gamma, tip.epsilon)
        square = self.op("ReduceMean", self.op("Mul", x, x), axes=[1, 2, 3], keepdims=1)
        root = self.op("Sqrt", self.op("Add", square, self.constant(tip.epsilon)))
        return self.op("Mul", x, self.op("Div", self.constant(tip.gamma), root))

    def point_norm(self, x: str, weight: Floats, epsilon: float) -> str:
        return self.op(
            "SimplifiedLayerNormalization", x, self.constant(weight), axis=-1, epsilon=epsilon, stash_type=1
        )

    def activate(self, x: str, kind: str) -> str:
        match kind:
            case "relu":
                return self.op("Relu", x)
            case "silu":
                return self.op("QuickGelu", x, domain=MICROSOFT, alpha=1.0)
            case "mish":
                # x tanh(softplus(x)) = x (1 - 2 / ((1 + e^x)^2 + 1)); e^x may overflow to infinity unharmed.
                one = self.constant(1.0)
                e = self.op("Add", self.op("Exp", x), one)
                e = self.op("Add", self.op("Mul", e, e), one)
                e = self.op("Sub", one, self.op("Div", self.constant(2.0), e))
                return self.op("Mul", x, e)
        return x

    def normed(self, x: str, norm: BatchNorm, act: str) -> str:
        x = self.op("Add", self.op("Mul", x, self.constant(norm.scale)), self.constant(norm.bias))
        return self.activate(x, act)

    def linear(self, x: str, weight: Floats) -> str:
        return self.op("MatMul", x, self.constant(weight))

    def direct_conv(self, x: str, weight: Floats, dilation: tuple[int, int]) -> str:
        ky, kx = weight.shape[:2]
        pad = [dilation[0] * (ky // 2), dilation[1] * (kx // 2)]
        return self.op(
            "Conv",
            x,
            self.constant(weight.transpose(3, 2, 0, 1)),
            kernel_shape=[ky, kx],
            dilations=list(dilation),
            pads=pad + pad,
        )

    def conv(self, x: str, weight: Floats, dilation: tuple[int, int]) -> str:
        if weight.shape[:2] == (1, 1):
            return self.linear(x, weight[0, 0])
        if weight.shape[:2] == (3, 3) and dilation == (1, 1):
            return self.winograd(x, weight)
        x = self.direct_conv(self.op("Transpose", x, perm=[0, 3, 1, 2]), weight, dilation)
        return self.op("Transpose", x, perm=[0, 2, 3, 1])

    def spread(self, x: str) -> str:
        """[n, channels] -> [n, 1, 1, channels], to be added at every point."""
        return self.op("Unsqueeze", x, self.constant([1, 2], np.int64))

    def winograd(self, x: str, weight: Floats) -> str:
        inputs, outputs = (int(c) for c in weight.shape[2:])
        reach, tile = winograd.REACH, winograd.TILE
        # The runtime works the kernel's transform out once, when it loads the graph; the file stays small.
        transform = self.constant(np.kron(winograd.KERNEL, winograd.KERNEL))
        kernel = self.op("MatMul", transform, self.constant(weight.reshape(9, -1)))
        kernel = self.reshape(kernel, reach**2, inputs, outputs)
        into, out = self.constant(winograd.IN), self.constant(winograd.OUT)
        nothing = self.constant(np.zeros((1, inputs)))
        x = self.op("Concat", nothing, self.reshape(x, -1, inputs), axis=0)
        x = self.op("Gather", x, self.once("tile points", self.tile_points))
        x = self.op("MatMul", into, self.reshape(x, reach, -1))
        x = self.op("MatMul", into, self.reshape(x, reach, reach, -1))
        x = self.op("MatMul", self.reshape(x, reach**2, -1, inputs), kernel)
        x = self.op("MatMul", out, self.reshape(x, reach, -1))
        x = self.op("MatMul", out, self.reshape(x, tile, reach, -1))
        x = self.op("Gather", self.reshape(x, -1, outputs), self.once("board points", self.board_points))
        return self.reshape(x, -1, self.size, self.size, outputs)

    # Rows of points, that is [n * points, channels], to tiles and back; [ky, kx, n, tile y, tile x] is the
    # order of tiles, in which the transforms are products with a matrix on the left.

    @property
    def tiles(self) -> str:
        """Tiles along a line."""
        tile = self.constant([winograd.TILE], np.int64)
        more = self.constant([winograd.TILE - 1], np.int64)
        return self.once("tiles", lambda: self.op("Div", self.op("Add", self.size, more), tile))

    @property
    def boards(self) -> str:
        """The numbers of the boards, int64 [n, 1]."""

        def make() -> str:
            scalar = self.constant([0], np.int64)
            count = self.op("Squeeze", self.op("Shape", self.given, start=0, end=1), scalar)
            ends = (self.constant(0, np.int64), count, self.constant(1, np.int64))
            return self.op("Unsqueeze", self.op("Range", *ends), self.constant([1], np.int64))

        return self.once("boards", make)

    def tile_points(self) -> str:
        """Where each input of each tile is found among the rows, one row of zeros before them."""
        line = self.cut(winograd.tile_lines(MAX_SIZE), winograd.REACH, self.tiles, dtype=np.int64)
        on_board = self.op(
            "And",
            self.op("GreaterOrEqual", line, self.constant(0, np.int64)),
            self.op("Less", line, self.size),
        )

        def along(table: str, axes: list[int]) -> str:
            return self.op("Unsqueeze", table, self.constant(axes, np.int64))

        y_axes, x_axes = [1, 2, 4], [0, 2, 3]  # of [ky, kx, n, tile y, tile x]
        point = self.op("Add", self.op("Mul", along(line, y_axes), self.size), along(line, x_axes))
        inside = self.op("And", along(on_board, y_axes), along(on_board, x_axes))
        start = self.op("Add", self.op("Mul", self.boards, self.points), self.constant([[1]], np.int64))
        row = self.op("Add", point, along(start, [2]))
        return self.reshape(self.op("Where", inside, row, self.constant(0, np.int64)), -1)

    def board_points(self) -> str:
        """Where each point of each board is found among the tiles' outputs."""
        line = np.arange(MAX_SIZE)
        within, tile = (
            self.cut(table, self.size, dtype=np.int64)
            for table in (line % winograd.TILE, line // winograd.TILE)
        )

        def across(table: str, width: str) -> str:
            """table[y] * width + table[x], [points]."""
            rows = self.op("Unsqueeze", self.op("Mul", table, width), self.constant([1], np.int64))
            return self.reshape(self.op("Add", rows, table), -1)

        tiles = across(tile, self.tiles)
        square = self.once("tiles of a board", lambda: self.op("Mul", self.tiles, self.tiles))
        all_tiles = self.op("Mul", self.op("Shape", self.given, start=0, end=1), square)
        row = self.op(
            "Add", self.op("Mul", across(within, self.constant([winograd.TILE], np.int64)), all_tiles), tiles
        )
        return self.reshape(self.op("Add", row, self.op("Mul", self.boards, square)), -1)

    def cut(self, table: npt.NDArray[Any], *lengths: Length, dtype: npt.DTypeLike = np.float32) -> str:
        """The first part of a constant along its first axes; further axes whole."""
        start = self.constant([0] * len(lengths), np.int64)
        return self.op("Slice", self.constant(table, dtype), start, self.shape(*lengths))

    @property
    def points(self) -> str:
        return self.once("points", lambda: self.op("Mul", self.size, self.size))

    # Blocks

    def block(self, x: str, block: Block) -> str:
        """What a block adds to its stream."""
        match block:
            case OrdinaryBlock():
                z = self.normed(x, block.norm1, block.act1)
                z = self.layer(z, block.conv1, block.norm2, block.act2)
                return self.layer(z, block.conv2)
            case PoolingBlock():
                z = self.normed(x, block.norm1, block.act1)
                z, pool = self.layers(z, [block.conv1, block.pool_conv], [block.norm2, block.pool_norm])
                z, _ = self.pool_bias(
                    z, pool, block.pool_norm, block.pool_act, block.pool_bias, block.norm2, block.act2
                )
                return self.layer(z, block.conv2)
            case NestedBlock():
                z = self.layer(self.normed(x, block.norm1, block.act1), block.conv1)
                for inner in block.blocks:
                    z = self.op("Add", z, self.block(z, inner))
                return self.layer(self.normed(z, block.norm2, block.act2), block.conv2)
            case AttentionBlock():
                return self.attention(x, block)
            case FeedForwardBlock():
                z = self.point_norm(x, block.norm.weight, block.norm.epsilon)
                both = np.concatenate([block.linear.weight, block.gate.weight], axis=1)
                linear, gate = self.split(self.linear(z, both), [block.linear.outputs, block.gate.outputs])
                return self.linear(self.op("Mul", self.activate(linear, "silu"), gate), block.out.weight)

    def layer(self, x: str, conv: Conv, norm: BatchNorm | None = None, act: str = "identity") -> str:
        """A convolution of the trunk, with the norm and activation behind it."""
        site = self.site(x)
        if norm is None:
            x = self.conv(x, conv.weight, conv.dilation)
        else:
            x = self.conv(x, conv.weight * norm.scale, conv.dilation)
            x = self.op("Add", x, self.constant(norm.bias))
        self.sites[f"{site} out"] = x
        return self.activate(x, act)

    def site(self, x: str) -> int:
        number = len(self.sites) // 2
        self.sites[f"{number} in"] = x
        return number

    def layers(self, x: str, convs: Sequence[Conv], norms: Sequence[BatchNorm]) -> list[str]:
        """Several convolutions of one tensor, scaled by their norms, without the norms' biases."""
        sites = []
        for _ in convs:
            sites.append(self.site(x))
            self.sites[f"{sites[-1]} out"] = ""
        outputs = self.convs(x, convs, [norm.scale for norm in norms])
        self.sites |= {f"{site} out": output for site, output in zip(sites, outputs, strict=True)}
        return outputs

    def convs(self, x: str, convs: Sequence[Conv], scales: Sequence[Floats]) -> list[str]:
        """Several convolutions of one tensor, in one where their kernels have the same form."""
        weights = [conv.weight * scale for conv, scale in zip(convs, scales, strict=True)]
        forms = {(weight.shape[:2], conv.dilation) for weight, conv in zip(weights, convs, strict=True)}
        if len(forms) > 1:
            return [self.conv(x, w, conv.dilation) for w, conv in zip(weights, convs, strict=True)]
        x = self.conv(x, np.concatenate(weights, axis=3), convs[0].dilation)
        return self.split(x, [conv.outputs for conv in convs])

    def pool_bias(
        self, x: str, pool: str, pool_norm: BatchNorm, pool_act: str, bias: Matrix, norm: BatchNorm, act: str
    ) -> tuple[str, str]:
        pool = self.activate(self.op("Add", pool, self.constant(pool_norm.bias)), pool_act)
        pooled = self.pool(pool)
        heard = self.op("Add", self.linear(pooled, bias.weight * norm.scale), self.constant(norm.bias))
        return self.activate(self.op("Add", x, self.spread(heard)), act), pooled

    def pool(self, x: str) -> str:
        """G: mean, mean scaled by the board's width, maximum. [n, y, x, c] -> [n, 3c]."""
        mean = self.op("ReduceMean", x, axes=[1, 2], keepdims=0)
        greatest = self.op("ReduceMax", x, axes=[1, 2], keepdims=0)
        return self.op("Concat", mean, self.op("Mul", mean, self.width()), greatest, axis=-1)

    def width(self) -> str:
        """(size - 14) / 10, as float32 [1]."""

        def make() -> str:
            size = self.op("Cast", self.size, to=TensorProto.FLOAT)
            return self.op("Mul", self.op("Sub", size, self.constant([14.0])), self.constant([0.1]))

        return self.once("width", make)

    def attention(self, x: str, block: AttentionBlock) -> str:
        heads, groups = block.heads, block.heads // block.kv_heads
        z = self.point_norm(x, block.norm.weight, block.norm.epsilon)
        # Pairs (2p, 2p+1) that RoPE rotates become (p, p + half): q.k does not mind the order.
        order = np.arange(block.query_size)
        if block.rope is not None or block.theta is not None:
            order = np.concatenate([order[0::2], order[1::2]])

        def by_heads(weight: Floats, count: int, size: int) -> Floats:
            """[in, count * size] -> [in, heads, size]: every query head gets its key head's copy."""
            return np.repeat(weight.reshape(len(weight), count, size), heads // count, axis=1)

        query = by_heads(block.query.weight, heads, block.query_size)[:, :, order]
        key = by_heads(block.key.weight, block.kv_heads, block.query_size)[:, :, order]
        value = by_heads(block.value.weight, block.kv_heads, block.value_size)
        parts = [part.reshape(len(part), -1) for part in (query, key, value)]
        z = self.linear(z, np.concatenate(parts, axis=1))
        z = self.reshape(z, 0, self.points, -1)
        q, k, v = self.split(z, [part.shape[1] for part in parts])
        if block.rope is not None or block.theta is not None:
            cos, sin = self.rotation(block, groups)
            q, k = (self.rotate(part, heads, block.query_size, cos, sin) for part in (q, k))
        z = self.op(
            "MultiHeadAttention",
            q,
            k,
            v,
            domain=MICROSOFT,
            num_heads=heads,
            scale=block.query_size**-0.5,
        )
        return self.reshape(self.linear(z, block.out.weight), 0, self.size, self.size, -1)

    def rotation(self, block: AttentionBlock, groups: int) -> tuple[str, str]:
        """cos and sin of RoPE's angles, [points, heads, pairs]."""
        if block.rope is not None:
            along_x, along_y = block.rope[..., 0], block.rope[..., 1]
        else:
            assert block.theta is not None
            quarter = block.query_size // 4
            slopes = block.theta ** (-2.0 * np.arange(quarter) / (block.query_size // 2))
            along_y = np.concatenate([slopes, np.zeros(quarter)])[None]
            along_x = np.concatenate([np.zeros(quarter), slopes])[None]
        line = np.arange(MAX_SIZE, dtype=np.float64)
        angles = line[:, None, None, None] * along_y + line[None, :, None, None] * along_x  # [y, x, kv, pair]
        angles = np.repeat(angles, block.heads // angles.shape[2], axis=2)
        pairs = angles.shape[3]
        cos, sin = (
            self.reshape(self.cut(table.astype(np.float32), self.size, self.size), -1, block.heads, pairs)
            for table in (np.cos(angles), np.sin(angles))
        )
        return cos, sin

    def rotate(self, x: str, heads: int, size: int, cos: str, sin: str) -> str:
        a, b = self.split(self.reshape(x, 0, 0, heads, size), [size // 2, size // 2])
        first = self.op("Sub", self.op("Mul", a, cos), self.op("Mul", b, sin))
        second = self.op("Add", self.op("Mul", a, sin), self.op("Mul", b, cos))
        return self.reshape(self.op("Concat", first, second, axis=-1), 0, 0, heads * size)

    # Heads

    def heads(self, tip: str) -> None:
        policy, value = self.net.policy, self.net.value
        convs = [policy.conv, policy.pool_conv] if policy else []
        scales = [policy.norm.scale, policy.pool_norm.scale] if policy else []
        if value:
            convs, scales = [*convs, value.conv], [*scales, value.norm.scale]
        maps = self.convs(tip, convs, scales)
        if policy:
            self.policy_head(maps[0], maps[1], policy)
        if value:
            self.value_head(maps[-1], value)

    def policy_head(self, x: str, pool: str, head: PolicyHead) -> None:
        x, pooled = self.pool_bias(
            x, pool, head.pool_norm, head.pool_act, head.pool_bias, head.norm, head.act
        )
        board = self.conv(x, head.out.weight, head.out.dilation)
        passing = self.linear(pooled, head.pass_hidden.weight)
        if head.pass_bias is not None and head.pass_act is not None and head.pass_out is not None:
            passing = self.activate(self.op("Add", passing, self.constant(head.pass_bias)), head.pass_act)
            passing = self.linear(passing, head.pass_out.weight)
        channels = head.out.outputs
        passing = self.reshape(passing, 0, 1, channels)
        moves = self.op("Concat", self.reshape(board, 0, self.points, channels), passing, axis=1)
        if head.ours:
            self.rename(self.reshape(moves, 0, -1), "policy")
        else:
            self.rename(self.op("Transpose", moves, perm=[0, 2, 1]), "policy")
        if head.next is not None:
            later = self.conv(x, head.next.weight, head.next.dilation)
            later = self.reshape(later, 0, self.points, head.next.outputs)
            self.rename(self.op("Transpose", later, perm=[0, 2, 1]), "next")

    def value_head(self, v: str, head: ValueHead) -> None:
        v = self.activate(self.op("Add", v, self.constant(head.norm.bias)), head.act)
        if head.ownership is not None:
            ownership = self.conv(v, head.ownership.weight, head.ownership.dilation)
            owners = self.rename(self.reshape(ownership, 0, self.points), "ownership")
        if head.hidden is None:
            return
        mean = self.op("ReduceMean", v, axes=[1, 2], keepdims=0)
        width = self.width()
        bend = self.once("bend", lambda: self.op("Sub", self.op("Mul", width, width), self.constant([0.1])))
        pooled = self.op("Concat", mean, self.op("Mul", mean, width), self.op("Mul", mean, bend), axis=-1)
        hidden = self.op("Add", self.linear(pooled, head.hidden.weight), self.constant(head.hidden_bias))
        hidden = self.activate(hidden, head.hidden_act)
        for dense in head.outputs:
            out = self.op("Add", self.linear(hidden, dense.matrix.weight), self.constant(dense.bias))
            if head.owned and dense.output == "margin":
                mean = self.op("ReduceMean", self.op("Tanh", owners), axes=[1], keepdims=1)
                out = self.op("Add", out, self.op("Mul", mean, self.constant([head.owned, 0.0])))
            self.rename(out, dense.output)
