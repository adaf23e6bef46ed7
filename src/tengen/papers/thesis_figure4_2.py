"""Figure 4.2 of the thesis: the points that moves lose, by the strength of who plays them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from tengen.papers.move_losses import COLORS, SETTINGS, MoveLosses, losses_by_class, share
from tengen.papers.reproduction import Outcome, Request, Row
from tengen.plots import new_figure, save

__all__ = ["SETTINGS", "TITLE", "run"]

TITLE = "Points lost by moves"
GAIN, BLUNDER = 2.0, 15.0  # beyond these, all moves are one bar
WIDTH = 0.5


def run(request: Request) -> Outcome:
    found, notes = losses_by_class(request)
    rows = []
    for each in found:
        dan, beginners = each.name[0].isdigit(), each.name.startswith("double")
        lost = each.points
        rows += [
            Row(f"{each.name}: mean loss", "fewer, the stronger", f"{lost.mean():.2f} points"),
            Row(
                f"{each.name}: moves that lose up to a point; that lose or gain up to one",
                "25 % (dan): one of the two" if dan else "not printed",
                f"{share(lost, 0.0, 1.0):.1%}; {share(np.abs(lost), 0.0, 1.0):.1%}",
            ),
            Row(
                f"{each.name}: gains of more than {GAIN:g} points",
                "frequent",
                f"{share(lost, -math.inf, -GAIN):.1%}",
            ),
            Row(
                f"{each.name}: more than {BLUNDER:g} points lost",
                "about 7 % (beginners)" if beginners else "not printed",
                f"{share(lost, BLUNDER, math.inf):.1%}",
            ),
        ]
    if request.output is not None:
        _draw(found, request.output)
    return Outcome(rows, notes, request.output)


def _draw(found: list[MoveLosses], path: Path) -> None:
    figure = new_figure(9, 5)
    axes = figure.add_subplot()
    edges = np.arange(-GAIN, BLUNDER + WIDTH / 2, WIDTH)
    bar = 0.8 / len(found)
    for i, each in enumerate(found):
        color = COLORS[-len(found) :][i]
        counts, _ = np.histogram(each.points, edges)
        density = counts / (len(each.points) * WIDTH)
        axes.stairs(density, edges, color=color, lw=1.3, label=f"{each.name} ({len(each.points):,} moves)")
        # the outliers, summed up: their share, on the same axis as the density of one point
        for at, outside in (
            (-GAIN - 1.5, share(each.points, -math.inf, -GAIN)),
            (BLUNDER + 0.4, share(each.points, BLUNDER, math.inf)),
        ):
            axes.bar(at + i * bar, outside, bar, align="edge", color=color)
    axes.axvline(0, color="grey", lw=0.6, ls=":")
    axes.set_xticks(
        [-GAIN - 1.1, -GAIN, 0, 5, 10, BLUNDER, BLUNDER + 0.8],
        [f"<-{GAIN:g}", f"-{GAIN:g}", "0", "5", "10", "", f">{BLUNDER:g}"],
    )
    axes.set_xlabel("points lost by the move")
    axes.set_ylabel("density (bars at the ends: share)")
    axes.legend()
    save(figure, path)
