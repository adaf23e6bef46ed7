"""Figure 7 of the CGI paper: d-prediction rates of BV-ML-VN."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tengen.errors import InputError
from tengen.papers.cgi_data import FIGURE_7
from tengen.papers.cgi_nets import (
    GAMES,
    SAMPLE,
    described,
    labels_of,
    last_of,
    one_net,
    open_games,
    positions_of,
)
from tengen.papers.reproduction import Outcome, Request, Row
from tengen.plots import new_figure, save
from tengen.prediction.accuracy import interval
from tengen.prediction.value_accuracy import Bools, Ints, d_predictions, expected_margin
from tengen.prediction.value_reading import black_values

TITLE = "d-prediction rates: how often a net is d points or less from the final margin"
SETTINGS: dict[str, Any] = (
    {"net": "", "first": -12.0, "last": 28.0} | GAMES | SAMPLE  # margins of the games that count
)
D = range(8)


def run(request: Request) -> Outcome:
    request, net, size = one_net(request, SETTINGS)
    settings = request.settings
    labels = labels_of(net)
    store = open_games(request, size)
    store = store.filter(
        pl.col("result") == "score", pl.col("final_margin").is_between(settings["first"], settings["last"])
    )
    if not len(store):
        raise InputError(
            f"no counted game of the pool has a final margin from {settings['first']:g} to {settings['last']:g}: "
            "`tengen games settle` works margins out"
        )
    positions = positions_of(request, store)
    expected = expected_margin(labels, black_values(net, positions, labels, request.progress))
    hits = np.stack([d_predictions(expected, positions.margins(), d) for d in D])
    third = np.minimum(3 * positions.number // max(last_of(size), 1), 2)
    begins, ends = positions.number == 0, _last(positions.game)
    rows = []
    for d in D:
        start, end = FIGURE_7.get(d, ("not printed",) * 2)
        rows.append(Row(f"d = {d}, first position", _percent(start), _share(hits[d][begins])))
        rows.append(Row(f"d = {d}, opening third", "", _share(hits[d][third == 0])))
        rows.append(Row(f"d = {d}, last position of the sample", _percent(end), _share(hits[d][ends])))
    distance = np.abs(expected - positions.margins())
    rows.append(Row("mean prediction distance, all positions", "", f"{distance.mean():.2f} points"))
    if request.output is not None:
        _draw(
            positions.number, hits, f"Figure 7: {net.card.name}, {described(positions, size)}", request.output
        )
    notes = [
        f"Ours: {described(positions, size)}, counted, margin {settings['first']:g} to {settings['last']:g}. "
        "The paper: 19x19, -12 to 28.",
        "Intervals (95 %) take the positions as independent: first and last positions are, one a game; those of the "
        "opening third are not.",
    ]
    return Outcome(rows, notes, request.output)


def _percent(printed: object) -> str:
    return f"{printed} %" if isinstance(printed, int) else str(printed)


def _share(hits: Bools) -> str:
    if not len(hits):
        return "no position"
    low, high = interval(float(hits.mean()), len(hits))
    return f"{hits.mean():.1%} ({low:.1%} to {high:.1%})"


def _last(game: Ints) -> Bools:
    """The last position of each game; positions of a game stand together, in order."""
    return np.append(game[1:] != game[:-1], True)


def _draw(number: Ints, hits: Bools, title: str, path: Path) -> None:
    figure = new_figure(8, 5)
    axes = figure.add_subplot()
    moves = np.unique(number)
    for d in reversed(D):
        axes.plot(
            moves, [100 * hits[d][number == move].mean() for move in moves], marker=".", label=f"d = {d}"
        )
    axes.set(xlabel="moves played", ylabel="d-prediction rate, %")
    axes.set_title(title, fontsize=9)
    axes.grid(alpha=0.3)
    axes.legend()
    save(figure, path)
