"""One game between a user and a player, without a server."""

from __future__ import annotations

from typing import Any

import pytest

from tengen.engine.terms import Terms
from tengen.go.color import Color
from tengen.go.perspective import Lead, WinRate
from tengen.go.position import Position
from tengen.search.player import Decision, Root, Searched
from tengen.web.play import Play, time_control
from tengen.web.refusal import RefusalError

ROOT = Root(
    Color.WHITE,
    1,
    WinRate(0.4, Color.BLACK),
    Lead(-2.5, Color.BLACK),
    Searched(7.5, None),
    None,
    None,
    (),
)


def game(you: str = "B", size: int = 9, handicap: int = 0, clock: list[Any] | None = None) -> Play:
    terms = Terms(size=size, handicap=handicap, time=time_control(clock))
    return Play.begin("id", terms, Color.parse(you), "fake", "puct", {"visits": 9}, now=100.0)


def answer(play: Play, vertex: str, seconds: float = 1.0, now: float = 100.0) -> bool:
    point = play.position().pass_ if vertex == "pass" else Position(play.terms.size).point(vertex)
    return play.decided(Decision(point, ROOT), play.version, seconds, now)


def test_moves_alternate_and_the_state_follows() -> None:
    play = game()
    assert not play.is_thinking
    play.play("E5", play.version, 100)
    assert play.is_thinking and play.to_json(100)["to_move"] == "W"
    assert answer(play, "C3")
    state = play.to_json(100)
    assert state["moves"] == [{"color": "B", "vertex": "E5"}, {"color": "W", "vertex": "C3"}]
    assert (state["black_win_rate"], state["black_lead"], state["komi_in_use"]) == (0.4, -2.5, 7.5)


@pytest.mark.parametrize(("vertex", "status"), [("E5", 422), ("Z9", 422), ("K1", 422), ("", 422)])
def test_an_illegal_move_is_refused_with_a_reason(vertex: str, status: int) -> None:
    play = game()
    play.play("E5", play.version, 100)
    answer(play, "C3")
    with pytest.raises(RefusalError) as refused:
        play.play(vertex, play.version, 100)
    assert refused.value.status == status and len(play.moves) == 2


def test_a_move_for_an_older_state_is_refused() -> None:
    play = game()
    play.play("E5", play.version, 100)
    answer(play, "C3")
    with pytest.raises(RefusalError, match="has changed since"):
        play.play("D4", play.version - 1, 100)


def test_the_player_is_not_heard_when_the_game_has_changed() -> None:
    play = game()
    play.play("E5", play.version, 100)
    asked = play.version
    play.undo(100)
    assert not play.decided(Decision(0, ROOT), asked, 1.0, 100)
    assert play.moves == []


def test_undo_takes_back_to_the_users_last_move() -> None:
    play = game(you="W")
    assert play.is_thinking
    answer(play, "E5")
    with pytest.raises(RefusalError, match="no move of yours"):
        play.undo(100)
    play.play("C3", play.version, 100)
    answer(play, "G7")
    play.undo(100)
    assert len(play.moves) == 1 and not play.is_thinking
    play.play("C3", play.version, 100)
    play.undo(100)  # while the player is thinking
    assert len(play.moves) == 1


def test_two_passes_begin_the_count_which_can_be_corrected_and_accepted() -> None:
    play = game()
    for mine, its in (("E5", "A1"), ("D4", "pass")):
        play.play(mine, play.version, 100)
        answer(play, its)
    with pytest.raises(RefusalError, match="not being counted"):
        play.toggle_dead(["A1"])
    play.play("pass", play.version, 100)
    assert play.status == "counting" and play.is_thinking
    with pytest.raises(RefusalError, match="not ready"):
        play.accept()
    a1 = Position(9).point("A1")
    assert play.counted([a1], play.version) and not play.is_thinking
    state = play.to_json(100)
    assert state["dead"] == ["A1"] and state["score"]["black"] == 81 and state["owner"][8][0] == 1
    play.toggle_dead(["A1"])
    assert play.to_json(100)["dead"] == []
    with pytest.raises(RefusalError, match="is empty"):
        play.toggle_dead(["J9"])
    play.toggle_dead(["A1"])
    play.accept()
    assert (play.status, play.result) == ("over", "B+73.5")
    with pytest.raises(RefusalError, match="over"):
        play.undo(100)


def test_playing_on_takes_the_passes_back() -> None:
    play = game()
    play.play("E5", play.version, 100)
    answer(play, "pass")
    play.play("pass", play.version, 100)
    play.resume(100)
    assert play.status == "playing" and len(play.moves) == 1 and play.is_thinking


def test_resignation_ends_the_game() -> None:
    play = game()
    play.resign(100)
    assert (play.status, play.result) == ("over", "W+R")
    play = game()
    play.play("E5", play.version, 100)
    play.decided(Decision(0, ROOT, resign=True), play.version, 1.0, 100)
    assert (play.status, play.result) == ("over", "B+R")


def test_the_users_clock_runs_by_the_servers_time() -> None:
    play = game(clock=[10, 5, 2])
    assert play.to_json(104)["clock"] == {
        "running": "B",
        "B": {"left": 6.0, "periods": 0},
        "W": {"left": 10, "periods": 0},
    }
    play.play("E5", play.version, 104)
    answer(play, "C3", seconds=3.0, now=104)
    assert play.to_json(104)["clock"]["W"] == {"left": 7.0, "periods": 0}
    assert play.to_json(112)["clock"]["B"] == {"left": 3.0, "periods": 2}
    assert not play.tick(119.9)
    with pytest.raises(RefusalError, match="your time is up"):
        play.play("D4", play.version, 121)
    assert play.result == "W+T"


def test_time_in_which_the_server_did_not_run_is_nobodys() -> None:
    play = game(clock=[10, 0, 0])
    again = Play.from_table(play.to_table())
    again.restart_clock(1000)
    assert again.to_json(1001)["clock"]["B"]["left"] == 9.0


def test_a_player_that_thinks_too_long_loses_on_time() -> None:
    play = game(clock=[10, 0, 0])
    play.play("E5", play.version, 100)
    answer(play, "C3", seconds=11.0)
    assert play.result == "B+T"


def test_everything_is_kept() -> None:
    play = game(you="W", size=19, handicap=3, clock=[600, 30, 5])
    play.play("C3", play.version, 101)
    answer(play, "Q3", now=105)
    again = Play.from_table(play.to_table())
    assert again == play and again.to_json(110) == play.to_json(110)
    assert play.to_json(110)["setup"]["B"] == ["D16", "Q16", "D4"]


def test_the_record_names_both_players() -> None:
    play = game(you="W")
    record = play.game()
    assert record.white == "You" and record.black == "Tengen (puct, net fake, 9 visits)"
