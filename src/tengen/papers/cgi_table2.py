"""Table 2 and Figure 4 of the CGI paper: the mean squared error of the four value nets in 7.5-komi games."""

from __future__ import annotations

from tengen.papers.cgi_data import TABLE_2
from tengen.papers.cgi_mse import measure_mse
from tengen.papers.cgi_nets import GAMES, NETS, SAMPLE
from tengen.papers.reproduction import Outcome, Request

TITLE = "Mean squared error of four value nets in 7.5-komi games, with Figure 4"
SETTINGS = NETS | GAMES | SAMPLE


def run(request: Request) -> Outcome:
    published = {name: f"{value:.5f}" for name, value in TABLE_2.items()}
    request = request._replace(settings=SETTINGS | dict(request.settings))
    return measure_mse(request, list(NETS), SETTINGS["komi"], published, "Figure 4")
