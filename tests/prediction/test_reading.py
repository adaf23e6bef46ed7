"""Judges of moves beside each other: p, the net one move ahead, E[R], and S."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from search.plain_agents import PlainAgent, anywhere

from tengen import Position
from tengen.cli.measure_reading import reading as command
from tengen.errors import InputError
from tengen.games.problems import boards, read_problem
from tengen.nets.agent import AgentShape
from tengen.nets.fake import FakeEvaluator
from tengen.prediction.reading import (
    Choice,
    Judged,
    Mean,
    best_scale,
    by_prior,
    by_reward,
    by_share,
    by_shifted_product,
    by_value,
    hits,
    judge_choices,
    pairs,
)
from tengen.prediction.reading_boards import BOARDS, HARD
from tengen.prediction.reading_problems import Compared, compare, drawn_item, summary, trick_item
from tengen.search.long_term import Reader

SHAPE = AgentShape(near=3, cells=1, cell=1, window=5, width=1, hidden=1)


def judged(
    right: int, priors: list[float], rewards: list[float], values: list[float] | None = None
) -> Judged:
    moves = list(range(len(priors)))
    return Judged(moves, right, priors, values, {15: rewards}, {15: [0.0] * len(moves)})


def reader(net: FakeEvaluator | None = None) -> Reader:
    return Reader(net or FakeEvaluator(), PlainAgent(anywhere, SHAPE), "ownership", "self")


def test_top_1_and_pairs() -> None:
    found = [
        judged(0, [0.6, 0.3, 0.1], [1.0, 2.0, 0.0]),
        judged(2, [0.6, 0.3, 0.1], [1.0, 2.0, 3.0]),
        judged(-1, [0.9, 0.1], [0.0, 1.0]),
    ]
    assert hits(found, by_prior).tolist() == [1, 0, 0]
    assert hits(found, by_reward(15)).tolist() == [0, 1, 0]
    assert pairs(found, by_prior).tolist() == [1, 0]  # the third has no right move among its candidates
    assert pairs(found, by_reward(15)).tolist() == [0.5, 1]
    assert pairs([judged(0, [0.5, 0.5], [1.0, 1.0])], by_prior).tolist() == [0.5]


def test_s_by_a_judges_points_and_the_shifted_product() -> None:
    one = judged(1, [0.7, 0.3], [-2.0, 4.0])
    assert (
        by_share(by_reward(15), 3.0)(one).argmax() == 1 and by_share(by_reward(15), 300.0)(one).argmax() == 0
    )
    assert by_shifted_product(by_reward(15))(one).tolist() == pytest.approx([0.0, 0.3 * 6])


def test_the_scale_is_small_where_the_reward_is_right() -> None:
    rng = np.random.default_rng(0)
    good, bad = [], []
    for _ in range(200):
        rewards = rng.normal(0, 5, 3).tolist()
        good.append(judged(int(np.argmax(rewards)), [0.4, 0.3, 0.3], rewards))
        bad.append(judged(int(np.argmin(rewards)), [0.4, 0.3, 0.3], rewards))
    assert best_scale(good, by_reward(15)) <= 2 and best_scale(bad, by_reward(15)) == 1000


def test_means_have_intervals() -> None:
    found = Mean.of(np.array([1.0, -1.0] * 50))
    assert found.mean == 0 and found.half == pytest.approx(1.96 * 1.005 / 10, rel=1e-3)
    assert Mean.of(np.array([1.0])).half == np.inf


def test_every_judge_is_asked_about_every_candidate() -> None:
    choices = [Choice(Position(5), 12), Choice(Position(5).play("C3"), 99), Choice(Position(5), 0, [0, 7])]
    found = judge_choices(choices, reader(), 3, 2, [0, 4], np.random.default_rng(0))
    assert [len(one.moves) for one in found] == [3, 3, 2] and found[2].right == 0 and found[1].right == -1
    for one in found:
        assert set(one.rewards) == set(one.deviations) == {0, 4}
        assert len(one.priors) == len(one.rewards[4]) == len(one.values or []) == len(one.moves)
        assert one.deviations[0] == [0.0] * len(one.moves)  # lines without steps are all the same
        assert Judged.from_json(json.loads(json.dumps(one.to_json()))) == one
    assert by_value(found[0]).shape == (3,)
    alone = reader(FakeEvaluator(heads=("policy", "ownership")))
    assert judge_choices(choices[:1], alone, 3, 1, [0], np.random.default_rng(0))[0].values is None


def test_a_position_without_candidates() -> None:
    full = Position.from_text("X .\n. X")
    (one,) = judge_choices([Choice(full, 1)], reader(), 3, 2, [0], np.random.default_rng(0))
    assert one.moves == [] and one.right == -1


def test_the_drawn_boards_are_compared() -> None:
    net = FakeEvaluator()
    items = [drawn_item(board) for board in BOARDS[:2]]
    shown = compare(items, reader(net), 2, 2, 10.0, 1)
    again = compare(items, reader(net), 2, 2, 10.0, 1)
    assert shown == again and [one.name for one in shown] == [board.name for board in BOARDS[:2]]
    assert set(shown[0].judges) == {"p", "lead", "E[R]", "S"}
    assert sum(shown[0].judges["S"]) == pytest.approx(1)


def test_the_summary_counts_what_s_mends_and_what_it_breaks() -> None:
    def one(p: bool, s: bool) -> Compared:
        pair = {True: (1.0, 0.0), False: (0.0, 1.0)}
        return Compared("", "", 1, {"p": pair[p], "S": pair[s]})

    said = summary([one(True, True), one(True, False), one(False, True), one(False, False)])
    assert said[0] == "Of 4 the right move is preferred by: p 2, S 2."
    assert said[1] == (
        "Where p prefers the wrong move (2), S prefers the right one in 1; where p prefers the right one, S prefers "
        "the wrong one in 1."
    )


TRICK = "(;SZ[19]AB[cc][dc]AW[cd][dd](;B[ce];W[de])(;B[ee];W[ce]))"


def test_a_trick_play_is_asked_about_where_its_lines_differ(tmp_path: Path) -> None:
    (tmp_path / "problem1.sgf").write_text(TRICK)
    problem = read_problem(tmp_path / "problem1.sgf")
    item = trick_item(problem, boards(problem, [], 3))
    assert item is not None and len(item.choices) == 1
    choice = item.choices[0]
    vertices = [choice.position.vertex(move) for move in choice.moves or []]
    assert vertices == ["C15", "E15"] and choice.right == choice.position.point("C15")
    (tmp_path / "problem2.sgf").write_text(TRICK.replace("(;B[ee];W[ce])", "(;B[ce];W[ee])"))
    other = read_problem(tmp_path / "problem2.sgf")
    assert trick_item(other, boards(other, [], 3)) is None  # they differ in White's answer


def test_the_command_prints_boards_tricks_and_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "problem1.sgf").write_text(TRICK)
    command([tmp_path], net="fake", lines=1, steps=1, json_=True)
    table = json.loads(capsys.readouterr().out)
    assert (
        len(table["problems"]) == len(BOARDS) + len(HARD) + 1
        and table["problems"][-1]["kind"] == "trick play"
    )
    assert any(sentence.startswith("Of 1 the right move") for sentence in table["summary"])
    command(net="fake", lines=1, steps=1)
    assert "Of 10 the right move is preferred by: p " in capsys.readouterr().out
    with pytest.raises(InputError, match="--lines must be 1 or more"):
        command(net="fake", lines=0)
