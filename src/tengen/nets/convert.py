"""KataGo files to ONNX files with a card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tengen.files import write_whole
from tengen.nets.card import ModelCard, NetFile
from tengen.nets.integers import Integers
from tengen.nets.katago_file import read_net
from tengen.nets.katago_reader import make_card
from tengen.nets.library import sha256_of
from tengen.nets.runtime import Runtime
from tengen.progress import Progress, Report, silent


def convert(
    source: Path,
    folder: Path,
    name: str,
    precisions: Sequence[str],
    progress: Report = silent,
    stem: str = "",
) -> ModelCard:
    """Writes `<precision>.onnx` (or `<stem>.onnx`) of a KataGo file into a folder; returns the card.

    int8 is calibrated on positions of some games, and compared with fp32 on positions of others; the card's
    precision becomes int8 if it comes near enough. int16 is the file itself, which must lie in the folder; nets
    that cannot run in it do without.
    """
    progress(Progress("reading the net"))
    net = read_net(source)
    card = make_card(net, name)
    integers = Integers.of_form(card, net)
    for precision in precisions:
        progress(Progress(f"converting to {precision}"))
        path = folder / f"{stem or precision}.onnx"
        if precision == "fp32":
            write_whole(path, integers.graph.SerializeToString())
            card = replace(card, precision="fp32")
        elif precision == "int16":
            if integers.why_not_int16:
                continue
            path = source
            card = integers.compare(card, precision, integers.int16(), progress)
        else:
            write_whole(path, integers.int8(progress))
            card = integers.compare(card, precision, Runtime(path), progress)
            if "fp32" not in card.files:
                card = replace(card, precision=precision)
        card = replace(card, files={**card.files, precision: NetFile(path.name, sha256_of(path))})
    return card
