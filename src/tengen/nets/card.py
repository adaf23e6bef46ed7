"""The card beside every net: what it is, what it takes and gives, how well it does."""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tengen.errors import InputError

# From the most exact to the least.
PRECISIONS = ("fp32", "int16", "int8")

# What users of evaluations ask a card for, in words.
_IN_WORDS = {
    "policy": "move probabilities",
    "win_by_komi": "win rates",
    "margin": "margin and lead",
    "ownership": "ownership",
    "next": "chances of the moves after the next one",
    "trunk": "trunk",
}
# Any of these heads gives win rates; KataGo's cards and older ones of ours name them by what they give.
_WIN_HEADS = ("win_by_komi", "values", "value", "margin")


@dataclass(frozen=True, slots=True)
class NetFile:
    """A file of the net, beside its card."""

    file: str
    sha256: str


@dataclass(frozen=True, slots=True)
class ModelCard:
    """A net's card, kept as JSON.

    architecture: the family of nets, which decides who reads the outputs ("katago", ...).
    encoding: the input planes, by their name in tengen.planes.
    trained_sizes: the boards of the games it was trained on; none if it was trained for all of `board_sizes`.
    heads: what the net gives, by the names of `tengen.nets.heads`.
    inputs: what the net takes beside the planes ("komi", "rules", "rank").
    komi_labels: the komi that the net is built for: several for a net with a win rate for each of them, one for a net
        that knows one komi only, none for a net that gives win rates at any komi.
    settings: what the family needs to read its outputs.
    files: the graph in each precision, or the weights it is made of on loading; `precision` is the least exact one
        that is near enough to fp32.
    measured: figures, each with how and where it was taken.
    """

    name: str
    architecture: str
    encoding: str
    board_sizes: tuple[int, ...]
    heads: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    komi_labels: tuple[float, ...] = ()
    trained_sizes: tuple[int, ...] = ()
    channels: int = 0
    weights: int = 0
    source: str = ""
    source_sha256: str = ""
    licence: str = ""
    training: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    files: dict[str, NetFile] = field(default_factory=dict)
    precision: str = "fp32"
    measured: dict[str, Any] = field(default_factory=dict)

    def check_size(self, size: int) -> None:
        """Raises InputError for a board the net was not made for."""
        if size not in self.board_sizes:
            known = ", ".join(f"{n}x{n}" for n in self.board_sizes)
            raise InputError(f"net {self.name} does not play on {size}x{size}, only on {known}")

    def check_komi(self, komi: float) -> None:
        """Raises InputError for a komi beyond the labels of a net with win rates by komi."""
        if len(self.komi_labels) > 1 and not min(self.komi_labels) <= komi <= max(self.komi_labels):
            least, most = min(self.komi_labels), max(self.komi_labels)
            raise InputError(f"net {self.name} plays with komi from {least:g} to {most:g} only, not {komi:g}")

    def has_learnt(self, size: int) -> bool:
        """Is such a board one of those that it was trained on, or between them?"""
        sizes = self.trained_sizes or self.board_sizes
        return min(sizes) <= size <= max(sizes)

    def has(self, head: str) -> bool:
        """Does the net give this? Besides the heads themselves `win_by_komi` stands for win rates of any kind."""
        return any(name in self.heads for name in (_WIN_HEADS if head == "win_by_komi" else (head,)))

    def require(self, head: str, why: str = "") -> None:
        """Raises InputError if the net does not have the head; `why` says what needs it, or what to do."""
        if not self.has(head):
            advice = why or f"choose a net with this head, or pair this one with such a net ({self.name}+NET)"
            raise InputError(f"net {self.name} has no {_IN_WORDS.get(head, head)} ({head}): {advice}")

    @property
    def identity(self) -> str:
        """The sha256 that the net is known by, the same in every precision.

        It is that of the file it was made from, or else of its own fp32 file; the name of a net without files.
        """
        return self.source_sha256 or self.identity_in("fp32")

    def identity_in(self, precision: str) -> str:
        """The sha256 of what runs in a precision: where the last digits matter, as in stored features."""
        if precision in self.files:
            return self.files[precision].sha256
        if self.source_sha256:
            return self.source_sha256
        return next((file.sha256 for file in self.files.values()), self.name)

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self), indent=2, ensure_ascii=False) + "\n"

    @staticmethod
    def from_json(text: str, source: str = "card") -> ModelCard:
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{source}: not JSON: {error}") from None
        if not isinstance(data, dict):
            raise InputError(f"{source}: not a model card")
        fields = {f.name: f for f in dataclasses.fields(ModelCard)}
        unknown = sorted(set(data) - set(fields))
        missing = [name for name in ("name", "architecture", "encoding", "board_sizes") if name not in data]
        if unknown or missing:
            words = [f"unknown {', '.join(unknown)}"] * bool(unknown) + [f"no {', '.join(missing)}"] * bool(
                missing
            )
            raise InputError(f"{source}: not a model card: {'; '.join(words)}")
        for name, value in data.items():
            if not _fits(name, value):
                raise InputError(f"{source}: '{name}' is not what a model card has there")
        if data["architecture"] == "katago":  # cards written before there was this field
            data.setdefault("inputs", ["komi", "rules"])
        for name in ("board_sizes", "trained_sizes", "heads", "inputs", "komi_labels"):
            data[name] = tuple(data.get(name, ()))
        data["files"] = {key: NetFile(**value) for key, value in data.get("files", {}).items()}
        return ModelCard(**data)

    @staticmethod
    def load(path: Path) -> ModelCard:
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{path}: cannot be read: {error}") from None
        return ModelCard.from_json(text, str(path))


def _fits(name: str, value: object) -> bool:
    """Is this JSON value of the kind that a card has under that name?"""
    match name:
        case "board_sizes" | "trained_sizes":
            sizes = isinstance(value, list) and all(type(n) is int and 1 < n < 20 for n in value)
            return sizes and (bool(value) or name == "trained_sizes")
        case "heads" | "inputs":
            return isinstance(value, list) and all(isinstance(n, str) for n in value)
        case "komi_labels":
            return isinstance(value, list) and all(
                type(n) in (int, float) and math.isfinite(n) for n in value
            )
        case "channels" | "weights":
            return type(value) is int and value >= 0
        case "settings" | "measured":
            return isinstance(value, dict)
        case "precision":
            return value in PRECISIONS
        case "files":
            return isinstance(value, dict) and all(
                key in PRECISIONS
                and isinstance(entry, dict)
                and set(entry) == {"file", "sha256"}
                and all(isinstance(text, str) for text in entry.values())
                # a name beside the card, never a path to somewhere else
                and Path(entry["file"]).name == entry["file"]
                and entry["file"] not in ("", "..")
                and entry["file"].isprintable()
                for key, entry in value.items()
            )
    return isinstance(value, str)
