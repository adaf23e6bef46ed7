"""Boards as text and as SVG."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

COLUMNS = "ABCDEFGHJKLMNOPQRST"

STEP, MARGIN = 24, 36  # of boards as SVG: from line to line, and from the first line to the edge
_WOOD = "#e3b96b"

Stones = npt.NDArray[np.uint8]


def star_points(size: int) -> set[int]:
    """The marked points of the board, row-major."""
    if size < 7:
        return set()
    edge = 2 if size < 13 else 3
    lines = {edge, size - 1 - edge}
    stars = {y * size + x for x in lines for y in lines}
    if size % 2:
        middle = size // 2
        stars.add(middle * size + middle)
        if size >= 15:
            stars |= {y * size + x for x in lines | {middle} for y in lines | {middle}}
    return stars


def text_board(stones: Stones, last: int | None = None) -> str:
    """The board as a person reads it: X Black, O White, the last move in brackets.

    >>> print(text_board(np.array([[0, 1], [2, 0]], dtype=np.uint8), last=1))
       A B
     2 .(X)2
     1 O . 1
       A B
    """
    marks = np.array([".", "X", "O"])[stones]
    for point in star_points(len(stones)):
        if not stones.flat[point]:
            marks.flat[point] = "+"
    return text_grid(marks, last)


def text_grid(marks: npt.NDArray[np.str_], last: int | None = None) -> str:
    """One letter a point with coordinates around them; the point `last` in brackets."""
    size = len(marks)
    header = "   " + " ".join(COLUMNS[:size])
    rows = [header]
    for y in range(size):
        row = f"{size - y:2}"
        for x in range(size):
            point = y * size + x
            row += ("(" if point == last else ")" if x and point - 1 == last else " ") + marks[y, x]
        rows.append(row + (")" if last == y * size + size - 1 else " ") + str(size - y))
    return "\n".join([*rows, header])


def parse_text(diagram: str) -> Stones:
    """The stones [size, size] of a diagram as `text_board` draws it, with or without coordinates."""
    rows = []
    for line in diagram.splitlines():
        columns = line.split()
        if columns == list(COLUMNS[: len(columns)]):
            continue  # the header, or an empty line
        rows.append([".XO".index(c) for c in line.replace("+", ".") if c in ".XO"])
    if any(len(row) != len(rows) for row in rows) or not rows:
        raise ValueError(f"not a square board: {len(rows)} rows of {sorted({len(r) for r in rows})} points")
    return np.array(rows, dtype=np.uint8)


def svg_board(stones: Stones, last: int | None = None, marks: Mapping[int, str] | None = None) -> str:
    """The board as SVG, STEP units a line; `marks` writes labels of up to three characters on points.

    Letters are large enough to be read where a board of 19x19 is as wide as a telephone.
    """
    size = len(stones)
    span = STEP * (size - 1)
    side = span + 2 * MARGIN

    def at(i: int) -> int:
        return MARGIN + STEP * i

    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" '
        f'viewBox="0 0 {side} {side}" width="{side}" height="{side}">',
        f'<rect width="{side}" height="{side}" fill="{_WOOD}"/>',
        '<g stroke="#4a3818" stroke-width="1">',
    ]
    for i in range(size):
        parts.append(f'<path d="M{at(i)} {MARGIN}v{span}M{MARGIN} {at(i)}h{span}"/>')
    parts.append("</g>")
    for point in sorted(star_points(size)):
        parts.append(f'<circle cx="{at(point % size)}" cy="{at(point // size)}" r="3" fill="#4a3818"/>')
    parts.append('<g font-family="sans-serif" font-size="14" text-anchor="middle" fill="#4a3818">')
    for i in range(size):
        for edge in (17, side - 7):
            parts.append(f'<text x="{at(i)}" y="{edge}">{COLUMNS[i]}</text>')
        for edge in (12, side - 12):
            parts.append(f'<text x="{edge}" y="{at(i) + 5}">{size - i}</text>')
    parts.append("</g>")
    for point in range(size * size):
        color = stones[point // size, point % size]
        if not color:
            continue
        fill = "#111" if color == 1 else "#fdfdfd"
        parts.append(
            f'<circle cx="{at(point % size)}" cy="{at(point // size)}" r="11" fill="{fill}" stroke="#111"/>'
        )
    if last is not None:
        ring = "#fdfdfd" if stones[last // size, last % size] == 1 else "#111"
        parts.append(
            f'<circle cx="{at(last % size)}" cy="{at(last // size)}" r="5" fill="none" '
            f'stroke="{ring}" stroke-width="2"/>'
        )
    for point, label in (marks or {}).items():
        stone = stones[point // size, point % size]
        ink = "#fdfdfd" if stone == 1 else "#111"
        x, y = at(point % size), at(point // size)
        if not stone:  # no lines behind the label
            parts.append(f'<circle cx="{x}" cy="{y}" r="11" fill="{_WOOD}"/>')
        height = {1: 20, 2: 15}.get(len(label), 11)
        parts.append(
            f'<text x="{x}" y="{y + 0.36 * height:.1f}" font-family="sans-serif" font-weight="bold" '
            f'font-size="{height}" text-anchor="middle" fill="{ink}">{_escape(label)}</text>'
        )
    return "".join([*parts, "</svg>"])


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
