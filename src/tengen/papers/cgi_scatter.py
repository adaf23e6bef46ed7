"""Figures 9 and 10 of the CGI paper: territory by ownership against the win rate."""

from __future__ import annotations

from typing import Any

import numpy as np

from tengen.papers.cgi_data import QUADRANTS
from tengen.papers.cgi_nets import GAMES, SAMPLE, one_net, open_games, positions_of
from tengen.papers.reproduction import Outcome, Request, Row
from tengen.plots import new_figure, save
from tengen.prediction.accuracy import interval
from tengen.prediction.value_accuracy import scatter
from tengen.prediction.value_reading import black_territory, black_values

SETTINGS: dict[str, Any] = {"net": "", "positions": 2000} | GAMES | SAMPLE


def measure_scatter(request: Request, komi: float, figure_name: str) -> Outcome:
    """The scatter of positions of the pool's games at v of a komi; the positions of both figures are the same."""
    request, net, size = one_net(request, SETTINGS)
    settings = request.settings
    store = open_games(request, size)
    positions = positions_of(request, store).drawn(settings["positions"], settings["seed"])
    values = black_values(net, positions, [komi], request.progress)[:, 0]
    territory = black_territory(net, positions, request.progress)
    found = scatter(territory, values, komi)
    lower_right, upper_left = QUADRANTS[komi]
    rows = [
        Row(
            "lower right (more territory, below 50 %)",
            f"{lower_right} %",
            _share(found.lower_right, len(values)),
        ),
        Row(
            "upper left (less territory, above 50 %)",
            f"{upper_left} %",
            _share(found.upper_left, len(values)),
        ),
        Row("regressed line at 50 %", f"about {komi:g}", f"{found.crossing:.2f} points of territory"),
        Row("slope of the line", "drawn, not printed", f"{100 * found.slope:.2f} % a point"),
        Row("correlation of territory and v", "drawn, not printed", f"{found.correlation:.3f}"),
    ]
    if request.output is not None:
        figure = new_figure(7, 5)
        axes = figure.add_subplot()
        axes.scatter(territory, 50 * (values + 1), s=4, alpha=0.4)
        ends = np.array([territory.min(), territory.max()])
        axes.plot(ends, 50 + 100 * found.slope * (ends - found.crossing), color="black", lw=1)
        axes.axvline(komi, color="red", lw=0.8)
        axes.axhline(50, color="black", lw=0.6, ls=":")
        axes.set(
            xlabel="territory by ownership, points", ylabel=f"win rate at komi {komi:g}, %", ylim=(-2, 102)
        )
        axes.set_title(
            f"{figure_name}: {net.card.name}, {len(values):,} positions, {size}x{size}", fontsize=9
        )
        save(figure, request.output)
    notes = [
        f"Ours: {len(values):,} positions of games at komi {settings['komi']:g} on {size}x{size}. The paper: 2,000 of "
        "its 7.5-komi KGS games on 19x19.",
        "Intervals (95 %) take the positions as independent, though some are of one game.",
        "Territory is 2 x the sum of Black's ownership probabilities less the area; the paper prints the bare sum, "
        "which could not be centred at the komi.",
    ]
    return Outcome(rows, notes, request.output)


def _share(share: float, count: int) -> str:
    low, high = interval(share, count)
    return f"{share:.2%} ({low:.2%} to {high:.2%})"
