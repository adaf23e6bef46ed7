"""Figure 5 of the CGI paper: the mean squared error of BV-VN and BV-ML-VN in 6.5-komi games."""

from __future__ import annotations

from tengen.papers.cgi_mse import measure_mse
from tengen.papers.cgi_nets import GAMES, NETS, SAMPLE
from tengen.papers.reproduction import Outcome, Request

TITLE = "Mean squared error of BV-VN and BV-ML-VN in 6.5-komi games"
SETTINGS = NETS | GAMES | SAMPLE | {"komi": 6.5}


def run(request: Request) -> Outcome:
    request = request._replace(settings=SETTINGS | dict(request.settings))
    published = {"bv_vn": "drawn, not printed", "bv_ml_vn": "slightly below BV-VN"}
    return measure_mse(request, list(NETS), SETTINGS["komi"], published, "Figure 5")
