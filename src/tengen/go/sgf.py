"""SGF in and out: the main line through the native reader, trees through sgfmill."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sgfmill import sgf as sgfmill_sgf

from tengen import _native
from tengen.errors import InputError
from tengen.go.color import Color
from tengen.go.fields import format_rules, parse_handicap, parse_komi, parse_rules
from tengen.go.files import read_record
from tengen.go.game import Game, Setup, unpack
from tengen.go.result import Result
from tengen.go.rules import Rules
from tengen.go.text import to_utf8

_TREE = re.compile(r"\(\s*;")

# Root properties that a Game has fields for, or that say nothing about the game itself.
_FIELDS = {
    "PB",
    "PW",
    "BR",
    "WR",
    "DT",
    "KM",
    "HA",
    "RU",
    "RE",
    "SZ",
    "GM",
    "FF",
    "CA",
    "B",
    "W",
    "AB",
    "AW",
    "AE",
    "PL",
}


def read_source(source: str | bytes | Path) -> tuple[bytes, str]:
    """The bytes of what the user gave (a path, SGF text, or bytes already), and a name for messages."""
    if isinstance(source, bytes):
        return source, "SGF"
    if isinstance(source, str) and _TREE.search(source):
        return source.encode("utf-8-sig", "replace"), "SGF"  # the mark: text is UTF-8, whatever its CA says
    try:
        return read_record(Path(source)), str(source)
    except ValueError:  # a name with a NUL in it
        raise InputError("neither SGF text (there is no '(;' in it) nor the name of a file") from None


def read_game(data: bytes, name: str, before: int | None = None) -> Game:
    """The first game of a file, or what comes before its move `before`, whatever is wrong later.

    Raises InputError with `name` and the place where something is wrong.
    """
    record = _native.read_sgf_game(to_utf8(data))
    if record is None:
        raise InputError(f"{name}: no game in it: there is no '(;'")
    wanted = len(record.moves) if before is None else max(before - 1, 0)
    if record.fault is not None and (before is None or record.fault_move <= wanted):
        raise InputError(f"{name}: {_place(record)}: {_explain(record.fault)}")

    values: dict[str, list[str]] = {}
    for key, value in record.root:
        values.setdefault(key, []).append(value.strip())
    root = {key: "; ".join(texts) for key, texts in values.items()}

    setup = unpack(record.setup)
    black = [m.point for m in setup if m.color is Color.BLACK]
    white = [m.point for m in setup if m.color is Color.WHITE]
    handicap = parse_handicap(root.get("HA", ""))
    if handicap is None:
        handicap = len(black) if len(black) >= 2 and not white else 0
    rules = parse_rules(root.get("RU", "")) or Rules.named("chinese")
    try:
        komi = parse_komi(root.get("KM", ""), rules, handicap, root.get("AP", ""))
    except ValueError as error:
        raise InputError(f"{name}: {error}") from None
    rules = rules.with_komi(komi.points)
    if 0 < record.suicide <= wanted and not rules.suicide:
        raise InputError(f"{name}: move {record.suicide}: suicide, which {rules.name or 'its'} rules forbid")
    game = Game(
        size=record.size,
        rules=rules,
        black=root.get("PB", ""),
        white=root.get("PW", ""),
        black_rank=root.get("BR", ""),
        white_rank=root.get("WR", ""),
        date=root.get("DT", ""),
        handicap=handicap,
        result=Result.parse(root.get("RE", "")),
        setup=Setup(black, white),
        first_to_move=Color(record.player) if record.player else None,
        moves=unpack(record.moves[:wanted]),
        info={key: value for key, value in root.items() if key not in _FIELDS and value},
    )
    if record.fault is not None:  # the reader stopped there, and did not check the moves before it
        try:
            game.position()
        except ValueError as error:
            raise InputError(f"{name}: {error}") from None
    return game


def _place(record: _native.SgfGame) -> str:
    """Where a fault is: a line, once the reader knows it; moves are checked later, by their number."""
    if record.fault in ("point is occupied", "ko", "suicide"):
        return f"move {record.fault_move}"
    if record.fault_move:
        return f"line {record.line}, move {record.fault_move}"
    return f"line {record.line}, column {record.column}"


def _explain(fault: str) -> str:
    """The reason, with what to do where that is not plain."""
    return {
        "ends inside the game": "the file ends inside the game: it was cut short",
        "board size": "board size: a square board of 2 to 19 lines is needed",
        "setup after the first move": "stones are put or removed after the first move, which a Game cannot "
        "hold (tengen.go.sgf.sgf_tree reads the whole tree)",
    }.get(fault, fault)


def sgf_tree(source: str | bytes | Path) -> sgfmill_sgf.Sgf_game:
    """The whole tree as sgfmill has it: variations, comments, marks; in UTF-8, for reading and editing.

    >>> len(sgf_tree("(;SZ[9];B[aa](;W[bb])(;W[cc]))").get_root()[0])
    2
    """
    data, name = read_source(source)
    try:
        return sgfmill_sgf.Sgf_game.from_bytes(to_utf8(data), override_encoding="UTF-8")
    except ValueError as error:
        raise InputError(f"{name}: {error}") from None


def write_game(game: Game, area: npt.NDArray[np.uint8] | None = None) -> str:
    """SGF text of a record, FF[4], one line a dozen moves.

    `area`, uint8 [size, size] with 0 nobody, 1 Black, 2 White, marks the owners in the last node (TB, TW).
    """
    root = [("GM", "1"), ("FF", "4"), ("CA", "UTF-8"), ("SZ", str(game.size))]
    root += [("PB", game.black), ("BR", game.black_rank), ("PW", game.white), ("WR", game.white_rank)]
    root += [("DT", game.date), ("KM", f"{game.komi:g}"), ("RU", format_rules(game.rules))]
    if game.handicap or game.setup:
        root.append(("HA", str(game.handicap)))
    root.append(("RE", str(game.result)))
    if game.first_to_move is not None:
        root.append(("PL", game.first_to_move.letter))
    root += [(key, value) for key, value in game.info.items() if key not in _FIELDS]

    lines = ["(;" + "".join(f"{key}[{_escape(value)}]" for key, value in root if value)]
    for key, points in (("AB", game.setup.black), ("AW", game.setup.white)):
        if points:
            lines.append(key + "".join(f"[{_point(p, game.size)}]" for p in points))
    nodes = [f";{move.color.letter}[{_point(move.point, game.size)}]" for move in game.moves]
    lines += ["".join(nodes[i : i + 12]) for i in range(0, len(nodes), 12)]
    for key, color in (("TB", Color.BLACK), ("TW", Color.WHITE)):
        if area is not None and game.moves and (area == color).any():
            lines.append(
                key + "".join(f"[{_point(p, game.size)}]" for p in np.flatnonzero(area == color).tolist())
            )
    return "\n".join(lines) + ")\n"


def _point(point: int, size: int) -> str:
    if point == size * size:
        return ""
    return "abcdefghijklmnopqrs"[point % size] + "abcdefghijklmnopqrs"[point // size]


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")
