"""Section 3.3 of the Golois paper: what the sum over the eight symmetries adds."""

from __future__ import annotations

from tengen.papers.golois_data import BAGGING
from tengen.papers.golois_figure7_8 import trained
from tengen.papers.move_prediction import SETTINGS, measure_row, scale_of
from tengen.papers.reproduction import Outcome, Request, Row
from tengen.progress import Progress

TITLE = "Bagging over the eight symmetries"

__all__ = ["SETTINGS", "TITLE", "run"]


def run(request: Request) -> Outcome:
    scale = scale_of(request)
    net = trained("res20-sbn", scale, request)
    request.progress(Progress("evaluating in eight symmetries"))
    alone = 100 * measure_row(net, scale.test_positions).top(1)
    bagged = 100 * measure_row(net, scale.test_positions, bagging=True).top(1)
    rows = [
        Row("20 layers alone", f"{BAGGING[0]:.2f} %", f"{alone:.2f} %"),
        Row("sum of eight symmetries", f"{BAGGING[1]:.2f} %", f"{bagged:.2f} %"),
        Row("gain", f"{BAGGING[1] - BAGGING[0]:+.2f} %", f"{bagged - alone:+.2f} %"),
    ]
    notes = [
        f"Ours: res20-sbn of figures 7 and 8, {scale}. The paper: net_20, 256 planes, 340 million examples."
    ]
    return Outcome(rows, notes)
