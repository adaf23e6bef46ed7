"""GIB, the files of the Tygem server. The format is not published; this reads what its files show.

A header of `\\[NAME=value\\]` fields, then `INI` with the handicap and one `STO` line a stone:

    \\[GAMEBLACKNAME=somebody (3D)\\]
    \\[GAMETAG=S1,R3,D5,G65,W3,Z0,T30-3-1200,C2016:03:26:17:29,...\\]
    INI 0 1 3 &4
    STO 0 2 2 15 15

In a `STO` line the fourth word is the colour (1 Black, 2 White), the last two are column and row from the
top left, from 0. `SKI` is a pass.
"""

from __future__ import annotations

import re

from tengen.errors import InputError
from tengen.go.color import Color
from tengen.go.game import Game, Move, Setup
from tengen.go.result import Result, ResultKind
from tengen.go.rules import Rules
from tengen.go.text import decode

_SIZE = 19
# Tygem's order of handicap stones (column, row): unlike GTP's, the third is at the top left.
_HANDICAP = {
    2: "dp pd",
    3: "dp pd dd",
    4: "dp pd dd pp",
    5: "dp pd dd pp jj",
    6: "dp pd dd pp dj pj",
    7: "dp pd dd pp dj pj jj",
    8: "dp pd dd pp dj pj jd jp",
    9: "dp pd dd pp dj pj jd jp jj",
}
_FIELD = re.compile(r"\\\[(\w+)=(.*?)\\\]", re.DOTALL)
# GRLT, or W in the tag: how it ended. The others (255 and more) say nothing.
_RESULTS = {
    0: (ResultKind.SCORE, Color.BLACK),
    1: (ResultKind.SCORE, Color.WHITE),
    3: (ResultKind.RESIGN, Color.BLACK),
    4: (ResultKind.RESIGN, Color.WHITE),
    7: (ResultKind.TIME, Color.BLACK),
    8: (ResultKind.TIME, Color.WHITE),
}


def handicap_points(stones: int, size: int = _SIZE) -> list[int]:
    """Tygem's handicap stones on a board of 19; none for fewer than 2 or more than 9."""
    return [(ord(p[1]) - 97) * size + ord(p[0]) - 97 for p in _HANDICAP.get(stones, "").split()]


def read_game(data: bytes, name: str) -> Game:
    """The game of a GIB file. Raises InputError, naming the line, where it makes no sense."""
    text = decode(data)
    fields = {key: value.strip() for key, value in _FIELD.findall(text)}
    main = dict(part.split(":", 1) for part in fields.get("GAMEINFOMAIN", "").split(",") if ":" in part)
    tag = {part[0]: part[1:] for part in fields.get("GAMETAG", "").split(",") if part and part[1:2] != ":"}

    handicap, moves = _body(text, name)
    if not fields and not moves:
        raise InputError(f"{name}: not a GIB file: neither \\[fields\\] nor STO lines")
    black, black_rank = _player(fields.get("GAMEBLACKNAME", ""))
    white, white_rank = _player(fields.get("GAMEWHITENAME", ""))
    komi = _number(main.get("GONGJE") or tag.get("G") or fields.get("GAMEGONGJE"))
    info = {"PC": fields.get("GAMEPLACE", ""), "GN": fields.get("GAMENAME", ""), "AP": "Tygem"}
    info |= _time(main.get("GTIME", ""), tag.get("T", ""))
    rules = Rules.named("japanese")
    return Game(
        size=_SIZE,
        rules=rules.with_komi(
            komi / 10 if komi is not None and komi <= 1000 else 0 if handicap else rules.komi
        ),
        black=black,
        white=white,
        black_rank=black_rank,
        white_rank=white_rank,
        date=_date(tag.get("C", ""), fields.get("GAMEDATE", "")),
        handicap=handicap,
        result=_result(main.get("GRLT") or tag.get("W"), main.get("ZIPSU") or tag.get("Z")),
        setup=Setup(black=handicap_points(handicap)),
        moves=moves,
        info={key: value for key, value in info.items() if value},
    )


def _body(text: str, name: str) -> tuple[int, list[Move]]:
    handicap = 0
    moves: list[Move] = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words or words[0] not in ("INI", "STO", "SKI"):
            continue
        try:
            if words[0] == "INI":
                handicap = int(words[3])
                if handicap not in _HANDICAP:
                    handicap = 0
                continue
            color = {"1": Color.BLACK, "2": Color.WHITE}[words[3]]
            if words[0] == "SKI":
                moves.append(Move(color, _SIZE * _SIZE))
                continue
            x, y = int(words[4]), int(words[5])
        except (IndexError, KeyError, ValueError):
            raise InputError(f"{name}: line {number}: '{line[:60]}' is not a {words[0]} line") from None
        if not (0 <= x < _SIZE and 0 <= y < _SIZE):
            raise InputError(f"{name}: line {number}, move {len(moves) + 1}: off the board")
        moves.append(Move(color, y * _SIZE + x))
    return handicap, moves


def _player(text: str) -> tuple[str, str]:
    """ "somebody (3D)" to name and rank."""
    match = re.fullmatch(r"(.*?)\s*\(([^()]*)\)", text)
    return (match[1], match[2].strip()) if match and match[1] else (text, "")


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) < 9 else None


def _date(tag: str, field: str) -> str:
    """ "2016:03:26:17:29", or "2016- 3-26-17-29-30", as 2016-03-26."""
    for text in (tag, field):
        if match := re.match(r"(\d{4})\D+(\d{1,2})\D+(\d{1,2})", text):
            return f"{match[1]}-{int(match[2]):02}-{int(match[3]):02}"
    return ""


def _time(main_first: str, period_first: str) -> dict[str, str]:
    """ "1200-30-3" (main, period, periods) or "30-3-1200" as SGF's TM and OT."""
    if match := re.fullmatch(r"(\d+)-(\d+)-(\d+)", main_first):
        main, period, periods = match.groups()
    elif match := re.fullmatch(r"(\d+)-(\d+)-(\d+)", period_first):
        period, periods, main = match.groups()
    else:
        return {}
    return {"TM": main, "OT": f"{periods}x{period} byo-yomi"}


def _result(code: str | None, tenths: str | None) -> Result:
    number = _number(code)
    if number not in _RESULTS:
        return Result()
    kind, winner = _RESULTS[number]
    if kind is not ResultKind.SCORE:
        return Result(kind, winner)
    margin = _number(tenths)
    if margin is None:
        return Result(ResultKind.WIN, winner)
    return Result(kind, winner, margin / 10) if margin else Result(ResultKind.DRAW, None, 0.0)
