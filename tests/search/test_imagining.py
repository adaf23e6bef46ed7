"""Imagined lines: moves of real boards within the window, stops, captures, and who makes the moves."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from search.plain_agents import PlainAgent, anywhere, at, stops

from tengen import Color, Position
from tengen.nets.agent import AgentShape
from tengen.nets.fake import FakeEvaluator
from tengen.search.imagining import (
    NO_MOVE,
    Fight,
    Lines,
    Side,
    StoppedError,
    evaluate_once,
    fights_at,
    frequent_line,
    imagine,
    window_mask,
)
from tengen.search.imagining_sides import NOT_DRAWN, AgentSide, PredictorSide, draw

SHAPE = AgentShape(near=5, cells=1, cell=1, window=7, width=1, hidden=1)


def agent(logits: object = anywhere, record: bool = False) -> AgentSide:
    return AgentSide(PlainAgent(logits, SHAPE), record=record)  # type: ignore[arg-type]


def played(
    fights: list[Fight], mover: Side, other: Side | None = None, lines: int = 1, steps: int = 6
) -> Lines:
    return imagine(fights, lines, steps, mover, other or mover, np.random.default_rng(3))


def test_the_window_ends_at_the_edge() -> None:
    fight = Fight(Position(9), Position(9).point("B9"), 5)
    assert fight.mask.sum() == 3 * 4 and fight.mask[0, 0] and fight.mask[2, 3] and not fight.mask[3, 1]
    assert window_mask(0, 37, 5).all()


@pytest.mark.parametrize("size", [2, 3, 5, 9, 19])
def test_every_move_is_legal_in_the_window_and_fills_no_eye(size: int) -> None:
    """Also on boards that are smaller than window and sensor."""
    position = Position(size)
    fights = [Fight(position, move, 7) for move in range(0, size * size, max(1, size))]
    lines = played(fights, agent(), lines=3, steps=12)
    assert lines.moves.shape == (12, 3 * len(fights)) and len(lines.finals) == 3 * len(fights)
    for number, which in enumerate(lines.which.tolist()):
        board = lines.fights[which].after.copy()
        for move in lines.moves[:, number].tolist():
            if move == NO_MOVE:
                continue
            if move != board.pass_:
                assert fights[which].mask.ravel()[move]
            board.play(move)  # raises where it is illegal
        assert board.record_hash == lines.finals[number].record_hash
        assert lines.line(number) == tuple(lines.moves[: len(lines.line(number)), number].tolist())


def test_the_sides_move_in_turn_and_the_opponent_is_first() -> None:
    lines = played([Fight(Position(9).play("A1"), 40, 7)], agent(), steps=4)
    colors = [int(move) >> 15 for move in lines.finals[0].moves().tolist()]
    assert colors == [0, 1, 0, 1, 0, 1]


def test_two_stops_end_a_line() -> None:
    lines = played([Fight(Position(9), 40, 7)], agent(stops))
    pass_ = Position(9).pass_
    assert lines.moves[:, 0].tolist() == [pass_, pass_] + [NO_MOVE] * 4
    assert lines.line(0) == () and lines.finals[0].is_over


def test_a_side_may_go_on_after_the_others_stop() -> None:
    """The mover of the candidate plays left and right of it, the opponent stops."""
    mover, opponent = agent(at(11, 13)), agent(stops)
    lines = played([Fight(Position(9), 40, 7)], mover, opponent)
    pass_ = Position(9).pass_
    assert lines.moves[:, 0].tolist() == [pass_, 39, pass_, 41, pass_, pass_]
    assert lines.line(0) == (pass_, 39, pass_, 41)


def test_captures_are_counted_for_the_candidates_side_at_their_step() -> None:
    position = Position.from_text(
        """
        . . . . .
        . . X . .
        . X O . .
        . . X X .
        . X O . .
        """
    )
    # Black takes C3 with D3, White stops, and Black takes C1 with D1, two rows below: place 22 of a sensor at D3.
    fight = Fight(position, position.point("D3"), 5)
    lines = played([fight], agent(at(22)), agent(stops), steps=2)
    assert lines.captured[:, 0].tolist() == [1, 0, 1]
    # White takes the candidate at A3 with B3, right beside it.
    corner = Fight(Position.from_text(". . .\nO . .\n. . ."), 0, 3)
    assert played([corner], agent(stops), agent(at(13)), steps=2).captured[:, 0].tolist() == [0, -1, 0]


def test_cut_lines_are_the_same_lines_ended_before() -> None:
    fights = [Fight(Position(9), move, 7) for move in (10, 40)]
    lines = played(fights, agent(), lines=4, steps=8)
    cut = lines.cut(3)
    assert cut.moves.tolist() == lines.moves[:3].tolist() and cut.captured.shape == (4, 8)
    for number, final in enumerate(cut.finals):
        made = [move for move in cut.moves[:, number].tolist() if move != NO_MOVE]
        assert len(final.moves()) == 1 + len(made)
    assert lines.cut(8) is lines
    assert all(len(final.moves()) == 1 for final in lines.cut(0).finals)


def test_the_line_imagined_most_often() -> None:
    assert frequent_line([]) == []
    assert frequent_line([(1, 2, 3)]) == [(1, 1), (2, 1), (3, 1)]
    assert frequent_line([(1, 2), (1, 3), (4,), ()]) == [(1, 2)]
    assert frequent_line([(5,), (6,), (7,)]) == []


def test_candidates_are_the_likeliest_sensible_moves() -> None:
    position = Position.from_text(". X .\nX X .\n. . .", Color.BLACK)
    policy = np.array([0.5, 0, 0.2, 0, 0, 0.1, 0, 0.05, 0, 0.15], np.float32)
    moves = [fight.move for fight in fights_at(position, policy, 2, 3)]
    assert moves == [2, 5]  # the eye at the corner is not filled, a pass is no candidate
    assert [f.move for f in fights_at(position, policy, 9, 3, frozenset({2, 9}))] == [5, 7]
    full = Position.from_text("X .\n. X", Color.BLACK)
    assert fights_at(full, np.array([0, 0.3, 0.3, 0, 0.4], np.float32), 3, 3) == []


def test_an_agent_knows_location_last_action_and_turn() -> None:
    plain = PlainAgent(at(11), SHAPE)
    side = AgentSide(plain)
    imagine([Fight(Position(9), 40, 7)], 1, 3, side, side, np.random.default_rng(0))
    first, second, third = (numbers[0].tolist() for numbers in plain.numbers)
    assert first == [0, 0, 0, 0, 1, -1]  # at the candidate, which was the last move; the opponent is to move
    assert second == [0, 0, 0, -0.5, 1, 1]  # one point to the left of the sensor, which sees two each way
    assert third == [0, 0, 0, 0, -1, -1]  # the other could not play there, and stopped
    assert [state[0, 0] for state in plain.states] == [0, 1, 2]


def test_an_agent_looks_also_when_another_acts() -> None:
    mover = agent(at(11, 13), record=True)
    played([Fight(Position(9), 40, 7)], mover, agent(stops), steps=3)
    assert [one.action[0] for one in mover.looked] == [NOT_DRAWN, 11, NOT_DRAWN]
    assert mover.looked[1].may_play[0, -1] and not mover.looked[1].may_play[0, 12]


def test_the_predictor_plays_its_policy_within_the_window() -> None:
    class Told(FakeEvaluator):
        def evaluate(self, positions, **options):  # type: ignore[no-untyped-def]
            policy = np.zeros(82, np.float32)
            policy[[0, 41, 81]] = [0.9 - self.inside, self.inside, 0.1]
            return [dataclasses.replace(e, policy=policy) for e in super().evaluate(positions, **options)]

    for inside, expected in ((0.3, 41), (0.01, 81)):
        net = Told()
        net.inside = inside  # type: ignore[attr-defined]
        lines = played([Fight(Position(9), 40, 5)], agent(stops), PredictorSide(net), lines=4, steps=1)
        assert set(lines.moves[0].tolist()) == {expected}  # or a stop, if it wants to play elsewhere


def test_draws_follow_the_softmax_of_what_is_allowed() -> None:
    rng = np.random.default_rng(0)
    logits = np.log(np.array([[0.5, 0.25, 0.25]] * 20_000, np.float32))
    allowed = np.array([[True, True, False]] * 20_000)
    drawn = draw(logits, allowed, rng)
    assert set(drawn.tolist()) == {0, 1} and abs((drawn == 0).mean() - 2 / 3) < 0.02
    assert draw(np.array([[-1e9, 1e9]], np.float32), np.array([[True, False]]), rng).tolist() == [0]


def test_equal_records_are_asked_about_once() -> None:
    class Counting(FakeEvaluator):
        asked = 0

        def evaluate(self, positions, **options):  # type: ignore[no-untyped-def]
            self.asked += len(positions)
            return super().evaluate(positions, **options)

    net = Counting()
    boards = [Position(5).play("C3"), Position(5).play("A1"), Position(5).play("C3")]
    one, two, three = evaluate_once(net, boards)
    assert net.asked == 2 and one is three and one is not two


def test_whoever_does_not_wait_any_more_stops_it() -> None:
    with pytest.raises(StoppedError):
        imagine([Fight(Position(9), 40, 7)], 1, 5, agent(), agent(), np.random.default_rng(0), lambda: True)
    with pytest.raises(StoppedError):
        evaluate_once(FakeEvaluator(), [Position(5)], lambda: True)
