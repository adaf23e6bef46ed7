"""Resigning, dead stones, and passes that would lose what is won."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tengen import Color, Position
from tengen.go.perspective import Lead, WinRate
from tengen.nets.fake import FakeEvaluator
from tengen.search.ending import Patience, Resignation, dead_stones, final_score, owners, sensible_moves, tidy
from tengen.search.player import Candidate, Root, Searched


def root(position: Position, win: float, lead: float, moves: list[int] | None = None) -> Root:
    """Statistics that say this of the side to move."""
    mover = position.to_move
    rate, points = WinRate(win, mover), Lead(lead, mover)
    candidates = tuple(Candidate(m, 10, 0.1, rate, points, (m,), (10,)) for m in moves or [])
    empty = np.zeros(1, np.float32)
    return Root(mover, 100, rate, points, Searched(7.5, rate), empty, empty, candidates)


def late(moves: int) -> Position:
    position = Position(5)
    for i in range(moves):
        position.play(i % 20 if i < 20 else "pass")
    return position


def test_a_lost_game_is_given_up_at_the_third_own_move_in_a_row() -> None:
    patience = Patience(Resignation())
    answers = []
    for moves in (10, 12, 14):
        position = late(moves)
        answers.append(patience.is_over(position, root(position, 0.01, -20)))
    assert answers == [False, False, True]


def test_hope_starts_the_count_again() -> None:
    patience = Patience(Resignation())
    rates = [0.01, 0.01, 0.4, 0.01, 0.01]
    for moves, rate in zip(range(8, 18, 2), rates, strict=True):
        position = late(moves)
        assert not patience.is_over(position, root(position, rate, -20))


def test_a_game_lost_by_little_is_played_out_and_no_opening_is_given_up() -> None:
    position = late(16)
    assert not Resignation().is_lost(position, root(position, 0.001, -0.5))
    assert Resignation().is_lost(position, root(position, 0.001, -9))
    assert not Resignation().is_lost(late(2), root(late(2), 0.001, -9))


def test_the_searched_komi_decides_no_resignation() -> None:
    """The search plays for a komi at which all is won; at the game's own the game is lost, and the other way round."""
    position = late(16)
    lost, level = root(position, 0.001, -9), root(position, 0.5, -1)
    for statistics, searched, resigns in ((lost, 1.0, True), (level, 0.0, False)):
        other = Searched(-50.0, WinRate(searched, position.to_move))
        assert Resignation().is_lost(position, dataclasses.replace(statistics, searched=other)) is resigns


@pytest.mark.parametrize("unknown", [{"win_rate": None}, {"lead": None}])
def test_nothing_is_resigned_where_win_rate_or_lead_is_unknown(unknown: dict[str, None]) -> None:
    position = late(16)
    assert not Resignation().is_lost(position, dataclasses.replace(root(position, 0.001, -9), **unknown))


DEAD = """
    . X . X O . .
    X X X X O . .
    O O O O O . X
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    """


def test_a_stone_in_enemy_land_is_dead_and_two_eyes_live() -> None:
    position = Position.from_text(DEAD, Color.WHITE)
    dead = dead_stones(position, owners(position, None))
    assert [position.vertex(p) for p in dead] == ["G5"]


def test_the_net_and_the_playouts_are_heard_alike() -> None:
    position = Position.from_text(DEAD)
    for opinion in (1.0, -1.0):
        ownership = np.full((7, 7), opinion, dtype=np.float32)
        mean = (owners(position, None) + ownership) / 2
        np.testing.assert_allclose(owners(position, ownership), mean, atol=1e-6)


def test_the_count_takes_dead_stones_off() -> None:
    position = Position.from_text(DEAD, Color.WHITE)
    score = final_score(position, None)
    assert position.string("G5") == list(score.dead)
    assert score.black == 8


def test_own_eyes_and_own_safe_territory_are_not_filled() -> None:
    position = Position.from_text(DEAD, Color.BLACK)
    sensible = sensible_moves(position)
    assert not sensible[position.point("A7")] and not sensible[position.point("C7")]
    assert sensible[position.point("G7")] and sensible[position.pass_]


LEFT = """
    . X . O .
    . X . O .
    O X . O .
    . X . O .
    . X . O .
    """


def passed(komi: float) -> Position:
    """White has passed; a white stone in Black's land is dead but stands."""
    position = Position.from_text(LEFT, Color.WHITE)
    position.rules = position.rules.with_komi(komi)
    return position.play("pass")


def test_a_won_count_is_ended_by_a_pass() -> None:
    position = passed(-6.5)  # won though the stone counts as alive
    assert tidy(position, position.point("C3"), root(position, 1, 5), FakeEvaluator()) == position.pass_


def test_no_pass_while_a_dead_stone_matters() -> None:
    class Sees(FakeEvaluator):
        def evaluate(self, positions, **options):  # type: ignore[no-untyped-def]
            said = super().evaluate(positions, **options)
            owned = np.array([[1, 1, 0, -1, -1]] * 5, dtype=np.float32)
            return [dataclasses.replace(e, ownership=owned) for e in said]

    position = passed(-0.5)  # level with the dead stone off, lost with it
    statistics = root(position, 0.9, 0.5, [position.pass_, position.point("A2"), position.point("C3")])
    assert tidy(position, position.pass_, statistics, Sees()) == position.point("A2")


@pytest.mark.parametrize("rules", ["japanese", "chinese"])
def test_a_lost_game_is_not_drawn_out(rules: str) -> None:
    position = Position.from_text(LEFT, Color.BLACK, rules)
    statistics = root(position, 0.01, -9, [position.pass_, position.point("C3")])
    assert tidy(position, position.pass_, statistics, FakeEvaluator()) == position.pass_


OPEN = """
    . X . O .
    . X . O .
    . X . O .
    . X X O .
    . X O O .
    """
CLOSED = OPEN.replace("X . O", "X X O")


def first_pass(board: str, win: float, other: float, prior: float = 0.1, rules: str = "chinese") -> str:
    """What becomes of Black's wish to pass before White did, where C4 would be as good as `other`."""
    position = Position.from_text(board, Color.BLACK, rules)
    position.rules = position.rules.with_komi(-9.5)
    statistics = root(position, win, 5, [position.pass_])
    play = Candidate(
        position.point("C4"), 10, prior, WinRate(other, Color.BLACK), Lead(5, Color.BLACK), (), ()
    )
    statistics = dataclasses.replace(statistics, candidates=(*statistics.candidates, play))
    move = tidy(position, position.pass_, statistics, FakeEvaluator())
    return "pass" if move == position.pass_ else "C4"


def test_nobody_passes_first_while_the_border_is_open() -> None:
    assert first_pass(OPEN, win=0.9, other=0.89) == "C4"
    assert first_pass(CLOSED, win=0.9, other=0.89) == "pass"
    assert first_pass(OPEN, win=0.9, other=0.89, rules="japanese") == "pass"


def test_but_no_bad_move_is_played_for_it_and_no_lost_game_drawn_out() -> None:
    assert first_pass(OPEN, win=0.9, other=0.8) == "pass"
    assert first_pass(OPEN, win=0.9, other=0.9, prior=0.001) == "pass"
    assert first_pass(OPEN, win=0.01, other=0.01) == "pass"


def test_passes_are_judged_at_the_games_komi() -> None:
    """At the komi that was searched C4 seems lost; at the game's it is as good as the pass."""
    position = Position.from_text(OPEN, Color.BLACK)
    moves = [position.pass_, position.point("C4")]
    statistics = root(position, 0.9, 5, moves)
    lost = WinRate(0.0, Color.BLACK)
    candidates = tuple(dataclasses.replace(c, searched_win_rate=lost) for c in statistics.candidates)
    statistics = dataclasses.replace(statistics, candidates=candidates, searched=Searched(30.0, lost))
    assert tidy(position, position.pass_, statistics, FakeEvaluator()) == position.point("C4")


def test_without_win_rates_a_won_count_is_ended_and_other_passes_stay() -> None:
    def unknown(position: Position) -> Root:
        moves = [position.pass_, position.point("C4")]
        known = root(position, 0.9, 5, moves)
        candidates = tuple(dataclasses.replace(c, win_rate=None, lead=None) for c in known.candidates)
        return dataclasses.replace(known, win_rate=None, lead=None, candidates=candidates)

    won, border = passed(-6.5), Position.from_text(OPEN, Color.BLACK)
    assert tidy(won, won.point("C3"), unknown(won), FakeEvaluator()) == won.pass_
    assert tidy(border, border.pass_, unknown(border), FakeEvaluator()) == border.pass_
