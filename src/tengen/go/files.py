"""Opening what the user names: plain or compressed, and never more than can be a game record."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from pathlib import Path
from typing import IO, cast

from tengen.errors import InputError

# No game record is near this size: the largest joseki dictionaries have a tenth of it.
MAX_RECORD = 64 * 2**20

COMPRESSIONS = (".gz", ".xz", ".bz2")

BROKEN = (OSError, EOFError, lzma.LZMAError, zlib.error)  # what reading a damaged file may raise


def decompressed(raw: IO[bytes], suffix: str) -> IO[bytes]:
    """What a file holds, decompressed on the way if its ending is .gz, .xz or .bz2."""
    match suffix.lower():
        case ".gz":
            return cast(IO[bytes], gzip.open(raw))
        case ".xz":
            return lzma.open(raw)
        case ".bz2":
            return bz2.open(raw)
        case _:
            return raw


def read_record(path: Path) -> bytes:
    """All of a record's file. Raises InputError if it cannot be read, is empty or too large."""
    if path.is_dir():
        raise InputError(f"{path}: is a folder; name a file in it, or import it with `tengen games import`")
    try:
        with path.open("rb") as raw:
            data = decompressed(raw, path.suffix).read(MAX_RECORD + 1)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except BROKEN as error:
        raise InputError(f"{path}: cannot be read ({error or type(error).__name__})") from None
    if len(data) > MAX_RECORD:
        raise InputError(f"{path}: larger than {MAX_RECORD >> 20} MB, which no game record is")
    if not data.strip():
        raise InputError(f"{path}: empty file")
    return data


def kind_of(path: Path) -> str:
    """The ending that says what is inside, compression aside: `game.SGF.xz` is `.sgf`."""
    if path.suffix.lower() in COMPRESSIONS:
        path = path.with_suffix("")
    return path.suffix.lower()
