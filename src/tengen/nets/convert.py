"""KataGo files to ONNX files with a card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from tengen.files import write_whole
from tengen.nets.card import ModelCard, NetFile
from tengen.nets.fidelity import draw_positions, fidelity, games_of, is_faithful
from tengen.nets.int8 import quantize
from tengen.nets.int16 import Int16Runtime, why_not
from tengen.nets.katago_file import read_net
from tengen.nets.katago_graph import build
from tengen.nets.katago_layers import KataGoNet
from tengen.nets.katago_reader import make_card
from tengen.nets.library import SHIPPED, sha256_of
from tengen.nets.net_evaluator import NetEvaluator
from tengen.nets.runtime import Runtime
from tengen.progress import Progress, Report, silent

# GNU Go against itself: games to calibrate on, and others to see how near int8 came.
CALIBRATION_GAMES = SHIPPED / "calibration.sgfs"
CHECK_GAMES = SHIPPED / "check.sgfs"
CALIBRATION, CHECK = 64, 128  # positions
_BATCH = 4


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
    for precision in precisions:
        progress(Progress(f"converting to {precision}"))
        path = folder / f"{stem or precision}.onnx"
        if precision == "fp32":
            write_whole(path, build(net).SerializeToString())
            card = replace(card, precision="fp32")
        elif precision == "int16":
            if why_not(net):
                continue
            path = source
            truth = NetEvaluator(card, Runtime(build(net).SerializeToString()))
            integers = NetEvaluator(card, Int16Runtime(net), precision)
            figures = fidelity(truth, integers, draw_positions(games_of(CHECK_GAMES), CHECK, seed=0))
            measured = {**card.measured, "int16 against fp32": {**figures, "games": CHECK_GAMES.name}}
            card = replace(
                card, measured=measured, precision="int16" if is_faithful(figures) else card.precision
            )
        else:
            figures = _write_int8(net, card, path, progress)
            faithful = is_faithful(figures) or "fp32" not in card.files
            measured = {**card.measured, "int8 against fp32": {**figures, "games": CHECK_GAMES.name}}
            card = replace(card, measured=measured, precision="int8" if faithful else card.precision)
        card = replace(card, files={**card.files, precision: NetFile(path.name, sha256_of(path))})
    return card


def _write_int8(net: KataGoNet, card: ModelCard, path: Path, progress: Report) -> dict[str, float | int]:
    """Writes the int8 graph and returns its fidelity."""
    truth = NetEvaluator(card, Runtime(build(net).SerializeToString()))
    calibration = draw_positions(games_of(CALIBRATION_GAMES), CALIBRATION, seed=0)
    held_out = draw_positions(games_of(CHECK_GAMES), CHECK, seed=0)
    batches = [
        truth.inputs(calibration[i : i + _BATCH], np.zeros(len(calibration[i : i + _BATCH]), np.uint8))
        for i in range(0, len(calibration), _BATCH)
    ]
    made = quantize(net, batches, progress=progress)
    write_whole(path, made.SerializeToString())
    progress(Progress("comparing int8 with fp32"))
    return fidelity(truth, NetEvaluator(card, Runtime(path), "int8"), held_out)
