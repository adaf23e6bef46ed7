"""Figure 3 of the CGI paper: the komi rate of dynamic komi during a game."""

from __future__ import annotations

from tengen.papers.reproduction import Outcome, Request, Row
from tengen.plots import new_figure, save
from tengen.search.dynamic_komi import komi_rate

TITLE = "The komi rate by the number of the move"
SETTINGS = {"c": 8.0, "s": 0.45, "size": 19}
# By the formula of III.B with c = 8, s = 0.45 on 361 points; the figure itself has no numbers.
PUBLISHED = {1: 0.9728, 100: 0.7996, 162: 0.5025, 200: 0.3032, 300: 0.0453}


def run(request: Request) -> Outcome:
    chosen = SETTINGS | dict(request.settings)
    points = int(chosen["size"]) ** 2

    def rate(move: int) -> float:
        return komi_rate(move, points, chosen["c"], chosen["s"])

    rows = [Row(f"move {move}", f"{value:.4f}", f"{rate(move):.4f}") for move, value in PUBLISHED.items()]
    if request.output is not None:
        figure = new_figure()
        axes = figure.add_subplot()
        moves = range(1, points + 1)
        axes.plot(moves, [rate(move) for move in moves], color="#4a6785")
        axes.set_xlabel("move")
        axes.set_ylabel("komi rate")
        axes.set_ylim(0, 1)
        save(figure, request.output)
    notes = [
        f"Ours: c = {chosen['c']:g}, s = {chosen['s']:g}, {points} points.",
        "Published: the paper's formula with c = 8, s = 0.45 and 361 points; the figure has no numbers of its own.",
    ]
    return Outcome(rows, notes, request.output)
