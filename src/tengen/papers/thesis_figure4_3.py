"""Figure 4.3 of the thesis: the win rate that moves lose, by the strength of who plays them."""

from __future__ import annotations

import numpy as np

from tengen.papers.move_losses import COLORS, SETTINGS, losses_by_class, share, spread_apart
from tengen.papers.reproduction import Outcome, Request, Row
from tengen.plots import new_figure, save

__all__ = ["SETTINGS", "TITLE", "run"]

TITLE = "Win rate lost by moves"
EDGE = 0.2  # what is beyond falls into the outermost bins
BINS = 40


def run(request: Request) -> Outcome:
    found, notes = losses_by_class(request)
    rows = [
        Row(
            f"{each.name}: moves that change the win rate by less than 1 %",
            "much of the game",
            f"{share(np.abs(each.winrate), 0.0, 0.01):.1%}",
        )
        for each in found
    ]
    rows += [Row(f"{each.name}: mean loss", "not printed", f"{each.winrate.mean():.2%}") for each in found]
    if len(found) > 1:
        weak, strong = found[0], found[-1]
        points, rate = spread_apart(weak.points, strong.points), spread_apart(weak.winrate, strong.winrate)
        rows.append(
            Row(
                f"{weak.name} and {strong.name} apart, in deviations",
                "less clear than by points",
                f"{rate:.3f} by win rate, {points:.3f} by points",
            )
        )
    if request.output is not None:
        figure = new_figure(9, 5)
        axes = figure.add_subplot()
        edges = np.linspace(-EDGE, EDGE, BINS + 1)
        for each, color in zip(found, COLORS[-len(found) :], strict=True):
            counts, _ = np.histogram(np.clip(each.winrate, -EDGE, EDGE), edges)
            density = counts / (len(each.winrate) * (edges[1] - edges[0]))
            label = f"{each.name} ({len(each.winrate):,} moves)"
            axes.stairs(density, 100 * edges, color=color, lw=1.2, label=label)
        axes.axvline(0, color="grey", lw=0.6, ls=":")
        axes.set_yscale("log")
        axes.set_xlabel("win rate lost by the move, percentage points (beyond 20: in the last bin)")
        axes.set_ylabel("density")
        axes.legend()
        save(figure, request.output)
    return Outcome(rows, notes, request.output)
