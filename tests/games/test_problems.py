"""Local problems on whole boards of made games: which board is taken, and that both lines can be played on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tengen import Color, Game
from tengen.errors import InputError
from tengen.games.importing import read_games
from tengen.games.problems import ALONE, FOUND, OTHER_TURN, TAKEN_BACK, Problem, boards, read_problem
from tengen.games.store import GameStore

#   A corner of 9x9, lower right:  . . . . .      Black's trick is answered at e (refutation) or f (failure).
#                                  . . O X .
#                                  . . X O .
PROBLEM = "(;GM[1]SZ[9]AB[gf][hg]AW[hf][gg](;B[hh];W[ih])(;B[fg];W[hh]))"
# The same stones by play: Black 3, White 3, Black to move after move 4.
PLAYED = "(;GM[1]SZ[9]KM[6.5];B[gf];W[hf];B[hg];W[gg];B[cc];W[cg])"
# The same turned to the upper left and with colours changed, after a capture in the lower right.
TURNED = "(;GM[1]SZ[9]KM[6.5];B[bd];W[cd];B[cc];W[bc];B[ii];W[hi];B[hh];W[ih];B[gg];W[gh];B[fh])"


def store(tmp_path: Path, *games: str) -> GameStore:
    path = tmp_path / "games.sgfs"
    path.write_text("\n".join(games), encoding="utf-8")
    return GameStore(read_games([path])[0])


def problem(tmp_path: Path, text: str = PROBLEM) -> Problem:
    path = tmp_path / "problem1.sgf"
    path.write_text(text, encoding="utf-8")
    return read_problem(path)


def test_a_problem_has_stones_and_two_lines(tmp_path: Path) -> None:
    found = problem(tmp_path)
    assert found.name == "problem1"
    assert found.solver is Color.BLACK
    assert found.refutation == ((Color.BLACK, (7, 7)), (Color.WHITE, (8, 7)))
    assert found.failure == ((Color.BLACK, (5, 6)), (Color.WHITE, (7, 7)))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("(;SZ[9]AB[gf];B[hh];W[ih])", "two lines"),
        ("(;SZ[9]AB[gf](;B[hh])(;W[ih]))", "same colour"),
        ("(;SZ[9]AB[gf](;B[hh])(;C[nothing]))", "same colour"),
        ("(;SZ[9](;B[hh])(;B[ih]))", "no stones"),
        ("nonsense", "problem1"),
    ],
)
def test_what_is_no_problem_is_refused_with_the_reason(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        problem(tmp_path, text)


def test_the_board_of_the_game_with_the_solver_to_move(tmp_path: Path) -> None:
    [board] = boards(problem(tmp_path), [store(tmp_path, PLAYED)], most=5)
    assert board.how == FOUND
    assert len(board.game.moves) == 4
    assert board.source.endswith("games.sgfs:1")
    after = board.after(problem(tmp_path).refutation)
    assert str(after.position()) == str(Game.from_sgf(PLAYED.split(";B[cc]")[0] + ";B[hh];W[ih])").position())


def test_another_symmetry_and_colour_is_the_same_problem(tmp_path: Path) -> None:
    asked = problem(tmp_path)
    [board] = boards(asked, [store(tmp_path, TURNED)], most=5)
    assert board.placement.colors_swapped
    first = board.carried(asked.refutation)[0]
    assert first.color is Color.WHITE
    # White's stone goes where Black's would: beside the corner stones, towards the corner.
    assert first.point == 1 * 9 + 1
    assert len(board.after(asked.failure).moves) == len(board.game.moves) + 2


def test_the_board_with_the_fewest_moves_is_first_and_even_games_before_handicap(tmp_path: Path) -> None:
    later = "(;GM[1]SZ[9]KM[6.5];B[cc];W[cg];B[gf];W[hf];B[hg];W[gg];B[ch];W[dh])"
    handicap = "(;GM[1]SZ[9]KM[0.5]HA[2]AB[cc][cg];W[gf];B[hf];W[hg];B[gg])"
    pool = store(tmp_path, handicap, later, PLAYED)
    found = boards(problem(tmp_path), [pool], most=5)
    assert [(len(b.game.moves), b.game.handicap) for b in found] == [(4, 0), (6, 0), (4, 2)]
    assert len(boards(problem(tmp_path), [pool], most=2)) == 2


def test_a_board_on_which_a_line_cannot_be_played_is_passed_over(tmp_path: Path) -> None:
    far = PROBLEM.replace(
        "W[ih]", "W[ih];B[cc]"
    )  # the refutation goes on far away, where PLAYED has nothing yet
    taken = "(;GM[1]SZ[9]KM[6.5];B[cc];W[cg];B[gf];W[hf];B[hg];W[gg];B[ch];W[dh])"
    found = boards(problem(tmp_path, far), [store(tmp_path, taken, PLAYED)], most=5)
    assert [len(b.game.moves) for b in found] == [4]


def test_the_other_side_to_move_is_the_second_choice(tmp_path: Path) -> None:
    uneven = problem(tmp_path, PROBLEM.replace("AB[gf]", "AB[gf][ff]"))
    black_made_it = "(;GM[1]SZ[9]KM[6.5];B[gf];W[hf];B[hg];W[gg];B[ff])"
    [board] = boards(uneven, [store(tmp_path, black_made_it)], most=5)
    assert (board.how, len(board.game.moves)) == (OTHER_TURN, 5)
    [board] = boards(uneven, [store(tmp_path, black_made_it.replace("B[ff]", "B[ff];W[cc]"))], most=5)
    assert (board.how, len(board.game.moves)) == (FOUND, 6)


def test_a_trick_that_nobody_tried_is_put_on_the_board(tmp_path: Path) -> None:
    nearly = "(;GM[1]SZ[9]KM[6.5];B[gf];W[hf];B[hg];W[cc];B[cg])"  # White never played gg
    [board] = boards(problem(tmp_path), [store(tmp_path, nearly)], most=5)
    assert board.how == TAKEN_BACK
    assert board.game.moves[-1].point == 6 * 9 + 6
    assert board.game.moves[-1].color is Color.WHITE


def test_what_never_occurred_stands_alone(tmp_path: Path) -> None:
    [board] = boards(problem(tmp_path), [store(tmp_path, "(;GM[1]SZ[9]KM[6.5];B[ee];W[dd])")], most=5)
    assert board.how == ALONE
    assert board.game.position().to_move is Color.BLACK
    assert int((board.game.position().stones() > 0).sum()) == 4
    assert len(board.after(problem(tmp_path).failure).moves) == 2
