"""Figure 10 of the CGI paper: territory by ownership against v at komi 0.5."""

from __future__ import annotations

from tengen.papers.cgi_scatter import SETTINGS, measure_scatter
from tengen.papers.reproduction import Outcome, Request

TITLE = "Territory by ownership against the win rate at komi 0.5"

__all__ = ["SETTINGS", "TITLE", "run"]


def run(request: Request) -> Outcome:
    return measure_scatter(request, 0.5, "Figure 10")
