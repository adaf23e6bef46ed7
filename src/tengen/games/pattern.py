"""Local patterns: a rectangle of the board, drawn as text or taken from an SGF file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sgfmill.sgf import Tree_node

from tengen.errors import InputError
from tengen.go.color import Color
from tengen.go.files import read_record
from tengen.go.sgf import sgf_tree

EMPTY, BLACK, WHITE, ANY = ".XO?"
MARGIN = 1  # lines around the stones of an SGF that belong to the pattern
NEAR_EDGE = 3  # this many lines or fewer between pattern and edge belong to it too
_SWAPPED = str.maketrans("XO", "OX")


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a pattern lies on a board: turned by a symmetry (`tengen.planes.encode` numbers them), its colours
    swapped or not, its top left corner then at column `x`, row `y`."""

    width: int  # of the pattern as drawn
    height: int
    symmetry: int
    colors_swapped: bool
    x: int
    y: int

    def to_board(self, x: int, y: int) -> tuple[int, int]:
        """Column and row on the board of a column and row of the pattern, which may lie outside of it.

        >>> Placement(3, 2, symmetry=5, colors_swapped=False, x=10, y=0).to_board(0, 0)
        (11, 0)
        """
        y = self.height - 1 - y if self.symmetry & 1 else y
        x = self.width - 1 - x if self.symmetry & 2 else x
        x, y = (y, x) if self.symmetry & 4 else (x, y)
        return self.x + x, self.y + y


@dataclass(frozen=True, slots=True)
class Pattern:
    """What must be on each point: `X` a black stone, `O` a white one, `.` nothing, `?` anything.

    An edge that is set is the edge of the board; on the other sides the board may go on or not. Without edges
    to the left and right the pattern may lie anywhere along the rows, and likewise along the columns.

    >>> corner = Pattern.parse('''
    ...     . . . |
    ...     . X . |
    ...     ? . O |
    ...     ------+
    ... ''')
    >>> corner.rows, corner.right, corner.bottom, corner.left
    (('...', '.X.', '?.O'), True, True, False)
    """

    rows: tuple[str, ...]
    left: bool = False
    right: bool = False
    top: bool = False
    bottom: bool = False
    to_move: Color | None = None  # if it matters
    size: int | None = None  # of the board, if it matters
    origin: tuple[int, int] = (0, 0)  # column and row of the top left point on the board it was taken from

    def __post_init__(self) -> None:
        if not self.rows or not self.rows[0] or any(len(row) != self.width for row in self.rows):
            raise InputError("a pattern is a rectangle: its rows must be of one length")
        if max(self.width, self.height) > 19:
            raise InputError("a pattern has 19 lines at most")
        if not any(c in (BLACK, WHITE) for row in self.rows for c in row):
            raise InputError("a pattern needs a stone")

    @property
    def width(self) -> int:
        return len(self.rows[0])

    @property
    def height(self) -> int:
        return len(self.rows)

    @staticmethod
    def read(path: str | Path) -> Pattern:
        """A pattern from a file, SGF or a drawing."""
        try:
            text = read_record(Path(path)).decode("utf-8-sig", "replace")
            return Pattern.from_sgf(path) if text.lstrip().startswith("(") else Pattern.parse(text)
        except InputError as error:
            raise InputError(str(error) if str(path) in str(error) else f"{path}: {error}") from None

    @staticmethod
    def parse(text: str) -> Pattern:
        """A drawing: a row a line, `|` and lines of `-` for the edges of the board, blanks as you like.

        A line `X to move` or `O to move` says whose turn it must be.
        """
        rows: list[str] = []
        edges: set[str] = set()
        to_move = None
        for number, line in enumerate(text.splitlines(), 1):
            row = "".join(line.split())
            if not row:
                continue
            if row in ("Xtomove", "Otomove"):
                to_move = Color.BLACK if row[0] == BLACK else Color.WHITE
            elif set(row) <= set("+-"):
                edge = "bottom" if rows else "top"
                if edge in edges:
                    raise InputError(f"line {number}: the {edge} edge is drawn twice")
                edges.add(edge)
            elif "bottom" in edges:
                raise InputError(f"line {number}: there is something below the bottom edge")
            else:
                sides = {"left"} if row[0] == "|" else set()
                sides |= {"right"} if row[-1] == "|" else set()
                row = row.strip("|")
                if unknown := set(row) - set(".XO?"):
                    raise InputError(f"line {number}: '{min(unknown)}' is none of X, O, . and ?")
                if rows and sides != edges & {"left", "right"}:
                    raise InputError(f"line {number}: the edges are not those of the rows above")
                edges |= sides
                rows.append(row)
        return Pattern(
            tuple(rows), "left" in edges, "right" in edges, "top" in edges, "bottom" in edges, to_move=to_move
        )

    @staticmethod
    def from_sgf(source: str | bytes | Path, margin: int = MARGIN) -> Pattern:
        """The setup stones of a file's first node, with the empty points of a rectangle around them.

        The rectangle is that of the stones with `margin` more lines on each side, and goes on to an edge of the
        board that is then three lines away or nearer. Where the node has `VW` (the points to view) these are
        the pattern instead. Whose turn it is: `PL`, or the colour of the first move.
        """
        root = sgf_tree(source).get_root()
        try:
            return Pattern._of_node(root, margin)
        except ValueError as error:  # a property that is not what SGF says
            raise InputError(f"the first node of the SGF: {error}") from None

    @staticmethod
    def _of_node(root: Tree_node, margin: int) -> Pattern:
        size: int = root.get_size()
        if size > 19:
            raise InputError("board size: 2 to 19 lines are possible")
        black, white, _ = root.get_setup_stones()
        stones = dict.fromkeys(black, BLACK) | dict.fromkeys(white, WHITE)
        if not stones:
            raise InputError("the first node of the SGF has no stones (AB, AW)")
        view = set(root.get("VW")) if root.has_property("VW") else set()
        # sgfmill counts rows from the bottom.
        columns = sorted(column for _, column in view or stones)
        rows = sorted(size - 1 - row for row, _ in view or stones)

        def bounds(first: int, last: int) -> tuple[int, int]:
            if view:
                return first, last
            first, last = first - margin, last + margin
            return (0 if first <= NEAR_EDGE else first), (size - 1 if size - 1 - last <= NEAR_EDGE else last)

        left, right = bounds(columns[0], columns[-1])
        top, bottom = bounds(rows[0], rows[-1])

        def at(x: int, y: int) -> str:
            point = (size - 1 - y, x)
            return ANY if view and point not in view else stones.get(point, EMPTY)

        player = root.get("PL") if root.has_property("PL") else None
        if player is None and len(root):
            player = root[0].get_move()[0]
        return Pattern(
            tuple("".join(at(x, y) for x in range(left, right + 1)) for y in range(top, bottom + 1)),
            left=left == 0,
            right=right == size - 1,
            top=top == 0,
            bottom=bottom == size - 1,
            to_move=Color.parse(player) if player else None,
            size=size,
            origin=(left, top),
        )

    def placements(self, size: int) -> Iterator[Placement]:
        """Every way to lay it on a board of that size."""
        if self.size not in (None, size):
            return
        for symmetry in range(8):
            left, right, top, bottom = self.left, self.right, self.top, self.bottom
            width, height = self.width, self.height
            if symmetry & 1:
                top, bottom = bottom, top
            if symmetry & 2:
                left, right = right, left
            if symmetry & 4:
                left, right, top, bottom = top, bottom, left, right
                width, height = height, width
            for y in _starts(height, size, top, bottom):
                for x in _starts(width, size, left, right):
                    for swapped in (False, True):
                        yield Placement(self.width, self.height, symmetry, swapped, x, y)

    def cells(self, placement: Placement) -> Iterator[tuple[int, int, str]]:
        """Column, row and content of what must be on the board; `?` is left out."""
        for y, row in enumerate(self.rows):
            for x, cell in enumerate(row.translate(_SWAPPED) if placement.colors_swapped else row):
                if cell != ANY:
                    yield *placement.to_board(x, y), cell

    def __str__(self) -> str:
        line = "+" * self.left + "-" * (2 * self.width - 1) + "+" * self.right
        rows = ["|" * self.left + " ".join(row) + "|" * self.right for row in self.rows]
        return "\n".join([line] * self.top + rows + [line] * self.bottom)


def _starts(length: int, size: int, first: bool, last: bool) -> range:
    if length > size or (first and last and length != size):
        return range(0)
    if first:
        return range(1)
    return range(size - length, size - length + 1) if last else range(size - length + 1)
