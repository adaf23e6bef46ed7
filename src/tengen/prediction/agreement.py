"""A game's moves beside those a net expects. No torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tengen.errors import InputError
from tengen.go.color import Color
from tengen.go.drawing import svg_board
from tengen.go.game import Game
from tengen.nets.evaluation import given
from tengen.nets.evaluator import Evaluator
from tengen.progress import Progress, Report, silent

CANDIDATES = 5
BATCH = 32


@dataclass(frozen=True)
class ExpectedMove:
    """A move that was played, and what the net expected: candidates are (vertex, probability), best first."""

    number: int  # from 1
    color: Color
    point: int
    vertex: str
    rank: int
    probability: float
    candidates: list[tuple[str, float]]

    def to_json(self) -> dict[str, Any]:
        return {
            "move": self.number,
            "color": self.color.letter,
            "vertex": self.vertex,
            "rank": self.rank,
            "probability": self.probability,
            "candidates": self.candidates,
        }


@dataclass(frozen=True)
class Agreement:
    """Of one player's moves."""

    moves: int
    top1: float
    top3: float
    mean_probability: float

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def expected_moves(game: Game, net: Evaluator, progress: Report = silent) -> list[ExpectedMove]:
    """Every move of the game beside what the net expected there."""
    net.card.require("policy", "it expects no moves")
    position = game.start()
    positions = []
    for move in game.moves:
        before = position.copy()
        before.to_move = move.color
        positions.append(before)
        position.play_as(move.color, move.point)
    if not positions:
        raise InputError("the game has no moves")
    out: list[ExpectedMove] = []
    for first in range(0, len(positions), BATCH):
        progress(Progress("looking at moves", first, len(positions)))
        part = positions[first : first + BATCH]
        for i, chances in enumerate(given(evaluation.policy) for evaluation in net.evaluate(part)):
            number = first + i
            played = game.moves[number]
            order = np.argsort(-chances, kind="stable")
            out.append(
                ExpectedMove(
                    number=number + 1,
                    color=played.color,
                    point=played.point,
                    vertex=part[i].vertex(played.point),
                    rank=int((chances > chances[played.point]).sum()) + 1,
                    probability=float(chances[played.point]),
                    candidates=[(part[i].vertex(int(p)), float(chances[p])) for p in order[:CANDIDATES]],
                )
            )
    return out


def summary(moves: Sequence[ExpectedMove], color: Color) -> Agreement:
    own = [m for m in moves if m.color is color]
    if not own:
        return Agreement(0, 0.0, 0.0, 0.0)
    return Agreement(
        len(own),
        sum(m.rank == 1 for m in own) / len(own),
        sum(m.rank <= 3 for m in own) / len(own),
        sum(m.probability for m in own) / len(own),
    )


def to_json(moves: Sequence[ExpectedMove]) -> dict[str, Any]:
    """The agreement of both players, and every move."""
    agreement = {color.letter: summary(moves, color).to_json() for color in Color}
    return {"agreement": agreement, "moves": [move.to_json() for move in moves]}


def draw_candidates(game: Game, moves: Sequence[ExpectedMove], folder: Path) -> None:
    """A board for each move: the candidates with their chances in %, and the move that was played."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        position = game.start()
        for move in moves:
            marks = {
                position.point(vertex): f"{100 * chance:.0f}"
                for vertex, chance in move.candidates
                if vertex != "pass" and chance >= 0.005
            }
            last = None if move.point == position.pass_ else move.point
            stones = position.stones()
            if last is not None:
                stones[divmod(last, position.size)] = int(move.color)
            drawing = svg_board(stones, last, {p: label for p, label in marks.items() if p != last})
            (folder / f"move-{move.number:03d}.svg").write_text(drawing, encoding="utf-8")
            position.play_as(move.color, move.point)
    except OSError as error:
        raise InputError(f"cannot draw to {folder}: {error}") from None
