"""Figure 5.3 of the thesis: the search for hyperparameters."""

from __future__ import annotations

from pathlib import Path

from tengen.papers.reproduction import Outcome, Request
from tengen.papers.strength_runs import found_in, scatter

TITLE = "The search for hyperparameters"
SETTINGS = {"search": "out/search/strength-kgs-full"}


def run(request: Request) -> Outcome:
    folder = Path((SETTINGS | dict(request.settings))["search"])
    return scatter(request, found_in(folder), None, TITLE)
