"""The card beside every net: what it is, where it comes from, how good it was measured to be."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tengen.errors import InputError


@dataclass(frozen=True, slots=True)
class NetFile:
    """One precision of a net: the file's name beside the card, its sha256, and what was measured of it."""

    file: str
    sha256: str
    figures: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelCard:
    """A net's card.

    `kind` names the code that runs it ("katago"), `encoding` its input planes. `komi_labels` is empty for a
    net that takes komi as an input. `settings` holds numbers that reading its outputs needs. `files` maps
    precision ("fp32", "int8") to file; `default` is the precision that `load_net` takes.
    """

    name: str
    kind: str
    encoding: str
    architecture: str
    weights: int
    heads: tuple[str, ...]
    komi_labels: tuple[float, ...] = ()
    board_sizes: tuple[int, int] = (2, 19)
    channels: int = 0
    source: dict[str, str] = field(default_factory=dict)
    training: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, float] = field(default_factory=dict)
    files: dict[str, NetFile] = field(default_factory=dict)
    default: str = "fp32"

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n"

    @staticmethod
    def read(path: Path) -> ModelCard:
        """Reads a card; InputError if it is not one."""
        try:
            return ModelCard.of(json.loads(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise InputError(f"{path}: the net's card cannot be read: {error.strerror}") from None
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise InputError(f"{path}: not a net's card: {error}") from None

    @staticmethod
    def of(data: Mapping[str, Any]) -> ModelCard:
        fields = dict(data)
        fields["files"] = {name: NetFile(**file) for name, file in fields.get("files", {}).items()}
        for name in ("heads", "komi_labels", "board_sizes"):
            if name in fields:
                fields[name] = tuple(fields[name])
        return ModelCard(**fields)

    def fits(self, size: int) -> bool:
        return self.board_sizes[0] <= size <= self.board_sizes[1]
