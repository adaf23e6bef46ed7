"""What a reproduction is given and what it gives, and how it is found by name."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import tengen.papers
from tengen.errors import InputError
from tengen.progress import Report, silent

_MODULE = re.compile(r"([a-z]+)_(figure|table|bagging|section)(\d*)((?<=\d)[a-z]|)(?:_(\d+))?")


class Request(NamedTuple):
    """Where to look and where to write.

    `data` is the folder of real games, `pool` a pool to use instead of the usual one, `output` the drawing
    to write; None: none is wanted. `settings` are those of the module's SETTINGS that were changed. What
    takes long is kept in `work` and goes on from there; `progress` gets reports of it.
    """

    data: Path
    output: Path | None = None
    pool: Path | None = None
    settings: Mapping[str, Any] = MappingProxyType({})
    work: Path = Path("out/reproduce")
    progress: Report = silent

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

    def to_json(self) -> dict[str, Any]:
        return {
            "rows": [row._asdict() for row in self.rows],
            "notes": self.notes,
            "drawn": str(self.drawn) if self.drawn else None,
        }


@dataclass(frozen=True)
class Reproduction:
    name: str
    title: str
    run: Callable[[Request], Outcome]
    settings: Mapping[str, Any]  # what may be set, with the usual values

    def read_settings(self, changes: Sequence[str]) -> dict[str, Any]:
        """`key=value` of the command line; InputError for a key that is none, or a value of another type."""
        given: dict[str, Any] = {}
        for change in changes:
            key, equals, text = change.partition("=")
            if not equals:
                raise InputError(f"--set wants key=value, not '{change}'")
            if key not in self.settings:
                known = ", ".join(f"{k}={v}" for k, v in self.settings.items()) or "nothing"
                raise InputError(f"{self.name} has no setting '{key}': known are {known}")
            try:
                kind = type(self.settings[key])
                given[key] = text if kind is str else kind(text.replace("_", ""))
            except ValueError:
                raise InputError(f"{self.name}: {key} cannot be '{text}'") from None
        return given


def names() -> list[str]:
    """All that can be reproduced, in the order of the papers' numbers."""
    return list(_modules())


def _modules() -> dict[str, str]:
    """The module of each name. The thesis numbers by chapter (4.1); elsewhere 7-8 are two figures."""
    found = []
    for module in pkgutil.iter_modules(tengen.papers.__path__):
        if match := _MODULE.fullmatch(module.name):
            paper, kind, first, letter, second = match.groups()
            between = "." if paper == "thesis" else "-"
            name = f"{paper}-{kind}{first}{letter}" + (f"{between}{second}" if second else "")
            found.append((paper, kind, int(first or 0), int(second or 0), name, module.name))
    return {name: module for *_, name, module in sorted(found)}


def find(name: str) -> Reproduction:
    """The reproduction of that name. Raises InputError if there is none."""
    modules = _modules()
    if name not in modules:
        raise InputError(f"nothing to reproduce is called '{name}': there are {', '.join(modules)}")
    module = importlib.import_module(f"tengen.papers.{modules[name]}")
    return Reproduction(name, module.TITLE, module.run, getattr(module, "SETTINGS", {}))
