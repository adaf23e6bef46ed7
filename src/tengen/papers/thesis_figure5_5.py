"""Figure 5.5 of the thesis: the training of the full model."""

from __future__ import annotations

from pathlib import Path

from tengen.papers.reproduction import Outcome, Request
from tengen.papers.strength_runs import progress

TITLE = "Training of the full model"
SETTINGS = {"run": "out/runs/strength-kgs-full"}


def run(request: Request) -> Outcome:
    return progress(request, Path((SETTINGS | dict(request.settings))["run"]), (19, 29), TITLE)
