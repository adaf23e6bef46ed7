"""What a game that two passes ended is worth."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tengen import Color, Game, Position
from tengen.go.game import Move, Setup
from tengen.nets.fake import FakeEvaluator
from tengen.search.ended import Judge, before_passes, counted
from tengen.search.player import Limit, Question, Root, last_report
from tengen.search.policy_player import PolicyPlayer
from tengen.search.puct import PuctPlayer
from tengen.search.settings import PuctSettings
from tests.search.conftest import OWNERS, SETTLED

AGREED = ["chinese", "aga", "new-zealand", "japanese"]


def ended(rules: str, passes: int = 2) -> Game:
    position = Position.from_text(SETTLED)
    black, white = (np.flatnonzero(position.stones().ravel() == color).tolist() for color in Color)
    game = Game(size=5, rules=position.rules.named(rules).with_komi(0.5), setup=Setup(black, white))
    game.first_to_move = Color.WHITE
    game.moves = [Move(color, 25) for color in (Color.WHITE, Color.BLACK)[:passes]]
    return game


def test_the_board_before_the_passes_has_the_same_side_to_move() -> None:
    position = Position(5).play("C3").play("B2")
    for passes in range(4):
        before = before_passes(position)
        assert before.passes == passes % 2 and before.to_move is position.to_move
        assert before.move_number == 2 + passes % 2
        position.play("pass")


@pytest.mark.parametrize("rules", AGREED)
def test_a_settled_board_is_counted_without_its_dead_stones(
    rules: str, sighted: Callable[[str], FakeEvaluator]
) -> None:
    position = ended(rules).position()
    (said,) = sighted(OWNERS).evaluate([position])
    margin = 6 - 5 if rules == "japanese" else 15 - 10  # a prisoner and five points to five points
    assert Judge().margin(position, said.ownership) == margin


def test_a_board_that_is_not_settled_has_no_count() -> None:
    position = Position(5).play("C3").play("C2").play("pass").play("pass")
    assert Judge().margin(position, None) is None
    assert Judge().margin(position, np.zeros((5, 5), np.float32)) is None


def test_where_all_stones_stand_every_board_has_one() -> None:
    assert Judge().margin(ended("tromp-taylor").position(), None) == -1
    assert Judge().margin(Position(5, "tromp-taylor").play("pass").play("pass"), None) == 0


def test_a_board_is_settled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from tengen.search import ended as module

    asked = []
    settle = module.settle
    monkeypatch.setattr(
        module, "settle", lambda *args, **options: asked.append(1) or settle(*args, **options)
    )
    judge, position = Judge(), ended("chinese").position()
    assert judge.margin(position, None) == judge.margin(position, None)
    assert len(asked) == 1
    position.rules = position.rules.with_komi(3.5)
    judge.margin(position, None)
    assert len(asked) == 2


def test_a_counted_evaluation_has_the_result_in_all_heads(net: FakeEvaluator) -> None:
    (said,) = net.evaluate([Position(5)], komi_labels=[2.0, 3.0, 4.0])
    found = counted(said, 3.0, 2.5)
    assert found.win is not None and found.win.of(Color.BLACK) == 1
    assert found.lead is not None and found.lead.of(Color.BLACK) == 0.5
    assert found.win_by_komi is not None and found.win_by_komi.tolist() == [1, 0.5, 0]
    assert found.policy is said.policy


def black_win(root: Root) -> float:
    assert root.win_rate is not None
    return root.win_rate.of(Color.BLACK)


@pytest.mark.parametrize("rules", AGREED)
@pytest.mark.parametrize("rollouts", [0, 4])
def test_the_analysis_of_an_ended_game_is_its_count_and_searches_nothing(
    rules: str, rollouts: int, sighted: Callable[[str], FakeEvaluator]
) -> None:
    game = ended(rules)
    margin = 1 if rules == "japanese" else 5
    players = (PuctPlayer(sighted(OWNERS), PuctSettings(rollouts=rollouts)), PolicyPlayer(sighted(OWNERS)))
    for player in players:
        root = last_report(player, game, Question(Limit(visits=50)))
        assert (root.visits, black_win(root)) == (1, 1.0)
        assert root.lead is not None and root.lead.of(Color.BLACK) == margin - 0.5
        assert root.candidates


@pytest.mark.parametrize(("rules", "black"), [*((rules, 1.0) for rules in AGREED), ("tromp-taylor", 0.0)])
def test_a_pass_after_a_pass_is_worth_the_count_under_the_rules(
    rules: str, black: float, sighted: Callable[[str], FakeEvaluator]
) -> None:
    game = ended(rules, passes=1)
    question = Question(Limit(visits=10), banned={Color.BLACK: dict.fromkeys(range(25), 1)})
    root = last_report(PuctPlayer(sighted(OWNERS)), game, question)
    (passed,) = [c for c in root.candidates if c.move == 25]
    assert passed.win_rate is not None and passed.win_rate.of(Color.BLACK) == black
    assert passed.variation == (25,)


def test_an_unsettled_game_is_worth_what_the_net_says_before_the_passes(net: FakeEvaluator) -> None:
    game = Game(size=5, moves=[Move(Color.BLACK, 12), Move(Color.WHITE, 25), Move(Color.BLACK, 25)])
    (said,) = net.evaluate([game.position(1)])
    for player in (PuctPlayer(net), PolicyPlayer(net)):
        root = last_report(player, game, Question(Limit(visits=50), ownership=True))
        assert root.visits == 1
        assert root.win_rate is not None and said.win is not None
        assert black_win(root) == pytest.approx(said.win.of(Color.BLACK))
