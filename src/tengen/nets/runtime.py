"""ONNX graphs at work: one session a board size, made when first needed."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tengen.errors import InputError

Arrays = dict[str, npt.NDArray[np.float32]]

_LARGEST = 19  # the board that `batch` counts


def available_threads() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Runs(Protocol):
    """What turns inputs into outputs: a graph, or a net in another form."""

    threads: int
    batch: int  # boards of 19x19 that are run at once, or as many points on smaller ones

    def names(self, size: int) -> frozenset[str]:
        """The outputs that there are."""
        ...

    def run(self, size: int, inputs: Arrays, outputs: Sequence[str]) -> Arrays: ...


class Runtime:
    """Runs a graph whose inputs have a free batch and, named `size`, a free board size.

    Fixing the size lets ONNX Runtime work out all that depends on it once, when the session is made; a session
    takes a second or so to make and is kept. Batches above `batch` boards of 19x19, or as many points on smaller
    ones, are cut: with more the activations no longer fit the caches.
    """

    def __init__(self, model: bytes | Path, threads: int | None = None, batch: int = 8) -> None:
        if batch < 1:
            raise InputError(f"a batch holds at least one position, not {batch}")
        if threads is not None and threads < 1:
            raise InputError(f"a net runs on at least one thread, not {threads}")
        self.model = model
        self.threads = threads or available_threads()
        self.batch = batch
        self._sessions: dict[int, Any] = {}
        self._lock = threading.Lock()

    def session(self, size: int) -> Any:
        """The onnxruntime.InferenceSession for boards of that size."""
        with self._lock:
            if size not in self._sessions:
                self._sessions[size] = self._make(size)
            return self._sessions[size]

    def _make(self, size: int) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Idle workers sleep: a spinning one would take a core from the search that feeds it.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.add_session_config_entry("session.set_denormal_as_zero", "1")
        options.add_free_dimension_override_by_name("size", size)
        model = self.model if isinstance(self.model, bytes) else str(self.model)

        def make() -> Any:
            return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

        try:
            # In a thread that ends: making a session also flushes denormals in the thread that makes it, and
            # the caller's arithmetic is none of a net's business.
            with ThreadPoolExecutor(1) as maker:
                return maker.submit(make).result()
        except Exception as error:  # ONNX Runtime has a dozen kinds, with no common parent of their own
            name = "the net" if isinstance(self.model, bytes) else self.model
            raise InputError(f"{name}: ONNX Runtime cannot load it: {str(error)[:300]}") from None

    def warm_up(self, size: int, inputs: Arrays) -> None:
        """Makes the session and runs it once, so that the first real question is answered at full speed."""
        self.session(size).run(None, inputs)

    def names(self, size: int) -> frozenset[str]:
        """The outputs that the graph has."""
        return frozenset(output.name for output in self.session(size).get_outputs())

    def run(self, size: int, inputs: Arrays, outputs: Sequence[str]) -> Arrays:
        """The named outputs, float32, for inputs whose first axis is the batch."""
        session = self.session(size)
        names = list(outputs)

        def one(chunk: Arrays) -> Arrays:
            return dict(zip(names, session.run(names, chunk), strict=True))

        return cut_batch(one, inputs, size, self.batch)


def cut_batch(run: Callable[[Arrays], Arrays], inputs: Arrays, size: int, batch: int) -> Arrays:
    """The outputs of `run` for at most `batch` boards of 19x19 at a time, or as many points on smaller ones."""
    count = len(next(iter(inputs.values())))
    boards = batch * _LARGEST**2 // size**2 if size < _LARGEST else batch
    parts = [
        run({name: array[start : start + boards] for name, array in inputs.items()})
        for start in range(0, count, boards)
    ]
    if len(parts) == 1:
        return parts[0]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
