"""All games of a pool in which a local pattern was on the board."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen import _native
from tengen.games.pattern import BLACK, EMPTY, WHITE, Pattern, Placement
from tengen.games.store import GameStore
from tengen.go.color import Color
from tengen.progress import Progress, Report, silent

_COLORS = {EMPTY: 0, BLACK: int(Color.BLACK), WHITE: int(Color.WHITE)}
_WHITE_BIT = 0x8000
_CHUNK = 20_000  # games between two calls of `progress`


class Match(NamedTuple):
    """A pattern on the board of a game, at the first moment that it lay there."""

    game: int  # row of the pool
    move: int  # moves played before, passes included
    placement: Placement
    next: tuple[int, int] | None  # the next move, as column and row of the pattern; None if elsewhere or none
    next_color: Color | None  # who made it, as the pattern has the colours; None at the end of the record

    def to_json(self) -> dict[str, Any]:
        return {
            "row": self.game,
            "move": self.move,
            "symmetry": self.placement.symmetry,
            "colors_swapped": self.placement.colors_swapped,
            "x": self.placement.x,
            "y": self.placement.y,
            "next": self.next,
        }


class Continuation(NamedTuple):
    """What was played next, and how the games of those who played it ended."""

    next: tuple[int, int] | None  # None: elsewhere
    color: Color
    times: int
    wins: int  # of the side that played it
    decided: int  # games with a winner

    def to_json(self) -> dict[str, Any]:
        return {
            "next": self.next,
            "color": "XO"[self.color - 1],
            "times": self.times,
            "won": self.wins,
            "decided": self.decided,
        }


def find(
    pattern: Pattern,
    store: GameStore,
    threads: int | None = None,
    progress: Report = silent,
) -> list[Match]:
    """Where `pattern` was on the board, under the eight symmetries and with colours swapped, in pool order.

    Games are replayed, so that stones taken are gone. A place of the board counts once a game, at the first moment
    (with the right side to move, if the pattern names one). A pattern symmetric in itself is found once, not twice.
    """
    records = store.records()
    matches: list[Match] = []
    done = 0
    for size in sorted({int(size) for size in records.sizes}):
        placements = _Placements(pattern, size)
        for begin in range(0, len(records) if placements.kept else 0, _CHUNK):
            end = min(begin + _CHUNK, len(records))
            rows = _native.find_placements(
                size,
                *placements.arrays(),
                records.sizes,
                records.moves_flat,
                records.move_offsets,
                records.setup_flat,
                records.setup_offsets,
                records.first_to_move,
                begin,
                end,
                threads or os.cpu_count() or 1,
            )
            places = set()
            for game, move, number in rows.tolist():
                # Stones that are the same with colours swapped may have been there for either side to move.
                place = (game, placements.place[number])
                if place in places:
                    continue
                places.add(place)
                index = int(records.move_offsets[game]) + move
                ended = index == int(records.move_offsets[game + 1])
                matches.append(
                    placements.match(game, move, number, None if ended else int(records.moves_flat[index]))
                )
            done += int(np.count_nonzero(records.sizes[begin:end] == size))
            progress(Progress("searching", done, len(records)))
    return sorted(matches, key=lambda match: (match.game, match.move))


def continuations(matches: list[Match], store: GameStore) -> list[Continuation]:
    """The next moves, the most frequent first."""
    winners = store.records().winner
    table: dict[tuple[tuple[int, int] | None, Color], list[int]] = {}
    for match in matches:
        if match.next_color is None:
            continue
        counts = table.setdefault((match.next, match.next_color), [0, 0, 0])
        winner = int(winners[match.game])
        player = match.next_color.opponent if match.placement.colors_swapped else match.next_color
        counts[0] += 1
        counts[1] += winner == int(player)
        counts[2] += winner != 0
    rows = [Continuation(point, color, *counts) for (point, color), counts in table.items()]
    return sorted(rows, key=lambda row: (-row.times, row.next or (99, 99), row.color))


class _Placements:
    """The placements of a pattern on one board size, each once, and what lies at their points."""

    def __init__(self, pattern: Pattern, size: int) -> None:
        self.pattern, self.size = pattern, size
        self.kept: list[Placement] = []
        self._cells: list[list[tuple[int, int]]] = []
        self._to_move: list[int] = []
        self.place: list[int] = []  # the same number for the same points and stones
        self._inside: dict[int, dict[int, tuple[int, int]]] = {}
        seen = set()
        numbers: dict[tuple[tuple[int, int], ...], int] = {}
        for placement in pattern.placements(size):
            cells = sorted((y * size + x, _COLORS[cell]) for x, y, cell in pattern.cells(placement))
            color = pattern.to_move and self._color(pattern.to_move, placement)
            key = (tuple(cells), color)
            if key not in seen:
                seen.add(key)
                self.kept.append(placement)
                self._cells.append(cells)
                self.place.append(numbers.setdefault(tuple(cells), len(numbers)))
                self._to_move.append(int(color or 0))

    @staticmethod
    def _color(color: Color, placement: Placement) -> Color:
        return color.opponent if placement.colors_swapped else color

    def arrays(
        self,
    ) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint8], npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
        flat = np.array([cell for cells in self._cells for cell in cells], np.int64).reshape(-1, 2)
        offsets = np.cumsum([0, *map(len, self._cells)]).astype(np.int64)
        points, colors = (np.ascontiguousarray(column) for column in flat.T)
        return points.astype(np.uint16), colors.astype(np.uint8), offsets, np.array(self._to_move, np.uint8)

    def match(self, game: int, move: int, number: int, packed: int | None) -> Match:
        placement = self.kept[number]
        if packed is None:
            return Match(game, move, placement, None, None)
        if number not in self._inside:
            self._inside[number] = {
                by * self.size + bx: (x, y)
                for y in range(self.pattern.height)
                for x in range(self.pattern.width)
                for bx, by in [placement.to_board(x, y)]
            }
        color = Color.WHITE if packed & _WHITE_BIT else Color.BLACK
        point = self._inside[number].get(packed & ~_WHITE_BIT)
        return Match(game, move, placement, point, self._color(color, placement))
