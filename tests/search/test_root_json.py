"""Root statistics as JSON, there and back."""

from __future__ import annotations

import pytest

from tengen.go.game import Game
from tengen.nets.library import open_net
from tengen.search.player import Limit, Question, Root, last_report
from tengen.search.registry import make_player


@pytest.mark.parametrize("player", ["puct", "policy", "long-term"])
def test_root_statistics_are_read_as_they_were_written(player: str) -> None:
    game = Game.from_sgf("(;SZ[9]KM[5.5];B[ee];W[cc])")
    question = Question(Limit(visits=30), ownership=True, min_moves=40)
    root = last_report(make_player(player, open_net("fake")), game, question)
    table = root.to_json(9)
    again = Root.from_json(table, 9)
    assert again.to_json(9) == table
    assert again.win_rate == root.win_rate and again.to_move is root.to_move


def test_what_is_unknown_stays_unknown() -> None:
    from tengen.nets.fake import FakeEvaluator

    player = make_player("policy", FakeEvaluator(heads=("policy",)))
    root = last_report(player, Game(size=9), Question(Limit(visits=1), ownership=True))
    again = Root.from_json(root.to_json(9), 9)
    assert again.win_rate is None and again.lead is None and again.owned is None and again.win_by_komi is None
