"""Ownership over a search: every leaf counts once, under the move that leads to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from tengen import Color, Game, Position
from tengen.go.game import Move
from tengen.nets.evaluation import Evaluation
from tengen.nets.evaluator import Evaluator
from tengen.nets.fake import FakeEvaluator
from tengen.search.owners import OwnerSums
from tengen.search.player import Limit, Player, Question, last_report
from tengen.search.policy_player import PolicyPlayer
from tengen.search.puct import PuctPlayer
from tengen.search.settings import PuctSettings

WANTED = Question(Limit(visits=60), ownership=True, moves_ownership=True)


class Listening(FakeEvaluator):
    """Remembers what it was asked and what it said."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[tuple[Position, Evaluation]] = []

    def evaluate(self, positions: Sequence[Position], **wanted: Any) -> list[Evaluation]:
        answers = super().evaluate(positions, **wanted)
        self.said += zip([p.copy() for p in positions], answers, strict=True)
        return answers


def test_sums_by_move() -> None:
    sums = OwnerSums()
    one, two = np.full((2, 2), 0.5, np.float32), np.full((2, 2), -0.5, np.float32)
    sums.add(3, one)
    sums.add(3, two)
    sums.add(1, two)
    below = sums.of(3, lambda: pytest.fail("it has leaves of its own"))
    np.testing.assert_allclose(below.mean, 0.0)
    np.testing.assert_allclose(below.deviation, 0.5)
    np.testing.assert_allclose(sums.of(0, lambda: one).mean, 0.5)
    np.testing.assert_allclose(sums.root(lambda: one).mean, 0.0)  # 0.5, 0.5, -0.5, -0.5


def test_a_search_owns_the_mean_of_its_leaves() -> None:
    net = Listening()
    root = last_report(PuctPlayer(net), Game(size=5), WANTED)
    leaves: dict[int, list[np.ndarray[Any, Any]]] = {}
    for position, said in net.said:
        leaves.setdefault(int(position.moves()[0]) if position.move_number else -1, []).append(said.ownership)
    assert root.owned is not None
    everything = [board for boards in leaves.values() for board in boards]
    np.testing.assert_allclose(root.owned.mean, np.mean(everything, axis=0), atol=1e-6)
    np.testing.assert_allclose(root.owned.deviation, np.std(everything, axis=0), atol=1e-6)
    for candidate in root.candidates:
        assert candidate.owned is not None
        np.testing.assert_allclose(candidate.owned.mean, np.mean(leaves[candidate.move], axis=0), atol=1e-6)


def test_how_far_values_lie_apart_below_each_move() -> None:
    """Also after the tree has been cut down to a move that was played."""
    net = Listening()
    player = PuctPlayer(net, PuctSettings(score_weight=0, spread_weight=0, c_puct=1))
    game = Game(size=5)
    last_report(player, game, Question(Limit(visits=80)))
    best = last_report(player, game, Question(Limit(visits=80))).candidates[0].move
    game.moves.append(Move(Color.BLACK, best))
    root = last_report(player, game, Question(Limit(visits=60)))
    values: dict[int, dict[int, float]] = {}
    for position, said in net.said:
        moves = [int(m) & 0x7FFF for m in position.moves()]
        if len(moves) > 1 and moves[0] == best:
            values.setdefault(moves[1], {})[position.record_hash] = said.win.of(Color.BLACK)
    seen = 0
    for candidate in root.candidates:
        below = list(values[candidate.move].values())
        if len(below) == candidate.visits:  # no game ended below it
            seen += 1
            assert candidate.utility is not None
            assert candidate.utility.deviation == pytest.approx(np.std(below), abs=1e-4)
            assert candidate.lower_bound(Color.WHITE) < candidate.win_rate.of(Color.WHITE)
    assert seen > 3


@pytest.mark.parametrize("kind", [PuctPlayer, PolicyPlayer])
def test_a_position_met_again_is_asked_about_itself(kind: Callable[[Evaluator], Player]) -> None:
    """The tree is kept from move to move, the sums are not."""
    player, game = kind(FakeEvaluator()), Game(size=5)
    last_report(player, game, WANTED)
    game.moves.append(Move(Color.BLACK, 12))
    root = last_report(player, game, Question(Limit(visits=1), ownership=True, moves_ownership=True))
    assert root.owned is not None
    said = FakeEvaluator().evaluate([game.position()])[0]
    np.testing.assert_allclose(root.owned.mean, said.ownership, atol=1e-6)
    assert all(candidate.owned is not None for candidate in root.candidates)


def test_it_costs_nothing_unasked() -> None:
    root = last_report(PuctPlayer(FakeEvaluator()), Game(size=5), Question(Limit(visits=20)))
    assert root.owned is None and root.ownership is None
    assert all(candidate.owned is None for candidate in root.candidates)
