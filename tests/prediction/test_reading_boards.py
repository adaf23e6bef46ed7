"""The drawn boards: each is read out to the end, so what is called right is right."""

from __future__ import annotations

from typing import Any

import pytest

from tengen import Color, Position
from tengen.go.ladder import Answer, catches, is_caught
from tengen.prediction.reading_boards import BOARDS, HARD, ReadingBoard


def taken(position: Position, target: int, owner: Color) -> bool:
    return int(position.stones().flat[target]) != owner


def can_take(
    position: Position, target: int, owner: Color, region: list[int], depth: int, known: dict[Any, bool]
) -> bool:
    """Whether the string at `target` is taken by best play in the region; either side may pass there. `known` has what
    was found before."""
    if taken(position, target, owner):
        return True
    if depth == 0 or position.passes >= 2:
        return False
    key = (position.stones().tobytes(), position.to_move, position.ko, position.passes, depth)
    if key not in known:
        attacks = position.to_move is not owner
        moves = [p for p in region if position.is_legal(p)] + [position.pass_]
        results = (
            can_take(position.copy().play(move), target, owner, region, depth - 1, known) for move in moves
        )
        known[key] = any(results) if attacks else all(results)
    return known[key]


def inner_points(board: ReadingBoard) -> list[int]:
    """The liberties of the race, the points of the eye space."""
    corner = " ".join(f"{column}{row}" for column in "ABCDE" for row in (19, 18, 17))
    points = {
        "race": "B19 B18 D19 F19 F18",
        "eye space": "A19 B19 C19 A18 B18 C18",
        "hard eye space": corner,
    }[board.kind]
    position = board.position
    return [position.point(v) for v in points.split() if not position.stones().flat[position.point(v)]]


@pytest.mark.parametrize("board", (*BOARDS, *HARD), ids=lambda board: board.name)
def test_what_is_right_takes_or_saves_the_string_and_what_is_wrong_does_not(board: ReadingBoard) -> None:
    position = board.position
    target = position.point(board.target)
    owner = Color(int(position.stones().flat[target]))
    attacks = position.to_move is not owner
    if "ladder" in board.kind and attacks:
        assert catches(position, board.right) is Answer.YES and catches(position, board.wrong) is Answer.NO
        return
    after = {move: position.copy().play(move) for move in (board.right, board.wrong)}
    if board.kind == "ladder":
        assert is_caught(after[board.right], board.target) is Answer.NO
        assert is_caught(after[board.wrong], board.target) is Answer.YES
        without = position.copy().set_stones(empty=board.white).play(board.right)
        assert is_caught(without, board.target) is Answer.YES  # but for the stone that breaks it
        return
    region = inner_points(board)
    deep = 2 * len(region) + 1
    right, wrong = (
        can_take(after[move], target, owner, region, deep, {}) for move in (board.right, board.wrong)
    )
    assert (right, wrong) == ((True, False) if attacks else (False, True))
