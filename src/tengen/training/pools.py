"""The games of a recipe: pools, filtered, as examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import polars as pl

from tengen.errors import InputError
from tengen.games.filters import GameFilter, parse_day, parse_rank
from tengen.games.store import GameStore
from tengen.go.result import ResultKind

# How the keys of a recipe's filter that are not plain numbers are read.
_READERS: dict[str, Any] = {
    "min_rank": parse_rank,
    "max_rank": parse_rank,
    "since": parse_day,
    "until": lambda text: parse_day(text, end=True),
    "result": lambda names: [ResultKind(name) for name in names],
}


def predicates(table: dict[str, Any]) -> list[pl.Expr]:
    """What a recipe's filter asks: the fields of `GameFilter`, and `years` and `not_years` (lists)."""
    known = {f.name for f in fields(GameFilter)}
    chosen: dict[str, Any] = {}
    out: list[pl.Expr] = []
    for key, value in table.items():
        if key in ("years", "not_years"):
            inside = pl.col("year").is_in([int(year) for year in value])
            out.append(inside if key == "years" else ~inside)
        elif key in known:
            try:
                chosen[key] = _READERS[key](value) if key in _READERS else value
            except (ValueError, AttributeError, TypeError) as error:
                raise InputError(f"the filter's {key} = {value!r} cannot be read: {error}") from None
        else:
            raise InputError(
                f"a filter has no key '{key}': known are {', '.join(sorted(known))}, years, not_years"
            )
    return out + GameFilter(**chosen).predicates()


def open_pools(paths: Sequence[str | Path], table: dict[str, Any]) -> GameStore:
    """The games of all pools that pass the filter; InputError if there is none."""
    if not paths:
        raise InputError("the recipe names no pool: --set data.train=POOL.parquet")
    wanted = predicates(table)
    frame = pl.concat([GameStore.open(path).filter(*wanted).frame for path in paths])
    if not len(frame):
        names = ", ".join(str(path) for path in paths)
        raise InputError(f"no game of {names} is left after the filter {table}")
    return GameStore(frame)
