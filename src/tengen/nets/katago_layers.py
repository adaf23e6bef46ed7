"""The parts of a KataGo net, as plain values.

Convolution weights are [ky, kx, in, out] and matrices [in, out], as they lie in the file.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

SPATIAL_PLANES = 22
GLOBAL_INPUTS = 19


@dataclass(frozen=True, slots=True)
class Conv:
    name: str
    weight: Floats  # [ky, kx, in, out]
    dilation: tuple[int, int]

    @property
    def inputs(self) -> int:
        return int(self.weight.shape[2])

    @property
    def outputs(self) -> int:
        return int(self.weight.shape[3])


@dataclass(frozen=True, slots=True)
class BatchNorm:
    """x * scale + bias a channel, with mean, variance and epsilon already folded in."""

    name: str
    scale: Floats
    bias: Floats


@dataclass(frozen=True, slots=True)
class TransformerNorm:
    """x / sqrt(mean over channels of x^2 + epsilon) * weight, at each point."""

    name: str
    weight: Floats
    epsilon: float


@dataclass(frozen=True, slots=True)
class RmsTip:
    """x / sqrt(mean of x^2 + epsilon) * gamma + beta; the mean over channels, or over the board as well."""

    name: str
    gamma: Floats
    beta: Floats
    epsilon: float
    spatial: bool


@dataclass(frozen=True, slots=True)
class Matrix:
    name: str
    weight: Floats  # [in, out]

    @property
    def inputs(self) -> int:
        return int(self.weight.shape[0])

    @property
    def outputs(self) -> int:
        return int(self.weight.shape[1])


@dataclass(frozen=True, slots=True)
class OrdinaryBlock:
    name: str
    norm1: BatchNorm
    act1: str
    conv1: Conv
    norm2: BatchNorm
    act2: str
    conv2: Conv


@dataclass(frozen=True, slots=True)
class PoolingBlock:
    """An ordinary block whose first convolution gets a bias from the whole board, through `pool_bias`."""

    name: str
    norm1: BatchNorm
    act1: str
    conv1: Conv
    pool_conv: Conv
    pool_norm: BatchNorm
    pool_act: str
    pool_bias: Matrix
    norm2: BatchNorm
    act2: str
    conv2: Conv


@dataclass(frozen=True, slots=True)
class NestedBlock:
    """A bottleneck around an inner residual stream."""

    name: str
    norm1: BatchNorm
    act1: str
    conv1: Conv
    blocks: tuple[Block, ...]
    norm2: BatchNorm
    act2: str
    conv2: Conv


@dataclass(frozen=True, slots=True)
class AttentionBlock:
    """`rope` holds learned frequencies [kv heads, pairs, (x, y)], or None for `theta`, or neither."""

    name: str
    heads: int
    kv_heads: int
    query_size: int
    value_size: int
    norm: TransformerNorm
    query: Matrix
    key: Matrix
    value: Matrix
    out: Matrix
    rope: Floats | None
    theta: float | None


@dataclass(frozen=True, slots=True)
class FeedForwardBlock:
    name: str
    norm: TransformerNorm
    linear: Matrix
    gate: Matrix
    out: Matrix


Block = OrdinaryBlock | PoolingBlock | NestedBlock | AttentionBlock | FeedForwardBlock


@dataclass(frozen=True, slots=True)
class Trunk:
    initial: Conv
    globals: Matrix | None  # None: a net of ours that takes planes alone
    blocks: tuple[Block, ...]
    tip: BatchNorm | RmsTip
    tip_act: str

    @property
    def channels(self) -> int:
        return self.initial.outputs


@dataclass(frozen=True, slots=True)
class PolicyHead:
    conv: Conv
    pool_conv: Conv
    pool_norm: BatchNorm
    pool_act: str
    pool_bias: Matrix
    norm: BatchNorm
    act: str
    out: Conv
    pass_hidden: Matrix
    pass_bias: Floats | None
    pass_act: str | None
    pass_out: Matrix | None
    # A net of ours: its one policy comes as [n, moves], and `next` predicts the moves after the next one.
    ours: bool = False
    next: Conv | None = None


@dataclass(frozen=True, slots=True)
class Dense:
    """x @ matrix + bias; the graph gives it under the name `output`."""

    output: str
    matrix: Matrix
    bias: Floats


@dataclass(frozen=True, slots=True)
class ValueHead:
    """From maps of the trunk to `ownership`, and from their pooled values through a hidden layer to `outputs`.

    KataGo's outputs are `value` and `score`, those of our nets see tengen.nets.heads. `owned` is what a board that the
    mover owns adds to the first number of the output `margin`: the mean of the owners counts that much.
    """

    conv: Conv
    norm: BatchNorm
    act: str
    hidden: Matrix | None  # None if there are no outputs
    hidden_bias: Floats
    hidden_act: str
    outputs: tuple[Dense, ...]
    ownership: Conv | None
    owned: float = 0.0


@dataclass(frozen=True, slots=True)
class Multipliers:
    """What the value head's outputs are multiplied by; the defaults are those of versions below 13."""

    td_score: float = 20.0
    score_mean: float = 20.0
    score_stdev: float = 20.0
    lead: float = 20.0
    variance_time: float = 40.0
    shortterm_value_error: float = 0.25
    shortterm_score_error: float = 30.0


@dataclass(frozen=True, slots=True)
class KataGoNet:
    """A network file: the header, the trunk and the two heads; KataGo's nets have both, ours at least one."""

    name: str
    version: int
    sha256: str
    multipliers: Multipliers
    pass_alive_suicide: bool
    trunk: Trunk
    policy: PolicyHead | None
    value: ValueHead | None

    @property
    def policy_channels(self) -> int:
        """How many policies the net gives; KataGo's later nets have several."""
        return self.policy.out.outputs if self.policy else 0

    @property
    def weights(self) -> int:
        """How many numbers the net learnt."""
        return _count(self.trunk) + _count(self.policy) + _count(self.value)


def _count(part: object) -> int:
    if isinstance(part, np.ndarray):
        return int(part.size)
    if isinstance(part, tuple):
        return sum(_count(item) for item in part)
    slots = getattr(part, "__slots__", ())
    return sum(_count(getattr(part, name)) for name in slots)
