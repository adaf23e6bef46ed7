"""The ends of real games, as real nets search them: nobody is wrong about a finished game for a pass."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tengen import Color, Game, Position, Rules
from tengen.engine.prefix import up_to
from tengen.engine.review import review_game
from tengen.go.game import Move, Setup
from tengen.nets.evaluator import Evaluator
from tengen.nets.library import cards, open_net
from tengen.search.player import Limit, Question, last_report
from tengen.search.policy_player import PolicyPlayer
from tengen.search.puct import PuctPlayer
from tengen.search.settings import PuctSettings

needs_b15c192 = pytest.mark.skipif(
    "b15c192" not in cards(),
    reason="NOT RUN: b15c192 is not in the cache; `tengen nets pull b15c192` brings it",
)
VISITS = 20


@pytest.fixture(scope="module", params=["tengen", pytest.param("b15c192", marks=needs_b15c192)])
def real(request: pytest.FixtureRequest) -> Evaluator:
    return open_net(request.param)


@pytest.mark.parametrize(
    ("name", "moves"),
    [("19x19", 282), ("19x19", 281), ("9x9", 48), ("9x9", 47), ("13x13", 123), ("13x13", 122)],
)
def test_the_winner_is_seen_after_the_last_passes(
    name: str, moves: int, real: Evaluator, examples: Path
) -> None:
    game = Game.from_file(examples / f"{name}.sgf")
    root = last_report(PuctPlayer(real), up_to(game, moves), Question(Limit(visits=VISITS)))
    winner = game.result.winner
    assert winner is not None and game.result.margin is not None
    assert root.win_rate is not None and root.win_rate.of(winner) > 0.95
    assert root.lead is not None
    if moves == len(game.moves):
        assert root.lead.of(winner) == game.result.margin
    else:
        assert root.lead.of(winner) == pytest.approx(game.result.margin, abs=3)


@pytest.mark.parametrize("moves", [2, 30, 60, 90, 120, 150, 180, 210, 240])
def test_a_pass_in_the_middle_of_a_game_is_not_answered_by_a_pass(
    moves: int, real: Evaluator, examples: Path
) -> None:
    game = up_to(Game.from_file(examples / "19x19.sgf"), moves)
    for player in (PuctPlayer(real, PuctSettings(visits=8)), PolicyPlayer(real)):
        position = game.position()
        passed = up_to(game, moves)
        passed.moves.append(Move(position.to_move, position.pass_))
        assert player.choose(passed).move != position.pass_


@pytest.mark.parametrize("name", ["9x9", "13x13", "19x19"])
def test_the_last_pass_of_a_finished_game_is_answered_by_a_pass(
    name: str, real: Evaluator, examples: Path
) -> None:
    game = Game.from_file(examples / f"{name}.sgf")
    player = PuctPlayer(real, PuctSettings(visits=VISITS))
    assert player.choose(up_to(game, len(game.moves) - 1)).move == game.size**2


def test_a_review_names_no_final_pass_a_mistake(real: Evaluator, examples: Path) -> None:
    game = Game.from_file(examples / "9x9.sgf")
    review = review_game(game, PuctPlayer(real), Limit(visits=8))
    assert [(m.vertex, m.points_lost, m.win_rate_lost) for m in review.moves[-2:]] == [("pass", 0, 0)] * 2
    assert review.moves[0].move.color is Color.BLACK
    assert not {m.number for m in review.mistakes()} & {len(game.moves), len(game.moves) - 1}


# White must answer S13 at N14, or the thirteen stones around it are captured.
THREAT = """
    . . . . . . . X . X O O X . . . . O .
    X . X . X . X X X X O X . X . X X O .
    X X O X . X O X O X O X X . . X . X .
    X O O O X X O O O O O X X X . X . X X
    X O . O X O O O . . O O O O X X X O X
    O . O O X X O . . O X O . X O X O O O
    . O O X X O O . X O . X . O O O O X O
    . . O X O O O X O X . X X X X O X X O
    . O X X X O . . . X . . O O O X . X X
    . O O O O . O . . . O O O X X . X O .
    O O X O O O X O O . O . . O X X X X X
    O X X X X O X X O O O . O O O O O X O
    . O X X . X X . X X O O X X X O O O O
    O . O X . X . . . X X O X X X X X O .
    O O O O X X . X . X O O O O X . X X O
    . . . O X X X . . . X O X X X X X O .
    . . O X X X O X X . X X X O O X O . O
    . . O X O O O X X X O . X X O O O O .
    . . O O O O X X X . . . . X X X O . .
    """


@needs_b15c192
@pytest.mark.parametrize("rules", ["chinese", "japanese", "tromp-taylor"])
def test_the_last_threat_of_a_game_is_answered(rules: str) -> None:
    stones = Position.from_text(THREAT).stones().ravel()
    black, white = (np.flatnonzero(stones == color).tolist() for color in Color)
    game = Game(size=19, rules=Rules.named(rules), setup=Setup(black, white), first_to_move=Color.WHITE)
    decision = PuctPlayer(open_net("b15c192"), PuctSettings(visits=VISITS)).choose(game)
    assert game.position().vertex(decision.move) == "N14"
