"""Checkpoints: a folder each, complete or not there at all. Needs torch.

    RUN/checkpoints/000000204800/net.safetensors         weights and running statistics
                                 ema.safetensors         the averaged ones, if the recipe has them
                                 optimiser.safetensors   momenta
                                 state.json              recipe, how much is done, figures, the task's state

A task names its own files of tensors; these are those of a policy net. A folder is written under another name, synced
and renamed, so a kill or a full disk leaves the one before; the last two are kept. Nothing is pickled.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from tengen.errors import InputError

KEPT = 2
VERSION = 2  # of the state; 1 had recipes without sections

Tensors = dict[str, dict[str, Tensor]]


@dataclass
class Checkpoint:
    """`tensors` by file (net, ema, optimiser) and name; `state` is the JSON that `tengen.training.run` describes."""

    tensors: Tensors
    state: dict[str, Any]

    @property
    def done(self) -> int:
        """How many examples, steps or games the run had done."""
        return int(self.state["done"])

    @property
    def kind(self) -> str:
        """What was trained: the task's KIND."""
        return str(self.state["kind"])


def save(run: Path, checkpoint: Checkpoint) -> Path:
    folder = run / "checkpoints"
    final = folder / f"{checkpoint.done:012d}"
    temporary = folder / f".{final.name}.{os.getpid()}"
    try:
        shutil.rmtree(temporary, ignore_errors=True)  # left by a kill, of a process with the same number
        temporary.mkdir(parents=True)
        for name, tensors in checkpoint.tensors.items():
            save_file({k: t.contiguous() for k, t in tensors.items()}, temporary / f"{name}.safetensors")
        (temporary / "state.json").write_text(
            json.dumps({"version": VERSION} | checkpoint.state), encoding="utf-8"
        )
        for path in temporary.iterdir():
            with path.open("rb") as file:
                os.fsync(file.fileno())
        if final.exists():  # reached again after a resume: the new one has the same weights
            shutil.rmtree(final)
        temporary.rename(final)
    except (OSError, SafetensorError) as error:
        shutil.rmtree(temporary, ignore_errors=True)
        raise InputError(
            f"cannot write the checkpoint {final} ({error}); the one before it is kept"
        ) from None
    unfinished = [path for path in folder.iterdir() if path.name.startswith(".")]  # left by a kill
    for old in checkpoints(run)[:-KEPT] + unfinished:
        shutil.rmtree(old, ignore_errors=True)
    return final


def checkpoints(run: Path) -> list[Path]:
    """The complete ones of a run, the oldest first."""
    folder = run / "checkpoints"
    if not folder.is_dir():
        return []
    return sorted(p for p in folder.iterdir() if p.name.isdigit() and (p / "state.json").is_file())


def load(folder: Path) -> Checkpoint:
    """A checkpoint's folder, or the last one of a run's folder."""
    if not (folder / "state.json").is_file():
        found = checkpoints(folder)
        if not found:
            raise InputError(f"there is no checkpoint in {folder}")
        folder = found[-1]
    try:
        state = json.loads((folder / "state.json").read_text(encoding="utf-8"))
        tensors = {path.stem: load_file(path) for path in sorted(folder.glob("*.safetensors"))}
    except (OSError, ValueError, SafetensorError) as error:
        raise InputError(f"the checkpoint {folder} cannot be read: {error}") from None
    if not isinstance(state, dict) or "recipe" not in state:
        raise InputError(f"{folder} is no checkpoint of a training run")
    if state.get("version") != VERSION:
        raise InputError(f"{folder}: this run was begun with an older version of tengen: start it anew")
    return Checkpoint(tensors, state)
