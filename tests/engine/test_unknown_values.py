"""A player without win rates: every protocol leaves out what is unknown and makes nothing up."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tengen import Color, Game, Rules
from tengen.engine import dialects
from tengen.engine.dialects import Request
from tengen.engine.session import Session
from tengen.nets.fake import FakeEvaluator
from tengen.search.player import Question, last_report
from tengen.search.registry import make_player


@pytest.fixture
def session() -> Session:
    return Session(make_player("policy", FakeEvaluator(heads=("policy",))), Rules.named("chinese"), 9)


@pytest.mark.parametrize("form", [dialects.leela, dialects.sabaki, dialects.katago])
def test_analysis_lines_have_moves_and_priors_only(session: Session, form: Callable[..., str]) -> None:
    game = Game(size=9)
    root = last_report(session.player, game, Question())
    text = form(game.position(), root, Request(Color.BLACK, root_info=True))
    assert "move" in text and "prior" in text and "order 0 pv" in text
    for word in ("winrate", "score", "lcb", "utility"):
        assert word not in text


def test_the_line_for_cgos_has_no_win_rate(session: Session) -> None:
    game = Game(size=9)
    answer = json.loads(dialects.cgos(game.position(), last_report(session.player, game, Question())))
    assert "winrate" not in answer and "score" not in answer
    assert set(answer["moves"][0]) == {"move", "prior", "pv", "visits"}


def test_a_game_is_played_and_win_rates_are_refused(converse: Callable[[list[str]], str]) -> None:
    text = converse(["boardsize 9", "genmove b", "genmove w", "tengen-win_by_komi", "final_score"])
    assert text.count("\n= ") == 3
    assert "? policy fake-0 has no win rates" in text
