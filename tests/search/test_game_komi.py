"""Dynamic komi in games: which root a method sees, and what a player does with the komi."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import get_args, get_type_hints

import numpy as np
import pytest

from tengen import Color, Game, InputError, Move, Rules
from tengen.go.game import Setup
from tengen.go.handicap import fixed_handicap, free_handicap
from tengen.nets.fake import HEADS, FakeEvaluator
from tengen.search import game_komi
from tengen.search.dynamic_komi import HANDICAP_METHOD, METHODS
from tengen.search.player import Limit, Question, Root, last_report
from tengen.search.puct import PuctPlayer
from tengen.search.registry import change_settings
from tengen.search.settings import PuctSettings
from tengen.settings import describe

CGI_LABELS = tuple(k + 0.5 for k in range(-13, 28))
NETS = {
    "labels": FakeEvaluator(komi_labels=CGI_LABELS),
    "distribution": FakeEvaluator(),
    "komi as input": FakeEvaluator(inputs=("komi",)),
    "one komi": FakeEvaluator(komi_labels=(7.5,)),
    "no win rates": FakeEvaluator(heads=("policy", "ownership")),
}


def handicap(stones: int, size: int = 9, free: bool = False, komi: float = 0.5) -> Game:
    record = Game(size=size, rules=Rules.named("tromp-taylor").with_komi(komi))
    if stones > 1:
        place = free_handicap if free else fixed_handicap
        record.setup, record.handicap = Setup(black=place(size, stones)), stones
    return record


def player(method: str = "ml-dk", net: FakeEvaluator | None = None, **options: object) -> PuctPlayer:
    settings: dict[str, object] = {"visits": 16, "rollouts": 4, "komi_low": 0.49, "komi_high": 0.51} | options
    return PuctPlayer(net or FakeEvaluator(), PuctSettings(komi_method=method, **settings))  # type: ignore[arg-type]


def play_on(record: Game, moves: int) -> None:
    for _ in range(moves):
        position = record.position()
        move = next(m for m in position.legal_moves if m != position.pass_)
        record.moves.append(Move(position.to_move, move))


def next_komi(method: str, root: Root, record: Game) -> float:
    made = METHODS[method].make(player(method).settings.komi_terms)
    return float(np.float32(made.next_komi(root, record)))


def test_the_setting_lists_the_registry() -> None:
    choices = get_args(get_type_hints(PuctSettings)["komi_method"])
    assert choices == ("auto", *METHODS)
    assert HANDICAP_METHOD in METHODS


def test_the_documents_say_which_method_auto_is() -> None:
    documents = Path(__file__).parents[2] / "docs" / "search.md"
    assert f"| `auto` | `{HANDICAP_METHOD}` for moves in games" in documents.read_text(encoding="utf-8")
    (told,) = [found.meaning for found in describe(PuctSettings) if found.name == "komi_method"]
    assert f"auto is {HANDICAP_METHOD} for" in told


@pytest.mark.parametrize("method", METHODS)
def test_auto_can_be_pointed_at_any_method(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_komi, "HANDICAP_METHOD", method)
    record = handicap(3)
    assert player("auto").choose(record).root.searched == player(method).choose(record).root.searched
    without = player("auto", rollouts=0).choose(record)  # where it cannot work, it is none
    assert METHODS[method].rollouts <= (without.root.searched.komi == 0.5)


@pytest.mark.parametrize("kind", NETS)
@pytest.mark.parametrize("method", METHODS)
def test_every_method_works_with_every_net_that_has_what_it_needs(kind: str, method: str) -> None:
    net, record = NETS[kind], handicap(2)
    someone = player(method, net)
    for _ in range(3):
        root = someone.choose(record).root
        labels = root.komi_labels
        assert labels is not None and labels[0] <= root.searched.komi <= labels[-1]
        play_on(record, 2)


@pytest.mark.parametrize("method", ["ss-r", "ss-b", "ss-m", "vs-m", "ml-dk"])
def test_the_komi_of_a_move_comes_from_the_players_last_root(method: str) -> None:
    record, someone = handicap(2), player(method)
    root = someone.choose(record).root
    for _ in range(3):
        play_on(record, 2)
        expected = next_komi(method, root, record)
        root = someone.choose(record).root
        assert root.searched.komi == pytest.approx(expected, abs=1e-6)


def test_the_first_komi_comes_from_the_position_itself() -> None:
    """One evaluation, at the game's komi, before the search."""
    record = handicap(2)
    seen = last_report(player("none"), record, Question(Limit(visits=1)))
    assert player().choose(record).root.searched.komi == pytest.approx(next_komi("ml-dk", seen, record))


@pytest.mark.parametrize("change", ["another game", "undo", "later", "another komi"])
def test_another_game_begins_at_its_own_position(change: str) -> None:
    record, someone = handicap(2), player("vs-m")
    for _ in range(4):
        someone.choose(record)
        play_on(record, 2)
    if change == "another game":
        record = handicap(2)
        record.moves.append(Move(Color.WHITE, 0))
        record.moves.append(Move(Color.BLACK, 80))
    elif change == "undo":
        del record.moves[-3:]
    elif change == "later":
        play_on(record, 2)
    else:
        record.rules = record.rules.with_komi(5.5)
    assert abs(someone.choose(record).root.searched.komi - record.komi) <= 1
    assert someone._komi._methods.keys() == {"vs-m"}


def test_one_search_has_one_komi() -> None:
    record, reports = handicap(2), list[Root]()
    decision = player(visits=200).choose(record, question=Question(interval=0.0), report=reports.append)
    assert len(reports) > 2
    assert {r.searched.komi for r in reports} == {decision.root.searched.komi} != {0.5}


@pytest.mark.parametrize("method", METHODS)
def test_win_rate_and_lead_stay_at_the_games_komi(method: str) -> None:
    """The tree that grew at another komi says the same at the game's as its own curve does."""
    record, someone = handicap(2), player(method, visits=40)
    root = someone.choose(record).root
    assert root.win_rate is not None and root.searched.win_rate is not None
    assert root.komi_labels is not None and root.win_by_komi is not None
    for komi, rate in ((0.5, root.win_rate), (root.searched.komi, root.searched.win_rate)):
        at = float(np.interp(komi, root.komi_labels, root.win_by_komi))
        assert rate.of(Color.BLACK) == pytest.approx(at, abs=1e-5)
    assert someone.tree is not None and someone.tree.komi == 0.5  # between moves


def test_with_a_net_for_one_komi_the_shift_acts_on_rollouts_alone() -> None:
    root = player("ss-r", NETS["one komi"]).choose(handicap(2)).root
    assert root.searched.komi != 0.5
    assert root.net_win_by_komi is not None and np.ptp(root.net_win_by_komi) < 1e-6
    assert root.searched.win_rate != root.win_rate


@pytest.mark.parametrize("size", [9, 13, 19])
@pytest.mark.parametrize("free", [False, True])
def test_auto_is_for_moves_of_handicap_games(size: int, free: bool) -> None:
    for stones in (0, 1, 2, 5, 9):
        auto, named, none = (
            player(method, visits=2).choose(handicap(stones, size, free)).root.searched.komi
            for method in ("auto", HANDICAP_METHOD, "none")
        )
        assert none == 0.5
        assert auto == (named if stones >= 2 else 0.5)
        assert stones < 2 or named != 0.5


def test_stones_that_are_played_are_a_handicap_and_black_has_the_method_too() -> None:
    record = handicap(0)
    record.moves += [Move(Color.BLACK, p) for p in (20, 24, 60)]
    record.moves.append(Move(Color.WHITE, 40))
    for _ in range(2):  # Black's move, then White's
        named = player(HANDICAP_METHOD).choose(record).root.searched.komi
        assert player("auto").choose(record).root.searched.komi == named != 0.5
        play_on(record, 1)


def test_auto_leaves_analysis_alone() -> None:
    record = handicap(4)
    assert last_report(player("auto"), record, Question(Limit(visits=8))).searched.komi == 0.5
    assert last_report(player("ml-dk"), record, Question(Limit(visits=8))).searched.komi != 0.5


def test_an_analysis_does_not_change_the_komi_of_the_game() -> None:
    """Neither of this position nor of another one; pondering does not, either."""
    record, someone = handicap(2), player("vs-m")
    for _ in range(4):
        someone.choose(record)
        play_on(record, 2)

    def none_needed() -> Root:
        raise AssertionError("the last root is known")

    before = someone._komi.komi(record, True, none_needed)
    last_report(someone, handicap(5), Question(Limit(visits=4)))
    last_report(someone, record, Question(Limit(visits=4)))
    someone.ponder(record, lambda: True)
    assert someone._komi.komi(record, True, none_needed) == before != 0.5


def test_a_question_with_a_komi_comes_first() -> None:
    record, someone = handicap(2), player()
    assert someone.choose(record, question=Question(komi=-3.5)).root.searched.komi == -3.5
    seen = last_report(player("none"), record, Question(Limit(visits=1)))
    assert seen.visits == 1
    with pytest.raises(InputError, match="komi nan is outside"):
        someone.choose(record, question=Question(komi=float("nan")))


def test_resignation_and_the_komi_of_the_search_are_apart() -> None:
    """A game that is lost by the game's komi is resigned, although the search plays for a level one."""
    record = handicap(2, komi=-70.0)
    play_on(record, 42)  # White gives up no handicap game before half of the board is played
    decision = player(net=FakeEvaluator(deviation=3.0), rollouts=0, resign_moves=1, komi_s=100.0).choose(
        record
    )
    assert decision.root.to_move is Color.WHITE
    assert decision.root.searched.win_rate is not None and decision.root.win_rate is not None
    assert decision.root.win_rate.of(Color.WHITE) < 0.01 < decision.root.searched.win_rate.of(Color.WHITE)
    assert decision.resign


def test_a_method_that_cannot_work_is_refused_and_the_game_goes_on() -> None:
    someone = player("none", rollouts=0)
    for table, reason in (
        ({"komi_method": "ss-r"}, "needs rollouts"),
        ({"komi_method": "ml-kd"}, "must be one of auto, none, ss-r"),
        ({"komi_low": "nan"}, "must be a number"),
        ({"komi_low": 0.6}, "komi_low must be below komi_high"),
        ({"komi_high": 1.5}, "komi_high must be from 0 to 1"),
    ):
        with pytest.raises(InputError, match=reason):
            change_settings(someone, table)
        assert someone.settings.komi_method == "none"
        assert someone.choose(handicap(2)).root.searched.komi == 0.5
    with_rollouts = player("ss-r")
    with pytest.raises(InputError, match="komi method ss-r needs rollouts"):
        change_settings(with_rollouts, {"rollouts": 0})
    assert with_rollouts.settings.rollouts == 4
    with pytest.raises(InputError, match="has no ownership"):
        player("ss-b", FakeEvaluator(heads=[h for h in HEADS if h != "ownership"]))


def test_auto_is_none_where_its_method_cannot_work() -> None:
    someone = player("auto", NETS["one komi"], rollouts=0)
    assert someone.choose(handicap(4)).root.searched.komi == 0.5
    change_settings(someone, {"rollouts": 4})
    assert someone.choose(handicap(4)).root.searched.komi != 0.5


def test_a_change_of_settings_has_an_effect_from_the_next_move_on() -> None:
    record, someone = handicap(2), player("ml-dk")
    root = someone.choose(record).root
    play_on(record, 2)
    someone.configure(dataclasses.replace(someone.settings, komi_s=100.0))
    expected = METHODS["ml-dk"].make(someone.settings.komi_terms).next_komi(root, record)
    assert someone.choose(record).root.searched.komi == pytest.approx(expected, abs=1e-6) != 0.5


def test_another_method_looks_at_the_position_anew() -> None:
    """The last root has no ownership and no rollouts, which ss-m needs."""
    record, someone = handicap(2), player("ml-dk", rollouts=0)
    someone.choose(record)
    play_on(record, 2)
    change_settings(someone, {"rollouts": 4, "komi_method": "ss-m"})
    assert someone.choose(record).root.searched.komi != 0.5
