"""A game beside a net: ranks, probabilities, agreement by colour, drawings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tengen import Color, Game, Position
from tengen.training.agreement import draw_candidates, expected_moves, summary
from tengen.training.predictors import Predictor

SGF = "(;SZ[5]KM[7.5]PB[a]PW[b];B[aa];W[cc];B[ba];W[dd];B[])"


def first_points(planes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The earlier the point, the likelier; pass last of all."""
    n = planes.shape[2] ** 2 + 1
    chances = 0.5 ** np.arange(n)
    return np.tile((chances / chances.sum()).astype(np.float32), (len(planes), 1))


NET = Predictor("first points", "golois39", True, first_points)


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


def test_policies_are_legal_and_turned_back() -> None:
    position = Position(5).play("A5")
    plain = NET.policies([position])[0]
    assert plain[0] == 0
    assert plain.sum() == pytest.approx(1)
    turned = NET.policies([position], bagging=True)[0]
    # The four corners are alike to a net that always looks at the upper left one.
    assert turned[4] == pytest.approx(turned[20]) == pytest.approx(turned[24])
    assert turned[0] == 0


def test_a_net_that_cannot_pass_gives_pass_no_chance() -> None:
    net = Predictor("no pass", "golois39", False, lambda planes: first_points(planes)[:, :25])
    assert net.policies([Position(5)])[0][25] == 0


def test_drawings(tmp_path: Path) -> None:
    game = Game.from_sgf(SGF)
    moves = expected_moves(game, NET)
    draw_candidates(game, moves, tmp_path / "boards")
    files = sorted((tmp_path / "boards").iterdir())
    assert [f.name for f in files] == [f"move-{n:03d}.svg" for n in range(1, 6)]
    assert "<svg" in files[1].read_text()
    assert ">50<" in files[1].read_text()  # the likeliest candidate, in %
