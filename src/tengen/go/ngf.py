"""NGF, the files of wBaduk and Cyberoro. The format is not published; this reads what its files show.

Twelve lines (title, size, White with rank, Black with rank, site, handicap, a number, komi, date, minutes,
result in words, number of moves), then one line a move:

    PMABBQEEQ

A move is `PM`, two letters of its number, the colour, column and row from the top left (B is the first line;
AA is a pass), and the same two letters again in reverse.
"""

from __future__ import annotations

import re

from tengen.errors import InputError
from tengen.go.color import Color
from tengen.go.game import Game, Move, Setup
from tengen.go.gib import handicap_points
from tengen.go.result import Result
from tengen.go.rules import Rules
from tengen.go.text import decode

_MOVE = re.compile(r"PM..([BW])([A-Z])([A-Z])")


def read_game(data: bytes, name: str) -> Game:
    """The game of an NGF file. Raises InputError, naming the line, where it makes no sense."""
    lines = [line.strip() for line in decode(data).splitlines()]
    if len(lines) < 11:
        raise InputError(f"{name}: not an NGF file: its header has 12 lines, this has {len(lines)}")
    size = _whole(lines, 1, "board size", name)
    if not 2 <= size <= 19:
        raise InputError(f"{name}: line 2: board size: a board of 2 to 19 lines is needed, not {size}")
    handicap = _whole(lines, 5, "handicap", name)
    komi = _whole(lines, 7, "komi", name)
    if abs(komi) > 100:
        raise InputError(f"{name}: line 8: komi '{komi}' is not possible")
    if handicap >= 2 and (size != 19 or handicap > 9):
        raise InputError(
            f"{name}: line 6: where the {handicap} handicap stones are on a board of {size} is not known"
        )

    white, white_rank = _player(lines[2])
    black, black_rank = _player(lines[3])
    date = re.match(r"(\d{4})(\d\d)(\d\d)", lines[8])
    minutes = lines[9]
    info = {"GN": lines[0], "PC": lines[4]}
    if minutes.isdecimal() and len(minutes) < 6 and int(minutes):
        info["TM"] = str(60 * int(minutes))
    return Game(
        size=size,
        # Half a point is not written, and comes with even games only.
        rules=Rules.named("japanese").with_komi(komi + (0.5 if handicap == 0 else 0)),
        black=black,
        white=white,
        black_rank=black_rank,
        white_rank=white_rank,
        date="-".join(date.groups()) if date else "",
        handicap=handicap,
        result=Result.parse(lines[10]),
        setup=Setup(black=handicap_points(handicap)),
        moves=_moves(lines, size, name),
        info={key: value for key, value in info.items() if value},
    )


def _moves(lines: list[str], size: int, name: str) -> list[Move]:
    moves: list[Move] = []
    for number, line in enumerate(lines, start=1):
        if not line.startswith("PM"):
            continue
        match = _MOVE.match(line)
        if not match:
            raise InputError(f"{name}: line {number}: '{line[:60]}' is not a move")
        color = Color.BLACK if match[1] == "B" else Color.WHITE
        x, y = ord(match[2]) - ord("B"), ord(match[3]) - ord("B")
        if x == y == -1:
            moves.append(Move(color, size * size))
        elif 0 <= x < size and 0 <= y < size:
            moves.append(Move(color, y * size + x))
        else:
            raise InputError(f"{name}: line {number}, move {len(moves) + 1}: off the board")
    return moves


def _whole(lines: list[str], index: int, what: str, name: str) -> int:
    try:
        return int(lines[index])
    except ValueError:
        raise InputError(f"{name}: line {index + 1}: {what} '{lines[index][:40]}' is not a number") from None


def _player(line: str) -> tuple[str, str]:
    """ "Name   7D*" to name and rank; professionals are 5段P or 5DP."""
    name, _, rank = line.rpartition(" ")
    return (name.strip(), rank.strip()) if name.strip() else (line, "")
