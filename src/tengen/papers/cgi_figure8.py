"""Figure 8 of the CGI paper: win rates of rollouts and of the net on the empty board, by komi."""

from __future__ import annotations

from typing import Any

import numpy as np

from tengen.go.color import Color
from tengen.go.playouts import playout_statistics
from tengen.go.position import Position
from tengen.nets.evaluation import given
from tengen.papers.cgi_data import FIGURE_8_EMPTY
from tengen.papers.cgi_nets import labels_of, one_net
from tengen.papers.reproduction import Outcome, Request, Row
from tengen.plots import new_figure, save
from tengen.prediction.accuracy import interval

TITLE = "Win rates of rollouts and of a multi-labelled net on the empty board, by komi"
SETTINGS: dict[str, Any] = {
    "net": "",
    "rollouts": 10_000,  # guided playouts
    "first": -12.5,  # komi that is drawn, where the net has it
    "last": 27.5,
    "seed": 1,
}


def run(request: Request) -> Outcome:
    request, net, size = one_net(request, SETTINGS)
    settings = request.settings
    own = labels_of(net)
    labels = own[(own >= settings["first"]) & (own <= settings["last"])]
    board = Position(size)
    curve = given(net.evaluate([board], komi_labels=labels.tolist())[0].win_by_komi)
    playouts = playout_statistics(board, settings["rollouts"], seed=settings["seed"], policy="guided")
    rolled = np.array([playouts.win_share(Color.BLACK, komi) for komi in labels.tolist()])
    rows = []
    for komi in (-3.5, 0.5, 3.5, 6.5, 7.5, 11.5):
        at = np.flatnonzero(labels == komi)
        if len(at):
            low, high = interval(float(rolled[at[0]]), playouts.playouts)
            printed = f"{FIGURE_8_EMPTY:.0%} (net)" if komi == 0.5 else "drawn, not printed"
            ours = f"net {curve[at[0]]:.1%}, rollouts {rolled[at[0]]:.1%} ({low:.1%} to {high:.1%})"
            rows.append(Row(f"komi {komi:g}", printed, ours))
    steep = [float(np.ptp(part) / (labels[-1] - labels[0])) for part in (curve, rolled)]
    rows.append(
        Row("mean fall a point", "the net's is steeper", f"net {steep[0]:.2%}, rollouts {steep[1]:.2%}")
    )
    if request.output is not None:
        figure = new_figure(7, 4.5)
        axes = figure.add_subplot()
        axes.plot(labels, 100 * curve, marker=".", label=net.card.name)
        axes.plot(labels, 100 * rolled, marker=".", label="rollouts")
        axes.axhline(50, color="black", lw=0.8, ls=":")
        axes.set(xlabel="komi", ylabel="Black's win rate, %")
        axes.set_title(f"Figure 8: the empty board, {size}x{size}", fontsize=9)
        axes.legend()
        save(figure, request.output)
    notes = [f"Ours: {size}x{size}, {playouts.playouts:,} guided playouts. The paper: 19x19."]
    return Outcome(rows, notes, request.output)
