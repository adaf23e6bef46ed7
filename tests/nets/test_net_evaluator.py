"""One evaluator for every family of nets: it gives the heads that the card declares, and win rates at any komi."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from nets.head_net import CHANNELS, head_net
from nets.test_evaluator import random_net, random_position

from tengen.errors import InputError
from tengen.go.color import Color
from tengen.go.game import Game
from tengen.go.position import Position
from tengen.nets.card import ModelCard
from tengen.nets.evaluation import Evaluation, falling, given, rises
from tengen.nets.evaluator import Bagged, Batched, Cached, Evaluator
from tengen.nets.fake import FakeEvaluator
from tengen.nets.heads import LEAST_SCALE, margin_unit
from tengen.nets.komi import komi_labels_for
from tengen.nets.library import open_net
from tengen.nets.net_evaluator import NetEvaluator
from tengen.nets.paired import Paired

LABELS = [-20.5, 0.5, 7.5, 3.5, 30.5]
EXAMPLES = Path(__file__).parents[2] / "examples"
OWN = (-12.5, -2.5, 7.5, 17.5, 47.5)


def black(found: Evaluation) -> float:
    return given(found.win).of(Color.BLACK)


def at(position: Position, komi: float) -> Position:
    other = position.copy()
    other.rules = position.rules.with_komi(komi)
    return other


def raw(net: NetEvaluator, position: Position, name: str) -> np.ndarray:  # type: ignore[type-arg]
    """An output of the graph as it is."""
    size, inputs = position.size, net.inputs([position], np.zeros(1, np.uint8))
    return net.runtime.run(size, inputs, (name,))[name][0]


def sigmoid(x: float) -> float:
    return 1 / (1 + np.exp(-x))


def positions() -> list[Position]:
    """Black to move, and White."""
    return [random_position(moves=12), random_position(moves=13)]


# Heads


HEADS = {
    "policy": ("policy",),
    "value": ("win", "win_by_komi", "komi_labels"),
    "margin": ("win", "win_by_komi", "komi_labels", "lead", "margin"),
    "ownership": ("ownership",),
    "next": ("next_moves",),
}
NUMBERS = {"policy": 1, "value": 1, "margin": 2, "ownership": 1, "next": 2, "trunk": CHANNELS}
FIELDS = ("policy", "win", "lead", "margin", "komi_labels", "win_by_komi", "ownership", "next_moves", "raw")


@pytest.mark.parametrize("heads", [("policy",), ("value",), ("margin",), ("ownership", "next"), tuple(HEADS)])
def test_a_net_gives_the_heads_of_its_card_and_nothing_else(heads: tuple[str, ...]) -> None:
    net = head_net({head: NUMBERS[head] for head in heads})
    expected = {field for head in heads for field in HEADS[head]}
    for found in net.evaluate(positions(), komi_labels=LABELS):
        assert found.size == 9
        for field in FIELDS:
            assert (getattr(found, field) is not None) == (field in expected), field


def test_a_trunk_comes_on_request_from_a_net_that_has_one() -> None:
    net = head_net({"policy": 1, "trunk": CHANNELS})
    assert net.evaluate(positions())[0].trunk is None
    assert given(net.evaluate(positions(), trunk=True)[0].trunk).shape == (CHANNELS, 9, 9)
    assert head_net({"policy": 1}).evaluate(positions(), trunk=True)[0].trunk is None


def test_a_graph_without_the_heads_of_its_card_is_refused() -> None:
    net = head_net({"policy": 1})
    card = ModelCard("liar", "policy", "golois39", (9,), heads=("policy", "ownership"))
    with pytest.raises(
        InputError, match="the card of liar declares the head 'ownership', and its graph has only"
    ):
        NetEvaluator(card, net.runtime).evaluate([Position(9)])


def test_who_needs_a_head_asks_the_card() -> None:
    card = head_net({"policy": 1}).card
    card.require("policy")
    with pytest.raises(
        InputError, match=r"net heads has no win rates \(win_by_komi\): choose a net with this head"
    ):
        card.require("win_by_komi")
    with pytest.raises(InputError, match=r"net heads has no ownership \(ownership\): the map needs it"):
        card.require("ownership", "the map needs it")
    for head in ("value", "values", "margin"):
        head_net({head: 2 if head != "value" else 1}, komi_labels=(0.5, 1.5)).card.require("win_by_komi")


def test_chances_of_later_moves_are_turned_back() -> None:
    position = random_position()
    views = head_net({"next": 2}).evaluate([position] * 8, symmetries=list(range(8)))
    for view in views:
        later = given(view.next_moves)
        assert later.shape == (2, 81)
        assert later.sum(1) == pytest.approx(1, abs=1e-5)
        assert later == pytest.approx(given(views[0].next_moves), abs=1e-6)


def test_value_heads_are_the_movers_and_evaluations_blacks() -> None:
    net = head_net({"value": 1, "margin": 2, "ownership": 1})
    for position, found in zip(positions(), net.evaluate(positions()), strict=True):
        mine = position.to_move is Color.BLACK
        win = sigmoid(float(raw(net, position, "value")[0]))
        assert black(found) == pytest.approx(win if mine else 1 - win, abs=1e-6)
        mean = margin_unit(81) * float(raw(net, position, "margin")[0])
        assert given(found.margin).mean == pytest.approx(mean if mine else -mean, abs=1e-4)
        assert given(found.lead).of(Color.BLACK) == pytest.approx(
            given(found.margin).mean - position.rules.komi, abs=1e-4
        )
        owner = np.tanh(raw(net, position, "ownership")).reshape(9, 9)
        assert given(found.ownership) == pytest.approx(owner if mine else -owner, abs=1e-6)


# Four kinds of nets at any komi


def test_a_net_with_its_own_labels_gives_them_and_interpolates_between() -> None:
    net = head_net({"values": 5}, komi_labels=OWN)
    for position, found in zip(positions(), net.evaluate(positions()), strict=True):
        chances = [sigmoid(float(x)) for x in raw(net, position, "values")]
        if position.to_move is Color.WHITE:
            chances = [1 - chance for chance in chances]
        chances = falling(chances).tolist()  # the net is random: its win rates rise here and there
        assert given(found.komi_labels).tolist() == list(OWN)
        assert given(found.win_by_komi) == pytest.approx(chances, abs=1e-6)
        (between,) = net.evaluate([position], komi_labels=[2.5, 12.5])
        means = [(chances[1] + chances[2]) / 2, (chances[2] + chances[3]) / 2]
        assert given(between.win_by_komi) == pytest.approx(means, abs=1e-6)
        assert black(between) == pytest.approx(np.interp(position.rules.komi, OWN, chances), abs=1e-6)


def test_labels_of_a_card_need_not_rise() -> None:
    net = head_net({"values": 5}, komi_labels=OWN)
    turned = head_net({"values": 5}, komi_labels=(OWN[3], OWN[1], OWN[4], OWN[0], OWN[2]))
    (found,) = turned.evaluate([random_position()])
    chances = [sigmoid(float(x)) for x in raw(net, random_position(), "values")]
    assert given(found.komi_labels).tolist() == list(OWN)
    expected = falling([chances[i] for i in (3, 1, 4, 0, 2)])
    assert given(found.win_by_komi) == pytest.approx(expected.tolist(), abs=1e-6)


def test_beyond_its_own_labels_a_net_is_not_asked() -> None:
    net = head_net({"values": 5}, komi_labels=OWN)
    with pytest.raises(InputError, match=r"from komi -12\.5 to 47\.5, not at komi 48"):
        net.evaluate([Position(9)], komi_labels=[7.5, 48.0])
    with pytest.raises(InputError, match="not at komi -13"):
        net.evaluate([Position(9, komi=-13.0)])


def test_a_net_of_one_komi_says_the_same_at_every_label() -> None:
    net = head_net({"value": 1}, komi_labels=(7.5,))
    for position in positions():
        (found,) = net.evaluate([at(position, 0.5)], komi_labels=LABELS)
        assert given(found.win_by_komi) == pytest.approx([black(found)] * len(LABELS), abs=1e-6)
        (again,) = net.evaluate([position])
        assert black(again) == pytest.approx(black(found))
        assert given(again.komi_labels).tolist() == [position.rules.komi]


def test_the_shipped_net_at_another_komi_says_what_its_formula_says() -> None:
    """The curve is that of the margin's distribution at the game's komi, which is an input of the net."""
    net = open_net("tengen", "fp32", 1)
    assert isinstance(net, NetEvaluator)
    least = net.card.settings["least_scale"]
    assert 0 < least < LEAST_SCALE
    for position in positions():
        (found,) = net.evaluate([position], komi_labels=[17.5, position.rules.komi, -30.0])
        mean, scale = raw(net, position, "margin").astype(float)
        unit = margin_unit(position.size**2)
        mean *= unit if position.to_move is Color.BLACK else -unit
        scale = least + unit * np.logaddexp(0, scale)
        expected = [sigmoid((mean - komi) / scale) for komi in (17.5, position.rules.komi, -30.0)]
        assert given(found.win_by_komi) == pytest.approx(expected, abs=1e-6)
        assert black(found) == pytest.approx(expected[1], abs=1e-6)
        (shifted,) = net.evaluate([at(position, 17.5)])
        assert black(shifted) != pytest.approx(expected[0], abs=1e-6)
        assert black(shifted) == pytest.approx(expected[0], abs=0.1)


@pytest.mark.parametrize("name", ["9x9", "9x9-seki", "13x13", "13x13-ko-fight"])
def test_the_shipped_net_s_leads_on_finished_small_boards_are_near_the_count(name: str) -> None:
    game = Game.from_sgf(EXAMPLES / f"{name}.sgf")
    (found,) = open_net("tengen", "fp32", 1).evaluate([game.position()])
    counted = given(game.result.margin) * (1 if game.result.winner is Color.BLACK else -1)
    assert given(found.lead).of(Color.BLACK) == pytest.approx(counted, abs=1.5)


@pytest.mark.parametrize(
    "net",
    [
        random_net(),
        FakeEvaluator(inputs=("komi",)),
        head_net({"value": 1, "margin": 2}, inputs=("komi",), globals_=1),
    ],
    ids=["katago", "fake", "ours"],
)
def test_a_net_that_takes_komi_is_exact_there_and_drawn_elsewhere(net: Evaluator) -> None:
    for position in positions():
        komi = position.rules.komi
        (drawn,) = net.evaluate([position], komi_labels=[komi - 15, komi, komi + 15])
        curve, win = given(drawn.win_by_komi), black(drawn)
        assert curve[1] == pytest.approx(win, abs=1e-6)
        assert curve[0] > win > curve[2]
        steep = 1.702 * 15 / max(given(drawn.margin).deviation, 0.5)
        odds = np.log(win / (1 - win))
        assert curve[[0, 2]] == pytest.approx([sigmoid(odds + steep), sigmoid(odds - steep)], abs=1e-5)


@pytest.mark.parametrize(
    "net",
    [
        random_net(),
        FakeEvaluator(inputs=("komi",)),
        head_net({"value": 1, "margin": 2}, inputs=("komi",), globals_=1),
    ],
    ids=["katago", "fake", "ours"],
)
def test_a_sweep_asks_at_every_komi(net: Evaluator) -> None:
    labels = sorted(LABELS)
    for position in positions():
        (swept,) = net.evaluate([position], komi_labels=labels, sweep=True)
        alone = [black(net.evaluate([at(position, komi)])[0]) for komi in labels]
        assert not rises(given(swept.win_by_komi))
        if not rises(alone):
            assert given(swept.win_by_komi) == pytest.approx(alone, abs=1e-5)
        (drawn,) = net.evaluate([position], komi_labels=labels)
        assert np.abs(given(drawn.win_by_komi) - given(swept.win_by_komi)).max() > 1e-5


KINDS: dict[str, Callable[[], Evaluator]] = {
    "labels": lambda: FakeEvaluator(komi_labels=OWN),
    "distribution": FakeEvaluator,
    "input": lambda: FakeEvaluator(inputs=("komi",)),
    "flat": lambda: FakeEvaluator(komi_labels=(6.5,)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_answers_at_the_labels_of_a_search(kind: str) -> None:
    net = KINDS[kind]()
    for position in positions():
        komi = position.rules.komi
        labels = komi_labels_for(net.card, position.size, komi)
        (found,) = net.evaluate([position], komi_labels=labels.tolist())
        assert given(found.komi_labels).tolist() == labels.tolist()
        assert given(found.win_by_komi).dtype == np.float32
        assert not rises(given(found.win_by_komi))
        if komi in labels:
            assert given(found.win_by_komi)[labels.tolist().index(komi)] == pytest.approx(
                black(found), abs=1e-6
            )
    if kind == "flat":
        assert np.ptp(given(found.win_by_komi)) == 0


# Heads that are absent stay absent


WRAPPERS: dict[str, Callable[[Evaluator], Evaluator]] = {
    "Cached": Cached,
    "Batched": lambda net: Batched(net, wait=0.001),
    "Bagged": Bagged,
    "Paired": lambda net: Paired(policy=FakeEvaluator(seed=3, heads=("policy",)), value=net),
}


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize(
    "heads", [("policy",), ("policy", "win_by_komi"), ("policy", "ownership", "next"), ("policy", "margin")]
)
def test_wrappers_add_no_heads_and_lose_none(wrapper: str, heads: tuple[str, ...]) -> None:
    plain = FakeEvaluator(heads=heads)
    wrapped = WRAPPERS[wrapper](plain)
    for one, other in zip(plain.evaluate(positions()), wrapped.evaluate(positions()), strict=True):
        for field in FIELDS:
            if wrapper == "Paired" and field == "next_moves":
                continue
            assert (getattr(one, field) is None) == (getattr(other, field) is None), field
    for head in (*heads, "margin", "ownership", "win_by_komi"):
        if head != "next":
            assert wrapped.card.has(head) == plain.card.has(head)


def test_bagging_takes_labels_in_any_order() -> None:
    (found,) = Bagged(FakeEvaluator()).evaluate([random_position()], komi_labels=LABELS)
    (plain,) = FakeEvaluator().evaluate([random_position()], komi_labels=LABELS)
    assert given(found.win_by_komi) == pytest.approx(given(plain.win_by_komi), abs=1e-6)


def test_a_cache_keeps_swept_and_drawn_curves_apart() -> None:
    cached = Cached(FakeEvaluator(inputs=("komi",)))
    position = random_position()
    drawn, swept = (
        cached.evaluate([position], komi_labels=LABELS, sweep=sweep)[0].win_by_komi for sweep in (False, True)
    )
    assert np.abs(given(drawn) - given(swept)).max() > 0
    assert cached.misses == 2
