"""Drawings: a figure of the house's size and look, written whole to a file of a known format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tengen.errors import InputError
from tengen.files import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".pdf")


def check_format(path: Path) -> None:
    """Raises InputError unless drawings can be written in this file's format."""
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"{path}: drawings are written as {', '.join(FORMATS)}")


def new_figure(width: float = 8.0, height: float = 5.0) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained", dpi=120)


def save(figure: Figure, path: Path) -> None:
    check_format(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary:
        figure.savefig(temporary, format=path.suffix[1:].lower())
