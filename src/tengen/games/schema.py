"""A pool: one Parquet file, one row a game.

| column | type | meaning |
| --- | --- | --- |
| `id` | String | 32 hex digits: what was played and by whom; duplicates have the same |
| `source` | String | the file as named at import; a member of an archive after `!` |
| `line` | Int32 | line of it, from 1 |
| `black`, `white` | String | names |
| `black_rank`, `white_rank` | String | as written |
| `black_rank_number`, `white_rank_number` | Int16 | steps: 1k is 0, 1d is 1, 9d is 9, 1p is 10 |
| `date`, `year` | Date, Int16 | the first day, if known to the day; its year |
| `date_written` | String | DT |
| `komi` | Float32 | White's points |
| `komi_recorded` | Boolean | false if komi is assumed: missing, or Fox's 0 |
| `handicap` | Int16 | HA, or else the number of Black's setup stones if White has none |
| `rules`, `rules_written` | String | a preset's name, null if unknown; RU |
| `result` | String | a `ResultKind` |
| `winner`, `margin` | String, Float32 | "B", "W" or null; points, of counted games |
| `main_time`, `overtime_period` | Float32 | seconds |
| `overtime_periods`, `overtime_stones` | Int16 | periods; moves to make in one |
| `time_per_move` | Float32 | seconds: main time over 90 moves, and overtime a move |
| `time_written` | String | TM, OT, TC, TT |
| `ranked` | Boolean | whether the game counts for ranks; null if the record does not say |
| `event`, `place`, `name` | String | EV, PC, GN |
| `size`, `first_to_move` | UInt8, String | the board; "B" or "W" |
| `move_count` | Int32 | moves, passes included |
| `setup`, `moves` | Binary | little-endian uint16: the point, + 0x8000 for White |
| `final_margin` | Float32 | Black's points less White's at the end by area, before komi and handicap bonus |
| `final_owner` | Binary | the owner of each point at the end by area, one byte a point: 0 nobody, 1 Black, 2 White |

Of a counted game that was settled (`tengen games settle`) both are known if the board agrees with the record. If it
does not, `final_margin` is the record's and `final_owner` is null. Both are null where nobody has worked them out.
Pools from before these two columns have them as null.

Points are row-major from the top left; pass is size * size. What is not known is null.
Setup is what stands on the board before the first move. Games are in the order of the files and lines they
came from. Two games are duplicates if board, setup, moves and players are the same; games of fewer than 40
moves, which may well be alike, must share date and result too.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from tengen import _native
from tengen.go.fields import TimeSettings, parse_date, parse_handicap, parse_komi, parse_rules
from tengen.go.rank import Rank
from tengen.go.result import Result
from tengen.go.rules import Rules

VERSION = "1"

SCHEMA = pl.Schema(
    {
        "id": pl.String,
        "source": pl.String,
        "line": pl.Int32,
        "black": pl.String,
        "white": pl.String,
        "black_rank": pl.String,
        "white_rank": pl.String,
        "black_rank_number": pl.Int16,
        "white_rank_number": pl.Int16,
        "date": pl.Date,
        "date_written": pl.String,
        "year": pl.Int16,
        "komi": pl.Float32,
        "komi_recorded": pl.Boolean,
        "handicap": pl.Int16,
        "rules": pl.String,
        "rules_written": pl.String,
        "result": pl.String,
        "winner": pl.String,
        "margin": pl.Float32,
        "main_time": pl.Float32,
        "overtime_period": pl.Float32,
        "overtime_periods": pl.Int16,
        "overtime_stones": pl.Int16,
        "time_per_move": pl.Float32,
        "time_written": pl.String,
        "ranked": pl.Boolean,
        "event": pl.String,
        "place": pl.String,
        "name": pl.String,
        "size": pl.UInt8,
        "first_to_move": pl.String,
        "move_count": pl.Int32,
        "setup": pl.Binary,
        "moves": pl.Binary,
        "final_margin": pl.Float32,
        "final_owner": pl.Binary,
    }
)
# Columns that older pools lack.
ADDED = ("final_margin", "final_owner")

# Why a pool does not keep a game that the native reader found nothing wrong with.
BAD_KOMI = "komi"
SUICIDE = "suicide"
OUT_OF_TURN = "a side moves twice in a row"
NO_HANDICAP_STONES = "handicap stones missing"

_FAULTS = _native.sgf_faults()
_DEFAULT_RULES = Rules.named("chinese")


class Texts:
    """Root properties of a batch, read once a distinct text."""

    def __init__(self, batch: _native.SgfBatch) -> None:
        self._batch = batch

    def column(
        self, property_: str, read: Callable[[str], Any], dtype: pl.DataType | type[pl.DataType]
    ) -> pl.Series:
        codes, texts = self._batch.texts(property_)
        return pl.Series([read(text) for text in texts], dtype=dtype).gather(codes)

    def columns(
        self, properties: Sequence[str], read: Callable[..., Any], extra: npt.NDArray[np.int64] | None = None
    ) -> tuple[npt.NDArray[np.int64], list[Any]]:
        """`read(text, ...)` of several properties together (and a whole number a game): codes and values."""
        parts = [self._batch.texts(p) for p in properties]
        keys = np.stack([codes.astype(np.int64) for codes, _ in parts] + ([] if extra is None else [extra]))
        flat = np.zeros(keys.shape[1], dtype=np.int64)
        for row in keys:
            _, row = np.unique(row, return_inverse=True)
            _, flat = np.unique(flat * (row.max(initial=0) + 1) + row, return_inverse=True)
        _, first, codes = np.unique(flat, return_index=True, return_inverse=True)
        values = []
        for i in first:
            arguments: list[Any] = [texts[c[i]] for c, texts in parts]
            values.append(read(*arguments) if extra is None else read(*arguments, int(extra[i])))
        return codes, values


def _text(text: str) -> str | None:
    return text or None


def _date(text: str) -> Any:
    day = parse_date(text)
    return day.date if day else None


def _year(text: str) -> int | None:
    day = parse_date(text)
    return day.year if day else None


def _rank(text: str) -> int | None:
    rank = Rank.parse(text)
    return rank.number if rank else None


def _ranked(*texts: str) -> bool | None:
    words = " ".join(texts).lower()
    if re.search(r"\b(un|non-?)(ranked|rated)\b|\bfree game\b|\bfriendly\b|友谊|友誼|친선", words):
        return False
    return True if re.search(r"\b(ranked|rated)\b|升降|승급|승단", words) else None


@functools.lru_cache(maxsize=4096)
def _rules(text: str) -> Rules | None:
    return parse_rules(text)


def _komi(km: str, ru: str, ap: str, handicap: int) -> tuple[float | None, bool]:
    try:
        return parse_komi(km, _rules(ru) or _DEFAULT_RULES, handicap, ap)
    except ValueError:
        return None, False


def split_binary(words: npt.NDArray[np.uint16], offsets: npt.NDArray[np.int64]) -> list[bytes]:
    """words[offsets[i]:offsets[i + 1]] as little-endian bytes, one a game."""
    data = words.astype("<u2", copy=False).tobytes()
    ends = (2 * offsets).tolist()
    return [data[a:b] for a, b in itertools.pairwise(ends)]


def hex_ids(ids: npt.NDArray[np.uint64]) -> list[str]:
    data = ids.astype(">u8").tobytes().hex()
    return [data[i : i + 32] for i in range(0, len(data), 32)]


def frame_of(
    batch: _native.SgfBatch, source: pl.Series, line: npt.NDArray[np.int32]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The batch as rows of a pool, and as rejects (file, line, move, reason): each game is in one of them."""
    texts = Texts(batch)
    stones = np.diff(batch.setup_offsets)
    white = np.concatenate([[0], np.cumsum(batch.setup >= 0x8000)])[batch.setup_offsets]
    black_only = np.where(np.diff(white) == 0, stones, 0)
    written = texts.column("HA", parse_handicap, pl.Int16)
    handicap = written.fill_null(pl.Series(np.where(black_only >= 2, black_only, 0), dtype=pl.Int16))
    komi_codes, komi = texts.columns(("KM", "RU", "AP"), _komi, handicap.to_numpy().astype(np.int64))
    komi_points = np.array([np.nan if k is None else k for k, _ in komi], dtype=np.float32)[komi_codes]
    time_codes, times = texts.columns(("TM", "OT", "TC", "TT"), TimeSettings.parse)
    time_written_codes, time_written = texts.columns(
        ("TM", "OT", "TC", "TT"), lambda *parts: " ".join(p for p in parts if p) or None
    )
    ranked_codes, ranked = texts.columns(("GN", "EV", "GC"), _ranked)
    move_count = np.diff(batch.move_offsets)

    suicide_allowed = texts.column(
        "RU", lambda t: (_rules(t) or _DEFAULT_RULES).suicide, pl.Boolean
    ).to_numpy()
    white_first = np.asarray(batch.first_to_move) == 2
    reason = np.array(_FAULTS, dtype=object)[batch.fault]
    move = np.where(batch.fault > 0, batch.fault_move, 0)
    for name, wrong, at in (
        (BAD_KOMI, np.isnan(komi_points), np.zeros(len(batch), dtype=np.int32)),
        (SUICIDE, (batch.suicide > 0) & ~suicide_allowed, batch.suicide),
        (OUT_OF_TURN, batch.out_of_turn > 0, batch.out_of_turn),
        (
            NO_HANDICAP_STONES,
            (handicap.to_numpy() >= 2) & (stones == 0) & white_first & (move_count > 0),
            move * 0,
        ),
    ):
        chosen = wrong & (reason == _FAULTS[0])
        reason[chosen] = name
        move = np.where(chosen, at, move)
    kept = reason == _FAULTS[0]

    def gathered(codes: npt.NDArray[np.int64], values: list[Any], dtype: Any) -> pl.Series:
        return pl.Series(values, dtype=dtype).gather(codes)

    frame = pl.DataFrame(
        {
            "id": hex_ids(batch.ids),
            "source": source,
            "line": line,
            "black": texts.column("PB", str, pl.String),
            "white": texts.column("PW", str, pl.String),
            "black_rank": texts.column("BR", _text, pl.String),
            "white_rank": texts.column("WR", _text, pl.String),
            "black_rank_number": texts.column("BR", _rank, pl.Int16),
            "white_rank_number": texts.column("WR", _rank, pl.Int16),
            "date": texts.column("DT", _date, pl.Date),
            "date_written": texts.column("DT", _text, pl.String),
            "year": texts.column("DT", _year, pl.Int16),
            "komi": komi_points,
            "komi_recorded": gathered(komi_codes, [recorded for _, recorded in komi], pl.Boolean),
            "handicap": handicap,
            "rules": texts.column("RU", lambda t: (r := _rules(t)) and r.name, pl.String),
            "rules_written": texts.column("RU", _text, pl.String),
            "result": texts.column("RE", lambda t: Result.parse(t).kind.value, pl.String),
            "winner": texts.column("RE", lambda t: (w := Result.parse(t).winner) and w.letter, pl.String),
            "margin": texts.column("RE", lambda t: Result.parse(t).margin, pl.Float32),
            "main_time": gathered(time_codes, [t.main for t in times], pl.Float32),
            "overtime_period": gathered(time_codes, [t.period for t in times], pl.Float32),
            "overtime_periods": gathered(time_codes, [t.periods for t in times], pl.Int16),
            "overtime_stones": gathered(time_codes, [t.stones for t in times], pl.Int16),
            "time_per_move": gathered(time_codes, [t.per_move for t in times], pl.Float32),
            "time_written": gathered(time_written_codes, time_written, pl.String),
            "ranked": gathered(ranked_codes, ranked, pl.Boolean),
            "event": texts.column("EV", _text, pl.String),
            "place": texts.column("PC", _text, pl.String),
            "name": texts.column("GN", _text, pl.String),
            "size": batch.size,
            "first_to_move": pl.Series(["B", "W"]).gather(batch.first_to_move - 1),
            "move_count": move_count.astype(np.int32),
            "setup": split_binary(batch.setup, batch.setup_offsets),
            "moves": split_binary(batch.moves, batch.move_offsets),
            "final_margin": pl.Series([None], dtype=pl.Float32).new_from_index(0, len(batch)),
            "final_owner": pl.Series([None], dtype=pl.Binary).new_from_index(0, len(batch)),
        },
        schema=SCHEMA,
    )
    rejects = pl.DataFrame(
        {
            "file": source,
            "line": line,
            "move": pl.Series(move, dtype=pl.Int32),
            "reason": pl.Series(reason.tolist(), dtype=pl.String),
        }
    )
    return frame.filter(kept), rejects.filter(~kept)
