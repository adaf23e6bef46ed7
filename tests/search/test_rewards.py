"""What lines are worth: points of the window, for the side of the candidate."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from search.plain_agents import PlainAgent, anywhere, at, stops

from tengen import Color, InputError, Position
from tengen.go.perspective import Lead
from tengen.nets.agent import AgentShape
from tengen.nets.evaluation import Evaluation
from tengen.nets.fake import FakeEvaluator
from tengen.search.imagining import Fight, Lines, imagine
from tengen.search.imagining_sides import AgentSide
from tengen.search.rewards import Captures, Ownership, WholeLead

SHAPE = AgentShape(near=5, cells=1, cell=1, window=5, width=1, hidden=1)
CAPTURE = """
    . . . . .
    . . X . .
    . X O . .
    . . X X .
    . X O . .
"""


class Stones(FakeEvaluator):
    """Ownership: the stones, and half of a point for who is to move at every empty one. Lead: their sum less komi."""

    def evaluate(self, positions: Sequence[Position], **options: Any) -> list[Evaluation]:
        said = []
        for position, one in zip(positions, super().evaluate(positions, **options), strict=True):
            stones = position.stones()
            owner = np.where(stones == 1, 1.0, np.where(stones == 2, -1.0, 0.0))
            owner[stones == 0] = 0.5 if position.to_move is Color.BLACK else -0.5
            lead = Lead(float(owner.sum()) - position.rules.komi, Color.BLACK)
            said.append(dataclasses.replace(one, ownership=owner.astype(np.float32), lead=lead))
        return said


def lines_of(fight: Fight, mover: Any = stops, other: Any = stops, steps: int = 2) -> Lines:
    sides = [AgentSide(PlainAgent(logits, SHAPE)) for logits in (mover, other)]
    return imagine([fight], 1, steps, sides[0], sides[1], np.random.default_rng(0))


def test_ownership_is_what_the_window_gains_on_a_pass() -> None:
    """An empty 5x5 board and a window of 3x3: the candidate's stone is a point instead of White's half of one."""
    fight = Fight(Position(5), 12, 3)
    found = Ownership(Stones()).to_go(lines_of(fight))
    assert found.shape == (3, 1)
    # After the candidate and two stops White is to move, as after a pass.
    assert found[:, 0].tolist() == [1.5] * 3
    # With White's answer in the window Black is to move: eight points change hands, and one is White's.
    answered = Ownership(Stones()).to_go(lines_of(fight, other=at(13), steps=1))
    assert answered[0, 0] == pytest.approx(1.0 - 1.0 + 7 * 0.5 + 9 * 0.5)


def test_the_lead_counts_the_whole_board() -> None:
    """Of an empty 5x5 board: a stone instead of White's half of a point, in whatever window."""
    for window in (1, 3):
        assert WholeLead(Stones()).to_go(lines_of(Fight(Position(5), 12, window)))[:, 0].tolist() == [1.5] * 3
    answered = WholeLead(Stones()).to_go(lines_of(Fight(Position(5), 12, 3), other=at(13), steps=1))
    assert answered[0, 0] == pytest.approx(1.0 - 1.0 + 23 * 0.5 + 25 * 0.5)  # Black is to move, not White


def test_rewards_are_in_the_view_of_the_candidates_side() -> None:
    white = Position(5)
    white.to_move = Color.WHITE
    for reward in (Ownership(Stones()), WholeLead(Stones())):
        assert reward.to_go(lines_of(Fight(white, 12, 3)))[0, 0] == 1.5
    turned = Position.from_text(CAPTURE.replace("X", "#").replace("O", "X").replace("#", "O"), Color.WHITE)
    for position in (Position.from_text(CAPTURE), turned):
        lines = lines_of(Fight(position, position.point("D3"), 5), mover=at(22))
        assert Captures().to_go(lines)[0, 0] > 0


def test_stones_and_territory_that_were_taken() -> None:
    position = Position.from_text(CAPTURE)
    lines = lines_of(Fight(position, position.point("D3"), 5), mover=at(22))
    # C3, and later C1; then all 18 empty points are Black's, 13 of them in the window, which ends at the file B.
    # Before, White's stones touched every region.
    assert np.bincount(lines.finals[0].stones().ravel(), minlength=3).tolist() == [18, 7, 0]
    assert Captures().to_go(lines)[:, 0].tolist() == [2 + 13, 1 + 13, 1 + 13]


def test_only_the_window_counts() -> None:
    position = Position.from_text(CAPTURE)
    point = position.point("D3")
    small = Captures().to_go(lines_of(Fight(position, point, 3)))[0, 0]
    # C3 is taken and becomes territory; the other empty points of the window are still open to White's C1.
    assert small == 1 + 1


def test_a_line_that_changes_nothing_is_worth_nothing() -> None:
    lines = imagine(
        [Fight(Position(9), 40, 5)],
        5,
        6,
        AgentSide(PlainAgent(anywhere, SHAPE)),
        AgentSide(PlainAgent(anywhere, SHAPE)),
        np.random.default_rng(1),
    )
    assert not Captures().to_go(lines).any()


def test_the_net_is_asked_about_the_board_before_the_stops() -> None:
    asked: list[Position] = []

    class Listening(Stones):
        def evaluate(self, positions: Sequence[Position], **options: Any) -> list[Evaluation]:
            asked.extend(positions)
            return super().evaluate(positions, **options)

    Ownership(Listening()).to_go(lines_of(Fight(Position(5), 12, 3)))
    passed, final = asked
    assert passed.move_number == 1 and final.passes == 0 and final.move_number == 1
    assert final.to_move is Color.WHITE


def test_a_net_that_cannot_judge_is_refused_with_a_way_out() -> None:
    with pytest.raises(InputError, match=r"has no margin and lead.*reward lead.*choose reward=captures"):
        WholeLead(FakeEvaluator(heads=("policy", "ownership")))
    with pytest.raises(InputError, match=r"has no ownership.*choose reward=captures"):
        Ownership(FakeEvaluator(heads=("policy",)))
    Captures(FakeEvaluator(heads=("policy",)))
