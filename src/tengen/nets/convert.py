"""KataGo files to ONNX files with a card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tengen.nets.card import ModelCard, NetFile
from tengen.nets.katago_file import read_net
from tengen.nets.katago_graph import build
from tengen.nets.katago_net import make_card
from tengen.nets.library import Progress, sha256_of


def convert(
    source: Path, folder: Path, name: str, precisions: Sequence[str], progress: Progress, stem: str = ""
) -> ModelCard:
    """Writes `<precision>.onnx` (or `<stem>.onnx`) of a KataGo file into a folder; returns the card."""
    progress("reading the net", None)
    net = read_net(source)
    card = make_card(net, name)
    for precision in precisions:
        path = folder / f"{stem or precision}.onnx"
        progress(f"converting to {precision}", None)
        temporary = path.with_suffix(".partial")
        temporary.write_bytes(build(net).SerializeToString())
        temporary.rename(path)
        card = replace(card, files={**card.files, precision: NetFile(path.name, sha256_of(path))})
    return replace(card, precision=precisions[-1])
