"""Drawings of ratings and predictions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tengen.plots import new_figure, save
from tengen.ratings.compare import Entry
from tengen.ratings.results import SECONDS_A_DAY
from tengen.ratings.system import Ratings

FEW_GAMES = 50


def draw_curves(ratings: Ratings, names: Sequence[str], path: Path, dated: bool = True) -> None:
    """The ratings of players after each of their games, with a band of one deviation.

    The horizontal axis is the date, or the number of the game where there are no dates or only one.
    """
    from matplotlib.ticker import MaxNLocator

    figure = new_figure()
    axes = figure.add_subplot()
    curves = [ratings.curve(name) for name in names]
    by_date = dated and len({day for curve in curves for day in (curve.time // SECONDS_A_DAY).tolist()}) > 1
    for name, curve in zip(names, curves, strict=True):
        games = np.arange(1, len(curve.number) + 1)
        x = curve.time.astype("datetime64[s]") if by_date else games
        form = ".-" if len(games) <= FEW_GAMES else "-"  # one game alone makes no visible line
        (line,) = axes.plot(x, curve.number, form, lw=1, label=_label(name), drawstyle="steps-post")
        if curve.deviation is not None:
            low, high = curve.number - curve.deviation, curve.number + curve.deviation
            axes.fill_between(x, low, high, color=line.get_color(), alpha=0.15, lw=0, step="post")
    if not by_date:
        axes.set_xlabel("games played")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylabel(f"rating ({ratings.system})")
    axes.legend()
    save(figure, path)


def draw_comparison(entries: Sequence[Entry], path: Path) -> None:
    """Black's mean score by predicted score, and the log-likelihood by the number of earlier games."""
    figure = new_figure(11, 5)
    left, right = figure.subplots(1, 2)
    left.plot([0, 1], [0, 1], color="grey", lw=0.8, ls=":")
    for entry in entries:
        bins = entry.calibration
        left.plot(
            [b.predicted for b in bins], [b.scored for b in bins], marker="o", ms=3, lw=1, label=entry.name
        )
        rows = entry.by_earlier_games
        places = np.arange(len(rows))
        right.plot(
            places, [row.quality.log_likelihood for row in rows], marker="o", ms=3, lw=1, label=entry.name
        )
        right.set_xticks(places, [row.label for row in rows])
    left.set_xlabel("predicted score of Black")
    left.set_ylabel("score of Black")
    right.set_xlabel("earlier games of the less experienced player")
    right.set_ylabel("mean log-likelihood")
    right.legend(fontsize="small")
    save(figure, path)


def _label(name: str) -> str:
    """A name as text: matplotlib hides labels that begin with an underscore and reads $ as mathematics."""
    text = name.replace("$", r"\$")
    return f"\u200b{text}" if text.startswith("_") else text
