"""Named encodings: which planes a net sees, in which order, and what each of them means."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from tengen import _native
from tengen.errors import InputError


@dataclass(frozen=True, slots=True)
class Channel:
    """One plane, or one value of the whole position."""

    name: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Encoding:
    """A named set of input planes.

    >>> golois = encoding("golois42")
    >>> len(golois.planes), golois.planes[3].name
    (42, 'third line')
    >>> len(encoding("katago7").globals)
    19
    """

    name: str
    source: str
    planes: tuple[Channel, ...]
    globals: tuple[Channel, ...]  # values of the whole position, beside the planes

    def __len__(self) -> int:
        """The number of planes."""
        return len(self.planes)

    def index(self, name: str) -> int:
        """The number of the plane of that name, from 0."""
        return [channel.name for channel in self.planes].index(name)


def encoding_names() -> list[str]:
    return _native.encodings()


@cache
def encoding(name: str) -> Encoding:
    """The encoding of that name; InputError if there is none."""
    try:
        source, planes, globals_ = _native.encoding_tables(name)
    except ValueError as error:
        raise InputError(str(error)) from None
    return Encoding(
        name, source, tuple(Channel(*row) for row in planes), tuple(Channel(*row) for row in globals_)
    )
