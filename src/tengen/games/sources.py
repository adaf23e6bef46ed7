"""Where games come from: folders, files, archives, compressed or not, as chunks of records in UTF-8.

Chunks come in a fixed order, whatever the number of threads: arguments as given, folders sorted by name.
Nothing is read without bound: a record, a line or a member of an archive has a largest size, and a file
that swells too much on the way out of its compression is given up.
"""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

import numpy as np
import numpy.typing as npt

from tengen.errors import InputError
from tengen.go import gib, ngf
from tengen.go.files import BROKEN, COMPRESSIONS, MAX_RECORD, decompressed, kind_of
from tengen.go.text import to_utf8

RECORDS = (".sgf", ".sgfs", ".gib", ".ngf")
TARS = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2")
CHUNK = 8 * 2**20
# Real records shrink 5 to 10 times; a file that grows beyond this is no archive of games.
MAX_SWELL = 200
SWELL_FREE = 256 * 2**20

TOO_LARGE = "too large"
UNREADABLE = "unreadable file"

_BROKEN = (*BROKEN, zipfile.BadZipFile, tarfile.TarError, NotImplementedError, RuntimeError)


@dataclass
class Chunk:
    """Some records: `data[bounds[i]:bounds[i + 1]]` is from `names[i]`, or, with one name, a line of it."""

    names: list[str] = field(default_factory=list)
    data: bytes = b""
    bounds: npt.NDArray[np.int64] | None = None  # None: the lines of data
    first_line: int = 1
    rejects: list[tuple[str, int, str]] = field(default_factory=list)  # file, line, reason
    files: int = 0
    bytes_read: int = 0  # of the files as they lie on the disk


def suffix_of(name: str) -> str:
    """The ending that says how to read a file, compression aside but for archives: `.sgf`, `.tar.gz`."""
    lower = name.lower()
    for suffix in (*TARS, ".zip"):
        if lower.endswith(suffix):
            return suffix
    return kind_of(Path(lower))


def find_files(paths: Iterable[Path], output: Iterable[Path] = ()) -> tuple[list[Path], int]:
    """The files to read, and how many files in folders are of no kind we read.

    A file that is named is read whatever its ending; in folders, endings decide. `output` is left out.
    """
    files: list[Path] = []
    others = 0
    ours = {path.resolve() for path in output}
    for path in paths:
        if path.is_dir():
            for found in sorted(p for p in path.rglob("*") if p.is_file()):
                if found.resolve() in ours:
                    continue
                if suffix_of(found.name) in (*RECORDS, *TARS, ".zip"):
                    files.append(found)
                else:
                    others += 1
        elif path.resolve() in ours:
            raise InputError(f"{path}: is read and written at once; name another output")
        elif path.exists():
            files.append(path)
        else:
            raise InputError(f"{path}: no such file or folder")
    return files, others


def jobs_of(files: list[Path]) -> list[list[Path]]:
    """Files in groups that are worth a task: small plain records together, others alone."""
    jobs: list[list[Path]] = []
    room = 0
    for path in files:
        small = path.suffix.lower() in (".sgf", ".gib", ".ngf")
        size = path.stat().st_size
        if small and room >= size and jobs:
            jobs[-1].append(path)
            room -= size
        else:
            jobs.append([path])
            room = CHUNK - size if small else 0
    return jobs


def chunks_of(job: list[Path]) -> Iterator[Chunk]:
    """The records of a group of files; unreadable files and records too large appear as rejects."""
    if len(job) > 1 or suffix_of(job[0].name) in (".sgf", ".gib", ".ngf", *_other(job[0])):
        yield from _gather(_files(job), len(job), sum(path.stat().st_size for path in job))
        return
    path = job[0]
    suffix = suffix_of(path.name)
    size = path.stat().st_size
    reader = _lines if suffix == ".sgfs" else _archive
    try:
        yield from reader(path, size)
    except _SwollenError:
        yield Chunk(rejects=[(str(path), 1, f"grows more than {MAX_SWELL} times when unpacked")])
    except _BROKEN as error:
        yield Chunk(rejects=[(str(path), 1, f"{UNREADABLE}: {_reason(error)}")])
    yield Chunk(files=1)


def _other(path: Path) -> tuple[str, ...]:
    """A file of unknown ending that was named is read as SGF."""
    suffix = suffix_of(path.name)
    return () if suffix in (*RECORDS, *TARS, ".zip") else (suffix,)


def _reason(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


class _SwollenError(Exception):
    pass


class _Meter:
    """Counts bytes out of a compressed file against bytes in it."""

    def __init__(self, size: int) -> None:
        self.limit = max(SWELL_FREE, MAX_SWELL * size)
        self.out = 0

    def count(self, data: bytes) -> bytes:
        self.out += len(data)
        if self.out > self.limit:
            raise _SwollenError
        return data


class _Metered:
    """A file whose bytes are counted as they are read."""

    def __init__(self, file: IO[bytes], meter: _Meter) -> None:
        self._file, self._meter = file, meter

    def read(self, size: int) -> bytes:
        return self._meter.count(self._file.read(size))


def _files(job: list[Path]) -> Iterator[tuple[str, Callable[[], bytes]]]:
    for path in job:

        def read(path: Path = path) -> bytes:
            with path.open("rb") as raw:
                return decompressed(raw, path.suffix).read(MAX_RECORD + 1)

        yield str(path), read


def _gather(members: Iterable[tuple[str, Callable[[], bytes]]], files: int, size: int) -> Iterator[Chunk]:
    """Single records put together in chunks."""
    parts: list[bytes] = []
    chunk, total = Chunk(), 0

    def close() -> Chunk:
        lengths = [len(part) for part in parts]
        chunk.data = b"".join(parts)
        chunk.bounds = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return chunk

    try:
        for name, read in members:
            try:
                data = read()
            except _BROKEN as error:
                chunk.rejects.append((name, 1, f"{UNREADABLE}: {_reason(error)}"))
                continue
            record, reason = (b"", TOO_LARGE) if len(data) > MAX_RECORD else _as_sgf(name, data)
            if reason:
                chunk.rejects.append((name, 1, reason))
                continue
            chunk.names.append(name)
            parts.append(record)
            total += len(record)
            if total > CHUNK:
                yield close()
                chunk, parts, total = Chunk(), [], 0
    except (_SwollenError, *_BROKEN):
        yield close()
        raise
    chunk.files, chunk.bytes_read = files, size
    yield close()


def _as_sgf(name: str, data: bytes) -> tuple[bytes, str]:
    """A record in UTF-8 SGF, or why it is none."""
    if not data.strip():
        return b"", "empty file"
    readers = {".gib": gib.read_game, ".ngf": ngf.read_game}
    reader = readers.get(kind_of(Path(name)))
    if reader is None:
        return to_utf8(data), ""
    try:
        return reader(data, "").to_sgf().encode(), ""
    except InputError as error:
        return b"", str(error).removeprefix(": ")


def _lines(path: Path, size: int) -> Iterator[Chunk]:
    """A file with one game a line, cut at ends of lines."""
    meter = _Meter(size if path.suffix.lower() in COMPRESSIONS else 2**62)
    line, rest, skipping, done = 1, b"", False, 0
    with path.open("rb") as raw:
        for data, error in _blocks(decompressed(raw, path.suffix), meter):
            if skipping:  # inside a line that was too long
                start = data.find(b"\n") + 1
                if start:
                    data, skipping, line = data[start:], False, line + 1
                else:
                    data = b""
            end = data.rfind(b"\n") + 1
            chunk = _line_chunk(path, rest + data[:end], line) if end else Chunk()
            rest = data[end:] if end else rest + data
            line += chunk.data.count(b"\n")
            if len(rest) > MAX_RECORD:
                chunk.rejects.append((str(path), line, TOO_LARGE))
                rest, skipping = b"", True
            chunk.bytes_read, done = raw.tell() - done, raw.tell()
            yield chunk
            if error:
                break
    if rest.strip():
        yield _line_chunk(path, rest, line)
    if error:
        raise error


def _blocks(file: IO[bytes], meter: _Meter) -> Iterator[tuple[bytes, Exception | None]]:
    """The file in blocks of CHUNK bytes; what was readable before an error comes with it, last."""
    while True:
        parts, total = [], 0
        try:
            while total < CHUNK and (part := file.read1(CHUNK - total)):  # type: ignore[attr-defined]
                parts.append(meter.count(part))
                total += len(part)
        except (_SwollenError, *_BROKEN) as error:
            yield b"".join(parts), error
            return
        yield b"".join(parts), None
        if total < CHUNK:
            return


def _line_chunk(path: Path, data: bytes, first_line: int) -> Chunk:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        data = b"\n".join(to_utf8(line) for line in data.split(b"\n"))
    return Chunk(names=[str(path)], data=data, first_line=first_line)


def _archive(path: Path, size: int) -> Iterator[Chunk]:
    suffix = suffix_of(path.name)
    if suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            yield from _members(path, _zip_members(archive, _Meter(size)), size)
        return
    compression = {".tar": "", ".tgz": ".gz", ".txz": ".xz", ".tbz2": ".bz2"}.get(suffix, path.suffix)
    with path.open("rb") as raw:
        stream = _Metered(decompressed(raw, compression), _Meter(size if compression else 2**62))
        with tarfile.open(fileobj=stream, mode="r|") as tar:  # type: ignore[call-overload]
            yield from _members(path, _tar_members(tar), size)


def records_in(name: str, data: bytes, largest: int, most: int) -> Iterator[tuple[str, bytes, str]]:
    """The records in a file that is at hand as bytes, itself one or a zip of them: name, UTF-8 SGF, reason if none.

    Bounded for files of strangers: a record has at most `largest` bytes when unpacked, and after `most` members of an
    archive the rest is left out, with a reason. Archives in archives and other files are left out.
    """
    if suffix_of(name) != ".zip":
        record, reason = (b"", TOO_LARGE) if len(data) > largest else _as_sgf(name, data)
        yield name, record, reason
        return
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for number, (member, read) in enumerate(_zip_members(archive, _Meter(0), largest)):
                if number >= most:
                    yield name, b"", f"has more than {most} files: the rest is left out"
                    return
                if suffix_of(PurePosixPath(member).name) in (".sgf", ".gib", ".ngf"):
                    yield from _bounded_member(member, read, largest)
    except _BROKEN as error:
        yield name, b"", f"{UNREADABLE}: {_reason(error)}"


def _bounded_member(name: str, read: Callable[[], bytes], largest: int) -> Iterator[tuple[str, bytes, str]]:
    try:
        data = read()
        if PurePosixPath(name).suffix.lower() in COMPRESSIONS:
            data = decompressed(io.BytesIO(data), PurePosixPath(name).suffix).read(largest + 1)
        yield name, *((b"", TOO_LARGE) if len(data) > largest else _as_sgf(name, data))
    except (*_BROKEN, _SwollenError) as error:
        yield name, b"", f"{UNREADABLE}: {_reason(error)}"


def _zip_members(
    archive: zipfile.ZipFile, meter: _Meter, largest: int = MAX_RECORD
) -> Iterator[tuple[str, Callable[[], bytes]]]:
    for info in archive.infolist():
        if not info.is_dir():

            def read(info: zipfile.ZipInfo = info) -> bytes:
                with archive.open(info) as file:
                    return meter.count(file.read(largest + 1))

            yield info.filename, read


def _tar_members(tar: tarfile.TarFile) -> Iterator[tuple[str, Callable[[], bytes]]]:
    for info in tar:
        if info.isfile():

            def read(info: tarfile.TarInfo = info) -> bytes:
                file = tar.extractfile(info)
                return file.read(MAX_RECORD + 1) if file else b""

            yield info.name, read


def _members(path: Path, members: Iterable[tuple[str, Callable[[], bytes]]], size: int) -> Iterator[Chunk]:
    """The records of an archive; members of other kinds, archives in archives among them, are left alone."""

    def records() -> Iterator[tuple[str, Callable[[], bytes]]]:
        for name, read in members:
            if suffix_of(PurePosixPath(name).name) in RECORDS:
                yield f"{path}!{name}", _unpacked(read, PurePosixPath(name).suffix)

    for chunk in _gather(records(), 0, 0):
        yield from _with_lines(chunk)
    yield Chunk(bytes_read=size)


def _unpacked(read: Callable[[], bytes], suffix: str) -> Callable[[], bytes]:
    """Reads a member of an archive that may be compressed itself."""
    if suffix.lower() not in COMPRESSIONS:
        return read
    return lambda: decompressed(io.BytesIO(read()), suffix).read(MAX_RECORD + 1)


def _with_lines(chunk: Chunk) -> Iterator[Chunk]:
    """Takes members that hold one game a line out of a chunk of single records."""
    if not any(kind_of(Path(name)) == ".sgfs" for name in chunk.names):
        yield chunk
        return
    assert chunk.bounds is not None
    ends = chunk.bounds.tolist()
    for i, name in enumerate(chunk.names):
        data = chunk.data[ends[i] : ends[i + 1]]
        if kind_of(Path(name)) == ".sgfs":
            yield Chunk(names=[name], data=data)
        else:
            yield Chunk(names=[name], data=data, bounds=np.array([0, len(data)], dtype=np.int64))
    yield Chunk(rejects=chunk.rejects, files=chunk.files, bytes_read=chunk.bytes_read)
