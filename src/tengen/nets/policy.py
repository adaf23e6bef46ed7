"""Policy nets as ONNX: `planes` [n, planes, size, size] to `policy` [n, moves], the mover's logits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime

from tengen.errors import InputError
from tengen.planes import encoding

Float32 = npt.NDArray[np.float32]


def softmax(logits: Float32) -> Float32:
    """Along the last axis."""
    raised = np.exp(logits - logits.max(-1, keepdims=True))
    out: Float32 = raised / raised.sum(-1, keepdims=True)
    return out


class PolicySession:
    """A policy net ready to run. The file says which encoding it takes (its metadata `encoding`)."""

    def __init__(self, model: Path | bytes, threads: int = 1) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        where = model if isinstance(model, Path) else "the net"
        try:
            self._session = onnxruntime.InferenceSession(
                model if isinstance(model, bytes) else str(model), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime's errors share no base but this
            raise InputError(f"{where} is no ONNX net that can be run: {error}") from None
        inputs, outputs = self._session.get_inputs(), self._session.get_outputs()
        notes = self._session.get_modelmeta().custom_metadata_map
        if [i.name for i in inputs] != ["planes"] or outputs[0].name != "policy" or "encoding" not in notes:
            raise InputError(f"{where} is an ONNX net, but no policy net of `tengen train export`")
        self.encoding = notes["encoding"]
        self.has_pass = notes.get("pass") == "yes"
        if inputs[0].shape[1] != len(encoding(self.encoding)):
            raise InputError(f"{where} takes {inputs[0].shape[1]} planes, '{self.encoding}' has others")

    def predict(self, planes: Float32) -> Float32:
        """Probabilities [n, size*size], or [n, size*size + 1] with pass last where `has_pass`."""
        (logits,) = self._session.run(["policy"], {"planes": planes})
        return softmax(logits)
