"""Figure 5.1 of the thesis: the training of the basic model."""

from __future__ import annotations

from pathlib import Path

from tengen.papers.reproduction import Outcome, Request
from tengen.papers.strength_runs import progress

TITLE = "Training of the basic model"
SETTINGS = {"run": "out/runs/strength-kgs-basic"}


def run(request: Request) -> Outcome:
    return progress(request, Path((SETTINGS | dict(request.settings))["run"]), (11, 21), TITLE)
