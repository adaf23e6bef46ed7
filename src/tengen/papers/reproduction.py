"""What a reproduction is given and what it gives, and how it is found by name."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import tengen.papers
from tengen.errors import InputError

_MODULE = re.compile(r"([a-z]+)_(figure|table)(\d+)(?:_(\d+))?")


class Request(NamedTuple):
    """Where to look and where to write.

    `data` is the folder of real games, `pool` a pool to use instead of the usual one, `output` the drawing
    to write; None: none is wanted.
    """

    data: Path
    output: Path | None = None
    pool: Path | None = None

    def file(self, name: str) -> Path:
        """A file of the data folder. Raises InputError if it is not there."""
        path = self.data / name
        if not path.exists():
            raise InputError(
                f"{path}: not there; name the folder of the data with --data, or a pool with --pool"
            )
        return path


class Row(NamedTuple):
    """A figure of the paper beside ours."""

    what: str
    published: str
    ours: str


@dataclass(frozen=True)
class Outcome:
    """The numbers, published and ours; what was drawn; what the reader must know to compare them."""

    rows: list[Row]
    notes: list[str] = field(default_factory=list)
    drawn: Path | None = None


@dataclass(frozen=True)
class Reproduction:
    name: str
    title: str
    run: Callable[[Request], Outcome]


def names() -> list[str]:
    """All that can be reproduced, in the order of the papers' numbers."""
    found = []
    for module in pkgutil.iter_modules(tengen.papers.__path__):
        if match := _MODULE.fullmatch(module.name):
            paper, kind, chapter, number = match.groups()
            name = f"{paper}-{kind}{chapter}" + (f".{number}" if number else "")
            found.append((paper, kind, int(chapter), int(number or 0), name))
    return [name for *_, name in sorted(found)]


def find(name: str) -> Reproduction:
    """The reproduction of that name. Raises InputError if there is none."""
    if name not in names():
        raise InputError(f"nothing to reproduce is called '{name}': there are {', '.join(names())}")
    module = importlib.import_module(f"tengen.papers.{name.replace('-', '_').replace('.', '_')}")
    return Reproduction(name, module.TITLE, module.run)
