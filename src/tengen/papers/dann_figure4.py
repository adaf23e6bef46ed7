"""Figure 4 of the DANN paper: top-n accuracy of 6AL_2FC and of two 12-layer convolutional nets."""

from __future__ import annotations

from pathlib import Path

from tengen.papers import dann_data, move_prediction
from tengen.papers.dann_data import described, row_recipe, training_of
from tengen.papers.dann_table2 import common
from tengen.papers.move_prediction import measure_row, recipe_of, scale_of, train_row
from tengen.papers.reproduction import Outcome, Request, Row
from tengen.plots import new_figure, save
from tengen.progress import Progress

TITLE = "Top-n accuracy of DANN and of the nets of Maddison et al. and DarkForest"
# `width` is DANN's; the peers are twice and six times as wide, as in their papers (128 and 384 to its 64).
SETTINGS = move_prediction.SETTINGS | dann_data.SETTINGS | {"width": 16}
N = range(1, 11)


def run(request: Request) -> Outcome:
    settings = SETTINGS | dict(request.settings)
    scale = scale_of(common(request))
    training = training_of(settings)
    peers = {
        "maddison12": (2 * scale.width, training),
        "darkforest12": (6 * scale.width, training | {"losses.next_moves": 2.0}),
    }
    nets = [train_row(row_recipe("6al-2fc-t5", scale, settings), request.work / "dann-table2", request)]
    for name, (width, how) in peers.items():
        recipe = recipe_of(name, name, "dann41", scale, how, width=width)
        nets.append(train_row(recipe, request.work / "dann-figure4", request))
    top: dict[str, list[float]] = {}
    rows = []
    for net in nets:
        request.progress(Progress(f"testing {net.name}"))
        figures = measure_row(net, scale.test_positions)
        top[net.name] = [100 * figures.top(n) for n in N]
        published = "57.7 % GoGoD, 53.8 % PGD" if net is nets[0] else "below DANN (drawn, not printed)"
        what = f"{net.name} ({net.parameters:,} parameters)"
        rows.append(Row(f"{what}, top-1", published, f"{top[net.name][0]:.2f} %"))
        rows.append(Row(f"{what}, top-5", "", f"{top[net.name][4]:.2f} %"))
    best = max(top, key=lambda name: top[name][0])
    notes = [
        f"Ours: {scale}, KGS games, 41 planes for all three, {described(settings)}.",
        f"Best at top-1 here: {best}.",
    ]
    if request.output is not None:
        draw(top, str(scale), request.output)
    return Outcome(rows, notes, request.output)


def draw(top: dict[str, list[float]], scale: str, path: Path) -> None:
    figure = new_figure(7, 5)
    axes = figure.add_subplot()
    for name, shares in top.items():
        axes.plot(list(N), shares, marker="o", label=name)
    axes.set(xlabel="n", ylabel="top-n accuracy, %")
    axes.set_title(f"Figure 4: {scale}", fontsize=9)
    axes.grid(alpha=0.3)
    axes.legend()
    save(figure, path)
