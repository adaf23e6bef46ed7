"""The methods of dynamic komi on scripted roots: what each makes of them, move by move."""

from __future__ import annotations

import dataclasses
import math
from itertools import pairwise

import numpy as np
import pytest

from tengen import Color, Game, InputError, Move, Rules
from tengen.go.game import Setup
from tengen.go.handicap import fixed_handicap
from tengen.go.perspective import Lead, WinRate
from tengen.nets.card import ModelCard
from tengen.nets.fake import HEADS, FakeEvaluator
from tengen.search.dynamic_komi import METHODS, DynamicKomi, KomiTerms, check_method, komi_rate
from tengen.search.owners import net_owned
from tengen.search.player import Root, Searched

CGI_LABELS = np.arange(-12.5, 28.5, dtype=np.float32)
AT_ONCE = KomiTerms(s=100.0)  # the rate is 1 at every move
SEARCHES = ["ss-r", "ss-b", "ss-m", "vs-m", "ml-dk"]


def game(moves: int = 0, komi: float = 7.5, size: int = 19, rules: str = "tromp-taylor") -> Game:
    record = Game(size=size, rules=Rules.named(rules).with_komi(komi))
    record.moves += [Move(Color.WHITE if i % 2 else Color.BLACK, i) for i in range(moves)]
    return record


def root(
    mover: Color = Color.BLACK,
    *,
    komi: float = 7.5,
    level: float = 7.5,
    spread: float = 8.0,
    rolled: float | None = None,
    owned: float | None = None,
    labels: np.ndarray = CGI_LABELS,
) -> Root:
    """A root that was searched for a komi. Black wins half of the games at komi `level`.

    rolled: Black's lead by rollouts; owned: the sum of the ownership on 19x19.
    """
    wins = (1 / (1 + np.exp((labels - level) / spread))).astype(np.float32)
    rate = WinRate(float(np.interp(komi, labels, wins)), Color.BLACK)
    ownership = None if owned is None else np.full((19, 19), owned / 361, np.float32)
    return Root(
        to_move=mover,
        visits=100,
        win_rate=rate,
        lead=None,
        searched=Searched(komi, rate),
        komi_labels=labels,
        win_by_komi=wins,
        candidates=(),
        owned=net_owned(ownership),
        rollout_lead=None if rolled is None else Lead(rolled, Color.BLACK),
    )


def method(name: str, terms: KomiTerms | None = None) -> DynamicKomi:
    return METHODS[name].make(terms or KomiTerms())


# The komi rate.


def test_the_rates_of_figure_3() -> None:
    rates = [komi_rate(move, 361) for move in (1, 100, 162, 200, 300)]
    assert rates == pytest.approx([0.9728, 0.7996, 0.5025, 0.3032, 0.0453], abs=5e-5)


def test_the_rate_falls_from_nearly_one_to_nearly_none_on_every_board() -> None:
    for size in (9, 13, 19):
        rates = [komi_rate(move, size * size) for move in range(1, size * size + 1)]
        assert all(a > b for a, b in pairwise(rates))
        assert rates[0] > 0.96 and rates[-1] < 0.02
    assert komi_rate(10**9, 4, c=1000.0) == 0.0
    assert komi_rate(1, 361, s=1000.0) == 1.0


# Each method.

MOVES = (0, 60, 120, 161, 200, 300)


@pytest.mark.parametrize(
    ("name", "komis"),
    [
        # Black is 10 points ahead by rollouts, 20 by ownership (27.5 owned less the komi of 7.5).
        ("none", [7.5, 7.5, 7.5, 7.5, 7.5, 7.5]),
        ("ss-r", [17.23, 16.54, 14.65, 12.52, 10.49, 7.94]),
        ("ss-b", [26.96, 25.59, 21.79, 17.55, 13.47, 8.39]),
        ("ss-m", [22.09, 21.07, 18.22, 15.04, 11.98, 8.17]),
        # The present komi is 10.5 at every root, and Black has 70 %.
        ("vs-m", [11.5, 11.5, 11.5, 11.5, 11.5, 11.5]),
        # Black has 77.1 % at 7.5, 55.3 % at 15.5 and 52.2 % at 16.5: nine points.
        ("ml-dk", [16.26, 15.64, 13.93, 12.02, 10.19, 7.90]),
    ],
)
def test_a_komi_sequence(name: str, komis: list[float]) -> None:
    said = root(komi=10.5, level=17.2, rolled=10.0, owned=27.5)
    assert [round(method(name).next_komi(said, game(n)), 2) for n in MOVES] == komis


def test_the_papers_example() -> None:
    """k0 = 7.5, w_10.5 = 57 %, w_11.5 = 53 %: the next komi is 11.5 at rate 1."""
    labels = np.array([7.5, 8.5, 9.5, 10.5, 11.5, 12.5], np.float32)
    wins = np.array([0.68, 0.64, 0.60, 0.57, 0.53, 0.49], np.float32)
    said = dataclasses.replace(root(), komi_labels=labels, win_by_komi=wins)
    assert method("ml-dk", AT_ONCE).next_komi(said, game()) == pytest.approx(11.5)
    behind = dataclasses.replace(said, komi_labels=15 - labels[::-1], win_by_komi=1 - wins[::-1])
    assert method("ml-dk", AT_ONCE).next_komi(behind, game()) == pytest.approx(3.5)  # line 9, mended


def test_table_1_of_the_paper() -> None:
    """A net with pairs of nearly equal win rates: the first komi at which Black has 55 % or less is 3.5."""
    pairs = [
        0.800943,
        0.748812,
        0.748309,
        0.680036,
        0.678897,
        0.599618,
        0.599108,
        0.512413,
        0.511263,
        0.423886,
    ]
    wins = [*pairs, 0.423626, 0.339738, 0.339353]
    said = dataclasses.replace(
        root(),
        komi_labels=np.arange(-3.5, 9.5, dtype=np.float32),
        win_by_komi=np.array(wins, np.float32),
    )
    assert method("ml-dk", AT_ONCE).next_komi(said, game(komi=0.5)) == pytest.approx(3.5)
    assert method("ml-dk", AT_ONCE).next_komi(said, game(komi=7.5)) == pytest.approx(4.5)
    assert method("ml-dk", AT_ONCE).next_komi(said, game(komi=3.5)) == 3.5


def test_within_the_interval_the_games_komi_is_kept() -> None:
    """Both ends included; vs-m keeps the present one."""
    for level in (6.0, 7.5, 9.0):
        assert method("ml-dk").next_komi(root(level=level), game()) == 7.5
    assert method("vs-m").next_komi(root(komi=12.5, level=12.5), game()) == 12.5
    labels, wins = np.array([6.5, 7.5, 8.5], np.float32), np.array([0.75, 0.5, 0.25], np.float32)
    edge = dataclasses.replace(root(), komi_labels=labels, win_by_komi=wins)
    assert method("ml-dk", KomiTerms(low=0.25, high=0.5)).next_komi(edge, game()) == 7.5


def test_value_steps_follow_the_komi_that_was_searched() -> None:
    steps, komi = method("vs-m"), 7.5
    seen = []
    for _ in range(8):
        komi = steps.next_komi(root(komi=komi, level=12.5, spread=4.0), game())
        seen.append(komi)
    assert seen == [8.5, 9.5, 10.5, 11.5, 12.5, 12.5, 12.5, 12.5]


def test_the_ratchet_ends_oscillation() -> None:
    """Win rates so steep that no komi lies in the interval: 10.5 is too little, 11.5 too much."""

    def walk(ratchet: bool, mover: Color) -> list[float]:
        steps, komi, seen = method("vs-m", KomiTerms(ratchet=ratchet)), 7.5, []
        for _ in range(8):
            level = 11.0 if mover is Color.BLACK else 4.0
            komi = steps.next_komi(root(mover, komi=komi, level=level, spread=0.5), game())
            seen.append(komi)
        return seen

    assert walk(False, Color.BLACK) == [8.5, 9.5, 10.5, 11.5, 10.5, 11.5, 10.5, 11.5]
    assert walk(True, Color.BLACK) == [8.5, 9.5, 10.5, 11.5, 10.5, 10.5, 10.5, 10.5]
    assert walk(True, Color.WHITE) == [6.5, 5.5, 4.5, 3.5, 4.5, 4.5, 4.5, 4.5]


def test_the_ratchet_does_not_hold_back_a_side_that_takes_komi() -> None:
    steps = method("vs-m", KomiTerms(ratchet=True))
    for komi in (5.5, 4.5, 5.5, 4.5):  # Black takes points, and is behind all the same
        assert steps.next_komi(root(komi=komi, level=-20.0), game()) == komi - 1
    assert steps.next_komi(root(komi=5.5, level=20.0), game()) == 6.5


# What holds for all of them.


def mirrored(said: Root) -> Root:
    """The same root with colours exchanged."""
    assert said.komi_labels is not None and said.win_by_komi is not None and said.owned is not None
    assert said.searched.win_rate is not None and said.rollout_lead is not None
    rate = WinRate(said.searched.win_rate.of(Color.BLACK), Color.WHITE)
    return dataclasses.replace(
        said,
        to_move=said.to_move.opponent,
        win_rate=rate,
        searched=Searched(-said.searched.komi, rate),
        komi_labels=-said.komi_labels[::-1],
        win_by_komi=1 - said.win_by_komi[::-1],
        owned=net_owned(-said.owned.mean),
        rollout_lead=Lead(said.rollout_lead.of(Color.BLACK), Color.WHITE),
    )


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("interval", [(0.45, 0.55), (0.45, 0.5)])
@pytest.mark.parametrize("level", [-9.3, 0.2, 7.0, 21.9, 40.0])
def test_methods_are_symmetric(name: str, interval: tuple[float, float], level: float) -> None:
    terms = KomiTerms(*interval, ratchet=True)
    for mover in Color:
        said = root(mover, komi=5.5, level=level, rolled=level - 3.5, owned=level + 4)
        ahead = method(name, terms).next_komi(said, game(20, komi=3.5))
        behind = method(name, terms).next_komi(mirrored(said), game(20, komi=-3.5))
        assert behind == pytest.approx(-ahead, abs=1e-4)


@pytest.mark.parametrize("name", ["ss-r", "ss-b", "ss-m", "ml-dk"])
@pytest.mark.parametrize("size", [9, 13, 19])
def test_the_komi_comes_back_to_the_games_as_the_game_ends(name: str, size: int) -> None:
    """However far ahead a side is."""
    for level, lead in ((27.0, 60.0), (-12.0, -60.0)):
        said = root(level=level, spread=2.0, rolled=lead, owned=lead)
        away = [
            abs(method(name).next_komi(said, game(n, size=size)) - 7.5) for n in range(0, size * size, size)
        ]
        assert all(a >= b for a, b in pairwise(away))
        assert away[0] > 10 and away[-1] < 0.1 * away[0]


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("score", [1e6, -1e6, math.nan, math.inf])
def test_methods_never_leave_the_labels(name: str, score: float) -> None:
    """Whatever a root says, and at the last label, too."""
    level = 0.0 if math.isnan(score) else math.copysign(1e4, score)
    with np.errstate(over="ignore"):
        for komi in (-12.5, 27.5):
            said = root(komi=komi, level=level, rolled=score, owned=score)
            for mover in Color:
                turned = dataclasses.replace(said, to_move=mover)
                assert -12.5 <= method(name, AT_ONCE).next_komi(turned, game()) <= 27.5


def test_an_interval_out_of_reach_is_approached_as_far_as_it_helps() -> None:
    """A plain net is sure of Black, the rollouts, mixed with it, change up to komi 10.5 only."""
    wins = np.where(CGI_LABELS < 10, 0.9, 0.6).astype(np.float32)
    said = dataclasses.replace(root(), win_by_komi=wins)
    assert method("ml-dk", AT_ONCE).next_komi(said, game()) == pytest.approx(10.5)


@pytest.mark.parametrize("name", SEARCHES)
def test_what_a_root_does_not_know_changes_nothing(name: str) -> None:
    unknown = dataclasses.replace(
        root(level=20.0), win_by_komi=None, komi_labels=None, win_rate=None, searched=Searched(9.5, None)
    )
    assert method(name).next_komi(unknown, game()) == 7.5


def test_ownership_counts_the_points_for_handicap_stones() -> None:
    """Chinese rules give White a point for each stone."""
    for rules, bonus in (("chinese", 4), ("tromp-taylor", 0)):
        record = game(komi=0.5, rules=rules)
        record.setup, record.handicap = Setup(black=fixed_handicap(19, 4)), 4
        found = method("ss-b", AT_ONCE).next_komi(root(Color.WHITE, owned=20.0), record)
        assert found == pytest.approx(20.0 - bonus, abs=1e-4)


# What a method needs.


def test_a_method_is_refused_by_name_with_what_to_do() -> None:
    full = FakeEvaluator().card
    for name in ("ss-r", "ss-m"):
        with pytest.raises(InputError, match=f"komi method {name} needs rollouts.*set rollouts=32"):
            check_method(name, full, 0, 0.5)
    blind = FakeEvaluator(heads=[h for h in HEADS if h != "ownership"]).card
    for name in ("ss-b", "ss-m"):
        with pytest.raises(InputError, match=f"fake-0 has no ownership.*komi method {name}"):
            check_method(name, blind, 8, 0.5)
    with pytest.raises(InputError, match="no komi method 'ml-kd'; did you mean 'ml-dk'"):
        check_method("ml-kd", full, 0, 0.5)


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize(
    "plain",
    [
        FakeEvaluator(komi_labels=(7.5,)).card,
        FakeEvaluator(heads=("policy", "value", "ownership"), inputs=("komi",)).card,
    ],
)
def test_with_a_net_for_one_komi_there_must_be_rollouts_that_count(plain: ModelCard, name: str) -> None:
    check_method(name, plain, 8, 0.5)
    for rollouts, weight in ((0, 0.5), (8, 1.0)):
        with pytest.raises(InputError, match=f"komi method {name}"):
            check_method(name, plain, rollouts, weight)
    check_method("none", plain, 0, 0.5)


def test_every_method_has_a_title() -> None:
    titles = [found.title for found in METHODS.values()]
    assert all(titles) and len(set(titles)) == len(titles)
