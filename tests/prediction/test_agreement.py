"""A game beside a net: ranks, probabilities, agreement by colour, drawings."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tengen import Color, Game, Position
from tengen.nets.evaluation import Evaluation
from tengen.nets.fake import FakeEvaluator
from tengen.prediction.agreement import draw_candidates, expected_moves, summary

SGF = "(;SZ[5]KM[7.5]PB[a]PW[b];B[aa];W[cc];B[ba];W[dd];B[])"


class FirstPoints(FakeEvaluator):
    """The earlier the point, the likelier; pass last of all; illegal moves have no chance."""

    def evaluate(self, positions: Sequence[Position], **options: Any) -> list[Evaluation]:
        out = []
        for one, position in zip(super().evaluate(positions), positions, strict=True):
            chances = 0.5 ** np.arange(position.size**2 + 1)
            legal = np.zeros(len(chances))
            legal[position.legal_moves] = 1
            policy = (chances * legal / (chances * legal).sum()).astype(np.float32)
            out.append(dataclasses.replace(one, policy=policy))
        return out


NET = FirstPoints()


def test_moves_of_a_game() -> None:
    moves = expected_moves(Game.from_sgf(SGF), NET)
    # Occupied points have no chance: for White at move 2, A5 is taken.
    assert [(m.number, m.color, m.vertex, m.rank) for m in moves] == [
        (1, Color.BLACK, "A5", 1),
        (2, Color.WHITE, "C3", 12),
        (3, Color.BLACK, "B5", 1),
        (4, Color.WHITE, "D2", 16),
        (5, Color.BLACK, "pass", 22),
    ]
    assert moves[0].probability == pytest.approx(0.5)
    assert moves[1].candidates[0] == ("B5", pytest.approx(0.5))
    assert moves[2].probability == pytest.approx(0.5, abs=1e-3)  # a taken point's share goes to the others


def test_agreement_by_colour() -> None:
    moves = expected_moves(Game.from_sgf(SGF), NET)
    black, white = summary(moves, Color.BLACK), summary(moves, Color.WHITE)
    assert (black.moves, black.top1, black.top3) == (3, pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert (white.moves, white.top1) == (2, 0)
    assert summary([], Color.BLACK).moves == 0


def test_drawings(tmp_path: Path) -> None:
    game = Game.from_sgf(SGF)
    moves = expected_moves(game, NET)
    draw_candidates(game, moves, tmp_path / "boards")
    files = sorted((tmp_path / "boards").iterdir())
    assert [f.name for f in files] == [f"move-{n:03d}.svg" for n in range(1, 6)]
    assert "<svg" in files[1].read_text()
    assert ">50<" in files[1].read_text()  # the likeliest candidate, in %
