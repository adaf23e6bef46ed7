"""Figures 7 and 8 of the Golois paper: error and accuracy of 13 and 20 normalised residual layers."""

from __future__ import annotations

from tengen.papers.golois_data import FIGURE_8, TRAINING
from tengen.papers.learning_curves import ACCURACY, SEEN, Panel, accuracies, draw_panels
from tengen.papers.move_prediction import SETTINGS, Scale, TrainedNet, recipe_of, scale_of, train_row
from tengen.papers.reproduction import Outcome, Request, Row

TITLE = "Error and accuracy of 13 and 20 residual layers with batch normalisation"

__all__ = ["SETTINGS", "TITLE", "run", "trained"]


def trained(net: str, scale: Scale, request: Request) -> TrainedNet:
    """One of the two nets; its rate falls by Algorithm 1."""
    recipe = recipe_of(net, net, "golois39", scale, TRAINING | {"optimiser.schedule": "algorithm1"})
    return train_row(recipe, request.work / "golois-figure7-8", request)


def run(request: Request) -> Outcome:
    scale = scale_of(request)
    nets = [trained(net, scale, request) for net in FIGURE_8]
    rows = [
        Row(f"{net.name}, accuracy at the end", f"{FIGURE_8[net.name]:.2f} %", f"{100 * net.top1:.2f} %")
        for net in nets
    ]
    gain = 100 * (nets[1].top1 - nets[0].top1)
    rows.append(
        Row("20 layers over 13", f"{FIGURE_8['res20-sbn'] - FIGURE_8['res13-sbn']:+.2f} %", f"{gain:+.2f} %")
    )
    if request.output is not None:
        errors = {net.name: [(examples / 1000, loss) for examples, _, loss in net.curve] for net in nets}
        panels: list[Panel] = [
            ("Figure 7", SEEN, "cross-entropy on the test set", errors),
            ("Figure 8", SEEN, ACCURACY, accuracies(nets)),
        ]
        draw_panels(panels, str(scale), request.output)
    return Outcome(
        rows, [f"Ours: {scale}. The paper: 256 planes, about 50 million examples."], request.output
    )
