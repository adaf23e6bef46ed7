"""Unequal players, an input of KataGo's nets."""

from __future__ import annotations

import numpy as np
import pytest
from nets.net_writer import make_net, packed

from tengen import Color, Game, InputError, Position
from tengen.nets.evaluator import Bagged
from tengen.nets.fake import FakeEvaluator
from tengen.nets.favour import Favour, favouring, takes_favour
from tengen.nets.katago_file import parse_net
from tengen.nets.katago_graph import build
from tengen.nets.katago_reader import make_card
from tengen.nets.net_evaluator import NetEvaluator
from tengen.nets.runtime import Runtime
from tengen.search.player import Limit, Question, last_report
from tengen.search.registry import make_player


@pytest.fixture(scope="module")
def net() -> NetEvaluator:
    """Of random weights."""
    found = parse_net(packed(make_net(15, ("gpool",), seed=3)))
    return NetEvaluator(make_card(found), Runtime(build(found).SerializeToString(), threads=1))


def test_the_input_is_positive_for_the_favoured_side(net: NetEvaluator) -> None:
    """Inputs 15 and 16: whether the players differ, and half the doublings of the side to move."""
    positions = [Position(9), Position(9).play("E5")]
    symmetries = np.zeros(2, np.uint8)
    plain = net.inputs(positions, symmetries)["global"]
    assert not plain[:, 15:17].any()
    other = favouring(net, Favour(Color.BLACK, 1.5))
    assert isinstance(other, NetEvaluator)
    favoured = other.inputs(positions, symmetries)["global"]
    assert favoured[:, 15:17].tolist() == [[1, 0.75], [1, -0.75]]
    assert np.array_equal(np.delete(favoured, (15, 16), 1), np.delete(plain, (15, 16), 1))
    assert not net.inputs(positions, symmetries)["global"][:, 15:17].any()


def test_only_nets_with_this_input_take_it(net: NetEvaluator) -> None:
    assert takes_favour(net) and takes_favour(Bagged(net))
    assert not takes_favour(FakeEvaluator())
    with pytest.raises(InputError, match="fake-0 takes no playout doubling advantage"):
        favouring(FakeEvaluator(), Favour(Color.BLACK, 1.0))


@pytest.mark.parametrize(("kind", "options"), [("puct", {"symmetries": False}), ("policy", {})])
def test_a_question_has_its_own_players(net: NetEvaluator, kind: str, options: dict[str, object]) -> None:
    """What was searched for other players is not used again."""
    game, player = Game(size=5), make_player(kind, net, options)

    def win_rate(favour: Favour | None) -> float:
        root = last_report(player, game, Question(Limit(visits=20), favour=favour))
        assert root.win_rate is not None
        return root.win_rate.of(Color.BLACK)

    plain, favoured = win_rate(None), win_rate(Favour(Color.BLACK, 3.0))
    assert favoured != plain
    assert win_rate(Favour(Color.WHITE, -3.0)) == favoured
    assert win_rate(None) == plain
