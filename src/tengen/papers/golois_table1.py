"""Table 1 of the Golois paper: how five kinds of layers learn."""

from __future__ import annotations

from tengen.papers.golois_data import TABLE_1, TABLE_1_STEP, TRAINING
from tengen.papers.learning_curves import ACCURACY, SEEN, Panel, accuracies, draw_panels
from tengen.papers.move_prediction import SETTINGS, order_of, recipe_of, scale_of, train_row
from tengen.papers.reproduction import Outcome, Request, Row

TITLE = "Accuracy of plain, DarkForest's, residual and normalised residual nets"

__all__ = ["SETTINGS", "TITLE", "run"]


def run(request: Request) -> Outcome:
    scale = scale_of(request)
    folder = request.work / "golois-table1"
    nets = [train_row(recipe_of(net, net, "golois39", scale, TRAINING), folder, request) for net in TABLE_1]
    rows = []
    for net in nets:
        published = TABLE_1[net.name]
        for k in (0, 3, 19):
            rows.append(
                Row(
                    f"{net.name} after {(k + 1) * TABLE_1_STEP // 10**6} million", f"{published[k]:.2f} %", ""
                )
            )
        for examples, top1, _ in net.curve:
            rows.append(Row(f"{net.name} after {examples:,}", "", f"{100 * top1:.2f} %"))
    plain, normed = nets[0], nets[-1]
    early = all(one[1] > other[1] for one, other in zip(normed.curve, plain.curve, strict=True))
    if request.output is not None:
        paper = {
            net: [((k + 1) * TABLE_1_STEP / 10**6, top1) for k, top1 in enumerate(row)]
            for net, row in TABLE_1.items()
        }
        panels: list[Panel] = [
            ("Ours", SEEN, ACCURACY, accuracies(nets)),
            ("Table 1 of the paper", "million examples", ACCURACY, paper),
        ]
        draw_panels(panels, str(scale), request.output)
    return Outcome(
        rows,
        [
            f"Ours: {scale}; the 39 planes without playouts. The paper: 256 planes, 42 input planes.",
            f"Best to worst: {order_of(nets)}.",
            "The normalised residual net leads the plain one at every test."
            if early
            else "The normalised residual net does NOT lead the plain one at every test.",
        ],
        request.output,
    )
