"""Figure 2 of the CGI paper: a position, who owned the points at the end, and who the net expects to own them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from tengen.errors import InputError
from tengen.go.color import Color
from tengen.nets.evaluation import given
from tengen.papers.cgi_nets import GAMES, SAMPLE, described, one_net, open_games, positions_of
from tengen.papers.cgi_table1 import position_of
from tengen.papers.reproduction import Outcome, Request, Row
from tengen.plots import new_figure, save
from tengen.prediction.value_accuracy import Doubles
from tengen.prediction.value_reading import Positions
from tengen.progress import Progress

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tengen.nets.evaluator import Evaluator

TITLE = "A position, its owners at the end, and the ownership that a net expects"
SETTINGS: dict[str, Any] = {"net": "", "game": 0, "move": 60} | GAMES | SAMPLE | {"games": 200}


def run(request: Request) -> Outcome:
    request, net, size = one_net(request, SETTINGS)
    settings = request.settings
    net.card.require("ownership", "Figure 2 is about it: BV-VN, BV-ML-VN and ordered have it")
    store = open_games(request, size)
    store = store.filter(pl.col("final_owner").is_not_null())
    if not len(store):
        raise InputError("no game of the pool has final owners: `tengen games settle` works them out")
    boards = store.endings()
    owners = boards.owner[boards.row].reshape(len(store), size, size)
    shown = position_of(store, settings["game"], settings["move"])
    expected = ownership_of(net, shown)[0]
    true = owners[settings["game"]]
    sample = positions_of(request, store)
    request.progress(Progress(f"asking {net.card.name}"))
    asked = ownership_of(net, sample)
    errors = np.square((asked - owners[sample.game]) / 2).mean((1, 2))
    rows = [
        Row("points whose owner is right, this position", "drawn, not printed", _right(expected, true)),
        Row("points whose owner is right, the sample", "not printed", _right(asked, owners[sample.game])),
        Row(
            "squared error of the ownership, the sample",
            "not printed",
            f"{errors.mean():.4f} ± {1.96 * _deviation(errors, sample.game):.4f} (0.25 for even guesses)",
        ),
    ]
    if request.output is not None:
        figure = new_figure(12, 4.4)
        board = shown.at(slice(0, 1))[0].stones()
        for axes, title, marks in zip(
            figure.subplots(1, 3),
            ("(a) the position", "(b) owners at the end", f"(c) {net.card.name}"),
            (None, true.astype(np.float64), expected),
            strict=True,
        ):
            draw_board(axes, board, marks)
            axes.set_title(title, fontsize=10)
        save(figure, request.output)
    notes = [
        f"The position: game {settings['game']} after {settings['move']} moves; the paper's record is not printed. The "
        f"sample: {described(sample, size)}."
    ]
    return Outcome(rows, notes, request.output)


def ownership_of(net: Evaluator, positions: Positions) -> Doubles:
    """A net's ownership [n, size, size], 1 Black's to -1 White's."""
    parts = []
    for first in range(0, len(positions), 64):
        found = net.evaluate(positions.at(slice(first, first + 64)))
        parts += [given(one.ownership) for one in found]
    return np.array(parts, np.float64)


def _right(expected: Doubles, owners: npt.NDArray[np.int8]) -> str:
    somebodys = owners != 0
    return f"{(np.sign(expected) == owners)[somebodys].mean():.1%}"


def _deviation(errors: Doubles, game: npt.NDArray[np.int64]) -> float:
    """Of the mean, with games as the independent draws."""
    means = np.array([errors[game == one].mean() for one in np.unique(game)])
    return float(means.std() / np.sqrt(len(means)))


def draw_board(axes: Axes, stones: npt.NDArray[np.uint8], marks: Doubles | None = None) -> None:
    """Stones [size, size], and squares whose sizes and colours are the marks, from 1 (Black's) to -1 (White's)."""
    from matplotlib.patches import Circle, Rectangle

    size = len(stones)
    axes.set(xlim=(-0.7, size - 0.3), ylim=(size - 0.3, -0.7), aspect="equal", xticks=[], yticks=[])
    axes.set_facecolor("#ecc98a")
    for line in range(size):
        axes.plot([0, size - 1], [line, line], color="#5a4420", lw=0.6, zorder=1)
        axes.plot([line, line], [0, size - 1], color="#5a4420", lw=0.6, zorder=1)
    for y, x in np.argwhere(stones > 0):
        colour = "black" if stones[y, x] == Color.BLACK else "white"
        axes.add_patch(Circle((x, y), 0.46, facecolor=colour, edgecolor="black", lw=0.6, zorder=2))
    if marks is not None:
        for (y, x), mark in np.ndenumerate(marks):
            side = 0.6 * abs(float(mark))
            place = (x - side / 2, y - side / 2)
            colour = "black" if mark > 0 else "white"
            axes.add_patch(
                Rectangle(place, side, side, facecolor=colour, edgecolor="#8a8a8a", lw=0.5, zorder=3)
            )
