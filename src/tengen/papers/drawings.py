"""Kinds of drawings that several figures of the thesis share."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from tengen.papers.reproduction import Row
from tengen.plots import new_figure, save

Array = npt.NDArray[np.float64]
RIGHT, WRONG = "#4a6785", "#b5423c"


def estimate_rows(estimates: Array, labels: Array) -> list[Row]:
    """How far estimates lean to the mean, and how far they are off."""
    slope = float(np.cov(labels, estimates)[0, 1] / labels.var(ddof=1))
    error = float(np.sqrt(np.mean(np.square(estimates - labels))))
    lean = f"{100 * slope:.1f} points from it"
    return [
        Row("estimate for a label 100 points from the mean", "less far from it", lean),
        Row("deviation of the estimates from the labels", "not printed", f"{error:.1f} points"),
    ]


def draw_estimates_and_labels(estimates: Array, labels: Array, title: str, path: Path) -> None:
    """Rating estimates against labels, as a density; the diagonal is where they agree (Figures 5.6, 5.8)."""
    figure = new_figure(6.5, 6)
    axes = figure.add_subplot()
    low, high = np.quantile(labels, [0.0005, 0.9995])
    image = axes.hexbin(
        labels, estimates, gridsize=80, extent=(low, high, low, high), bins="log", cmap="Blues", mincnt=1
    )
    axes.plot([low, high], [low, high], color="black", lw=0.8, ls=":")
    axes.set_xlabel("label")
    axes.set_ylabel("estimate")
    axes.set_title(title)
    figure.colorbar(image, label="ratings")
    save(figure, path)


def draw_scores(score: Array, prediction: Array, title: str, path: Path) -> None:
    """Predicted scores of games White won and of games Black won; wrong ones in red (Figures 5.7, 5.9)."""
    figure = new_figure(9, 4.5)
    edges = np.linspace(0, 1, 41)
    axes = figure.subplots(1, 2, sharey=True)
    for place, (winner, value) in enumerate((("White won (score 0)", 0.0), ("Black won (score 1)", 1.0))):
        predicted = prediction[score == value]
        said_black = predicted > 0.5
        right = predicted[said_black == bool(value)]
        wrong = predicted[said_black != bool(value)]
        axes[place].hist([right, wrong], edges, stacked=True, color=[RIGHT, WRONG])
        axes[place].set_title(f"{winner}: {len(predicted):,} games")
        axes[place].set_xlabel("predicted score")
    axes[0].set_ylabel("games")
    figure.suptitle(title)
    save(figure, path)
