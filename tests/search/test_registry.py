"""Players by name, and their settings from words."""

from __future__ import annotations

import pytest

from tengen import Game, InputError
from tengen.nets.fake import FakeEvaluator
from tengen.search.player import Limit, Question, last_report
from tengen.search.puct import PuctPlayer
from tengen.search.registry import PLAYERS, change_settings, make_player
from tengen.search.settings import PolicySettings, PuctSettings
from tengen.settings import describe


def test_players_come_by_name_with_settings_from_words_and_values() -> None:
    assert make_player("policy", FakeEvaluator()).name == "policy fake-0"
    assert make_player("policy", FakeEvaluator(), {"bagging": "0"}).settings == PolicySettings(bagging=False)
    player = make_player("puct", FakeEvaluator(), {"visits": "30", "resign": 0, "time": None, "c_puct": "1"})
    assert player.settings == PuctSettings(visits=30, resign=False, c_puct=1.0)


@pytest.mark.parametrize(
    ("name", "table", "message"),
    [
        ("punct", {}, "there is no player 'punct'; did you mean 'puct'?"),
        ("alpha", {}, "there is no player 'alpha': known are long-term, policy, puct"),
        ("puct", {"colour": 3}, "player puct has no option 'colour'"),
        ("puct", {"visit": 3}, "player puct has no option 'visit'; did you mean 'visits'?"),
        ("policy", {"visits": 3}, "player policy has no option 'visits'"),
        ("puct", {"visits": 0}, "visits must be from 1"),
        ("puct", {"visits": "many"}, "player puct: visits must be a whole number, not 'many'"),
        ("puct", {"time": 0}, "time must be above 0 seconds, not 0"),
        ("puct", {"weight": 1.5}, "weight must be from 0 to 1, not 1.5"),
        ("puct", {"rollouts": -1}, "rollouts must be from 0"),
        ("puct", {"batch": 0}, "batch must be from 1"),
        ("puct", {"threads": 0}, "threads must be from 1"),
        ("puct", {"memory": 0}, "memory must be from 1"),
        ("puct", {"c_puct": -1}, "c_puct must be from 0"),
        ("policy", {"seed": -1}, "seed must be from 0"),
        ("policy", {"resign_win_rate": 2}, "resign_win_rate must be from 0 to 1, not 2"),
    ],
)
def test_what_cannot_be_is_refused_by_name(name: str, table: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as error:
        make_player(name, FakeEvaluator(), table)
    assert message in str(error.value)


@pytest.mark.parametrize("name", PLAYERS)
def test_every_option_has_a_meaning_a_type_and_a_default_that_can_be_read_again(name: str) -> None:
    options = describe(PLAYERS[name].settings)
    assert options and all(o.meaning.endswith(".") and o.kind for o in options)
    defaults = {o.name: str(o.default) for o in options}
    assert make_player(name, FakeEvaluator(), defaults).settings == PLAYERS[name].settings()


def test_visits_are_bounded_where_nothing_else_is() -> None:
    assert PuctSettings().limit() == Limit(visits=400)
    assert PuctSettings(time=2.0).limit() == Limit(seconds=2.0)
    assert PuctSettings(visits=10, time=2.0).limit() == Limit(10, 2.0)


def test_thresholds_of_resignation_are_settings() -> None:
    assert PolicySettings(resign=False).resignation is None
    terms = PuctSettings(resign_win_rate=0.2, resign_points=1.5, resign_moves=5).resignation
    assert terms is not None and (terms.win_rate, terms.points_a_line, terms.moves) == (0.2, 1.5, 5)


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({"visits": "50"}, True),
        ({"c_puct": "1.5", "fpu_reduction": 0.2, "c_growth": 0}, True),
        ({"weight": "0.1"}, True),
        ({"rollouts": "4"}, True),
        ({"rollouts": "0"}, False),
        ({"memory": "32"}, False),
    ],
)
def test_a_change_of_settings_keeps_the_tree_where_it_can(change: dict[str, object], kept: bool) -> None:
    player = make_player("puct", FakeEvaluator(), {"rollouts": 2, "visits": 20})
    assert isinstance(player, PuctPlayer)
    last_report(player, Game(size=5), Question(Limit(visits=20)))
    change_settings(player, change)
    assert last_report(player, Game(size=5), Question(Limit(visits=1))).visits == (20 if kept else 1)
    for name, value in change.items():
        assert float(getattr(player.settings, name)) == float(str(value))


def test_a_change_of_weight_revalues_what_was_searched() -> None:
    player = make_player("puct", FakeEvaluator(), {"rollouts": 4})
    before = last_report(player, Game(size=5), Question(Limit(visits=20)))
    change_settings(player, {"weight": 0})
    after = last_report(player, Game(size=5), Question(Limit(visits=1)))
    assert after.visits == 20 and after.win_rate != before.win_rate
    assert after.lead == before.rollout_lead


def test_a_refused_change_leaves_the_settings() -> None:
    player = make_player("puct", FakeEvaluator(), {"visits": 20})
    with pytest.raises(InputError, match="player puct fake-0 has no option 'vists'; did you mean 'visits'"):
        change_settings(player, {"vists": 3})
    with pytest.raises(InputError, match="batch must be"):
        change_settings(player, {"batch": 0})
    assert player.settings == PuctSettings(visits=20)


def test_policy_settings_can_change_too() -> None:
    player = make_player("policy", FakeEvaluator())
    change_settings(player, {"bagging": "no", "resign": "no"})
    assert player.settings == PolicySettings(bagging=False, resign=False)
    assert isinstance(player.net, FakeEvaluator)


def test_a_change_of_settings_does_not_repeat_what_was_drawn() -> None:
    """Only another seed begins the random numbers anew."""

    def drawn(*changes: dict[str, object]) -> list[int]:
        player = make_player("puct", FakeEvaluator(), {"visits": 40, "variety": 10, "seed": 5})
        moves = []
        for change in changes:
            change_settings(player, change)
            moves.append(player.choose(Game(size=5)).move)
        return moves

    same = drawn(*[{}] * 12)
    assert len(set(same)) > 1
    assert drawn(*[{"resign": "no"}] * 12) == same
