"""Nets to be asked for moves, whatever form they have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tengen.errors import InputError
from tengen.nets.katago_net import KataGoEvaluator
from tengen.nets.policy import PolicyEvaluator
from tengen.prediction.accuracy import Predict
from tengen.training import need_torch
from tengen.training.data import Batch

if TYPE_CHECKING:
    from tengen.nets.board_net import BoardNet


AnyNet = PolicyEvaluator | KataGoEvaluator


def open_net(name: str, threads: int | None = None, precision: str | None = None) -> AnyNet:
    """A net by name or file (see `load_net`), or that of a training run's folder at its last checkpoint.

    `threads`: all cores if not given.
    """
    from tengen.nets.library import CARD, load_net

    if not Path(name).is_dir() or (Path(name) / CARD).is_file():
        net = load_net(name, precision, threads)
        if not isinstance(net, PolicyEvaluator | KataGoEvaluator):
            raise InputError(f"{net} cannot be asked for moves")
        return net
    if precision not in (None, "fp32"):
        raise InputError(
            f"{name} is a training run, which knows fp32 alone: `tengen train export` makes {precision}"
        )
    need_torch()
    from tengen.training.export import trained_evaluator

    return trained_evaluator(Path(name), threads)


def predict_by(net: AnyNet) -> Predict:
    """What a net at hand says, one of ours or KataGo's."""
    if isinstance(net, PolicyEvaluator):
        return lambda batch: net.predict(batch.planes)

    def predict(batch: Batch) -> npt.NDArray[np.float32]:
        assert batch.globals is not None
        return net.predict(batch.planes, batch.globals)

    return predict


def predict_with(net: BoardNet) -> Predict:
    """The policy of a torch net, as arrays."""
    import torch

    from tengen.training.supervised import net_inputs

    def predict(batch: Batch) -> npt.NDArray[np.float32]:
        with torch.inference_mode():
            out: npt.NDArray[np.float32] = net(net_inputs(net, batch))["policy"].softmax(1).numpy()
        return out

    return predict
