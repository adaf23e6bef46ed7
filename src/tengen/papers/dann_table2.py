"""Table 2 of the DANN paper: where alternative layers stand, how many there are, how long they run."""

from __future__ import annotations

from tengen.errors import InputError
from tengen.papers import dann_data, move_prediction
from tengen.papers.dann_data import SOME_ROWS, TABLE_2, described, row_recipe
from tengen.papers.learning_curves import ACCURACY, SEEN, accuracies, draw_panels
from tengen.papers.move_prediction import order_of, scale_of, train_row
from tengen.papers.reproduction import Outcome, Request, Row

TITLE = "Move prediction by configuration of alternative layers"
# `rows` names rows of the table, or all.
SETTINGS = move_prediction.SETTINGS | dann_data.SETTINGS | {"width": 16, "rows": SOME_ROWS}


def run(request: Request) -> Outcome:
    settings = SETTINGS | dict(request.settings)
    names = list(TABLE_2) if settings["rows"] == "all" else str(settings["rows"]).replace(",", " ").split()
    if unknown := [name for name in names if name not in TABLE_2]:
        raise InputError(f"Table 2 has no row '{unknown[0]}': it has {', '.join(TABLE_2)}")
    scale = scale_of(common(request))
    folder = request.work / "dann-table2"
    nets = [train_row(row_recipe(name, scale, settings), folder, request) for name in names]
    rows = [
        Row(
            f"{net.name} ({net.parameters:,} parameters)",
            "{:.1f} % GoGoD, {:.1f} % PGD".format(*TABLE_2[net.name]),
            f"{100 * net.top1:.2f} %, {net.curve[-1][2]:.3f} nats",
        )
        for net in nets
    ]
    notes = [
        f"Ours: {scale}, KGS games, {described(settings)}. The paper: width 64, GoGoD and PGD, "
        f"{described(dann_data.SETTINGS)}, number of examples not given.",
        f"Best to worst: {order_of(nets)}.",
    ]
    if request.output is not None:
        draw_panels([("Table 2", SEEN, ACCURACY, accuracies(nets))], str(scale), request.output)
    return Outcome(rows, notes, request.output)


def common(request: Request) -> Request:
    """The request with the settings that all reproductions of move prediction share."""
    settings = {k: v for k, v in (SETTINGS | dict(request.settings)).items() if k in move_prediction.SETTINGS}
    return request._replace(settings=settings)
