"""Figure 4.6 of the thesis: the lengths of counted games."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from tengen.errors import InputError
from tengen.go.result import Result, ResultKind
from tengen.papers.reproduction import Outcome, Request, Row
from tengen.papers.thesis_data import TYGEM
from tengen.plots import new_figure, save
from tengen.ratings.read_results import read_table

TITLE = "Lengths of counted games"


def run(request: Request) -> Outcome:
    path = request.pool if request.pool is not None else request.file(TYGEM)
    lengths = counted_lengths(read_table(path), str(path))
    rows = [
        Row("counted games", "2,069,239", f"{len(lengths):,}"),
        Row("mean length", "about 254 moves", f"{lengths.mean():.1f} moves"),
        Row("longest", "1087 moves", f"{lengths.max()} moves"),
        Row("counted before move 100", "hundreds of games", f"{int((lengths <= 100).sum()):,} games"),
    ]
    notes = (
        []
        if request.pool
        else ["The thesis counts games of OGS of all strengths; ours are Tygem games between 9d."]
    )
    if request.output is not None:
        figure = new_figure()
        axes = figure.add_subplot()
        axes.hist(lengths, np.arange(0, 451, 5).tolist(), color="#4a6785")
        axes.axvline(lengths.mean(), color="black", lw=1, ls="--", label=f"mean: {lengths.mean():.0f} moves")
        axes.axvline(254, color="#b5423c", lw=0.8, ls=":", label="the thesis' mean: 254 moves")
        axes.set_xlabel("moves")
        axes.set_ylabel("counted games")
        axes.legend()
        save(figure, request.output)
    return Outcome(rows, notes, request.output)


def counted_lengths(table: pl.DataFrame, where: str) -> npt.NDArray[np.int64]:
    """The numbers of moves of the games of a table that were decided by counting."""
    length = next((name for name in ("move_count", "moves") if name in table.columns), None)
    if length is None or "result" not in table.columns:
        raise InputError(
            f"{where}: columns with the result and the number of moves (move_count, moves) are needed"
        )
    result = table["result"].cast(pl.String)
    counted = [
        text
        for text in result.unique().drop_nulls().to_list()
        if text == ResultKind.SCORE.value or Result.parse(text).kind is ResultKind.SCORE
    ]
    lengths = table.filter(result.is_in(counted))[length].cast(pl.Int64, strict=False).drop_nulls()
    if not len(lengths):
        raise InputError(f"{where}: no game of it was counted")
    return lengths.to_numpy()
