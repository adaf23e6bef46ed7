"""Resigning, and passes that would lose what is won."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest

from tengen import Color, Position
from tengen.go.handicap import fixed_handicap
from tengen.go.perspective import Lead, WinRate
from tengen.nets.fake import FakeEvaluator
from tengen.search.ending import Patience, Resignation, sensible_moves, tidy
from tengen.search.player import Candidate, Root, Searched
from tests.search.conftest import OWNERS, SETTLED


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


@pytest.mark.parametrize(
    ("stones", "moves", "resigns"),
    [(0, 17, True), (3, 16, False), (3, 40, False), (3, 42, True), (3, 17, True)],
)
def test_white_gives_up_no_handicap_game_before_its_second_half(
    stones: int, moves: int, resigns: bool
) -> None:
    """9x9, White to move but in the last case: Black, who has the stones, gives up as in an even game."""
    position = Position(9)
    if stones:
        position.set_stones(fixed_handicap(9, stones), to_move=Color.WHITE)
    free = np.flatnonzero(position.stones().ravel() == 0).tolist()
    for point in free[:moves]:
        position.play(point)
    assert Resignation().is_lost(position, root(position, 0.001, -9)) is resigns


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


def test_own_eyes_and_own_safe_territory_are_not_filled() -> None:
    position = Position.from_text(DEAD, Color.BLACK)
    sensible = sensible_moves(position)
    assert not sensible[position.point("A7")] and not sensible[position.point("C7")]
    assert sensible[position.point("G7")] and sensible[position.pass_]


OPEN = SETTLED.replace("X X O", "X . O").replace("O X .", ". X .")
UNSETTLED = """
    . . . . .
    . X . O .
    . . . . .
    . X . O .
    . . . . .
    """


def answer(
    position: Position,
    wish: str,
    net: FakeEvaluator,
    win: float = 0.9,
    others: dict[str, float] | None = None,
    prior: float = 0.1,
) -> str:
    """What becomes of a wish to play; `win` is the pass's win rate for the side to move, `others` those of moves."""
    statistics = root(position, win, 5, [position.pass_])
    mover = position.to_move
    candidates = [
        Candidate(position.point(vertex), 10, prior, WinRate(rate, mover), Lead(5, mover), (), ())
        for vertex, rate in (others or {}).items()
    ]
    statistics = dataclasses.replace(statistics, candidates=(*statistics.candidates, *candidates))
    move = position.pass_ if wish == "pass" else position.point(wish)
    return position.vertex(tidy(position, move, statistics, net))


def board(text: str, rules: str = "chinese", komi: float = 0.5, *, passed: bool = False) -> Position:
    """Black to play, after a pass of White's or not."""
    position = Position.from_text(text, Color.WHITE if passed else Color.BLACK, rules)
    position.rules = position.rules.with_komi(komi)
    return position.play("pass") if passed else position


@pytest.mark.parametrize("rules", ["chinese", "aga", "new-zealand", "japanese"])
@pytest.mark.parametrize("passed", [True, False])
@pytest.mark.parametrize("komi", [0.5, 20.5])
def test_a_settled_board_is_over_where_dead_stones_are_agreed_on(
    rules: str, passed: bool, komi: float, sighted: Callable[[str], FakeEvaluator]
) -> None:
    position = board(SETTLED, rules, komi, passed=passed)
    assert answer(position, "A2", sighted(OWNERS), others={"A2": 0.9}) == "pass"
    assert answer(position, "pass", sighted(OWNERS), others={"A2": 0.9}) == "pass"


def test_a_settled_board_is_played_on_if_the_search_has_found_something_better(
    sighted: Callable[[str], FakeEvaluator],
) -> None:
    position = board(SETTLED)
    assert answer(position, "A2", sighted(OWNERS), win=0.3, others={"A2": 0.6}) == "A2"
    assert answer(position, "A2", sighted(OWNERS), win=0.001, others={"A2": 0.04}) == "pass"  # all is lost


@pytest.mark.parametrize("rules", ["chinese", "japanese", "tromp-taylor"])
def test_a_threat_that_must_be_answered_is_not_passed_over(rules: str) -> None:
    """The net says that Black lives if Black plays, and dies if White does."""

    class Threatened(FakeEvaluator):
        def evaluate(self, positions, **options):  # type: ignore[no-untyped-def]
            owners = [[1, 1, 1, -1, -1] if p.to_move is Color.BLACK else [-1] * 5 for p in positions]
            said = super().evaluate(positions, **options)
            boards = [np.array([row] * 5, np.float32) for row in owners]
            return [dataclasses.replace(e, ownership=b) for e, b in zip(said, boards, strict=True)]

    position = board(SETTLED.replace(". X X O .", ". X . O ."), rules)
    assert answer(position, "C3", Threatened(), others={"C3": 0.9}) == "C3"


@pytest.mark.parametrize("passed", [True, False])
def test_where_all_stones_stand_dead_stones_are_taken_off_before_a_pass(
    passed: bool, sighted: Callable[[str], FakeEvaluator]
) -> None:
    position = board(
        SETTLED, "tromp-taylor", 2.5, passed=passed
    )  # 15 to 10 without the stone, 10 to 11 with it
    taken = []
    for _ in range(3):
        taken.append(answer(position, "pass", sighted(OWNERS)))
        position.play(taken[-1]).play("pass")
    assert set(taken[:2]) == {"A2", "A4"} and taken[2] == "pass"


def test_where_all_stones_stand_a_won_count_is_ended_by_a_pass(net: FakeEvaluator) -> None:
    position = board(SETTLED, "tromp-taylor", -6.5, passed=True)  # won though the stone counts as alive
    assert answer(position, "A2", net) == "pass"
    position = board(UNSETTLED, "tromp-taylor", -6.5, passed=True)  # the other gave the game away
    assert answer(position, "C3", net) == "pass"


@pytest.mark.parametrize("rules", ["chinese", "japanese"])
@pytest.mark.parametrize("komi", [-20.5, 0.5, 20.5])
def test_a_pass_on_an_unsettled_board_is_answered_by_a_move(rules: str, komi: float) -> None:
    """The count with every stone alive decides nothing: it is White's by komi on any empty board."""

    class Gains(FakeEvaluator):
        """Sees a point more for a side with each stone that it has."""

        def evaluate(self, positions, **options):  # type: ignore[no-untyped-def]
            stones = [p.stones() for p in positions]
            leads = [float((s == 1).sum()) - float((s == 2).sum()) - komi for s in stones]
            said = super().evaluate(positions, **options)
            return [
                dataclasses.replace(
                    e, win=WinRate(1 / (1 + np.exp(-k)), Color.BLACK), lead=Lead(k, Color.BLACK)
                )
                for e, k in zip(said, leads, strict=True)
            ]

    position = board(UNSETTLED, rules, komi, passed=True)
    assert answer(position, "pass", Gains(), others={"C3": 0.5}) == "C3"
    assert answer(position, "C3", Gains(), others={"C3": 0.5}) == "C3"


@pytest.mark.parametrize(("black", "answered"), [(0.99, "pass"), (0.5, "C3"), (0.01, "C3")])
def test_if_no_move_helps_an_unsettled_board_is_left_in_a_won_game_only(black: float, answered: str) -> None:
    class Indifferent(FakeEvaluator):
        def evaluate(self, positions, **options):  # type: ignore[no-untyped-def]
            said = super().evaluate(positions, **options)
            return [
                dataclasses.replace(e, win=WinRate(black, Color.BLACK), lead=Lead(1, Color.BLACK))
                for e in said
            ]

    position = board(UNSETTLED, passed=True)
    assert answer(position, "pass", Indifferent(), others={"C3": 0.5}) == answered
    assert (
        answer(position, "pass", Indifferent(), others={"C3": 0.5}, prior=0.001) == "pass"
    )  # no likely move


def first_pass(text: str, win: float, other: float, prior: float = 0.1, rules: str = "chinese") -> str:
    """What becomes of Black's wish to pass before White did, where C4 would be as good as `other`."""
    return answer(board(text, rules, -9.5), "pass", FakeEvaluator(), win, {"C4": other}, prior)


def test_nobody_passes_first_while_the_border_is_open(sighted: Callable[[str], FakeEvaluator]) -> None:
    assert first_pass(OPEN, win=0.9, other=0.89) == "C4"
    assert first_pass(SETTLED.replace("O X", ". X"), win=0.9, other=0.89) == "pass"
    assert first_pass(OPEN, win=0.9, other=0.89, rules="japanese") == "pass"
    assert (
        answer(board(OPEN), "pass", sighted("XX.OO"), others={"C4": 0.9}) == "C4"
    )  # settled but for neutral points


def test_neutral_points_are_left_after_the_others_pass_if_the_count_is_won(
    sighted: Callable[[str], FakeEvaluator],
) -> None:
    assert answer(board(OPEN, komi=-0.5, passed=True), "C4", sighted("XX.OO"), others={"C4": 0.9}) == "pass"
    assert answer(board(OPEN, komi=0.5, passed=True), "C4", sighted("XX.OO"), others={"C4": 0.9}) == "C4"


def test_but_no_bad_move_is_played_for_it_and_no_lost_game_drawn_out() -> None:
    assert first_pass(OPEN, win=0.9, other=0.8) == "pass"
    assert first_pass(OPEN, win=0.9, other=0.9, prior=0.001) == "pass"
    assert first_pass(OPEN, win=0.01, other=0.01) == "pass"


def test_passes_are_judged_at_the_games_komi(net: FakeEvaluator) -> None:
    """At the komi that was searched C4 seems lost; at the game's it is as good as the pass."""
    position = Position.from_text(OPEN, Color.BLACK)
    moves = [position.pass_, position.point("C4")]
    statistics = root(position, 0.9, 5, moves)
    lost = WinRate(0.0, Color.BLACK)
    candidates = tuple(dataclasses.replace(c, searched_win_rate=lost) for c in statistics.candidates)
    statistics = dataclasses.replace(statistics, candidates=candidates, searched=Searched(30.0, lost))
    assert tidy(position, position.pass_, statistics, net) == position.point("C4")


def test_without_win_rates_a_settled_board_is_over_and_other_first_passes_stay(
    sighted: Callable[[str], FakeEvaluator],
) -> None:
    def unknown(position: Position) -> Root:
        moves = [position.pass_, position.point("C4")]
        known = root(position, 0.9, 5, moves)
        candidates = tuple(dataclasses.replace(c, win_rate=None, lead=None) for c in known.candidates)
        return dataclasses.replace(known, win_rate=None, lead=None, candidates=candidates)

    done, border = board(SETTLED, passed=True), board(OPEN)
    assert tidy(done, done.point("A2"), unknown(done), sighted(OWNERS)) == done.pass_
    assert tidy(border, border.pass_, unknown(border), sighted("XX.OO")) == border.pass_


def test_a_banned_move_is_not_played_instead(sighted: Callable[[str], FakeEvaluator]) -> None:
    position = board(SETTLED, "tromp-taylor", 2.5)
    statistics = root(position, 0.9, 5, [position.pass_])

    def ends(move: int, *banned: str) -> str:
        points = frozenset(position.pass_ if v == "pass" else position.point(v) for v in banned)
        return position.vertex(tidy(position, move, statistics, sighted(OWNERS), points))

    assert ends(position.pass_, "A1") in ("A2", "A4")
    assert ends(position.pass_, "A2", "A4") == "pass"
    assert ends(position.point("A1"), "pass") == "A1"
