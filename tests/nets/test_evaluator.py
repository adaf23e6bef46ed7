"""Evaluators: what wraps one says the same as it does; views, symmetries and curves are what they say."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nets.net_writer import make_net, packed

from tengen import _native
from tengen.errors import InputError
from tengen.go.color import Color
from tengen.go.position import Position
from tengen.nets.card import ModelCard, NetFile
from tengen.nets.evaluation import Evaluation, falling, rises
from tengen.nets.evaluator import Bagged, Batched, Cached, Evaluator
from tengen.nets.fake import FakeEvaluator
from tengen.nets.katago_file import parse_net
from tengen.nets.katago_graph import build
from tengen.nets.katago_reader import make_card
from tengen.nets.net_evaluator import NetEvaluator
from tengen.nets.runtime import Runtime

LABELS = [-20.5, 0.5, 7.5, 3.5, 30.5]


@cache
def random_net(version: int = 15, seed: int = 3) -> NetEvaluator:
    """A net of random weights: as good as any for what must hold of all."""
    net = parse_net(packed(make_net(version, ("gpool", "attention learned"), seed=seed)))
    return NetEvaluator(make_card(net), Runtime(build(net).SerializeToString(), threads=1))


def random_position(size: int = 9, moves: int = 12, seed: int = 0) -> Position:
    rng = np.random.default_rng(seed)
    position = Position(size, "tromp-taylor")
    for _ in range(moves):
        position.play(int(rng.choice(position.legal_moves[:-1])))
    return position


def turned_position(position: Position, symmetry: int) -> Position:
    """The same game played on a board that was turned first."""
    turned = Position(position.size, position.rules)
    for move in position.moves().tolist():
        turned.play(_native.transform_point(move & 0x7FFF, position.size, symmetry))
    return turned


def destinations(size: int, symmetry: int) -> list[int]:
    return [_native.transform_point(point, size, symmetry) for point in range(size * size)]


def assert_same(one: Evaluation, other: Evaluation, tolerance: float = 1e-4) -> None:
    assert one.to_move is other.to_move
    for name in ("policy", "ownership", "win_by_komi", "komi_labels"):
        assert np.abs(getattr(one, name) - getattr(other, name)).max() <= tolerance, name
    assert one.win.of(Color.BLACK) == pytest.approx(other.win.of(Color.BLACK), abs=tolerance)
    assert one.lead.of(Color.BLACK) == pytest.approx(other.lead.of(Color.BLACK), abs=100 * tolerance)
    assert one.margin.mean == pytest.approx(other.margin.mean, abs=100 * tolerance)


class Counting:
    """A FakeEvaluator that notes what it was asked."""

    def __init__(self) -> None:
        self.inner = FakeEvaluator()
        self.calls: list[int] = []

    @property
    def card(self) -> ModelCard:
        return self.inner.card

    def evaluate(
        self,
        positions: Sequence[Position],
        *,
        trunk: bool = False,
        komi_labels: Sequence[float] | None = None,
        symmetries: Sequence[int] | None = None,
        sweep: bool = False,
    ) -> list[Evaluation]:
        self.calls.append(len(positions))
        return self.inner.evaluate(
            positions, trunk=trunk, komi_labels=komi_labels, symmetries=symmetries, sweep=sweep
        )


# Cached


def test_a_cache_gives_the_same_answers() -> None:
    positions = [random_position(seed=seed) for seed in range(6)]
    counting = Counting()
    cached = Cached(counting)
    for asked in (positions[:3], positions, positions[::-1]):
        for ours, plain in zip(cached.evaluate(asked), counting.inner.evaluate(asked), strict=True):
            assert_same(ours, plain, 0)
    assert counting.calls == [3, 3]
    assert (cached.hits, cached.misses) == (9, 6)
    assert cached.card is counting.card
    assert isinstance(cached, Evaluator)


def test_a_position_asked_twice_at_once_is_evaluated_once() -> None:
    counting = Counting()
    one, two = Cached(counting).evaluate([Position(9), Position(9)])
    assert counting.calls == [1]
    assert one is two


def test_a_cache_forgets_what_was_longest_not_asked() -> None:
    a, b, c = (random_position(seed=seed) for seed in range(3))
    counting = Counting()
    cached = Cached(counting, capacity=2)
    cached.evaluate([a, b])
    cached.evaluate([a])  # now b is the oldest
    cached.evaluate([c])
    cached.evaluate([a, c])
    assert counting.calls == [2, 1]
    cached.evaluate([b])
    assert counting.calls == [2, 1, 1]


def test_a_batch_larger_than_the_cache() -> None:
    positions = [random_position(seed=seed) for seed in range(5)]
    cached = Cached(FakeEvaluator(), capacity=2)
    for ours, plain in zip(cached.evaluate(positions), FakeEvaluator().evaluate(positions), strict=True):
        assert_same(ours, plain, 0)


def test_a_cache_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="room"):
        Cached(FakeEvaluator(), capacity=0)


def different_questions() -> dict[str, tuple[Position, Position]]:
    one = Position(9).play("C3").play("G7").play("D4").play("F6")
    other = Position(9).play("D4").play("F6").play("C3").play("G7")
    komi = one.copy()
    komi.rules = komi.rules.with_komi(0.5)
    white = one.copy()
    white.to_move = Color.WHITE
    passed = Position(9).play("pass").play("pass")
    # Black has played E6 in both; in the first it took the stone at E5, which may not be retaken at once.
    shape = """
        . . . . . . . . .
        . . . . . . . . .
        . . . . O . . . .
        . . . O . O . . .
        . . . X {} X . . .
        . . . . X . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """
    ko, free = (Position.from_text(shape.format(stone)).play("E6") for stone in "O.")
    assert np.array_equal(ko.stones(), free.stones())
    assert ko.ko is not None
    assert free.ko is None
    return {
        "another order": (one, other),
        "another komi": (one, komi),
        "another side": (one, white),
        "passes": (Position(9), passed),
        "another size": (Position(9), Position(13)),
        "a stone that was taken": (ko, free),
    }


@pytest.mark.parametrize("what", list(different_questions()))
def test_a_cache_keeps_apart_what_a_net_keeps_apart(what: str) -> None:
    counting = Counting()
    one, other = different_questions()[what]
    Cached(counting).evaluate([one, other])
    assert counting.calls == [2]


def test_a_cache_keeps_symmetries_and_labels_apart_and_trunks_not_at_all() -> None:
    counting = Counting()
    cached = Cached(counting)
    position = random_position()
    cached.evaluate([position, position], symmetries=[0, 5])
    assert counting.calls == [2]
    labels = cached.evaluate([position], komi_labels=LABELS)[0]
    assert labels.komi_labels.tolist() == LABELS
    for _ in range(2):
        assert cached.evaluate([position], trunk=True)[0].trunk is not None
    assert counting.calls == [2, 1, 1, 1]


# Batched


def test_threads_share_batches_and_each_gets_its_own_answers() -> None:
    counting = Counting()
    batched = Batched(counting, batch=8, wait=0.2)
    positions = [[random_position(seed=10 * t + i) for i in range(5)] for t in range(8)]
    answers: dict[tuple[int, int], Evaluation] = {}

    def ask(thread: int) -> None:
        for i, position in enumerate(positions[thread]):
            answers[thread, i] = batched.evaluate([position], trunk=thread % 2 == 0)[0]

    threads = [threading.Thread(target=ask, args=(t,)) for t in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    for (t, i), ours in answers.items():
        assert_same(ours, counting.inner.evaluate([positions[t][i]])[0], 0)
        assert (ours.trunk is not None) == (t % 2 == 0)
    assert sum(counting.calls) == 40
    assert len(counting.calls) < 40


def test_a_lone_thread_is_answered_without_company() -> None:
    batched = Batched(FakeEvaluator(), batch=100, wait=0.001)
    assert_same(batched.evaluate([Position(9)])[0], FakeEvaluator().evaluate([Position(9)])[0], 0)
    assert batched.evaluate([]) == []


def test_an_error_reaches_the_thread_that_asked() -> None:
    batched = Batched(random_net(), wait=0.001)
    net = replace(random_net().card, board_sizes=(19,))
    batched.inner = NetEvaluator(net, random_net().runtime)
    with pytest.raises(InputError, match="9x9"):
        batched.evaluate([Position(9)])


class Interrupted(FakeEvaluator):
    """Ctrl-C hits the thread that asks for all."""

    def evaluate(self, positions: Sequence[Position], **asked: object) -> list[Evaluation]:  # type: ignore[override]
        raise KeyboardInterrupt


def ask_at_once(ask: Callable[[int], object], count: int) -> list[object]:
    """What each of several threads gets, an answer or an error."""
    ends: list[object] = [None] * count

    def run(number: int) -> None:
        try:
            ends[number] = ask(number)
        except BaseException as error:
            ends[number] = error

    threads = [threading.Thread(target=run, args=(n,), daemon=True) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive(), "a thread was left waiting"
    return ends


def test_ctrl_c_in_the_thread_that_asks_leaves_nobody_waiting() -> None:
    batched = Batched(Interrupted(), batch=3, wait=5.0)
    ends = ask_at_once(lambda _: batched.evaluate([Position(9)]), 3)
    kinds = sorted(type(end).__name__ for end in ends)
    assert kinds == ["KeyboardInterrupt", "RuntimeError", "RuntimeError"]


def test_an_error_is_the_answer_to_what_caused_it_and_to_nothing_else() -> None:
    class Picky(FakeEvaluator):
        def evaluate(self, positions: Sequence[Position], **asked: object) -> list[Evaluation]:  # type: ignore[override]
            if asked["trunk"]:
                raise InputError("no trunk here")
            return super().evaluate(positions)

    batched = Batched(Picky(), batch=4, wait=5.0)
    ends = ask_at_once(lambda number: batched.evaluate([Position(9)], trunk=number % 2 == 0), 4)
    assert [str(ends[number]) for number in (0, 2)] == ["no trunk here"] * 2
    assert all(isinstance(ends[number], list) for number in (1, 3))


def test_a_question_that_does_not_add_up_spoils_no_others() -> None:
    batched = Batched(FakeEvaluator(), batch=8, wait=0.001)
    with pytest.raises(ValueError, match="zip"):
        batched.evaluate([Position(9), Position(9)], symmetries=[1])
    assert len(batched.evaluate([Position(9)])) == 1


@pytest.mark.parametrize("wrap", [Cached, Batched, Bagged])
def test_symmetries_and_komi_may_be_numpy_arrays(wrap: Callable[[Evaluator], Evaluator]) -> None:
    positions = [random_position(seed=seed) for seed in range(3)]
    symmetries, komi = [5, 0, 3], [-0.5, 6.5]
    plain = wrap(random_net()).evaluate(positions, symmetries=symmetries, komi_labels=komi)
    arrays = wrap(random_net()).evaluate(
        positions,
        symmetries=np.array(symmetries, np.uint8),  # type: ignore[arg-type]
        komi_labels=np.array(komi),  # type: ignore[arg-type]
    )
    for one, other in zip(plain, arrays, strict=True):
        assert_same(one, other, 0)


# Bagged


def test_bagging_is_the_mean_over_the_eight_symmetries() -> None:
    position = random_position()
    bagged = Bagged(random_net()).evaluate([position], komi_labels=LABELS)[0]
    views = random_net().evaluate([position] * 8, komi_labels=LABELS, symmetries=list(range(8)))
    assert np.ptp([view.policy for view in views], axis=0).max() > 1e-3  # they do differ
    assert bagged.policy == pytest.approx(np.mean([view.policy for view in views], axis=0), abs=1e-6)
    assert bagged.ownership == pytest.approx(np.mean([view.ownership for view in views], axis=0), abs=1e-6)
    black = [view.win.of(Color.BLACK) for view in views]
    assert bagged.win.of(Color.BLACK) == pytest.approx(np.mean(black))
    means = np.array([view.margin.mean for view in views])
    second = np.mean([view.margin.deviation**2 + view.margin.mean**2 for view in views])
    assert bagged.margin.mean == pytest.approx(means.mean())
    assert bagged.margin.deviation == pytest.approx(np.sqrt(second - means.mean() ** 2))
    assert bagged.policy.sum() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("symmetry", range(8))
def test_a_turned_position_gets_turned_answers(symmetry: int) -> None:
    position = random_position()
    bagged = Bagged(random_net())
    plain, turned = bagged.evaluate([position, turned_position(position, symmetry)])
    there = destinations(9, symmetry)
    assert turned.policy[there] == pytest.approx(plain.policy[:-1], abs=1e-5)
    assert turned.policy[-1] == pytest.approx(plain.policy[-1], abs=1e-5)
    assert turned.ownership.ravel()[there] == pytest.approx(plain.ownership.ravel(), abs=1e-5)
    assert turned.win.of(Color.BLACK) == pytest.approx(plain.win.of(Color.BLACK), abs=1e-5)


def test_bagging_gives_a_trunk_on_request() -> None:
    position = random_position()
    bagged = Bagged(random_net()).evaluate([position], trunk=True, symmetries=[3])[0]
    plain = random_net().evaluate([position], trunk=True, symmetries=[3])[0]
    assert bagged.trunk is not None
    assert np.array_equal(bagged.trunk, plain.trunk)


# falling


def brute_falling(curve: list[float]) -> list[float]:
    """The min-max formula of isotonic regression: the answer at i is min over j <= i of max over k >= i."""
    n = len(curve)
    return [
        min(max(float(np.mean(curve[j : k + 1])) for k in range(i, n)) for j in range(i + 1))
        for i in range(n)
    ]


@given(st.integers(0, 9).flatmap(lambda n: st.lists(st.lists(st.floats(0, 1), min_size=n, max_size=n))))
def test_falling_is_the_nearest_curve_that_never_rises(curves: list[list[float]]) -> None:
    for curve in curves:
        found = falling(curve)
        assert found == pytest.approx(np.array(brute_falling(curve)), abs=1e-6)
        assert not rises(found)
    if curves:
        assert np.array_equal(falling(curves), [falling(curve) for curve in curves])


# Cards

CARD = ModelCard(
    name="net é",
    architecture="katago",
    encoding="katago7",
    board_sizes=(9, 13, 19),
    heads=("policy",),
    komi_labels=(6.5, 7.0),
    channels=8,
    weights=1234,
    settings={"version": 8},
    files={"fp32": NetFile("fp32.onnx", "00" * 32)},
    measured={"speed": 3.5},
)


def test_a_card_comes_back_from_json() -> None:
    assert ModelCard.from_json(CARD.to_json()) == CARD


@pytest.mark.parametrize(
    "change",
    [
        {"board_sizes": []},
        {"board_sizes": [0]},
        {"board_sizes": [25]},
        {"board_sizes": "9"},
        {"board_sizes": [True]},
        {"heads": [1]},
        {"komi_labels": ["6.5"]},
        {"komi_labels": [float("nan")]},
        {"komi_labels": [float("inf")]},
        {"channels": -1},
        {"weights": 1.5},
        {"settings": []},
        {"precision": "fp64"},
        {"precision": ["fp32"]},
        {"files": {"fp32": "fp32.onnx"}},
        {"files": {"fp64": {"file": "a.onnx", "sha256": ""}}},
        {"files": {"fp32": {"file": "a.onnx"}}},
        {"files": {"fp32": {"file": "../a.onnx", "sha256": ""}}},
        {"files": {"fp32": {"file": "/etc/passwd", "sha256": ""}}},
        {"files": {"fp32": {"file": "..", "sha256": ""}}},
        {"files": {"fp32": {"file": "", "sha256": ""}}},
        {"files": {"fp32": {"file": "a\0.onnx", "sha256": ""}}},
        {"files": {"fp32": {"file": "\ud800.onnx", "sha256": ""}}},
        {"name": None},
        {"surprise": 1},
    ],
    ids=str,
)
def test_a_hostile_card_is_refused(change: dict[str, object]) -> None:
    text = json.dumps({**json.loads(CARD.to_json()), **change})
    with pytest.raises(InputError, match=r"^some/card\.json: "):
        ModelCard.from_json(text, "some/card.json")


@pytest.mark.parametrize("text", ["", "[]", "null", "{", "{}", "[" * 100_000, "1" * 10_000, '{"name": "a"}'])
def test_what_is_no_card_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"^some/card\.json: "):
        ModelCard.from_json(text, "some/card.json")


@given(st.text(max_size=60))
def test_noise_is_no_card(text: str) -> None:
    with pytest.raises(InputError):
        ModelCard.from_json(text)


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"version": "x", "multipliers": {}},
        {"version": 14},
        {"version": 14, "multipliers": []},
        {"version": 14, "multipliers": {"lead": "20"}},
        {"version": 14, "multipliers": {"surprise": 1.0}},
    ],
    ids=str,
)
def test_a_card_whose_settings_are_not_those_of_a_katago_net(change: dict[str, object]) -> None:
    with pytest.raises(InputError, match="settings"):
        NetEvaluator(replace(CARD, settings=change), random_net().runtime)


# A net


def test_sizes_may_be_mixed() -> None:
    positions = [random_position(size, seed=i) for i, size in enumerate([9, 13, 9, 5, 13])]
    together = random_net().evaluate(positions, trunk=True, komi_labels=LABELS, symmetries=[0, 3, 5, 7, 1])
    for position, symmetry, one in zip(positions, [0, 3, 5, 7, 1], together, strict=True):
        alone = random_net().evaluate([position], trunk=True, komi_labels=LABELS, symmetries=[symmetry])[0]
        assert_same(one, alone, 1e-5)
        assert one.size == position.size
        assert one.trunk is not None
        assert one.trunk.shape == (8, position.size, position.size)
    assert random_net().evaluate([]) == []


def test_a_net_that_does_not_know_a_board_says_so() -> None:
    only_19 = NetEvaluator(replace(random_net().card, board_sizes=(19,)), random_net().runtime)
    with pytest.raises(InputError, match="does not play on 9x9, only on 19x19"):
        only_19.evaluate([Position(9)])


@pytest.mark.parametrize("symmetry", range(8))
def test_a_net_shown_a_symmetry_answers_as_for_the_turned_position(symmetry: int) -> None:
    position = random_position(seed=4)
    shown = random_net().evaluate([position], trunk=True, symmetries=[symmetry])[0]
    turned = random_net().evaluate([turned_position(position, symmetry)], trunk=True)[0]
    there = destinations(9, symmetry)
    assert shown.policy[:-1] == pytest.approx(turned.policy[there], abs=1e-6)
    assert shown.policy[-1] == pytest.approx(turned.policy[-1], abs=1e-6)
    assert shown.ownership.ravel() == pytest.approx(turned.ownership.ravel()[there], abs=1e-5)
    assert shown.trunk is not None
    assert turned.trunk is not None
    assert shown.trunk.reshape(8, -1) == pytest.approx(turned.trunk.reshape(8, -1)[:, there], abs=1e-4)
    assert shown.win.of(Color.BLACK) == pytest.approx(turned.win.of(Color.BLACK), abs=1e-6)


def test_blacks_view_when_white_is_to_move() -> None:
    """With colours exchanged and komi turned round, the net sees the same: Black's view is turned round."""
    diagram = """
        . . X . O . .
        . X . . O . .
        . . X O . . .
        . . . X O O .
        . . X . . . .
        . . . . O . .
        . . . . . . .
    """
    exchanged = diagram.translate(str.maketrans("XO", "OX"))
    rules = Position(7, "tromp-taylor").rules
    black = Position.from_text(diagram, Color.BLACK, rules.with_komi(3.5))
    white = Position.from_text(exchanged, Color.WHITE, rules.with_komi(-3.5))
    for_black, for_white = random_net().evaluate([black, white], trunk=True)
    assert for_white.policy == pytest.approx(for_black.policy, abs=1e-6)
    assert for_white.trunk == pytest.approx(for_black.trunk, abs=1e-6)
    assert for_white.win.of(Color.BLACK) == pytest.approx(for_black.win.of(Color.WHITE), abs=1e-6)
    assert for_white.lead.of(Color.BLACK) == pytest.approx(for_black.lead.of(Color.WHITE), abs=1e-5)
    assert for_white.ownership == pytest.approx(-for_black.ownership, abs=1e-6)
    assert for_white.margin.mean == pytest.approx(-for_black.margin.mean, abs=1e-5)
    assert for_white.raw is not None
    assert for_black.raw is not None
    assert for_white.raw.win == pytest.approx(for_black.raw.win, abs=1e-6)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.lists(st.integers(-60, 60), max_size=8), st.booleans())
def test_win_rates_never_rise_with_komi(seed: int, half_points: list[int], sweep: bool) -> None:
    labels = [n / 2 for n in half_points]
    position = random_position(moves=seed % 20, seed=seed)
    found = random_net().evaluate([position], komi_labels=labels, sweep=sweep)[0]
    assert found.komi_labels.tolist() == labels
    assert not rises(found.win_by_komi[np.argsort(labels, kind="stable")])
    assert ((found.win_by_komi >= 0) & (found.win_by_komi <= 1)).all()


@pytest.mark.parametrize("version", [8, 9, 10, 12, 14, 17])
def test_an_evaluation_is_whole(version: int) -> None:
    position = random_position()
    found = random_net(version).evaluate([position])[0]
    assert found.policy.sum() == pytest.approx(1, abs=1e-5)
    legal = np.zeros(82, bool)
    legal[position.legal_moves] = True
    assert ((found.policy > 0) == legal).all()
    assert found.komi_labels.tolist() == [position.rules.komi]
    assert found.win_by_komi[0] == pytest.approx(found.win.of(Color.BLACK), abs=1e-6)
    assert np.abs(found.ownership).max() <= 1
    assert found.trunk is None
    assert found.raw is not None
    assert found.raw.no_result == 0  # tromp-taylor knows none
    assert found.raw.win + found.raw.loss == pytest.approx(1)
    assert found.margin.mean == pytest.approx(found.raw.score_mean + position.rules.komi)
    assert (found.raw.shortterm_win_error is None) == (version == 8)
    assert random_net(version).evaluate([Position(9, "chinese")])[0].raw.no_result > 0  # type: ignore[union-attr]


def test_optimism_moves_the_policy_and_nothing_else() -> None:
    position, net = random_position(), random_net(14)
    bold = NetEvaluator(net.card, net.runtime, optimism=1.0)
    plain, other = net.evaluate([position])[0], bold.evaluate([position])[0]
    assert np.abs(plain.policy - other.policy).max() > 1e-3
    assert plain.win == other.win
    old = random_net(8)
    bold = NetEvaluator(old.card, old.runtime, optimism=1.0)  # one policy: nothing to mix in
    assert np.array_equal(old.evaluate([position])[0].policy, bold.evaluate([position])[0].policy)


# The fake


def test_the_fake_obeys_the_rules_of_an_evaluation() -> None:
    position = random_position()
    found = FakeEvaluator().evaluate([position], trunk=True, komi_labels=sorted(LABELS))[0]
    assert found.policy.sum() == pytest.approx(1, abs=1e-5)
    assert set(np.flatnonzero(found.policy)) <= set(position.legal_moves)
    assert not rises(found.win_by_komi)
    assert found.trunk is not None
    assert found.top_moves(3) == sorted(found.top_moves(3), key=lambda move: -move[1])
    later = FakeEvaluator().evaluate([position.copy().play("pass")])[0]
    assert later.win != found.win
