"""Choosing games of a pool by what is known of them."""

from __future__ import annotations

import datetime
import fnmatch
import re
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from tengen.errors import InputError
from tengen.go.rank import Rank
from tengen.go.result import ResultKind


@dataclass(frozen=True, slots=True)
class GameFilter:
    """What a game must be; None and () ask nothing. A game is left out if what is asked for is unknown."""

    size: Sequence[int] = ()
    min_rank: Rank | None = None  # of both players
    max_rank: Rank | None = None
    since: datetime.date | None = None  # first and last day, both included
    until: datetime.date | None = None
    komi: Sequence[float] = ()
    min_handicap: int | None = None
    max_handicap: int | None = None
    result: Sequence[ResultKind] = ()
    min_moves: int | None = None
    max_moves: int | None = None
    min_time: float | None = None  # seconds a move, as in `time_per_move`
    max_time: float | None = None
    without: Sequence[str] = ()  # names of players, * and ? as in file names, in any case
    ranked: bool = False

    def predicates(self) -> list[pl.Expr]:
        out: list[pl.Expr] = []
        col = pl.col
        if self.size:
            out.append(col("size").is_in(list(self.size)))
        for rank in ("black_rank_number", "white_rank_number"):
            if self.min_rank is not None:
                out.append(col(rank) >= self.min_rank.number)
            if self.max_rank is not None:
                out.append(col(rank) <= self.max_rank.number)
        if self.komi:
            out.append(col("komi").is_in([float(k) for k in self.komi]))
        if self.result:
            out.append(col("result").is_in([kind.value for kind in self.result]))
        for column, low, high in (
            ("date", self.since, self.until),
            ("handicap", self.min_handicap, self.max_handicap),
            ("move_count", self.min_moves, self.max_moves),
            ("time_per_move", self.min_time, self.max_time),
        ):
            if low is not None:
                out.append(col(column) >= low)
            if high is not None:
                out.append(col(column) <= high)
        if self.without:
            names = "|".join(fnmatch.translate(name.strip()) for name in self.without)
            for player in ("black", "white"):
                out.append(~col(player).str.contains(f"(?i)^(?:{_rust(names)})$"))
        if self.ranked:
            out.append(col("ranked"))
        return out


def _rust(pattern: str) -> str:
    r"""fnmatch's regular expressions in the dialect of Polars, which knows no \Z and no atomic groups."""
    return re.sub(r"\(\?>", "(?:", pattern).replace(r"\Z", "").replace(r"\z", "")


def parse_day(text: str, end: bool = False) -> datetime.date:
    """ "2015", "2015-03" or "2015-03-20": the first day of it, or with `end` the last.

    >>> parse_day("2015"), parse_day("2016-02", end=True)
    (datetime.date(2015, 1, 1), datetime.date(2016, 2, 29))
    """
    match = re.fullmatch(r"(\d{4})(?:-(\d\d?))?(?:-(\d\d?))?", text.strip())
    try:
        if not match:
            raise ValueError
        year, month, day = int(match[1]), match[2] and int(match[2]), match[3] and int(match[3])
        if month and day:
            return datetime.date(year, month, day)
        if not end:
            return datetime.date(year, month or 1, 1)
        following = datetime.date(year + (month in (None, 12)), (month or 12) % 12 + 1, 1)
        return following - datetime.timedelta(days=1)
    except (ValueError, OverflowError):
        raise InputError(f"'{text}' is not a date: write 2015, 2015-03 or 2015-03-20") from None


def parse_rank(text: str) -> Rank:
    rank = Rank.parse(text)
    if rank is None:
        raise InputError(f"'{text}' is not a rank: write 3k, 5d or 9p")
    return rank
