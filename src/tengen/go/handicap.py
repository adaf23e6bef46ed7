"""Where handicap stones go."""

from __future__ import annotations


def max_fixed_handicap(size: int) -> int:
    """The most stones GTP's table has for a size; 0 where it has none."""
    if size < 7:
        return 0
    return 9 if size % 2 and size >= 9 else 4


def fixed_handicap(size: int, stones: int) -> list[int]:
    """The points of a fixed handicap, as the GTP 2 specification (4.1.1) places and orders them.

    >>> from tengen import Position
    >>> [Position(19).vertex(p) for p in fixed_handicap(19, 3)]
    ['D4', 'Q16', 'D16']

    Raises ValueError for a number the table does not have: it has 2 to 9 stones on odd sizes from 9, and 2 to
    4 on even sizes and on 7.
    """
    most = max_fixed_handicap(size)
    if not 2 <= stones <= most:
        allowed = f"2 to {most} stones" if most else "none"
        raise ValueError(f"no fixed handicap of {stones} stones on {size}x{size}: the table has {allowed}")
    near = 3 if size >= 13 else 2
    far, middle = size - 1 - near, size // 2
    corners = [(near, far), (far, near), (near, near), (far, far)]  # x, y from the top left
    sides = [(near, middle), (far, middle), (middle, far), (middle, near)]
    center = [(middle, middle)] if stones in (5, 7, 9) else []
    places = (corners + sides)[: stones - len(center)] + center
    return [y * size + x for x, y in places]


def free_handicap(size: int, stones: int) -> list[int]:
    """A placement for any number of stones, from 2 to one less than the board has points.

    The fixed one where there is one; otherwise the largest fixed one (below 7x7: the middle) and then, one by
    one, the point farthest from all stones and from the edge.
    """
    area = size * size
    if not 2 <= stones < area:
        raise ValueError(f"a free handicap on {size}x{size} has 2 to {area - 1} stones, not {stones}")
    fixed = min(stones, max_fixed_handicap(size))
    points = fixed_handicap(size, fixed) if fixed else [size // 2 * size + size // 2]

    def edge(point: int) -> int:
        """Its line, squared: a stone on the third line has as much room as one three points from the next."""
        y, x = divmod(point, size)
        return (1 + min(x, y, size - 1 - x, size - 1 - y)) ** 2

    def from_middle(point: int) -> int:
        y, x = divmod(point, size)
        return abs(2 * x - size + 1) + abs(2 * y - size + 1)

    room = {p: edge(p) for p in range(area)}

    def take(point: int) -> None:
        del room[point]
        y, x = divmod(point, size)
        for p in room:
            room[p] = min(room[p], (p // size - y) ** 2 + (p % size - x) ** 2)

    for point in points:
        take(point)
    while len(points) < stones:
        points.append(max(room, key=lambda p: (room[p], -from_middle(p))))
        take(points[-1])
    return points
