"""Figure 4.1 of the thesis: the density of rating labels in the training set."""

from __future__ import annotations

import math

import numpy as np

from tengen.papers.reproduction import Outcome, Request, Row
from tengen.papers.thesis_data import thesis_games
from tengen.plots import new_figure, save
from tengen.ratings.glicko2 import Glicko2
from tengen.ratings.read_results import read_results
from tengen.ratings.scales import OGS
from tengen.strength.draft import draw_sets, rating_labels

TITLE = "Rating labels in the training set"
GROUPS = {"double-digit kyu": (-math.inf, 20.0), "single-digit kyu": (20.0, 30.0), "dan": (30.0, math.inf)}
COLORS = {"double-digit kyu": "#b5423c", "single-digit kyu": "#4a6785", "dan": "#3a3a3a"}


def run(request: Request) -> Outcome:
    if request.pool is None:
        labels = thesis_games(request, "t").labels.ravel()
        notes = [
            "Labels as the thesis publishes them with its training set; their mean and deviation are not "
            "quite those it prints in Section 4.7.1."
        ]
    else:
        pool, report = read_results(request.pool)
        ratings = Glicko2().rate(pool)
        all_labels = rating_labels(ratings)
        sizes = {"T": min(10_000, len(pool) // 5), "V": 0, "E": 0, "X": 0}
        labels = all_labels[draw_sets(pool, all_labels, sizes) == "T"].ravel()
        notes = report.lines()
    rows = [
        Row("mean of the labels (4.7.1)", "1623.19", f"{labels.mean():.2f}"),
        Row("deviation of the labels (4.7.1)", "315.81", f"{labels.std(ddof=1):.2f}"),
    ]
    ranks = np.array([OGS.rank(label) for label in labels.tolist()])
    for name, (low, high) in GROUPS.items():
        share = float(np.mean((ranks >= low) & (ranks < high)))
        rows.append(
            Row(f"share of {name}", "most" if name == "single-digit kyu" else "fewer", f"{share:.1%}")
        )
    if request.output is not None:
        figure = new_figure()
        axes = figure.add_subplot()
        edges = np.arange(math.floor(labels.min() / 50) * 50, labels.max() + 50, 50).tolist()
        groups = [labels[(ranks >= low) & (ranks < high)] for low, high in GROUPS.values()]
        weights = [np.full(len(group), 1 / (50 * len(labels))) for group in groups]
        colors = [COLORS[name] for name in GROUPS]
        axes.hist(groups, edges, weights=weights, stacked=True, color=colors, label=list(GROUPS))
        axes.set_xlabel("rating label")
        axes.set_ylabel("density")
        axes.legend()
        save(figure, request.output)
    return Outcome(rows, notes, request.output)
