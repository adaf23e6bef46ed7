"""Counting, on drawn boards. The boards expected are Score.map's: x and o are points, # and @ dead stones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tengen import Color, Position, Rules
from tengen.go.perspective import Lead
from tengen.go.rules import HandicapBonus, Scoring, Tax

JAPANESE = Rules.named("japanese").with_komi(0)
AREA = Rules(komi=0)


def rows(diagram: str) -> list[str]:
    return [line.replace(" ", "") for line in diagram.strip().splitlines()]


def check(expected: str, dead: str = "", rules: Rules = JAPANESE) -> tuple[float, float]:
    """Reads the stones off the expected map, counts them, compares the maps; Black's and White's points."""
    diagram = expected.translate(str.maketrans("xo#@", "..XO"))
    score = Position.from_text(diagram, rules=rules).score(dead.split())
    drawn = [row[2:-2].replace(" ", "") for row in score.map().splitlines()[1:-1]]
    assert drawn == rows(expected)
    return score.black, score.white


DAME = """
    x X . O o
    X X . O O
    x X . O o
    X X . O O
    x X . O o
    """


def test_dame_between_living_groups_are_nobodys_and_make_no_seki() -> None:
    assert check(DAME, rules=JAPANESE) == (3, 3)
    assert check(DAME, rules=AREA) == (10, 10)


def test_seki_without_eyes() -> None:
    seki = """
        O o O X x X
        o O O X X x
        O O O X X X
        O X X O X X
        O X . O X X
        O X . O X X
        """
    assert check(seki, rules=JAPANESE) == (2, 2)
    assert check(seki, rules=AREA) == (19, 15)


def test_an_eye_in_seki_counts_as_area_but_not_as_territory() -> None:
    seki = """
        O o O X x X X
        o O O X X x X
        O O O X X X X
        O O O O X X X
        O O O O X X X
        X X X X O O O
        X . X . O . O
        """
    assert check(seki, rules=JAPANESE) == (2, 2)
    with_eyes = seki[: seki.rindex("X . X")] + "X x X . O o O"
    assert check(with_eyes, rules=AREA) == (25, 23)

    # The tax on seki belongs to the rules, not to the way of counting.
    assert check(seki, rules=replace(AREA, tax=Tax.SEKI)) == (24, 22)
    assert check(with_eyes, rules=replace(JAPANESE, tax=Tax.NONE)) == (3, 3)


def test_where_all_eyes_are_taxed_each_group_pays_two_points() -> None:
    assert check(DAME, rules=replace(AREA, tax=Tax.ALL)) == (8, 8)
    assert check(DAME, rules=replace(JAPANESE, tax=Tax.ALL)) == (1, 1)
    stones = DAME.replace("x", ".").replace("o", ".")
    score = Position.from_text(stones, rules=replace(AREA, tax=Tax.ALL)).score()
    assert "Black: 8 (3 points + 7 stones - 2 tax)" in str(score)


def test_larger_eyes_in_seki() -> None:
    assert check(
        """
            O o O O X x X X X
            o O O O X X x X X
            O O O O X X X X X
            O O O O X X X X X
            O O O O X X X X X
            O O O O X X X X X
            O O O O O X X X X
            X X X X X O O O O
            X . . X . O . . O
            """
    ) == (2, 2)


def test_a_square_of_four_is_one_eye() -> None:
    # The corner groups share the dame at E1 and hold a square eye each: neither may move.
    assert check(
        """
            O o O O X x X X X
            o O O O X X x X X
            O O O O X X X X X
            O O O O X X X X X
            O O O O O X X X X
            O O O O O X X X X
            X X X X X O O O O
            X . . X X O . . O
            X . . X . O . . O
            """
    ) == (2, 2)


def test_a_group_with_more_room_than_one_eye_lives_beside_dame() -> None:
    assert check(
        """
            x x x X . O o
            X X X X . O O
            X X X X . O o
            X X X X . O O
            X X X X . O o
            X X X X . O O
            X X X X . O o
            """
    ) == (3, 4)


def test_a_false_eye_is_filled_before_the_count() -> None:
    # C5 is in atari: Black must connect at B5.
    assert check(
        """
            X . X O o
            x X O O O
            X X O o O
            X X O O O
            x X O o o
            """
    ) == (2, 4)


def test_a_false_eye_shows_only_when_the_dame_are_filled() -> None:
    # White will play D5; Black must answer at B5.
    assert check(
        """
            X . X . O
            x X O O O
            X X O o O
            X X O O O
            x X O o o
            """
    ) == (2, 3)


def test_a_false_eye_that_was_the_second_eye_leaves_a_group_in_seki() -> None:
    # As before, but Black has no eye at A1: with B5 filled only A4 is left, and D5 is a dame.
    assert check(
        """
            X . X . O
            . X O O O
            X X O o O
            X X O O O
            X X O o o
            """
    ) == (0, 3)


def test_the_two_eyes_of_a_two_headed_dragon_count_though_each_looks_false() -> None:
    assert check(
        """
            X X X x X X X
            X O X X O O X
            X O O O O O X
            X O o O o O X
            X O O O O O X
            X O X X O O X
            X X X x X X X
            """
    ) == (2, 2)


def test_where_one_of_two_dame_connects_nothing_need_be_filled() -> None:
    # White takes C7 or E7, Black the other: D7 stays connected.
    miai = """
        O O O O O O O O
        X X . X . X X O
        X X X x X X X O
        X x X X X x X O
        X X X X X X X O
        O O O O O O O O
        o O o O o O o O
        o O o O o O o O
        """
    assert check(miai) == (3, 8)
    # With E7 White's, C7 is the last of the two: Black will have to fill D6.
    cut = miai.replace("X X . X . X X O", "X X . X O X X O").replace("X X X x X X X O", "X X X . X X X O")
    assert check(cut) == (2, 8)


def test_a_dame_where_the_enemy_would_be_taken_at_once_is_no_cut() -> None:
    # One eye above and one below. White B5 is answered at A5; White A5 is captured by B5.
    assert check(
        """
            x X O o o o o
            X X O o o o o
            . . O o o o o
            X X O o o o o
            x X O o o o o
            X X O o o o o
            O O O o o o o
            """
    ) == (2, 28)


def test_a_dead_stone_is_a_prisoner_and_its_point_territory() -> None:
    board = """
        x x x X . O o
        x @ x X . O O
        x @ x X . O o
        x x X X . O O
        X X X . O O o
        . . . O O O O
        O O O O o # o
        """
    assert check(board, dead="B6 F1") == (11 + 2, 6 + 1)
    assert check(board, dead="B6 F1", rules=AREA) == (11 + 8, 6 + 16)


def test_a_dead_stone_takes_its_own_string_only() -> None:
    board = """
        . . . X O
        . O . X O
        O . X X O
        . @ X O O
        X X X O o
        """
    black, white = check(board, dead="B2")
    assert (black, white) == (1, 1)


@pytest.mark.parametrize("dead", ["A1", "pass", "K10", "nonsense"])
def test_a_dead_stone_that_is_not_there_is_refused(dead: str) -> None:
    with pytest.raises(ValueError, match=r"A1 is empty|not a point|not a vertex"):
        Position(9).score(dead=[dead])


def test_dead_stones_may_be_points_or_vertices_and_named_twice() -> None:
    position = Position.from_text(". X . . .\n" + "X X . . .\n" * 2 + ". . . . .\n. . . O .", rules=AREA)
    point = position.point("D1")
    scores = [position.score(dead) for dead in ([point], ["D1"], iter(["d1", point]), {np.int64(point)})]
    assert {(s.black, s.white, s.dead) for s in scores} == {(25, 0, (point,))}


@pytest.mark.parametrize("size", range(2, 20))
@pytest.mark.parametrize("rules", [JAPANESE, AREA])
def test_an_empty_board_is_nobodys_and_one_stone_owns_it(size: int, rules: Rules) -> None:
    empty = Position(size, rules).score()
    assert (empty.black, empty.white) == (0, 0) and not empty.owner.any()
    assert str(empty.result) == "0"
    alone = Position(size, rules).play("A1").score()
    assert (alone.owner == Color.BLACK).all()
    assert alone.black == size**2 - (rules.scoring is Scoring.TERRITORY)


def test_one_colour_owns_even_its_single_eye() -> None:
    assert check("X X\nX x", rules=JAPANESE) == (1, 0)
    assert check("X X\nX x", rules=AREA) == (4, 0)


def test_prisoners_of_the_game_count_under_territory_rules_only() -> None:
    for rules, black in ((JAPANESE, 9 - 4 + 1), (AREA, 9)):
        position = Position(3, rules)
        for color, vertex in (("B", "A2"), ("W", "A1"), ("B", "B1"), ("B", "B2"), ("B", "C2")):
            position.play_as(Color.parse(color), vertex)
        assert position.score().black == black
        assert position.score().tallies[Color.BLACK].prisoners == 1


def test_komi_and_handicap_bonus_are_whites() -> None:
    def white(bonus: HandicapBonus) -> float:
        position = Position(9, Rules(handicap_bonus=bonus, komi=0.5)).set_stones(black=["C3", "G7", "G3"])
        return position.score().white

    assert white(HandicapBonus.NONE) == 0.5
    assert white(HandicapBonus.STONES) == 3.5
    assert white(HandicapBonus.STONES_LESS_ONE) == 2.5
    assert Position(9, komi=-3.5).score().white == -3.5


def test_a_score_says_who_leads_and_prints_itself() -> None:
    stones = DAME.replace("x", ".").replace("o", ".")
    score = Position.from_text(stones, rules="japanese").score()
    assert score.lead == Lead(6.5, Color.WHITE)
    assert score.lead.of(Color.BLACK) == -6.5
    assert str(score.result) == "W+6.5"
    lines = str(score).splitlines()
    assert lines[-3:] == [
        "Black: 3 (3 points + 0 prisoners)",
        "White: 9.5 (3 points + 0 prisoners + 6.5 komi)",
        "Result: W+6.5",
    ]
    assert " 5 x X . O o 5" in lines


def test_pass_alive_stones_and_territory() -> None:
    position = Position.from_text(
        """
        . X . X O . .
        X X X X O . .
        O O O O O . .
        . . . . . . .
        . . . . . . .
        . . . . . X .
        . . . . . . .
        """
    )
    black, white = position.pass_alive(Color.BLACK), position.pass_alive(Color.WHITE)
    assert sorted(position.vertex(int(p)) for p in np.flatnonzero(black.stones)) == [
        "A6",
        "B6",
        "B7",
        "C6",
        "D6",
        "D7",
    ]
    assert sorted(position.vertex(int(p)) for p in np.flatnonzero(black.territory)) == ["A7", "C7"]
    assert not white.stones.any() and not white.territory.any()
