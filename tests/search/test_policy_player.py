"""The policy player draws as Golois does (Cazenave 2017, 3.4)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from tengen import Color, Game, Position
from tengen.nets.evaluation import Evaluation
from tengen.nets.fake import FakeEvaluator
from tengen.search.player import Question, last_report
from tengen.search.policy_player import PolicyPlayer
from tengen.search.settings import PolicySettings


class Told(FakeEvaluator):
    """Says what it is told of every position."""

    def __init__(self, policy: dict[str, float]) -> None:
        super().__init__()
        self.chances = policy

    def evaluate(self, positions: Sequence[Position], **options: Any) -> list[Evaluation]:
        policy = np.zeros(82, dtype=np.float32)
        for vertex, chance in self.chances.items():
            policy[81 if vertex == "pass" else Position(9).point(vertex)] = chance
        return [dataclasses.replace(e, policy=policy) for e in super().evaluate(positions, **options)]


def played(policy: dict[str, float], question: Question | None = None) -> set[str]:
    moves = set()
    for seed in range(40):
        player = PolicyPlayer(Told(policy), PolicySettings(seed=seed))
        moves.add(Position(9).vertex(player.choose(Game(size=9), question=question).move))
    return moves


def test_moves_near_the_best_are_drawn() -> None:
    assert played({"E5": 0.300, "C3": 0.290, "G7": 0.286, "D4": 0.284}) == {"E5", "C3", "G7"}


def test_a_small_difference_counts_when_the_share_is_small() -> None:
    """0.05 below the best is near, but not 0.95 of it."""
    assert played({"E5": 0.10, "C3": 0.09}) == {"E5"}


def test_a_barred_move_is_left_out() -> None:
    question = Question(banned={Color.BLACK: {Position(9).point("E5"): 1}})
    assert played({"E5": 0.8, "C3": 0.1}, question) == {"C3"}


def test_an_analysis_is_the_nets_opinion() -> None:
    net = FakeEvaluator()
    root = last_report(PolicyPlayer(net), Game(size=9), Question(ownership=True))
    said = net.evaluate([Position(9)])[0]
    assert root.win_rate == said.win and root.lead == said.lead
    assert [c.move for c in root.candidates[:5]] == [m for m, _ in said.top_moves(5)]
    assert root.ownership is not None
