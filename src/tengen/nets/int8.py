"""Nets in eight bits: the trunk's convolutions in integers, the rest in float32.

What stays in float32, and why: the stem (its inputs are few and exact), the residual streams (errors would add
up in them), global pooling, both heads (naive int8 there moves win rates by 0.06 to 0.11) and attention.

Each convolution takes unsigned bytes with one scale and has signed bytes as weights, with a scale for each
output channel. Ranges come from the net's own activations on calibration positions. Three things keep the
loss small: channels of unlike size are evened out before they share a scale, what is divided out of the input
going into the weights (Xiao et al. 2023, SmoothQuant, equation 4); ranges are those of least squared error, not
of the largest value; and the mean error that is left in each output channel is taken off its bias.

Processors without VNNI add the products of two neighbouring channels in 16 bits, with saturation. Weights are
therefore kept so small that no pair of activations as large as any seen in calibration can reach that limit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import onnx

from tengen.nets.graph import MICROSOFT, tensor
from tengen.nets.katago_graph import Builder
from tengen.nets.katago_layers import BatchNorm, Conv, Floats, KataGoNet
from tengen.nets.runtime import Arrays, Runtime
from tengen.progress import Progress, Report, part_of, silent

WEIGHT_MAX = 127
BYTE_MAX = 255
PAIR_MAX = 32767
STAGE = "calibrating int8"
_POINTS = 48  # points of each batch whose activations are kept
_DEAF = -8.0  # mish and silu answer nearly 0 below this


@dataclass(frozen=True, slots=True)
class Scale:
    """byte = round(value / step) + zero, within 0 to 255."""

    step: float
    zero: int

    def rounded(self, values: Floats) -> Floats:
        """What is left of the values after a journey through bytes."""
        sent = np.clip(np.rint(values / self.step) + self.zero, 0, BYTE_MAX)
        return np.asarray((sent - self.zero) * self.step, np.float32)


@dataclass(frozen=True, slots=True)
class Site:
    """How one convolution is quantised."""

    even: Floats  # [in]: what each input channel is divided by
    given: Scale  # of the evened input
    weight: npt.NDArray[np.int8]  # [ky, kx, in, out]
    steps: Floats  # [out]
    shift: Floats  # [out], added to the bias
    spread: Floats  # [out]: what each output channel is divided by
    out: Scale  # of the output so divided


class QuantizedBuilder(Builder):
    """Writes the graph with the trunk's convolutions in int8."""

    def __init__(self, net: KataGoNet, plan: Sequence[Site]) -> None:
        super().__init__(net)
        self.plan = plan
        self.bytes: dict[str, str] = {}  # float tensors that are at hand as bytes, too
        self.norms: dict[str, tuple[str, BatchNorm]] = {}  # outputs of norm and ReLU

    def normed(self, x: str, norm: BatchNorm, act: str) -> str:
        y = super().normed(x, norm, act)
        if act == "relu":
            self.norms[y] = (x, norm)
        return y

    def layer(self, x: str, conv: Conv, norm: BatchNorm | None = None, act: str = "identity") -> str:
        number = self.site(x)
        bias = np.zeros(conv.outputs, np.float32) if norm is None else norm.bias
        return self.integer_conv(x, conv, number, bias, act)

    def layers(self, x: str, convs: Sequence[Conv], norms: Sequence[BatchNorm]) -> list[str]:
        return [
            self.integer_conv(x, conv, self.site(x), np.zeros(conv.outputs, np.float32), "identity")
            for conv in convs
        ]

    def integer_conv(self, x: str, conv: Conv, number: int, bias: Floats, act: str) -> str:
        site = self.plan[number]
        given = self.quantize(x, site)
        bias = bias + site.shift
        step, zero = self.constant(site.given.step), self.constant(site.given.zero, np.uint8)
        zeros = self.constant(np.zeros(conv.outputs), np.int8)
        if conv.weight.shape[:2] == (1, 1):
            weight = self.constant(site.weight[0, 0], np.int8)
            inputs = (given, weight, step, self.constant(site.steps), zero, zeros, self.constant(bias))
            y = self.op("MatMulIntegerToFloat", *inputs, domain=MICROSOFT)
            self.sites[f"{number} out"] = y
            return self.activate(y, act)
        onward = act == "relu"  # straight into the next convolution: bytes have no negative numbers
        following = self.plan[number + 1] if onward else None
        spread, out = (site.spread, site.out) if following is None else (following.even, following.given)
        steps, bias = site.steps / spread, bias / spread
        ky, kx = conv.weight.shape[:2]
        pad = [conv.dilation[0] * (ky // 2), conv.dilation[1] * (kx // 2)]
        y = self.op(
            "QLinearConv",
            given,
            step,
            zero,
            self.constant(site.weight.transpose(3, 2, 0, 1), np.int8),
            self.constant(steps),
            zeros,
            self.constant(out.step),
            self.constant(out.zero, np.uint8),
            self.constant(np.clip(np.rint(bias / (site.given.step * steps)), -(2**30), 2**30), np.int32),
            domain=MICROSOFT,
            channels_last=1,
            kernel_shape=[ky, kx],
            dilations=list(conv.dilation),
            pads=pad + pad,
        )
        floats = self.op("DequantizeLinear", y, self.constant(out.step), self.constant(out.zero, np.uint8))
        self.sites[f"{number} out"] = floats
        if onward:
            self.bytes[floats] = y
            return floats
        return self.activate(self.op("Mul", floats, self.constant(spread)), act)

    def quantize(self, x: str, site: Site) -> str:
        if x not in self.bytes:
            if x in self.norms and site.given.zero == 0:  # the ReLU is in the bytes, the division in the norm
                source, norm = self.norms[x]
                y = self.op("Mul", source, self.constant(norm.scale / site.even))
                y = self.op("Add", y, self.constant(norm.bias / site.even))
            else:
                y = self.op("Mul", x, self.constant(1.0 / site.even))
            step, zero = self.constant(site.given.step), self.constant(site.given.zero, np.uint8)
            self.bytes[x] = self.op("QuantizeLinear", y, step, zero)
        return self.bytes[x]


class _Listed(Builder):
    """The float32 graph, with the weights and the kind of each site."""

    def __init__(self, net: KataGoNet) -> None:
        super().__init__(net)
        self.weights: list[Floats] = []
        self.acts: list[str] = []
        self.shared: list[int] = []  # the first site that takes the same input
        super().model()

    def layer(self, x: str, conv: Conv, norm: BatchNorm | None = None, act: str = "identity") -> str:
        self._add(conv, norm, act, len(self.weights))
        return super().layer(x, conv, norm, act)

    def layers(self, x: str, convs: Sequence[Conv], norms: Sequence[BatchNorm]) -> list[str]:
        first = len(self.weights)
        for conv, norm in zip(convs, norms, strict=True):
            self._add(conv, norm, "identity", first)
        return super().layers(x, convs, norms)

    def _add(self, conv: Conv, norm: BatchNorm | None, act: str, first: int) -> None:
        self.weights.append(conv.weight if norm is None else conv.weight * norm.scale)
        self.acts.append(act)
        self.shared.append(first)


def quantize(
    net: KataGoNet,
    batches: Sequence[Arrays],
    threads: int | None = None,
    progress: Report = silent,
) -> onnx.ModelProto:
    """The int8 graph of a net, calibrated on batches of inputs of one board size."""
    exact = _Listed(net)
    plan = make_plan(exact, batches, threads, part_of(progress, STAGE, 0, 3))
    means = []
    for stage, builder in enumerate((exact, QuantizedBuilder(net, plan))):
        if stage:
            builder.model()
        tips = []
        for i, seen in enumerate(_watch(builder, {"tip": builder.tip}, batches, threads)):
            tips.append(seen["tip"].mean(axis=(0, 1, 2), dtype=np.float64))
            progress(Progress(STAGE, (1 + stage + (i + 1) / len(batches)) / 3, 1.0))
        means.append(np.mean(tips, axis=0))
    final = QuantizedBuilder(net, plan)
    final.tip_shift = (means[0] - means[1]).astype(np.float32)
    return final.model()


def make_plan(
    listed: _Listed,
    batches: Sequence[Arrays],
    threads: int | None = None,
    progress: Report = silent,
) -> list[Site]:
    """How to quantise each convolution of the trunk's blocks, from what goes through them."""
    samples: dict[str, list[Floats]] = {}
    rng = np.random.default_rng(0)
    for i, seen in enumerate(_watch(listed, listed.sites, batches, threads)):
        for name, values in seen.items():
            flat = values.reshape(-1, values.shape[-1])
            samples.setdefault(name, []).append(
                flat[rng.choice(len(flat), min(len(flat), _POINTS), replace=False)]
            )
            # the largest of each channel, so that no range is too small by chance
            samples[name].append(flat.max(axis=0, keepdims=True))
        progress(Progress(STAGE, i + 1, len(batches)))
    plan: list[Site] = []
    for number, weight in enumerate(listed.weights):
        x = np.concatenate(samples[f"{number} in"])
        y = np.concatenate(samples[f"{number} out"])
        same = [n for n, first in enumerate(listed.shared) if first == listed.shared[number]]
        plan.append(make_site(x, y, weight, [listed.weights[n] for n in same], listed.acts[number]))
    return plan


def make_site(x: Floats, y: Floats, weight: Floats, siblings: Sequence[Floats], act: str) -> Site:
    """How to quantise a convolution with inputs like x [samples, in] and outputs like y [samples, out].

    Convolutions that share their input (siblings, itself among them) share its scale.
    """
    heaviest = np.max([np.abs(w).max(axis=(0, 1, 3)) for w in siblings], axis=0)
    even = np.sqrt((np.quantile(np.abs(x), 0.999, axis=0) + 1e-3) / (heaviest + 1e-6))
    even = (even / np.exp(np.log(even).mean())).astype(np.float32)
    evened = x / even
    given = choose_scale(evened)
    kernel = weight * even[:, None]
    largest = np.clip(np.rint(np.abs(evened).max(axis=0) / given.step) + given.zero, 0, BYTE_MAX)
    quantised, steps = quantize_weight(kernel, largest)
    mean, rounded = evened.mean(axis=0), given.rounded(evened).mean(axis=0)
    shift = (
        np.einsum("c,yxco->o", mean, kernel) - np.einsum("c,yxco->o", rounded, quantised * steps)
    ).astype(np.float32)
    if act in ("mish", "silu"):
        y = np.maximum(y, _DEAF)
    spread = (np.quantile(np.abs(y), 0.999, axis=0) + 1e-3).astype(np.float32)
    return Site(even, given, quantised, steps, shift, spread, choose_scale(y / spread))


def quantize_weight(weight: Floats, largest: Floats) -> tuple[npt.NDArray[np.int8], Floats]:
    """Signed bytes [ky, kx, in, out] and a step for each output channel, those of least squared error.

    `largest` [in] are the greatest input bytes, which must not saturate a sum of two products.
    """
    greatest = np.maximum(np.abs(weight).max(axis=(0, 1, 2)), 1e-12)
    best = np.full(greatest.shape, np.inf)
    steps = greatest / WEIGHT_MAX
    for part in np.linspace(0.7, 1.0, 7):
        trial = part * greatest / WEIGHT_MAX
        rounded = np.clip(np.rint(weight / trial), -WEIGHT_MAX, WEIGHT_MAX) * trial
        error = ((rounded - weight) ** 2).sum(axis=(0, 1, 2))
        steps = np.where(error < best, trial, steps)
        best = np.minimum(error, best)
    size = np.abs(weight) / steps * largest[:, None]  # [ky, kx, in, out]
    if size.shape[2] % 2:
        size = np.concatenate([size, np.zeros_like(size[:, :, :1])], axis=2)
    pairs = (size[:, :, 0::2] + size[:, :, 1::2]).max(axis=(0, 1, 2))
    steps = (steps * np.maximum(1.0, 1.01 * pairs / PAIR_MAX)).astype(np.float32)
    return np.clip(np.rint(weight / steps), -WEIGHT_MAX, WEIGHT_MAX).astype(np.int8), steps


def choose_scale(samples: Floats) -> Scale:
    """The scale of least squared error; what is beyond its range is clipped."""
    values = samples.ravel()
    low, high = float(values.min(initial=0.0)), float(values.max(initial=0.0))
    if high - low < 1e-9:
        return Scale(1.0 / BYTE_MAX, 0)
    best, chosen = np.inf, Scale(1.0, 0)
    for part in np.linspace(0.3, 1.0, 29):
        step = part * (high - low) / BYTE_MAX
        trial = Scale(float(np.float32(step)), int(np.clip(np.rint(-part * low / step), 0, BYTE_MAX)))
        error = float(((trial.rounded(values) - values) ** 2).sum())
        if error < best:
            best, chosen = error, trial
    return chosen


def _watch(
    builder: Builder, tensors: dict[str, str], batches: Sequence[Arrays], threads: int | None
) -> Iterator[Arrays]:
    """Runs a graph on each batch and gives the tensors asked for, under the names they are given."""
    names = dict.fromkeys(tensors.values())
    model = super(Builder, builder).model(builder.inputs(), [tensor(name) for name in names], {})
    for output in model.graph.output:
        output.type.tensor_type.ClearField("shape")
    runtime = Runtime(model.SerializeToString(), threads)
    for batch in batches:
        found = runtime.run(batch["spatial"].shape[-1], batch, list(names))
        yield {label: found[name] for label, name in tensors.items()}
