"""KataGo files to ONNX files with a card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx

from tengen.go.position import Position
from tengen.nets.card import ModelCard, NetFile
from tengen.nets.fidelity import draw_positions, fidelity, games_of, is_faithful
from tengen.nets.int8 import quantize
from tengen.nets.katago_file import read_net
from tengen.nets.katago_graph import build
from tengen.nets.katago_layers import KataGoNet
from tengen.nets.katago_net import KataGoEvaluator, make_card
from tengen.nets.library import SHIPPED, Progress, sha256_of
from tengen.nets.runtime import Runtime

# GNU Go against itself, as in examples/: positions for those who have no games of their own at hand.
CALIBRATION_GAMES = SHIPPED / "calibration.sgfs"
_CALIBRATION = 64  # positions
_CHECK = 128
_BATCH = 4


def convert(
    source: Path,
    folder: Path,
    name: str,
    precisions: Sequence[str],
    progress: Progress,
    stem: str = "",
    games: Path = CALIBRATION_GAMES,
) -> ModelCard:
    """Writes `<precision>.onnx` (or `<stem>.onnx`) of a KataGo file into a folder; returns the card.

    int8 is calibrated on positions of `games`, and compared with fp32 on others of them; it becomes the
    card's default if it comes near enough.
    """
    progress("reading the net", None)
    net = read_net(source)
    card = make_card(net, name)
    for precision in precisions:
        progress(f"converting to {precision}", None)
        path = folder / f"{stem or precision}.onnx"
        if precision == "fp32":
            _write(build(net), path)
            card = replace(card, precision="fp32")
        else:
            positions = draw_positions(games_of(games), _CALIBRATION + _CHECK, seed=0)
            figures = _write_int8(net, card, path, positions, progress)
            faithful = is_faithful(figures) or "fp32" not in card.files
            measured = {**card.measured, "int8 against fp32": {**figures, "games": games.name}}
            card = replace(card, measured=measured, precision="int8" if faithful else card.precision)
        card = replace(card, files={**card.files, precision: NetFile(path.name, sha256_of(path))})
    return card


def _write_int8(
    net: KataGoNet, card: ModelCard, path: Path, positions: list[Position], progress: Progress
) -> dict[str, float | int]:
    """Writes the int8 graph and returns its fidelity."""
    truth = KataGoEvaluator(card, Runtime(build(net).SerializeToString()))
    calibration, held_out = positions[:_CALIBRATION], positions[_CALIBRATION:]
    batches = [
        truth.inputs(calibration[i : i + _BATCH], np.zeros(len(calibration[i : i + _BATCH]), np.uint8))
        for i in range(0, len(calibration), _BATCH)
    ]
    _write(quantize(net, batches, progress=lambda done: progress("calibrating int8", done)), path)
    progress("comparing int8 with fp32", None)
    return fidelity(truth, KataGoEvaluator(card, Runtime(path), "int8"), held_out)


def _write(model: onnx.ModelProto, path: Path) -> None:
    temporary = path.with_suffix(".partial")
    temporary.write_bytes(model.SerializeToString())
    temporary.rename(path)
