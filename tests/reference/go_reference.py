"""The rules of Go once more: slow, obvious, with nothing shared with the native core.

A board is a dict from point (row-major int) to colour (1 Black, 2 White). Every function says what it means
by flood fill over sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

Board = dict[int, int]
BLACK, WHITE = 1, 2


def neighbours(point: int, size: int) -> list[int]:
    y, x = divmod(point, size)
    around = [(y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x)]
    return [j * size + i for j, i in around if 0 <= i < size and 0 <= j < size]


def connected(start: int, size: int, belongs: Callable[[int], bool]) -> set[int]:
    """The points that `belongs` holds for, connected to `start`, which is one of them."""
    found, todo = {start}, [start]
    while todo:
        for q in neighbours(todo.pop(), size):
            if q not in found and belongs(q):
                found.add(q)
                todo.append(q)
    return found


def components(points: Iterable[int], size: int) -> list[set[int]]:
    left = set(points)
    parts = []
    while left:
        parts.append(connected(min(left), size, left.__contains__))
        left -= parts[-1]
    return parts


def border(points: set[int], size: int) -> set[int]:
    return {q for p in points for q in neighbours(p, size)} - points


def strings(board: Board, color: int, size: int) -> list[set[int]]:
    return components((p for p, c in board.items() if c == color), size)


def string_at(board: Board, point: int, size: int) -> set[int]:
    return connected(point, size, lambda q: board.get(q) == board[point])


def liberties(board: Board, string: set[int], size: int) -> set[int]:
    return {p for p in border(string, size) if p not in board}


def after(board: Board, point: int, color: int, size: int) -> Board:
    """The board when `color` has played on the empty `point`: enemies without liberties go, then its own."""
    new = {**board, point: color}
    for side in (3 - color, color):
        for string in strings(new, side, size):
            if not liberties(new, string, size):
                for p in string:
                    del new[p]
    return new


class Game:
    """Moves, and every rule for refusing one."""

    def __init__(self, size: int, ko: str, suicide: bool, board: Board | None = None, first: int = BLACK):
        self.size, self.ko, self.suicide = size, ko, suicide
        self.boards: list[Board] = [dict(board or {})]
        self.next: list[int] = [first]
        self.moves: list[tuple[int, int]] = []
        self.captured: list[dict[int, int]] = [{BLACK: 0, WHITE: 0}]

    @property
    def board(self) -> Board:
        return self.boards[-1]

    def refusal(self, point: int, color: int) -> str | None:
        if point == self.size**2:
            return None
        if point in self.board:
            return "occupied"
        new = after(self.board, point, color, self.size)
        if point not in new and (not self.suicide or new == self.board):
            return "suicide"
        if self.moves and self.moves[-1][0] == 3 - color and new == self.boards[-2]:
            return "ko"
        if self.ko == "positional" and new in self.boards:
            return "superko"
        if self.ko == "situational" and (new, 3 - color) in zip(self.boards, self.next, strict=True):
            return "superko"
        return None

    def legal(self, color: int) -> list[int]:
        return [p for p in range(self.size**2 + 1) if self.refusal(p, color) is None]

    def play(self, point: int, color: int) -> None:
        captured = dict(self.captured[-1])
        if point == self.size**2:
            new = dict(self.board)
        else:
            new = after(self.board, point, color, self.size)
            before = {**self.board, point: color}
            for p, c in before.items():
                captured[c] += p not in new
        self.boards.append(new)
        self.captured.append(captured)
        self.moves.append((color, point))
        self.next.append(3 - color)

    def undo(self) -> None:
        for history in (self.boards, self.next, self.moves, self.captured):
            history.pop()

    def ko_point(self) -> int | None:
        """The point the other side may not retake now."""
        if not self.moves or self.moves[-1][1] == self.size**2:
            return None
        color = 3 - self.moves[-1][0]
        for p in range(self.size**2):
            if p not in self.board and after(self.board, p, color, self.size) == self.boards[-2]:
                return p
        return None


def handicap_stones(setup: Board, moves: list[tuple[int, int]], size: int) -> int:
    """Black's setup stones and moves before White's first; a lone White pass among them is skipped.

    Two White moves in a row at the start say that Black's moves before them were no handicap.
    """
    if WHITE in setup.values():
        return 0
    opening = []
    for i, (color, point) in enumerate(moves):
        if color == WHITE and [c for c, _ in moves[i : i + 2]] == [WHITE, WHITE]:
            opening = []
            break
        if color == WHITE and point != size**2:
            break
        if color == BLACK and point != size**2:
            opening.append(point)
    stones = len(setup) + len(opening)
    return stones if stones >= 2 else 0


def transformed(point: int, size: int, symmetry: int) -> int:
    """Bit 0 flips y, bit 1 flips x, bit 2 then swaps x and y."""
    y, x = divmod(point, size)
    y = size - 1 - y if symmetry & 1 else y
    x = size - 1 - x if symmetry & 2 else x
    return x * size + y if symmetry & 4 else y * size + x
