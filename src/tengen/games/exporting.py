"""A pool as SGF again: a folder of files, or one file with a game a line."""

from __future__ import annotations

import gzip
import lzma
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tengen.errors import InputError
from tengen.files import replacing
from tengen.games.store import GameStore
from tengen.progress import Progress, Report, silent


def export_games(store: GameStore, output: str | Path, progress: Report = silent) -> None:
    """Writes to `output`: one game a line if it ends in .sgfs, .sgfs.xz or .sgfs.gz, else a new folder.

    Files in the folder are named by place in the pool and id, never by what a record says. Where the pool says who
    owned which points at the end, the last node marks them (TB, TW).
    """
    output = Path(output)
    if output.name.lower().endswith((".sgfs", ".sgfs.xz", ".sgfs.gz")):
        _export_lines(store, output, progress)
    else:
        _export_folder(store, output, progress)


def _texts(store: GameStore) -> Iterator[str]:
    for game, owner in zip(store, store.frame["final_owner"], strict=True):
        yield game.to_sgf(
            None if owner is None else np.frombuffer(owner, np.uint8).reshape(game.size, game.size)
        )


def _export_lines(store: GameStore, output: Path, progress: Report) -> None:
    opener = {".xz": lzma.open, ".gz": gzip.open}.get(output.suffix.lower(), open)
    with replacing(output) as temporary, opener(temporary, "wb") as file:  # type: ignore[operator]
        for i, text in enumerate(_texts(store), start=1):
            file.write(" ".join(text.splitlines()).encode() + b"\n")
            if i % 256 == 0:
                progress(Progress("writing", i, len(store)))


def _export_folder(store: GameStore, output: Path, progress: Report) -> None:
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise InputError(f"{output}: exists already; name a new folder, or a file that ends in .sgfs")
    temporary = output.with_name(f".{output.name}.{os.getpid()}.tmp")
    temporary.mkdir(parents=True)
    try:
        for i, (text, id_) in enumerate(zip(_texts(store), store.frame["id"], strict=True), start=1):
            (temporary / f"{i:07}-{id_[:8]}.sgf").write_text(text, encoding="utf-8")
            if i % 256 == 0:
                progress(Progress("writing", i, len(store)))
        temporary.replace(output)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
