"""Local problems with a right and a wrong way to go on, set into whole boards of real games (thesis, Section 7.2.1).

A problem shows a part of the board. What the rest looks like is taken from games in which that part occurred, under
the eight symmetries and with colours swapped; the game up to there is kept, so the last moves are real ones too.
"""

from __future__ import annotations

import csv
import dataclasses
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sgfmill.sgf import Tree_node

from tengen.errors import InputError
from tengen.games.find import Match, find
from tengen.games.pattern import EMPTY, Pattern, Placement
from tengen.games.store import GameStore
from tengen.go.color import Color
from tengen.go.game import Game, Move, Setup
from tengen.go.position import IllegalMove
from tengen.go.sgf import sgf_tree

# How a board was found, from the closest to the problem to the farthest.
FOUND, OTHER_TURN, TAKEN_BACK, ALONE = (
    "in games",
    "the other to move",
    "without its last move",
    "alone on the board",
)

RATINGS = "trickratings.csv"

Point = tuple[int, int]  # column and row from the top left
Line = tuple[tuple[Color, Point], ...]


@dataclass(frozen=True)
class Problem:
    """A part of the board, the line that refutes the trick, and the one that falls for it."""

    name: str
    pattern: Pattern
    solver: Color
    refutation: Line
    failure: Line

    @property
    def size(self) -> int:
        assert self.pattern.size
        return self.pattern.size


@dataclass(frozen=True)
class Board:
    """A problem on a whole board: the record up to it, how it was found, and where the problem lies on it."""

    game: Game
    how: str
    source: str  # where the game is from; empty if there is none
    placement: Placement
    origin: Point

    def carried(self, line: Line) -> list[Move]:
        """A line of the problem, in the colours and at the points of this board."""
        moves = []
        for color, (x, y) in line:
            column, row = self.placement.to_board(x - self.origin[0], y - self.origin[1])
            if not (0 <= column < self.game.size and 0 <= row < self.game.size):
                raise IllegalMove("off the board")
            player = color.opponent if self.placement.colors_swapped else color
            moves.append(Move(player, row * self.game.size + column))
        return moves

    def after(self, line: Line) -> Game:
        """The record with a line of the problem played on. Raises IllegalMove where a stone is in the way."""
        moves = self.carried(line)
        position = self.game.position()
        for move in moves:
            position.play_as(int(move.color), move.point)
        return dataclasses.replace(self.game, moves=[*self.game.moves, *moves])


def read_problem(path: Path) -> Problem:
    """A problem from an SGF file: the stones of the first node, its first child the refutation, its second the
    failure."""
    root = sgf_tree(path).get_root()
    if len(root) < 2:
        raise InputError(f"{path}: a problem has two lines, first the refutation, then the failure")
    pattern = Pattern.read(path)
    try:
        refutation, failure = _line(root[0], root.get_size()), _line(root[1], root.get_size())
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    if not refutation or not failure or refutation[0][0] is not failure[0][0]:
        raise InputError(f"{path}: both lines of a problem begin with a move of the same colour")
    return Problem(path.stem, pattern, refutation[0][0], refutation, failure)


def problem_files(paths: list[Path]) -> tuple[list[Path], dict[str, tuple[float, float]]]:
    """The SGF files of files and folders, in the order of their numbers; what others say of failure and refutation."""
    files: list[Path] = []
    published: dict[str, tuple[float, float]] = {}
    for path in paths:
        if not path.exists():
            raise InputError(f"{path}: no such file or folder")
        files += sorted(path.glob("*.sgf"), key=_number) if path.is_dir() else [path]
        if path.is_dir() and (path / RATINGS).is_file():
            published |= _read_ratings(path / RATINGS)
    if not files:
        raise InputError(f"{', '.join(map(str, paths))}: there is no SGF file")
    return files, published


def _number(path: Path) -> tuple[int, str]:
    digits = re.search(r"\d+", path.stem)
    return (int(digits[0]) if digits else 0, path.stem)


def _read_ratings(path: Path) -> dict[str, tuple[float, float]]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            return {
                f"problem{int(row['Nr'])}": (float(row["Failure"]), float(row["Refutation"]))
                for row in csv.DictReader(file)
            }
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: it needs columns Nr, Failure and Refutation: {error}") from None


def _line(node: Tree_node, size: int) -> Line:
    moves = []
    while True:
        color, point = node.get_move()
        if color is not None and point is not None:
            moves.append((Color.parse(color), (point[1], size - 1 - point[0])))
        if not len(node):
            return tuple(moves)
        node = node[0]


def boards(
    problem: Problem,
    stores: Sequence[GameStore],
    most: int,
) -> list[Board]:
    """The problem on up to `most` boards of different games on which both lines can be played.

    Those with the solver to move come first; if there is none, those in which it was the other's turn; then those
    that lack one stone of the other side, which is put back (a trick nobody tried); at last the problem alone on an
    empty board. Of each kind even games go before those with a handicap, and then those with the fewest moves: the
    rest of the board matters least there.
    """
    pattern = problem.pattern

    def searched(wanted: Pattern) -> list[tuple[GameStore, Match]]:
        found = []
        for store in stores:
            handicap = store.frame["handicap"]
            found += [(handicap[match.game] > 0, match.move, store, match) for match in find(wanted, store)]
        found.sort(key=lambda row: row[:2])
        return [(store, match) for *_, store, match in found]

    for how, to_move in ((FOUND, problem.solver), (OTHER_TURN, problem.solver.opponent)):
        found = searched(dataclasses.replace(pattern, to_move=to_move))
        if kept := list(_playable(problem, found, how, None, most)):
            return kept
    best: list[Board] = []
    fewest = 0
    for stone, reduced in _one_less(problem):
        found = searched(dataclasses.replace(reduced, to_move=problem.solver.opponent))
        # The move that games make here most often is the likeliest to be missing.
        if len(found) > fewest and (kept := list(_playable(problem, found, TAKEN_BACK, stone, most))):
            best, fewest = kept, len(found)
    return best or [_alone(problem)]


def _one_less(problem: Problem) -> Iterator[tuple[Point, Pattern]]:
    """The pattern without each of the other side's stones."""
    letter = "XO"[int(problem.solver.opponent) - 1]
    rows = problem.pattern.rows
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            if cell == letter:
                less = row[:x] + EMPTY + row[x + 1 :]
                yield (x, y), dataclasses.replace(problem.pattern, rows=(*rows[:y], less, *rows[y + 1 :]))


def _playable(
    problem: Problem, found: Sequence[tuple[GameStore, Match]], how: str, missing: Point | None, most: int
) -> Iterator[Board]:
    games: set[tuple[int, int]] = set()
    for store, match in found:
        if len(games) == most:
            return
        if (id(store), match.game) in games:
            continue
        record = store.game(match.game)
        cut = dataclasses.replace(record, moves=record.moves[: match.move])
        source, line = store.frame.select("source", "line").row(match.game)
        board = Board(cut, how, f"{source}:{line}", match.placement, problem.pattern.origin)
        try:
            if missing is not None:
                x, y = problem.pattern.origin
                stone = (problem.solver.opponent, (x + missing[0], y + missing[1]))
                board = dataclasses.replace(board, game=board.after((stone,)))
            board.after(problem.refutation)
            board.after(problem.failure)
        except IllegalMove:
            continue
        games.add((id(store), match.game))
        yield board


def _alone(problem: Problem) -> Board:
    pattern = problem.pattern
    setup = Setup()
    for y, row in enumerate(pattern.rows):
        for x, cell in enumerate(row):
            point = (pattern.origin[1] + y) * problem.size + pattern.origin[0] + x
            if cell == "X":
                setup.black.append(point)
            elif cell == "O":
                setup.white.append(point)
    game = Game(size=problem.size, setup=setup, first_to_move=problem.solver)
    upright = Placement(pattern.width, pattern.height, 0, False, *pattern.origin)
    return Board(game, ALONE, "", upright, pattern.origin)
