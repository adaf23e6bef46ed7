"""The planes of golois39, alphago48, cgi50 and dann41 once more, by playing every move on go_reference's boards.

Each function gives the points of a plane, by the plane's name, for a `Scene`.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from reference import ladder_reference as ladder
from reference.go_reference import neighbours, string_at
from reference.ladder_reference import State

Planes = dict[str, set[int]]


@dataclass
class Scene:
    """A board with the side to move and the points of the last moves, the last first; None for a pass."""

    state: State
    me: int
    last: list[int | None] = field(default_factory=list)

    @property
    def size(self) -> int:
        return self.state.size

    @property
    def points(self) -> range:
        return range(self.size**2)


def effect(state: State, point: int, color: int) -> tuple[int, int, int]:
    """Enemy stones taken, stones and liberties of the string after a legal play."""
    then = state.play(point, color)
    taken = sum(q not in then.board for q in state.board)
    return taken, len(string_at(then.board, point, state.size)), len(then.liberties(point))


def is_eye(state: State, point: int, color: int) -> bool:
    size = state.size
    if any(state.board.get(q) != color for q in neighbours(point, size)):
        return False
    y, x = divmod(point, size)
    diagonals = [(y + dy, x + dx) for dy in (-1, 1) for dx in (-1, 1)]
    inside = [j * size + i for j, i in diagonals if 0 <= j < size and 0 <= i < size]
    enemies = sum(state.board.get(q) == 3 - color for q in inside)
    return enemies + (len(inside) < 4) < 2


def stones(scene: Scene, planes: Planes) -> None:
    for p in scene.points:
        color = scene.state.board.get(p)
        planes["empty" if color is None else "friend" if color == scene.me else "enemy"].add(p)


def golois39(scene: Scene) -> Planes:
    planes: Planes = defaultdict(set)
    state, me, size = scene.state, scene.me, scene.size
    stones(scene, planes)
    for p in scene.points:
        y, x = divmod(p, size)
        if min(x, y, size - 1 - x, size - 1 - y) == 2:
            planes["third line"].add(p)
    if state.ko is not None:
        planes["ko"] |= set(scene.points)
        planes["ko point"].add(state.ko)
    passed = State(size, state.board)
    for who, color, now in (("friend", me, state), ("enemy", 3 - me, passed)):
        for p in scene.points:
            if state.board.get(p) == color:
                planes[f"{who} liberties {min(len(state.liberties(p)), 5)}"].add(p)
            if p in state.board or not now.legal(p, color):
                continue
            _, _, liberties = effect(now, p, color)
            planes[f"{who} liberties after {min(liberties, 6)}"].add(p)
            beside = [q for q in neighbours(p, size) if q in state.board]
            if beside and ladder.is_lost(now, p, color):
                planes[f"{who} move lost"].add(p)
            if any(
                state.board[q] != color and len(state.liberties(q)) <= 3 for q in beside
            ) and ladder.threatens(now, p, color):
                planes[f"{who} threatens"].add(p)
    for p, color in state.board.items():
        # The enemy's attack is read as if the side to move had passed.
        now = state if color != me else passed
        in_atari = len(state.liberties(p)) == 1
        caught = ladder.is_caught(now, p, color if in_atari else 3 - color)
        if caught:
            planes["caught"].add(p)
        elif in_atari:
            planes["escapes"].add(p)
    for i, p in enumerate(scene.last[:5]):
        if p is not None:
            planes[f"last move {i + 1}"].add(p)
    return planes


def alphago(scene: Scene, turns: int = 8, liberties: int = 8, after: int = 8) -> Planes:
    """Every feature of AlphaGo, CGI and DANN, by name; the numbers are those of the features' planes."""
    planes: Planes = defaultdict(set)
    state, me = scene.state, scene.me
    stones(scene, planes)
    planes["ones"] |= set(scene.points)
    if me == 1:
        planes["black"] |= set(scene.points)
    if state.ko is not None:
        planes["ko"].add(state.ko)
    for p, color in state.board.items():
        age = scene.last.index(p) + 1 if p in scene.last else turns
        planes[f"turns since {min(age, turns)}"].add(p)
        planes[f"liberties {min(len(state.liberties(p)), liberties)}"].add(p)
        del color
    for p in scene.points:
        if p in state.board or not state.legal(p, me):
            continue
        planes["legal"].add(p)
        if not is_eye(state, p, me):
            planes["sensible"].add(p)
        captured, size, left = effect(state, p, me)
        planes[f"capture size {min(captured, 7)}"].add(p)
        planes[f"liberties after {min(left, after)}"].add(p)
        if left == 1:
            planes[f"self-atari size {min(size, 8)}"].add(p)
        if ladder.catches(state, p, me):
            planes["ladder capture"].add(p)
        if ladder.escapes(state, p, me):
            planes["ladder escape"].add(p)
    return planes
