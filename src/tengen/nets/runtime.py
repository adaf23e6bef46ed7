"""ONNX Runtime, as we use it on a CPU."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime as ort

from tengen.errors import InputError

Floats = npt.NDArray[np.float32]


class Session:
    """A loaded net: named arrays in, named arrays out."""

    def __init__(self, model: Path | bytes, threads: int | None = None) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads or os.cpu_count() or 1
        options.inter_op_num_threads = 1
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
        # Waiting threads sleep: a net that shares its cores with rollouts or another engine must not spin.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        try:
            self._session = ort.InferenceSession(
                model if isinstance(model, bytes) else str(model), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # ONNX Runtime's own errors share no base class but this
            where = "the net" if isinstance(model, bytes) else str(model)
            raise InputError(f"{where}: ONNX Runtime cannot load it: {str(error).splitlines()[0]}") from None
        self.outputs = tuple(output.name for output in self._session.get_outputs())

    def run(self, outputs: Sequence[str], inputs: dict[str, Floats]) -> list[Floats]:
        return self._session.run(list(outputs), inputs)  # type: ignore[no-any-return]
