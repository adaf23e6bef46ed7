"""int16 and int8 of a net: calibrated on some games, compared with fp32 on others, figures on the card.

KataGo's nets (`tengen.nets.convert`) and ours (`tengen.training.export`) both come through here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import onnx

from tengen.go.position import Position
from tengen.nets.card import ModelCard
from tengen.nets.fidelity import draw_positions, fidelity, games_of, is_faithful
from tengen.nets.int8 import quantize
from tengen.nets.int8_graph import quantize_graph
from tengen.nets.int16 import Int16Runtime, why_not
from tengen.nets.int16_plain import PlainInt16Runtime, plain_net
from tengen.nets.katago_graph import MAX_SIZE, build
from tengen.nets.katago_layers import KataGoNet
from tengen.nets.library import SHIPPED
from tengen.nets.net_evaluator import NetEvaluator
from tengen.nets.runtime import Runs, Runtime
from tengen.progress import Progress, Report, silent

# GNU Go against itself on 19x19: games to calibrate on, and others to compare the precisions on.
CALIBRATION_GAMES = SHIPPED / "calibration.sgfs"
CHECK_GAMES = SHIPPED / "check.sgfs"
CALIBRATION, CHECK = 64, 128  # positions
_BATCH = 4


class Integers:
    """Makes the integer precisions of one net and compares them with fp32.

    form: the net's layers; None for a net that has only a float32 graph, which runs in int16 if it is a plain net.
    graph: the float32 graph.
    """

    def __init__(self, card: ModelCard, form: KataGoNet | None, graph: onnx.ModelProto) -> None:
        self.form, self.graph = form, graph
        self._plain = plain_net(graph) if form is None else None
        self.size = max(card.board_sizes)
        self.truth = NetEvaluator(card, Runtime(graph.SerializeToString()))

    @classmethod
    def of_form(cls, card: ModelCard, form: KataGoNet) -> Integers:
        return cls(card, form, build(form))

    @property
    def why_not_int16(self) -> str | None:
        """What keeps the net from running in int16, or None."""
        if self.form is not None:
            return why_not(self.form)
        return None if self._plain else "int16 is for plain nets and for nets with the blocks of KataGo's"

    def int16(self) -> Runs:
        """The net in int16; only where `why_not_int16` is None."""
        if self.form is not None:
            return Int16Runtime(self.form)
        assert self._plain is not None
        return PlainInt16Runtime(self._plain)

    def int8(self, progress: Report = silent) -> bytes:
        """The int8 graph, calibrated on the games that ship."""
        positions, _ = sample_positions(CALIBRATION_GAMES, CALIBRATION, self.size)
        batches = [
            self.truth.inputs(some, np.zeros(len(some), np.uint8))
            for some in (positions[i : i + _BATCH] for i in range(0, len(positions), _BATCH))
        ]
        if self.form is not None:
            made = quantize(self.form, batches, progress=progress)
        else:
            made = quantize_graph(self.graph, batches, progress=progress)
        return bytes(made.SerializeToString())

    def compare(self, card: ModelCard, precision: str, runtime: Runs, progress: Report = silent) -> ModelCard:
        """The card with the figures of a precision against fp32; it is the card's precision if it is faithful."""
        progress(Progress(f"comparing {precision} with fp32"))
        positions, games = sample_positions(CHECK_GAMES, CHECK, self.size)
        figures = fidelity(self.truth, NetEvaluator(card, runtime, precision), positions)
        measured = {**card.measured, f"{precision} against fp32": {**figures, "games": games}}
        return replace(
            card, measured=measured, precision=precision if is_faithful(figures) else card.precision
        )


@cache
def sample_positions(games: Path, count: int, size: int) -> tuple[Sequence[Position], str]:
    """Positions of one board size, and what they are called on a card.

    On 19x19 they are drawn from the games; on other sizes, for which no games ship, moves are random.
    """
    if size == MAX_SIZE:
        return draw_positions(games_of(games), count, seed=0), games.name
    # Other moves for other games, so that a net is not checked on what it was calibrated on.
    rng = np.random.default_rng(list(games.name.encode()))
    positions = []
    for _ in range(count):
        position = Position(size)
        for _ in range(int(rng.integers(size * size))):
            moves = position.legal_moves[:-1]
            if not len(moves):
                break
            position.play(int(rng.choice(moves)))
        positions.append(position)
    return positions, f"random moves on {size}x{size}"
