"""Figure 6 of the CGI paper: the mean squared error of BV-VN and BV-ML-VN in 0.5-komi games."""

from __future__ import annotations

from tengen.papers.cgi_mse import measure_mse
from tengen.papers.cgi_nets import GAMES, NETS, SAMPLE
from tengen.papers.reproduction import Outcome, Request

TITLE = "Mean squared error of BV-VN and BV-ML-VN in 0.5-komi games"
SETTINGS = NETS | GAMES | SAMPLE | {"komi": 0.5}


def run(request: Request) -> Outcome:
    request = request._replace(settings=SETTINGS | dict(request.settings))
    published = {
        "bv_vn": "about 0.5 at the start, above BV-ML-VN from move 150 on",
        "bv_ml_vn": "about 0.6 at the start",
    }
    return measure_mse(request, list(NETS), SETTINGS["komi"], published, "Figure 6")
