"""KataGo files to ONNX files with a card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tengen.errors import InputError
from tengen.nets.card import ModelCard
from tengen.nets.katago import katago_card
from tengen.nets.katago_file import read_net
from tengen.nets.katago_graph import build
from tengen.nets.library import Progress, net_file

PRECISIONS = ("fp32", "int8")


def convert(
    source: Path, folder: Path, name: str, precisions: Sequence[str], progress: Progress, stem: str = ""
) -> ModelCard:
    """Writes `<precision>.onnx` (or `<stem>.onnx`) of a KataGo file into a folder; returns the card.

    Files that are there already are taken as they are: they were written whole.
    """
    progress("reading the net", None)
    net = read_net(source)
    card = katago_card(net, name)
    files = {}
    for precision in precisions:
        path = folder / f"{stem or precision}.onnx"
        figures: dict[str, object] = {}
        if precision == "fp32":
            progress("converting to fp32", None)
            model = build(net)
        elif precision == "int8":
            raise InputError("int8 is not made yet")
        else:
            raise InputError(f"unknown precision '{precision}': known are {', '.join(PRECISIONS)}")
        temporary = path.with_suffix(".partial")
        temporary.write_bytes(model.SerializeToString())
        temporary.rename(path)
        files[precision] = net_file(path, figures)
    return replace(card, files=files, default=precisions[-1])
