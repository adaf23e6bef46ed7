"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from tengen.errors import InputError


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A name to write to, beside `path`; it becomes `path` if all goes well, and vanishes if not."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        temporary.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def write_whole(path: Path, content: str | bytes) -> None:
    """The file with this content, or what was there before."""
    with replacing(path) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)
