"""How the games of a pool ended: the columns `final_margin` and `final_owner`, as arrays and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from tengen.errors import InputError

Area = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class FinalBoards:
    """Of n games on one board size, in Black's view.

    `margin` float32 [n]: Black's points less White's by area before komi, NaN where unknown. `owner` int8
    [known, points]: 1 Black's, -1 White's, 0 nobody's; `row` int64 [n] is a game's row in it, -1 where unknown.
    """

    margin: npt.NDArray[np.float32]
    owner: npt.NDArray[np.int8]
    row: npt.NDArray[np.int64]


def final_boards(frame: pl.DataFrame) -> FinalBoards:
    """What the columns of a pool say. Raises InputError if boards of several sizes have owners."""
    margin = frame["final_margin"].fill_null(np.nan).to_numpy().astype(np.float32)
    known = frame["final_owner"].is_not_null().to_numpy()
    boards = frame["final_owner"].drop_nulls().to_list()
    sizes = frame["size"].filter(known).unique().to_list() or frame["size"].unique().to_list()[:1] or [0]
    if len(sizes) > 1:
        names = ", ".join(f"{size}x{size}" for size in sorted(sizes))
        raise InputError(f"the pool has games on boards of {names}: filter it by size first")
    points = sizes[0] ** 2
    for i, board in zip(np.flatnonzero(known).tolist(), boards, strict=True):
        if len(board) != points or max(board) > 2:
            raise InputError(
                f"game {frame['id'][i]}: its final_owner is not one byte of 0, 1 or 2 for each of {points} points"
            )
    codes = np.frombuffer(b"".join(boards), np.uint8).reshape(len(boards), points)
    row = np.full(len(frame), -1, np.int64)
    row[known] = np.arange(len(boards))
    return FinalBoards(margin, np.array([0, 1, -1], np.int8)[codes], row)


def final_columns(margins: Sequence[float | None], areas: Sequence[Area | None]) -> list[pl.Series]:
    """The two columns: margins in points, and owners as `Settled.area` has them, [size, size]; None where unknown."""
    for area in areas:
        if area is not None and (area.ndim != 2 or area.shape[0] != area.shape[1] or area.max(initial=0) > 2):
            raise ValueError("an owner is [size, size] of 0 nobody, 1 Black, 2 White")
    return [
        pl.Series("final_margin", margins, dtype=pl.Float32),
        pl.Series(
            "final_owner",
            [None if area is None else area.astype(np.uint8).tobytes() for area in areas],
            dtype=pl.Binary,
        ),
    ]
