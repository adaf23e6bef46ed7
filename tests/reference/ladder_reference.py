"""Ladders by plain search: every move of both sides, no shortcut. Boards are those of go_reference."""

from __future__ import annotations

from dataclasses import dataclass

from reference.go_reference import Board, after, border, liberties, neighbours, string_at


@dataclass(frozen=True)
class State:
    size: int
    board: Board
    ko: int | None = None

    def legal(self, point: int, color: int) -> bool:
        return (
            point not in self.board
            and point != self.ko
            and point in after(self.board, point, color, self.size)
        )

    def play(self, point: int, color: int) -> State:
        new = after(self.board, point, color, self.size)
        taken = [p for p in self.board if p not in new]
        mine = string_at(new, point, self.size)
        is_ko = len(taken) == 1 and len(mine) == 1 and len(liberties(new, mine, self.size)) == 1
        return State(self.size, new, taken[0] if is_ko else None)

    def liberties(self, stone: int) -> set[int]:
        return liberties(self.board, string_at(self.board, stone, self.size), self.size)

    def captures(self, stone: int) -> set[int]:
        """Where the owner takes an enemy string beside that of `stone`."""
        owner = self.board[stone]
        moves: set[int] = set()
        for q in border(string_at(self.board, stone, self.size), self.size):
            if self.board.get(q) == 3 - owner and len(self.liberties(q)) == 1:
                moves |= self.liberties(q)
        return moves


def defends(state: State, stone: int, depth: int = 0) -> bool:
    """The owner plays: is the string caught?"""
    if depth >= state.size**2 * 3 // 2:
        return True
    if len(state.liberties(stone)) >= 2:
        return False
    if depth == 0:
        state = State(state.size, state.board)
    elif state.ko is not None:
        return False
    owner = state.board[stone]
    moves = [m for m in state.captures(stone) | state.liberties(stone) if state.legal(m, owner)]
    return all(attacks(state.play(m, owner), stone, depth + 1) for m in moves)


def attacks(state: State, stone: int, depth: int) -> bool:
    """The enemy plays: is the string caught?"""
    if depth >= state.size**2 * 3 // 2:
        return True
    around = state.liberties(stone)
    if len(around) != 2:
        return len(around) < 2
    enemy = 3 - state.board[stone]
    if is_double_ko(state, stone, around):
        return True
    return any(
        defends(state.play(m, enemy), stone, depth + 1) for m in sorted(around) if state.legal(m, enemy)
    )


def is_double_ko(state: State, stone: int, around: set[int]) -> bool:
    owner = state.board[stone]
    return (
        all(is_ko_capture(state, p, 3 - owner) for p in around)
        and all(len(state.play(p, owner).liberties(stone)) <= 2 for p in around)
        and not state.captures(stone)
    )


def is_ko_capture(state: State, point: int, color: int) -> bool:
    sides = neighbours(point, state.size)
    if not all(state.board.get(q) == 3 - color for q in sides):
        return False
    in_atari = [q for q in sides if len(state.liberties(q)) == 1]
    return len(in_atari) == 1 and len(string_at(state.board, in_atari[0], state.size)) == 1


def catches_string(state: State, move: int, stone: int) -> bool:
    enemy = 3 - state.board[stone]
    return state.legal(move, enemy) and defends(state.play(move, enemy), stone)


def is_caught(state: State, stone: int, first: int) -> bool:
    around = state.liberties(stone)
    if first == state.board[stone]:
        return len(around) == 1 and defends(state, stone)
    if len(around) == 1:
        return state.legal(min(around), first)
    return len(around) == 2 and any(catches_string(state, m, stone) for m in around)


def catches(state: State, move: int, color: int) -> bool:
    targets = [q for q in neighbours(move, state.size) if state.board.get(q) == 3 - color]
    return any(len(state.liberties(q)) == 2 and catches_string(state, move, q) for q in targets)


def escapes(state: State, move: int, color: int) -> bool:
    if not state.legal(move, color):
        return False
    saved = [
        q
        for q, c in state.board.items()
        if c == color and len(state.liberties(q)) == 1 and move in state.liberties(q) | state.captures(q)
    ]
    return any(not attacks(state.play(move, color), q, 1) for q in saved)


def is_lost(state: State, move: int, color: int) -> bool:
    return state.legal(move, color) and is_caught(state.play(move, color), move, 3 - color)


def threatens(state: State, move: int, color: int) -> bool:
    if not state.legal(move, color):
        return False
    then = state.play(move, color)
    targets = [q for q in neighbours(move, state.size) if then.board.get(q) == 3 - color]
    return any(is_caught(then, q, 3 - color if len(then.liberties(q)) == 1 else color) for q in targets)
