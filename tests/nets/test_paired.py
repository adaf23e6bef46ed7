"""Two nets as one: the moves of the one, the judgement of the other."""

from __future__ import annotations

import numpy as np
import pytest
from nets.head_net import head_net
from nets.test_evaluator import random_position

from tengen.errors import InputError
from tengen.go.position import Position
from tengen.nets.evaluation import given
from tengen.nets.evaluator import Evaluator
from tengen.nets.fake import FakeEvaluator
from tengen.nets.library import find_card, open_net
from tengen.nets.paired import Paired, judging, moving


def test_moves_are_one_nets_and_everything_else_the_others() -> None:
    policy = FakeEvaluator(seed=1, heads=("policy", "next", "margin", "ownership"))
    value = FakeEvaluator(seed=2)
    pair = Paired(policy=policy, value=value)
    assert isinstance(pair, Evaluator)
    position, labels = random_position(), [0.5, 7.5]
    (found,) = pair.evaluate([position], komi_labels=labels, trunk=True)
    (moves,), (judged,) = (
        policy.evaluate([position]),
        value.evaluate([position], komi_labels=labels, trunk=True),
    )
    assert np.array_equal(given(found.policy), given(moves.policy))
    assert np.array_equal(given(found.next_moves), given(moves.next_moves))
    assert (found.win, found.lead, found.margin) == (judged.win, judged.lead, judged.margin)
    for field in ("win_by_komi", "komi_labels", "ownership", "trunk"):
        assert np.array_equal(getattr(found, field), getattr(judged, field)), field


def test_either_net_can_be_asked_alone() -> None:
    policy, value = FakeEvaluator(seed=1), FakeEvaluator(seed=2)
    pair = Paired(policy=policy, value=value)
    assert judging(pair) is value and moving(pair) is policy
    assert judging(value) is value and moving(value) is value


def test_the_card_joins_both() -> None:
    policy = head_net({"policy": 1, "next": 2, "ownership": 1})
    value = head_net({"values": 3, "ownership": 1}, komi_labels=(0.5, 6.5, 7.5), seed=1)
    card = Paired(policy=policy, value=value).card
    assert card.name == "heads+heads"
    assert card.heads == ("policy", "next", "values", "ownership")
    assert card.komi_labels == (0.5, 6.5, 7.5)
    assert card.board_sizes == (5, 9)
    assert card.has("win_by_komi") and not card.has("margin")
    fake = Paired(policy=FakeEvaluator(), value=value).card
    assert fake.board_sizes == (5, 9)
    one, other = FakeEvaluator(seed=1), FakeEvaluator(seed=2)
    identities = {Paired(policy=a, value=b).card.identity for a in (one, other) for b in (one, other)}
    assert len(identities) == 4


def test_a_pair_of_a_policy_net_and_a_value_net_judges_and_moves() -> None:
    pair = Paired(policy=head_net({"policy": 1}), value=head_net({"value": 1}, komi_labels=(7.5,)))
    (found,) = pair.evaluate([Position(9)], komi_labels=[0.5, 7.5])
    assert given(found.policy).sum() == pytest.approx(1, abs=1e-5)
    assert len(given(found.win_by_komi)) == 2
    assert found.lead is None and found.ownership is None


def test_a_net_without_moves_cannot_give_them() -> None:
    with pytest.raises(InputError, match=r"net heads has no move probabilities \(policy\)"):
        Paired(policy=head_net({"value": 1}), value=FakeEvaluator())


def test_nets_of_different_boards_make_no_pair() -> None:
    value = head_net({"value": 1})
    with pytest.raises(InputError, match="no board size in common"):
        policy = FakeEvaluator()
        policy.card = value.card.__class__("p", "fake", "none", (19,), ("policy",))
        Paired(policy=policy, value=value)


def test_a_pair_is_opened_by_two_names() -> None:
    pair = open_net("fake+tengen", "fp32", 1)
    assert isinstance(pair, Paired)
    assert pair.card.name == "fake-0+tengen"
    assert pair.value is open_net("tengen", "fp32", 1)
    assert open_net("fake+tengen", "fp32", 1) is pair
    card, _ = find_card("tengen+tengen")
    assert card.name == "tengen+tengen"
    for name in ("tengen+", "+tengen", "a+b+c"):
        with pytest.raises(InputError, match=r"POLICY-NET\+VALUE-NET"):
            open_net(name)
    with pytest.raises(InputError, match="unknown net 'b99'"):
        open_net("tengen+b99")
