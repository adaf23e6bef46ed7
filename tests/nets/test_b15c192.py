"""The net that `make test` pulls: what it says of games of GNU Go, in both precisions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tengen.go.color import Color
from tengen.go.game import Game
from tengen.nets.convert import CHECK_GAMES
from tengen.nets.fidelity import draw_positions, fidelity, games_of
from tengen.nets.library import cards, choose_precision, find_card, open_net

pytestmark = pytest.mark.skipif(
    "b15c192" not in cards(),
    reason="NOT RUN: b15c192 is not in the cache; `tengen nets pull b15c192` brings it",
)


@pytest.mark.parametrize(("name", "black_wins"), [("9x9", True), ("13x13", False), ("19x19", False)])
def test_it_sees_who_has_won_at_the_end(name: str, black_wins: bool, examples: Path) -> None:
    game = Game.from_file(examples / f"{name}.sgf")
    found = open_net("b15c192", "fp32").evaluate([game.position()], komi_labels=[-60.5, 7.5, 60.5])[0]
    assert (found.win.of(Color.BLACK) > 0.9) is black_wins
    assert (found.win.of(Color.BLACK) < 0.1) is not black_wins
    assert found.win_by_komi[0] > 0.9 > 0.1 > found.win_by_komi[2]
    points = float(str(game.result).partition("+")[2])
    leader = found.lead.leader
    assert leader is not None
    assert found.lead.of(leader) == pytest.approx(points, abs=3.0)


@pytest.mark.parametrize(("precision", "same", "win"), [("int16", 0.9, 0.004), ("int8", 0.8, 0.02)])
def test_integers_are_near_fp32(precision: str, same: float, win: float) -> None:
    if precision not in find_card("b15c192")[0].files:
        pytest.skip(f"NOT RUN: b15c192 was pulled without {precision}")
    positions = draw_positions(games_of(CHECK_GAMES), 16, seed=7)
    figures = fidelity(open_net("b15c192", "fp32"), open_net("b15c192", precision), positions)
    assert figures["same_first_move"] >= same  # of 16; the card has the bound of 93 % on more
    assert figures["win_rate_mean_difference"] <= win


def test_the_default_is_one_that_it_has_and_says_why() -> None:
    card, folder = find_card("b15c192")
    choice = choose_precision(card, folder)
    assert choice.precision in card.files
    assert choice.reason


def test_the_first_move_is_in_a_corner() -> None:
    policy = open_net("b15c192", "fp32").evaluate([Game(19).position(0)])[0].policy[:-1].reshape(19, 19)
    y, x = np.unravel_index(policy.argmax(), policy.shape)
    assert {min(int(y), 18 - int(y)), min(int(x), 18 - int(x))} <= {2, 3}
