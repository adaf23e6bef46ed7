"""Reading games into a pool: every game read is kept, a duplicate, or rejected with a reason."""

from __future__ import annotations

import contextlib
import os
import queue
import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tengen import _native
from tengen.errors import InputError
from tengen.files import replacing
from tengen.games.schema import SCHEMA, frame_of
from tengen.games.sources import Chunk, chunks_of, find_files, jobs_of
from tengen.games.store import GameStore
from tengen.progress import Progress, Report, silent


@dataclass
class ImportReport:
    """What became of the games: read == kept + duplicates + rejected."""

    files: int = 0
    other_files: int = 0  # in folders, of kinds we do not read
    read: int = 0
    kept: int = 0
    duplicates: int = 0
    rejected: dict[str, int] = field(default_factory=dict)  # reason -> games, the most frequent first

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def rejects_path(pool: Path) -> Path:
    return pool.with_suffix(".rejects.tsv")


def import_games(
    paths: Sequence[str | Path],
    pool: str | Path,
    threads: int | None = None,
    progress: Report = silent,
) -> ImportReport:
    """Reads every game under `paths` into a new pool, and the reasons for those left out beside it.

    Files are written under another name and renamed at the end, so that an error leaves nothing behind.
    Raises InputError if there is no game to keep.
    """
    pool = Path(pool)
    frame, rejects, report = read_games(
        [Path(p) for p in paths], threads, progress, (pool, rejects_path(pool))
    )
    if not report.kept:
        raise InputError(nothing_kept(rejects, report))
    with replacing(rejects_path(pool)) as temporary:
        columns = [pl.col("file").str.replace_all(r"[\t\r\n]", " "), "line", "move", "reason"]
        rejects.select(columns).write_csv(temporary, separator="\t", quote_style="never")
        GameStore(frame).write(pool)
    return report


def read_games(
    paths: Sequence[Path],
    threads: int | None = None,
    progress: Report = silent,
    output: Sequence[Path] = (),
) -> tuple[pl.DataFrame, pl.DataFrame, ImportReport]:
    """The games under `paths` as rows of a pool, the rejects (file, line, move, reason), and the counts."""
    threads = threads or os.cpu_count() or 1
    files, others = find_files(paths, output)
    total = sum(path.stat().st_size for path in files)
    report = ImportReport(other_files=others)
    frames = [SCHEMA.to_frame()]
    rejects = [_rejects([])]
    done = 0
    for chunk in _read_ahead(jobs_of(files), threads):
        if chunk.names:
            frame, bad = _read_chunk(chunk, threads)
            frames.append(frame)
            rejects.append(bad)
            report.read += len(frame) + len(bad)
        rejects.append(_rejects(chunk.rejects))
        report.read += len(chunk.rejects)
        report.files += chunk.files
        done += chunk.bytes_read
        progress(Progress("reading", done / max(total, 1), 1.0, f"{report.read:,} games"))
    games = pl.concat(frames)
    kept = games.unique("id", keep="first", maintain_order=True)
    bad = pl.concat(rejects)
    report.kept, report.duplicates = len(kept), len(games) - len(kept)
    reasons = bad.with_columns(pl.col("reason").str.split(":").list.first())
    counts = reasons.group_by("reason").len().sort("len", "reason", descending=[True, False])
    report.rejected = dict(counts.iter_rows())
    return kept, bad, report


def _read_chunk(chunk: Chunk, threads: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    batch = _native.read_sgf(chunk.data, chunk.bounds, threads)
    if chunk.bounds is None:
        source = pl.Series(chunk.names, dtype=pl.String).new_from_index(0, len(batch))
        return frame_of(batch, source, batch.entry + np.int32(chunk.first_line))
    return frame_of(batch, pl.Series(chunk.names, dtype=pl.String).gather(batch.entry), batch.line)


def _rejects(rows: list[tuple[str, int, str]]) -> pl.DataFrame:
    schema = {"file": pl.String, "line": pl.Int32, "move": pl.Int32, "reason": pl.String}
    return pl.DataFrame([(file, line, 0, reason) for file, line, reason in rows], schema=schema, orient="row")


def _read_ahead(jobs: list[list[Path]], threads: int) -> Iterator[Chunk]:
    """The chunks of all jobs in order, while threads read and decompress the jobs that come next.

    Each job has a short queue of its own, so that memory stays bounded.
    """
    stop = threading.Event()
    queues: list[queue.Queue[Chunk | BaseException | None]] = [queue.Queue(maxsize=2) for _ in jobs]
    numbers = iter(range(len(jobs)))
    lock = threading.Lock()

    def put(box: queue.Queue[Chunk | BaseException | None], item: Chunk | BaseException | None) -> bool:
        while not stop.is_set():
            with contextlib.suppress(queue.Full):
                box.put(item, timeout=0.1)
                return True
        return False

    def work() -> None:
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            try:
                for chunk in chunks_of(jobs[number]):
                    if not put(queues[number], chunk):
                        return
            except BaseException as error:
                put(queues[number], error)
                return
            put(queues[number], None)

    def get(box: queue.Queue[Chunk | BaseException | None]) -> Chunk | BaseException | None:
        # In short waits: Polars takes over SIGINT in a way that leaves an endless wait deaf to Ctrl-C.
        while True:
            with contextlib.suppress(queue.Empty):
                return box.get(timeout=0.1)

    for _ in range(min(threads, len(jobs))):
        threading.Thread(target=work, daemon=True).start()
    try:
        for box in queues:
            while (item := get(box)) is not None:
                if isinstance(item, BaseException):
                    raise item
                yield item
    finally:
        stop.set()


def nothing_kept(rejects: pl.DataFrame, report: ImportReport) -> str:
    if not report.read:
        return f"no games found ({report.files} files read, {report.other_files} of other kinds)"
    lines = [f"none of the {report.read} games can be kept; the first reasons:"]
    for file, line, move, reason in rejects.head(5).iter_rows():
        lines.append(f"  {file}: line {line}" + (f", move {move}" if move else "") + f": {reason}")
    return "\n".join(lines)
