"""Table 5.1 of the thesis: the hyperparameters that the search settled on."""

from __future__ import annotations

from pathlib import Path

from tengen.papers.reproduction import Outcome, Request, Row
from tengen.papers.strength_runs import found_in

TITLE = "The hyperparameters of the best run of the search"
SETTINGS = {"search": "out/search/strength-kgs-full"}
PUBLISHED = {
    "rate": ("initial learning rate", "2.14e-04"),
    "decay": ("learning rate decay", "0.995"),
    "tau_r": ("rating loss scaling factor", "2.05"),
    "tau_theta": ("regularization factor", "73.9"),
    "depth": ("model depth", "5"),
    "hidden": ("hidden feature dimensions", "254"),
    "query": ("attention query feature dimensions", "154"),
    "inducing": ("inducing points", "61"),
}


def run(request: Request) -> Outcome:
    folder = Path((SETTINGS | dict(request.settings))["search"])
    found = found_in(folder)
    best = max(found, key=lambda one: one.score)
    rows = [
        Row(f"{title} ({name})", published, f"{getattr(best.point, name):.3g}")
        for name, (title, published) in PUBLISHED.items()
    ]
    rows.append(Row("log-likelihood on V", "-0.578", f"{best.score:.4f}"))
    return Outcome(rows, [f"Ours: {folder}, best of {len(found)} runs, in iteration {best.iteration + 1}."])
