"""Nets to be asked for moves, whatever form they have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tengen.errors import InputError
from tengen.games.records import Records
from tengen.nets.evaluator import Evaluator
from tengen.nets.library import CARD, open_net
from tengen.nets.net_evaluator import NetEvaluator
from tengen.nets.paired import Paired
from tengen.prediction.accuracy import Predict
from tengen.training import need_torch
from tengen.training.data import Batch, Examples

if TYPE_CHECKING:
    from tengen.nets.board_net import BoardNet


def open_net_or_run(name: str, precision: str | None = None, threads: int | None = None) -> Evaluator:
    """A net by name or file (see `open_net`), or that of a training run's folder at its last checkpoint."""
    if not Path(name).is_dir() or (Path(name) / CARD).is_file():
        return open_net(name, precision, threads)
    if precision not in (None, "fp32"):
        raise InputError(
            f"{name} is a training run, which knows fp32 alone: `tengen train export` makes {precision}"
        )
    need_torch()
    from tengen.training.export import trained_evaluator

    return trained_evaluator(Path(name), threads)


def precision_of(net: Evaluator) -> str:
    """The precision in which a net runs, of a pair both; empty for a net that is none."""
    if isinstance(net, Paired):
        return "+".join(dict.fromkeys(precision_of(one) for one in (net.policy, net.value)))
    return net.precision if isinstance(net, NetEvaluator) else ""


def policy_of(net: Evaluator) -> NetEvaluator:
    """The net that gives the moves: of a pair its policy net."""
    moves = net.policy if isinstance(net, Paired) else net
    if not isinstance(moves, NetEvaluator):
        raise InputError(f"{net.card.name} cannot be measured: it does not read planes")
    moves.card.require("policy", "it cannot predict moves")
    return moves


def examples_for(net: Evaluator, records: Records) -> Examples:
    """The positions of games as the net that gives the moves takes them."""
    moves = policy_of(net)
    return Examples(records, moves.card.encoding, globals=moves.reader.globals)


def predict_by(net: Evaluator) -> Predict:
    """The chances of all moves that a net gives."""
    moves = policy_of(net)

    def predict(batch: Batch) -> npt.NDArray[np.float32]:
        return moves.predict(batch.planes, batch.globals)

    return predict


def predict_with(net: BoardNet) -> Predict:
    """The policy of a torch net, as arrays."""
    import torch

    from tengen.training.net_task import net_inputs

    def predict(batch: Batch) -> npt.NDArray[np.float32]:
        with torch.inference_mode():
            out: npt.NDArray[np.float32] = net(net_inputs(net, batch))["policy"].softmax(1).numpy()
        return out

    return predict
