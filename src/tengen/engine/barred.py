"""Moves that a client bars: each colour has a table of moves and of the depth from which a move is allowed."""

from __future__ import annotations

from tengen.go.color import Color

DEEPEST = 1000  # no search goes deeper


def bar(
    banned: dict[Color, dict[int, int]], color: Color, points: set[int], depth: int, size: int, others: bool
) -> None:
    """Bars the points, or all others, up to a depth; what is barred deeper already stays so."""
    depth = min(depth, DEEPEST)
    barred = set(range(size * size + 1)) - points if others else points
    table = banned.setdefault(color, {})
    table.update({point: max(depth, table.get(point, 0)) for point in barred})
