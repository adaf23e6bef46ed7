"""Figure 5.4 of the thesis: the search for hyperparameters, its better runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tengen.papers.reproduction import Outcome, Request
from tengen.papers.strength_runs import found_in, scatter

TITLE = "The search for hyperparameters: the better runs"
# How far from the best loss a run may be to be drawn; the thesis draws 0.578 to 0.59.
SETTINGS: dict[str, Any] = {"search": "out/search/strength-kgs-full", "width": 0.012}


def run(request: Request) -> Outcome:
    settings = SETTINGS | dict(request.settings)
    found = found_in(Path(settings["search"]))
    best = -max(one.score for one in found)
    return scatter(request, found, (best, best + settings["width"]), TITLE)
