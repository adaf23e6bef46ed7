"""Life and the count, by definition. Boards are those of go_reference."""

from __future__ import annotations

from collections.abc import Iterator

from reference.go_reference import (
    BLACK,
    WHITE,
    Board,
    after,
    border,
    components,
    liberties,
    neighbours,
    string_at,
    strings,
)


def reachable(board: Board, mover: int, size: int, suicide: bool) -> Iterator[Board]:
    """Every board that `mover` can reach while the other side always passes."""
    found = {frozenset(board.items())}
    todo = [board]
    while todo:
        now = todo.pop()
        yield now
        for p in range(size**2):
            if p in now:
                continue
            new = after(now, p, mover, size)
            key = frozenset(new.items())
            if key in found or (p not in new and not suicide):
                continue
            found.add(key)
            todo.append(new)


def pass_alive_by_search(board: Board, color: int, size: int, suicide: bool) -> set[int]:
    """The stones of `color` that stand on every board the enemy can reach while `color` passes."""
    stones = {p for p, c in board.items() if c == color}
    for other in reachable(board, 3 - color, size, suicide):
        stones = {p for p in stones if other.get(p) == color}
        if not stones:
            break
    return stones


def benson(board: Board, color: int, size: int, suicide: bool) -> tuple[set[int], list[set[int]]]:
    """Benson's fixed point, word for word: pass-alive stones, and the regions no other string touches."""
    alive = [frozenset(s) for s in strings(board, color, size)]
    regions = components((p for p in range(size**2) if board.get(p) != color), size)

    def vital(region: set[int], string: frozenset[int]) -> bool:
        points = {p for p in region if suicide or p not in board}
        return all(string & set(neighbours(p, size)) for p in points)

    while True:
        kept = [s for s in alive if sum(vital(r, s) for r in regions) >= 2]
        stones = set().union(*kept)
        safe = [r for r in regions if border(r, size) <= stones]
        if len(kept) == len(alive) and len(safe) == len(regions):
            return stones, safe
        alive, regions = kept, safe


def pass_alive_territory(board: Board, color: int, size: int, suicide: bool) -> set[int]:
    stones, safe = benson(board, color, size, suicide)
    territory: set[int] = set()
    for region in safe:
        open_points = {p for p in region if suicide or p not in board}
        around = [s for s in strings(board, color, size) if s & border(region, size)]
        vital = any(all(s & set(neighbours(p, size)) for p in open_points) for s in around)
        interior = [p for p in region if not any(board.get(q) == color for q in neighbours(p, size))]
        if stones and (vital or len(interior) <= 1):
            territory |= region
    return territory


def katago_area(board: Board, size: int, suicide: bool) -> dict[int, int]:
    """The area map of KataGo's input planes, as its description has it: owners of points."""
    owner: dict[int, int] = {}
    for color in (BLACK, WHITE):
        if color not in board.values():
            continue
        stones, safe = benson(board, color, size, suicide)
        owner.update(dict.fromkeys(stones, color))
        for region in components((p for p in range(size**2) if board.get(p) != color), size):
            interior = [p for p in region if not any(board.get(q) == color for q in neighbours(p, size))]
            no_enemy = not any(p in board for p in region)
            if region in safe and (len(interior) <= 1 or no_enemy):
                owner.update(dict.fromkeys(region, color))
            elif no_enemy:
                owner.update({p: color for p in region if p not in owner})
    return {**board, **owner}


def not_in_seki(board: Board, basic: dict[int, int], size: int) -> dict[int, int]:
    """KataGo's "independent life": parts of one owner with no stone in atari and no neutral point beside."""
    kept: dict[int, int] = {}
    for color in (BLACK, WHITE):
        for part in components((p for p, c in basic.items() if c == color), size):
            atari = any(
                board.get(p) == color and len(liberties(board, string_at(board, p, size), size)) == 1
                for p in part
            )
            neutral = any(q not in board and q not in basic for q in border(part, size))
            if not atari and not neutral:
                kept.update(dict.fromkeys(part, color))
    return kept


def katago_taxed_area(board: Board, size: int, suicide: bool) -> dict[int, int]:
    basic = katago_area(board, size, suicide)
    stones = {p: c for p, c in board.items() if basic.get(p) == c}
    return {**not_in_seki(board, basic, size), **stones}


def katago_territory(board: Board, size: int, suicide: bool, tax: bool, start: Board) -> dict[int, int]:
    basic = katago_area(board, size, suicide)
    owner = not_in_seki(board, basic, size)
    if not tax:
        owner.update({p: c for p, c in basic.items() if board.get(p) != c})
    for p, c in board.items():
        if p not in owner and start.get(p) == c:
            owner[p] = c
    return owner


def without(board: Board, dead: list[int], size: int) -> Board:
    gone: set[int] = set().union(*(string_at(board, p, size) for p in dead))
    return {p: c for p, c in board.items() if p not in gone}


def surrounded(board: Board, size: int) -> tuple[list[tuple[set[int], int]], set[int]]:
    """The empty regions that touch one colour only, with that colour, and all other empty points."""
    owned, neutral = [], set()
    for region in components((p for p in range(size**2) if p not in board), size):
        colors = {board[p] for p in border(region, size)}
        if len(colors) == 1:
            owned.append((region, colors.pop()))
        else:
            neutral |= region
    return owned, neutral


def eyes_in(region: set[int], size: int) -> int:
    """One eye in one or two points and in a square of four; two in anything larger."""
    if len(region) <= 2:
        return 1
    corner = min(region)
    return 1 if region == {corner, corner + 1, corner + size, corner + size + 1} else 2


def stands(board: Board, point: int, color: int, size: int) -> bool:
    """Would a stone here take something, or have two liberties?"""
    if any(3 - color == board.get(q) and q not in after(board, point, color, size) for q in board):
        return True
    placed = {**board, point: color}
    return len(liberties(placed, string_at(placed, point, size), size)) >= 2


def with_connections(live: Board, neutral: set[int], regions: list[set[int]], color: int, size: int) -> Board:
    """The board with the dame that `color` keeps, because they hold its strings together."""

    def touching(board: Board, point: int) -> list[set[int]]:
        beside = {q for q in neighbours(point, size) if board.get(q) == color}
        return [s for s in strings(board, color, size) if s & beside]

    board = dict(live)
    for p in neutral:
        if len(touching(live, p)) >= 2 and not stands(live, p, 3 - color, size):
            board[p] = color
    while True:
        # Strings are of a group if they share surrounded regions, directly or through others.
        clusters = strings(board, color, size)
        for region in regions:
            beside = [s for s in clusters if s & border(region, size)]
            clusters = [s for s in clusters if s not in beside] + [set().union(*beside)]
        for string in strings(board, color, size):
            dame = sorted(liberties(board, string, size) & neutral)
            joins = {
                (p, i)
                for p in dame
                for i, cluster in enumerate(clusters)
                if any(s != string and s <= cluster for s in touching(board, p))
            }
            kept = [p for p, i in sorted(joins) if len({q for q, j in joins if j == i}) >= 2]
            if kept:
                board[kept[0]] = color
                break
        else:
            return board


def counted(
    board: Board, dead: list[int], size: int, territory: bool, tax: str
) -> tuple[dict[int, int], dict[int, int]]:
    """The owners, and the tax of both: surrounded points, less (under territory rules) those to be filled
    once the dame are gone, less (with a tax) those in seki."""
    live = without(board, dead, size)
    owned, neutral = surrounded(live, size)
    owner = dict(live)
    paid = {BLACK: 0, WHITE: 0}
    for color in (BLACK, WHITE):
        regions = [region for region, c in owned if c == color]
        settled = with_connections(live, neutral, regions, color, size)
        settled.update({p: 3 - color for p in neutral if p not in settled})

        while True:
            now = strings(settled, color, size)
            for s in now:
                last = liberties(settled, s, size)
                if len(last) != 1:
                    continue
                joined = string_at({**settled, min(last): color}, min(last), size)
                if liberties({**settled, min(last): color}, joined, size):
                    settled[min(last)] = color
                    break
            else:
                break

        eye_spaces = components({p for r in regions for p in r} - settled.keys(), size)
        parts: list[tuple[set[int], list[set[int]]]] = []  # stones and eyes of each group
        for region in eye_spaces:
            stones = set().union(*(s for s in now if s & border(region, size)))
            eyes = [region]
            for other in [part for part in parts if part[0] & stones]:
                stones |= other[0]
                eyes += other[1]
                parts.remove(other)
            parts.append((stones, eyes))
        filled = {p for r in regions for p in r if p in settled} if not territory else set()
        for stones, eyes in parts:
            has_dame = any(live.get(q) == color and q in stones for p in neutral for q in neighbours(p, size))
            seki = has_dame and sum(eyes_in(e, size) for e in eyes) < 2
            if seki and tax != "NONE":
                continue
            mine = set().union(*eyes) | (filled & stones)
            owner.update(dict.fromkeys(mine, color))
            if tax == "ALL" and not seki:
                paid[color] += min(2, len(mine))
    return owner, paid
