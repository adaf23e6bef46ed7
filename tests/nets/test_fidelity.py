"""How near one net comes to another, and how often win rates rise with komi."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tengen.errors import InputError
from tengen.go.color import Color
from tengen.go.perspective import WinRate
from tengen.nets.evaluation import Evaluation
from tengen.nets.evaluator import position_key
from tengen.nets.fake import FakeEvaluator
from tengen.nets.fidelity import draw_positions, fidelity, games_of, is_faithful, komi_rises
from tengen.nets.integers import CALIBRATION_GAMES, CHECK_GAMES


class Off(FakeEvaluator):
    """Says what the fake says, with win rates off by 0.02 and every fourth first move another."""

    def evaluate(self, positions, **asked):  # type: ignore[no-untyped-def]
        return [self.shifted(i, one) for i, one in enumerate(super().evaluate(positions, **asked))]

    def shifted(self, i: int, one: Evaluation) -> Evaluation:
        win = one.win.of(Color.BLACK)
        policy = np.roll(one.policy, 1) if i % 4 == 0 else one.policy
        return replace(one, policy=policy, win=WinRate(win + (0.02 if win < 0.5 else -0.02), Color.BLACK))


def test_a_net_is_faithful_to_itself() -> None:
    positions = draw_positions(games_of(CHECK_GAMES), 20, seed=1)
    figures = fidelity(FakeEvaluator(), FakeEvaluator(), positions)
    assert figures["positions"] == 20
    assert figures["same_first_move"] == 1.0
    assert figures["win_rate_mean_difference"] == 0.0
    assert is_faithful(figures)


def test_differences_are_counted() -> None:
    positions = draw_positions(games_of(CHECK_GAMES), 40, seed=1)
    figures = fidelity(FakeEvaluator(), Off(), positions)
    assert figures["same_first_move"] == 0.75
    assert figures["win_rate_mean_difference"] == pytest.approx(0.02, abs=1e-5)
    assert not is_faithful(figures)


@pytest.mark.parametrize(
    ("same", "win", "faithful"), [(0.93, 0.01, True), (0.929, 0.001, False), (0.99, 0.0101, False)]
)
def test_the_bounds(same: float, win: float, faithful: bool) -> None:
    assert is_faithful({"same_first_move": same, "win_rate_mean_difference": win}) is faithful


def test_positions_are_drawn_once_each_and_the_same_for_a_seed() -> None:
    games = games_of(CHECK_GAMES)
    keys = [[position_key(p) for p in draw_positions(games, 30, seed)] for seed in (5, 5, 6)]
    assert keys[0] == keys[1] != keys[2]
    assert len(set(keys[0])) == 30


def test_calibration_and_check_share_no_game() -> None:
    calibration, check = (games_of(path) for path in (CALIBRATION_GAMES, CHECK_GAMES))
    assert {game.size for game in check} == {19}
    beginnings = [{tuple(game.moves[:40]) for game in games} for games in (calibration, check)]
    assert not beginnings[0] & beginnings[1]
    assert len(beginnings[1]) == len(check)


def test_games_of_another_size_are_no_help(examples: Path) -> None:
    with pytest.raises(InputError, match="no game on 13x13"):
        draw_positions(games_of(examples / "9x9.sgf"), 5, seed=0, size=13)


class Curves:
    """Gives curves out instead of a net."""

    def __init__(self, *curves: list[float]) -> None:
        self.curves = curves

    def komi_curves(self, positions: list[int], labels: list[float]) -> np.ndarray:  # type: ignore[type-arg]
        return np.array([self.curves[i] for i in positions], np.float32)


def test_rises_are_counted() -> None:
    net = Curves([0.9, 0.5, 0.1], [0.5, 0.52, 0.1], [0.6, 0.601, 0.602], [0.4, 0.4, 0.4])
    figures = komi_rises(net, range(4), [-1.0, 0.0, 1.0])  # type: ignore[arg-type]
    assert figures["positions"] == 4
    assert figures["steps_that_rise"] == pytest.approx(3 / 8)
    assert figures["steps_that_rise_by_0.01"] == pytest.approx(1 / 8)
    assert figures["curves_that_rise"] == 0.5
    assert figures["curves_that_rise_by_0.01"] == 0.25
    assert figures["greatest_rise"] == pytest.approx(0.02)
    assert figures["greatest_repair"] == pytest.approx(0.01)
