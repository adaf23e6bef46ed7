"""When a search on a clock ends: early, in time, or late."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from search.slow_net import Slow

from tengen import Color, Game, Move, Position
from tengen.go.perspective import WinRate
from tengen.nets.evaluation import Evaluation
from tengen.search.clock import Clock, TimeControl
from tengen.search.player import Candidate, Utility
from tengen.search.puct import PuctPlayer
from tengen.search.settings import PuctSettings
from tengen.search.thinking import is_close, is_decided
from tengen.search.tree_report import CHOICE_SHARE

BEST, OTHER = 40, 41  # the centre of 9x9 and the point beside it


def candidate(visits: int, win_rate: float, deviation: float = 0.05) -> Candidate:
    value = WinRate(win_rate, Color.BLACK)
    utility = Utility(win_rate, deviation)
    return Candidate(0, visits, 0.1, value, None, (0,), (visits,), None, utility, value)


def decided(visits_left: float, *candidates: Candidate) -> bool:
    return is_decided(candidates, Color.BLACK, CHOICE_SHARE, visits_left)


def test_a_move_is_decided_when_no_other_can_get_enough_visits() -> None:
    assert decided(10, candidate(1000, 0.5), candidate(100, 0.9))
    assert not decided(60, candidate(1000, 0.5), candidate(100, 0.9))


def test_a_move_is_decided_when_others_are_clearly_worse_and_cannot_get_as_many_visits() -> None:
    assert decided(500, candidate(1000, 0.6), candidate(300, 0.5))
    assert not decided(800, candidate(1000, 0.6), candidate(300, 0.5))
    assert not decided(500, candidate(1000, 0.6), candidate(300, 0.56))


def test_an_uncertain_move_is_not_decided() -> None:
    assert not decided(500, candidate(1000, 0.6, deviation=1.0), candidate(300, 0.5))


def test_the_only_move_is_decided_after_half_of_the_visits() -> None:
    assert decided(90, candidate(100, 0.5))
    assert not decided(110, candidate(100, 0.5))


def test_nothing_is_decided_without_a_visit() -> None:
    assert not decided(0)


def test_the_mover_decides_what_is_better() -> None:
    pair = (candidate(1000, 0.4), candidate(300, 0.6))
    assert is_decided(pair, Color.WHITE, CHOICE_SHARE, 500)
    assert not is_decided(pair, Color.BLACK, CHOICE_SHARE, 500)


def test_moves_of_like_win_rate_are_close_unless_one_has_too_few_visits() -> None:
    def close(*candidates: Candidate) -> bool:
        return is_close(candidates, Color.BLACK, CHOICE_SHARE)

    assert close(candidate(100, 0.505), candidate(50, 0.5))
    assert not close(candidate(100, 0.52), candidate(50, 0.5))
    assert not close(candidate(100, 0.505), candidate(10, 0.5))
    assert close(candidate(100, 0.6), candidate(120, 0.5))  # the choice has just changed
    assert not close(candidate(100, 0.5))


class Opinion(Slow):
    """Of the moves of a game's first player, the net thinks this: move to win rate; the others lose."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, seconds: float, values: dict[int, float]) -> None:
        super().__init__(monkeypatch, seconds)
        self.values = values

    def evaluate(self, positions: Sequence[Position], **options: Any) -> list[Evaluation]:
        found = super().evaluate(positions, **options)
        return [self._judged(p, e) for p, e in zip(positions, found, strict=True)]

    def _judged(self, position: Position, evaluation: Evaluation) -> Evaluation:
        moves = position.moves()
        win = self.values.get(int(moves[0]), 0.1) if len(moves) else max(self.values.values())
        assert evaluation.win_by_komi is not None and evaluation.policy is not None
        policy = np.full_like(evaluation.policy, 1e-4)
        policy[list(self.values)] = 1.0
        legal = evaluation.policy > 0
        policy = np.where(legal, policy, 0.0).astype(np.float32)
        return replace(
            evaluation,
            policy=policy / policy.sum(),
            win=WinRate(win, Color.BLACK),
            win_by_komi=np.full_like(evaluation.win_by_komi, win),
        )


def think(net: Slow, clock: Clock | None, **settings: Any) -> tuple[int, float]:
    """The move for the first position of 9x9, and the seconds that it took."""
    started = net.now
    move = PuctPlayer(net, PuctSettings(**settings)).choose(Game(size=9), clock).move
    return move, net.now - started


ABSOLUTE = TimeControl.absolute(56.7 / 2 + 6.075).start()  # one second for the first move, and the reserve


def test_a_clear_move_is_played_early(monkeypatch: pytest.MonkeyPatch) -> None:
    move, spent = think(Opinion(monkeypatch, 0.001, {BEST: 0.8, OTHER: 0.3}), ABSOLUTE)
    assert move == BEST and 0.4 < spent < 0.75


def test_a_close_choice_takes_longer_and_no_longer_than_the_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    _, spent = think(Opinion(monkeypatch, 0.001, {BEST: 0.5, OTHER: 0.5}), ABSOLUTE)
    assert 1.9 < spent <= 2.0


def test_a_choice_that_is_neither_clear_nor_close_takes_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    _, spent = think(Opinion(monkeypatch, 0.001, {BEST: 0.5, OTHER: 0.47}), ABSOLUTE)
    assert 0.95 < spent < 1.05


@pytest.mark.parametrize("values", [{BEST: 0.8, OTHER: 0.3}, {BEST: 0.5, OTHER: 0.5}])
def test_time_that_was_asked_for_is_used_up_and_no_more(
    values: dict[int, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    for clock in (None, TimeControl.absolute(600).start()):
        _, spent = think(Opinion(monkeypatch, 0.001, values), clock, time=0.7)
        assert 0.69 < spent <= 0.7


def test_visits_that_were_asked_for_are_made_on_a_clock_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    net = Opinion(monkeypatch, 0.001, {BEST: 0.8, OTHER: 0.3})
    player = PuctPlayer(net, PuctSettings(visits=900))
    assert player.choose(Game(size=9), ABSOLUTE).root.visits == 900


def test_a_byoyomi_period_is_used_to_its_end_even_for_a_clear_move(monkeypatch: pytest.MonkeyPatch) -> None:
    net = Opinion(monkeypatch, 0.001, {BEST: 0.8, OTHER: 0.3})
    _, spent = think(net, TimeControl.byoyomi(0, 1, 3).start())
    assert 0.69 < spent <= 0.7


@pytest.mark.parametrize(
    "control",
    [
        TimeControl.absolute(20),
        TimeControl.byoyomi(5, 1, 3),
        TimeControl.byoyomi(0, 1, 1),
        TimeControl.canadian(5, 6, 5),
        TimeControl.fischer(5, 0.5),
    ],
    ids=lambda control: control.kind.value,
)
def test_no_clock_runs_out_in_a_game(control: TimeControl, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred moves of each side, by a net that needs twenty milliseconds a position and now and then a hundred."""
    net = Slow(monkeypatch, *([0.02] * 29 + [0.1]) * 1000)
    player = PuctPlayer(net, PuctSettings(resign=False))
    game = Game(size=9)
    clocks = {color: control.start() for color in Color}
    for _ in range(200):
        position = game.position()
        mover, started = position.to_move, net.now
        decided = player.choose(game, clocks[mover])
        clocks[mover] = clocks[mover].after(net.now - started)
        assert not clocks[mover].flagged
        move = decided.move
        if move == position.pass_:  # the game goes on as long as there are points to play
            move = int(position.legal_moves[0])
        game.moves.append(Move(mover, move))
