"""Figure 5.2 of the thesis: how many recent moves a model should look at."""

from __future__ import annotations

from pathlib import Path

from tengen.errors import InputError
from tengen.papers.reproduction import Outcome, Request, Row
from tengen.papers.strength_runs import windows_of
from tengen.plots import new_figure, save

TITLE = "Quality by the number of moves looked at"
# A folder of runs of one recipe, made with --set data.window=50 --set name=window50 and so on.
SETTINGS = {"runs": "out/runs"}


def run(request: Request) -> Outcome:
    folder = Path((SETTINGS | dict(request.settings))["runs"])
    found = windows_of(folder)
    if len({window for window, _ in found}) < 2:
        raise InputError(
            f"{folder}: runs with at least two windows are needed; `tengen train strength full RECIPE --set window=100 "
            "--set name=window100` makes one"
        )
    best = max(found, key=lambda one: one[1])
    rows = [Row(f"window of {window} moves", "", f"{score:.4f}") for window, score in found]
    rows.append(Row("best window", "the largest, 500", str(best[0])))
    if request.output is not None:
        figure = new_figure(7, 4.5)
        axes = figure.add_subplot()
        axes.plot([window for window, _ in found], [-score for _, score in found], "o")
        axes.set(xlabel="moves looked at", ylabel="loss on V", title=TITLE)
        save(figure, request.output)
    return Outcome(rows, ["Log-likelihood on V, best epoch of each run."], request.output)
