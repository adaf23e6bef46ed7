"""A net to be asked for moves, whatever form it has: a run's folder or an ONNX file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tengen._native import transform_point
from tengen.errors import InputError
from tengen.go.position import Position
from tengen.planes import encode
from tengen.training.accuracy import Predict

if TYPE_CHECKING:
    from tengen.nets.policy_net import PolicyNet


@dataclass(frozen=True)
class Predictor:
    """`predict` turns planes of `encoding` into probabilities; pass is last where `has_pass`."""

    name: str
    encoding: str
    has_pass: bool
    predict: Predict

    def policies(self, positions: Sequence[Position], bagging: bool = False) -> npt.NDArray[np.float32]:
        """float32 [n, size*size + 1], pass last, of positions of one size: illegal moves 0, the sum 1.

        With `bagging`, the mean over the eight symmetries.
        """
        size, n = positions[0].size, len(positions)
        total = np.zeros((n, size * size + 1), np.float32)
        for symmetry in range(8 if bagging else 1):
            seen = self.predict(encode(self.encoding, positions, [symmetry] * n))
            carried = [transform_point(p, size, symmetry) for p in range(seen.shape[1])]
            total[:, : seen.shape[1]] += seen[:, carried]
        for row, position in zip(total, positions, strict=True):
            illegal = np.ones(len(row), bool)
            illegal[position.legal_moves] = False
            row[illegal] = 0
            row /= max(row.sum(), 1e-30)
        return total


def open_predictor(net: Path, threads: int = 1) -> Predictor:
    """The net of an ONNX file, of a run's last checkpoint, or of a checkpoint's folder."""
    if net.is_dir():
        from tengen.training import need_torch

        need_torch()
        return _checkpoint(net, threads)
    if net.suffix == ".onnx" and net.is_file():
        from tengen.nets.policy import PolicySession

        session = PolicySession(net, threads)
        return Predictor(net.stem, session.encoding, session.has_pass, session.predict)
    raise InputError(f"{net} is neither an .onnx file nor the folder of a training run")


def _checkpoint(folder: Path, threads: int) -> Predictor:
    import torch

    from tengen.training.export import load_trained
    from tengen.training.winograd import use_winograd

    torch.set_num_threads(threads)
    net, recipe, _ = load_trained(folder)
    use_winograd(net)
    net = net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    return Predictor(recipe.name, recipe.encoding, net.has_pass, predict_with(net))


def predict_with(net: PolicyNet) -> Predict:
    """What a torch net says, as arrays."""
    import torch

    from tengen.training.policy import as_tensor

    def predict(planes: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        with torch.inference_mode():
            out: npt.NDArray[np.float32] = net(as_tensor(planes))["policy"].softmax(1).numpy()
        return out

    return predict
