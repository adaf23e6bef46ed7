"""The long-term player: candidates weighed by where their imagined lines lead."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from search.plain_agents import PlainAgent, anywhere, stops

from tengen import Color, Game, InputError, Position
from tengen.go.game import Move
from tengen.nets.agent import AgentShape
from tengen.nets.evaluation import Evaluation, given
from tengen.nets.fake import FakeEvaluator
from tengen.search.clock import TimeControl
from tengen.search.imagining import Fight
from tengen.search.long_term import LongTermPlayer, Reader, shares
from tengen.search.player import Limit, Question, Root, last_report
from tengen.search.policy_player import PolicyPlayer
from tengen.search.registry import change_settings, make_player
from tengen.search.settings import LongTermSettings

PLAIN = AgentShape(near=3, cells=1, cell=1, window=5, width=1, hidden=1)
FEW = {"lines": 3, "steps": 4, "candidates": 4}


def player(net: FakeEvaluator | None = None, **options: Any) -> LongTermPlayer:
    made = make_player("long-term", net or FakeEvaluator(), FEW | options)
    assert isinstance(made, LongTermPlayer)
    return made


def game(*vertices: str, size: int = 9) -> Game:
    colors = (Color.BLACK, Color.WHITE) * len(vertices)
    points = [Position(size).point(vertex) for vertex in vertices]
    return Game(size=size, moves=[Move(color, point) for color, point in zip(colors, points, strict=False)])


class Told(FakeEvaluator):
    """The policy that it is told, and the ownership of the stones on the board."""

    def __init__(self, policy: dict[str, float], heads: Sequence[str] = ("policy", "ownership")) -> None:
        super().__init__(heads=heads)
        self.chances = policy

    def evaluate(self, positions: Sequence[Position], **options: Any) -> list[Evaluation]:
        said = []
        for position, one in zip(positions, super().evaluate(positions, **options), strict=True):
            policy = np.zeros(position.size**2 + 1, np.float32)
            for vertex, chance in self.chances.items():
                policy[position.pass_ if vertex == "pass" else position.point(vertex)] = chance
            owner = np.where(position.stones() == 1, 1.0, np.where(position.stones() == 2, -1.0, 0.0))
            said.append(dataclasses.replace(one, policy=policy, ownership=owner.astype(np.float32)))
        return said


def test_s_is_defined_for_rewards_of_either_sign() -> None:
    priors, rewards = [0.5, 0.3, 0.2], [-4.0, 6.0, -1.0]
    found = shares(priors, rewards, 10.0)
    assert found.sum() == pytest.approx(1) and int(found.argmax()) == 1
    assert found == pytest.approx(shares(priors, np.array(rewards) - 100, 10.0))  # a constant changes nothing
    assert shares(priors, rewards, 1e6) == pytest.approx(priors, abs=1e-4)
    assert int(shares([0.999, 0.001], [0.0, 1.0], 0.01).argmax()) == 1
    assert shares(priors, [-1000.0, 1000.0, 0.0], 0.01).tolist() == [0, 1, 0]  # no overflow


def test_s_rises_with_p_and_with_the_reward() -> None:
    low, high = shares([0.4, 0.6], [1.0, 1.0], 5.0)
    assert low < high
    assert shares([0.4, 0.6], [2.0, 1.0], 5.0)[0] > low
    assert shares([0.4, 0.6], [-2.0, -1.0], 5.0)[0] < low


def test_each_candidate_has_p_reward_spread_score_and_line() -> None:
    decision = player().choose(game("E5", "C3"))
    root = decision.root
    assert len(root.candidates) == 4 and root.visits == 1 + 4 * 3
    read = [given(candidate.long_term) for candidate in root.candidates]
    assert sum(one.score for one in read) == pytest.approx(1)
    assert [one.score for one in read] == sorted((one.score for one in read), reverse=True)
    rewards = [one.reward.of(Color.BLACK) for one in read]
    wanted = shares([candidate.prior for candidate in root.candidates], rewards, LongTermSettings().scale)
    assert [one.score for one in read] == pytest.approx(wanted.tolist())
    for candidate, one in zip(root.candidates, read, strict=True):
        assert candidate.variation[0] == candidate.move and candidate.variation_visits[0] == 3
        assert one.deviation >= 0 and len(candidate.variation) <= 5
    assert decision.move == root.candidates[0].move


def test_a_candidate_that_takes_stones_is_preferred() -> None:
    """B9 takes the stone in the corner, J1 does nothing; the net thinks J1 a little likelier."""
    net = Told({"B9": 0.4, "J1": 0.6})
    made = Game.from_sgf("(;SZ[9]AB[ab]AW[aa]PL[B])")
    for reward in ("ownership", "captures"):
        lines = player(net, steps=0, lines=1, reward=reward, scale=1.0, candidates=2, bagging=False)
        root = last_report(lines, made, Question())
        assert [Position(9).vertex(candidate.move) for candidate in root.candidates] == ["B9", "J1"]
        b9, j1 = (given(candidate.long_term).reward.of(Color.BLACK) for candidate in root.candidates)
        assert b9 > j1
        assert lines.choose(made).move == Position(9).point("B9")
    by_policy = player(net, steps=0, lines=1, scale=1e5, candidates=2, bagging=False)
    assert by_policy.choose(made).move == Position(9).point("J1")


def test_the_same_seed_gives_the_same_lines() -> None:
    one, two, other = (player(seed=seed).choose(game("E5")).root.to_json(9) for seed in (7, 7, 8))
    assert one == two and one != other


def test_root_statistics_are_read_as_they_were_written() -> None:
    table = player().choose(game("E5")).root.to_json(9)
    assert Root.from_json(table, 9).to_json(9) == table
    assert set(table["candidates"][0]["long_term"]) == {"black_reward", "deviation", "score"}


def test_rewards_are_written_in_blacks_view() -> None:
    for made, mover in ((game("E5"), Color.WHITE), (game("E5", "C3"), Color.BLACK)):
        candidate = player().choose(made).root.candidates[0]
        found = given(candidate.long_term)
        assert found.to_json()["black_reward"] == found.reward.of(Color.BLACK)
        assert found.reward.of(mover) == (1 if mover is Color.BLACK else -1) * found.to_json()["black_reward"]


def test_a_limit_bounds_the_lines() -> None:
    root = last_report(player(), game("E5"), Question(Limit(visits=9)))
    assert {candidate.visits for candidate in root.candidates} == {2} and root.visits == 9
    unread = last_report(player(), game("E5"), Question(Limit(visits=1)))
    assert unread.visits == 1 and all(candidate.long_term is None for candidate in unread.candidates)
    assert LongTermSettings().limit() == Limit(visits=201)


def test_it_keeps_time() -> None:
    slow = player(lines=10_000, candidates=8, steps=15)
    slow.choose(game("E5"), question=Question(Limit(visits=9)))
    started = time.perf_counter()
    root = slow.choose(game("E5"), question=Question(Limit(seconds=0.3))).root
    assert time.perf_counter() - started < 1.5
    assert root.candidates[0].visits >= 1
    clock = TimeControl.absolute(30).start()
    assert slow.choose(game("E5"), clock).root.visits > 1
    hurry = TimeControl.absolute(0.01).start()
    assert slow.choose(game("E5"), hurry).root.visits >= 1


def test_it_can_be_stopped() -> None:
    asked = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) > 3

    root = player(lines=1000).choose(game("E5"), question=Question(stop=stop)).root
    assert root.visits < 1000 and len(asked) <= 6


def test_reports_come_on_the_way() -> None:
    roots = list(player(lines=12).analyze(game("E5"), Question(interval=0.0)))
    assert [root.candidates[0].visits for root in roots] == [5, 10, 12, 12]
    assert [root.final for root in roots] == [False, False, False, True]
    seen: list[Root] = []
    player(lines=12).choose(game("E5"), question=Question(interval=0.0), report=seen.append)
    assert len(seen) == 3


def test_more_moves_are_shown_if_they_are_wanted() -> None:
    root = last_report(player(), game("E5"), Question(min_moves=7))
    assert [candidate.visits for candidate in root.candidates] == [3] * 4 + [0] * 3
    assert root.candidates[6].long_term is None


def test_barred_moves_are_not_read() -> None:
    first = player().choose(game("E5")).root.candidates[0].move
    banned = {Color.WHITE: {first: 1}}
    root = player().choose(game("E5"), question=Question(banned=banned)).root
    assert first not in [candidate.move for candidate in root.candidates]


@pytest.mark.parametrize("size", [2, 3, 5, 7])
def test_boards_smaller_than_the_window(size: int) -> None:
    """The window ends at the edge; a game is played to its end."""
    made = Game(size=size)
    reads = player(lines=1, steps=2)
    for _ in range(3 * size * size):
        decision = reads.choose(made)
        position = made.position()
        assert position.is_legal(decision.move)
        made.moves.append(Move(position.to_move, decision.move))
        if made.position().is_over:
            break


def test_no_legal_candidate_but_pass() -> None:
    made = Game.from_sgf("(;SZ[2]AB[aa][bb]PL[B])")
    decision = player().choose(made)
    assert decision.move == 4 and decision.root.visits == 1
    assert last_report(player(), made, Question()).final


def test_it_passes_where_the_net_does() -> None:
    passes = player(Told({"pass": 0.7, "E5": 0.3}), bagging=False)
    settled = Game.from_sgf(
        "(;SZ[9]AB[ad][bd][cd][dd][ed][fd][gd][hd][id]AW[af][bf][cf][df][ef][ff][gf][hf][if])"
    )
    expected = PolicyPlayer(Told({"pass": 0.7, "E5": 0.3})).choose(settled).move
    assert passes.choose(settled).move == expected


def test_a_finished_game_is_not_read() -> None:
    made = game("E5")
    over = Game.from_sgf("(;SZ[9];B[ee];W[];B[])")
    assert last_report(player(), over, Question()).visits == 1
    assert last_report(player(), made, Question()).visits > 1


def test_nets_that_lack_a_head_are_refused() -> None:
    with pytest.raises(InputError, match="has no move probabilities"):
        player(FakeEvaluator(heads=("ownership",)))
    with pytest.raises(InputError, match=r"has no ownership .*reward=captures"):
        player(FakeEvaluator(heads=("policy",)))
    alone = player(FakeEvaluator(heads=("policy",)), reward="captures")
    root = alone.choose(game("E5")).root
    assert root.win_rate is None and root.candidates[0].long_term is not None


def test_a_refused_change_leaves_the_player_as_it_was(tmp_path: Path) -> None:
    reads = player(FakeEvaluator(heads=("policy",)), reward="captures")
    with pytest.raises(InputError, match="ownership"):
        change_settings(reads, {"reward": "ownership"})
    with pytest.raises(InputError, match=r"there is no agent .*agent=FOLDER"):
        change_settings(reads, {"agent": str(tmp_path)})
    assert reads.settings.reward == "captures" and reads.settings.agent == ""
    assert reads.choose(game("E5")).root.visits > 1
    change_settings(reads, {"lines": 2})
    assert reads.choose(game("E5")).root.candidates[0].visits == 2


def test_the_predictor_as_opponent() -> None:
    root = player(opponent="predictor").choose(game("E5")).root
    assert given(root.candidates[0].long_term).score > 0
    assert player(opponent="predictor").choose(game("E5")).root.to_json(9) == root.to_json(9)


def test_the_predictor_for_both_sides() -> None:
    """The agent is not asked: who moves does not depend on it."""
    lines = [
        Reader(FakeEvaluator(), PlainAgent(logits, PLAIN), "lead", "both").imagine(
            [Fight(Position(9), 40, 5)], 3, 4, np.random.default_rng(2)
        )
        for logits in (stops, anywhere)
    ]
    assert lines[0].moves.tolist() == lines[1].moves.tolist() and (lines[0].moves < 81).any()
    assert given(player(opponent="both").choose(game("E5")).root.candidates[0].long_term).score > 0


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"lines": 0}, "lines must be from 1"),
        ({"candidates": 0}, "candidates must be from 1"),
        ({"steps": -1}, "steps must be from 0"),
        ({"scale": 0}, "scale must be from 0.01"),
        ({"reward": "glory"}, "reward must be one of ownership, lead, captures"),
        ({"opponent": "nobody"}, "opponent must be one of self, predictor, both"),
        ({"visits": 3}, "player long-term has no option 'visits'"),
    ],
)
def test_what_cannot_be_is_refused(option: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        player(**option)
    assert message in str(error.value)
