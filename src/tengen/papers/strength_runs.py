"""What `tengen train strength` and `tengen strength search` left behind, as the thesis draws it (Sections 5.1, 5.2)."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib.ticker import NullFormatter

from tengen.errors import InputError
from tengen.papers.reproduction import Outcome, Request, Row
from tengen.plots import new_figure, save

if TYPE_CHECKING:
    from tengen.strength.search import Found

MARKS = "osD^x"  # of the iterations of a search, from broad to fine, as in figure 5.3

Epoch = dict[str, float]


def epochs_of(run: Path) -> list[Epoch]:
    """The epochs of a run's log, in order."""
    log = run / "log.csv"
    if not log.is_file():
        raise InputError(
            f"{run}: no run is there; `tengen train strength` makes one, --set run=FOLDER names another"
        )
    with log.open(newline="", encoding="utf-8") as file:
        rows = [
            {key: float(value) for key, value in row.items() if value}
            for row in csv.DictReader(file)
            if row.get("validation_log_likelihood")
        ]
    if not rows or "rating" not in rows[0]:
        raise InputError(f"{log}: not the log of a model trained on games")
    return rows


def progress(request: Request, run: Path, published: tuple[int, int], title: str) -> Outcome:
    """The training progress of a run; `published`: the thesis' best and last epoch."""
    epochs = epochs_of(run)
    scores = [epoch["validation_log_likelihood"] for epoch in epochs]
    best = max(range(len(epochs)), key=scores.__getitem__)
    rows = [
        Row("best epoch on V", str(published[0]), str(best + 1)),
        Row("epochs in all", str(published[1]), str(len(epochs))),
        Row("log-likelihood on V, best epoch", "", f"{scores[best]:.4f}"),
        Row("accuracy on V, best epoch", "", f"{epochs[best]['validation_accuracy']:.2%}"),
    ]
    if request.output is not None:
        _draw_progress(epochs, title, request.output)
    notes = [f"Ours: {run}. Losses are means over an epoch; the thesis draws every step."]
    return Outcome(rows, notes, request.output)


def _draw_progress(epochs: list[Epoch], title: str, path: Path) -> None:
    """Parts of the training loss stacked in blue, the loss on V as a line (figures 5.1 and 5.5)."""
    figure = new_figure(8, 4.5)
    axes = figure.add_subplot()
    x = list(range(1, len(epochs) + 1))
    total = [epoch["total"] for epoch in epochs]
    score = [epoch["score"] for epoch in epochs]
    # What the factors tau make of the other two is not in the log: together they are the rest of the total.
    axes.fill_between(x, 0, score, color="#2b5c8a", label="score, in training")
    axes.fill_between(x, score, total, color="#a9c6e0", label="ratings and weights, in training")
    axes.plot(x, [-epoch["validation_log_likelihood"] for epoch in epochs], "k-", label="score, validation")
    axes.set(xlabel="epoch", ylabel="loss", title=title)
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)
    save(figure, path)


def found_in(folder: Path) -> list[Found]:
    """All runs of a search that were completed."""
    try:
        from tengen.strength.search import read_search
    except ImportError:
        raise InputError("a search is read with optuna: pip install 'tengen[train]'") from None
    found = read_search(folder)
    if not found:
        raise InputError(
            f"{folder}: no search is there; `tengen strength search` makes one, --set search=FOLDER names another"
        )
    return found


def scatter(request: Request, found: list[Found], shown: tuple[float, float] | None, title: str) -> Outcome:
    """Each run of a search as a mark, loss on V over each hyperparameter; `shown`: losses to draw, all if None."""
    drawn = [one for one in found if shown is None or shown[0] <= -one.score <= shown[1]]
    best = max(found, key=lambda one: one.score)
    epochs = [one.epoch for one in found if one.epoch] or [0]  # none, where every run diverged
    rows = [
        Row("runs", "75", str(len(found))),
        Row("best log-likelihood on V", "-0.578", f"{best.score:.4f}"),
        Row("drawn", "", f"{len(drawn)} runs"),
        Row(
            "best epoch of a run, mean and most",
            "not printed (runs end after 30 and 78 epochs, patience 10)",
            f"{sum(epochs) / len(epochs):.0f} and {max(epochs)}",
        ),
    ]
    if request.output is not None and drawn:
        _draw_scatter(drawn, title, request.output)
    notes = [] if drawn else ["No run has a loss in that range: nothing is drawn."]
    return Outcome(rows, notes, request.output if drawn else None)


def _draw_scatter(found: list[Found], title: str, path: Path) -> None:
    names = found[0].point._fields
    figure = new_figure(12, 6)
    for axes, name in zip(figure.subplots(2, 4, sharey=True).flat, names, strict=True):
        for iteration in sorted({one.iteration for one in found}):
            some = [one for one in found if one.iteration == iteration]
            mark = MARKS[iteration % len(MARKS)]
            axes.plot(
                [getattr(one.point, name) for one in some],
                [-one.score for one in some],
                mark,
                ms=4,
                alpha=0.7,
                label=f"iteration {iteration + 1}",
            )
        axes.set_xlabel(name)
        if name in ("rate", "tau_r", "tau_theta"):
            axes.set_xscale("log")
            axes.xaxis.set_minor_formatter(NullFormatter())  # within a decade they would stand on each other
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=5, frameon=False)
    figure.supylabel("loss on V")
    figure.suptitle(title)
    save(figure, path)


def windows_of(folder: Path) -> list[tuple[int, float]]:
    """Window size and best log-likelihood on V of every run in a folder of runs."""
    found = []
    for log in sorted(folder.glob("*/log.csv")):
        states = sorted((log.parent / "checkpoints").glob("[0-9]*/state.json"))
        try:
            scores = [epoch["validation_log_likelihood"] for epoch in epochs_of(log.parent)]
            recipe: dict[str, Any] = json.loads(states[-1].read_text(encoding="utf-8"))["recipe"]
        except (InputError, IndexError, ValueError, KeyError):
            continue  # a run of another kind
        found.append((int(recipe["data"]["window"]), max(scores)))
    return sorted(found)
