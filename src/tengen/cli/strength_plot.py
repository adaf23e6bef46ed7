"""The picture of an estimate: every game's rating with its intervals, and all games together."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from tengen.files import replacing
from tengen.ratings.scales import rank_name
from tengen.strength.conversions import EASIER_THAN_KGS, scale_named
from tengen.strength.estimate import Estimate, Report

_MOST = 60  # games that are drawn one by one, the last ones


def draw(report: Report, names: list[str], path: Path) -> None:
    """Writes the picture; the ending of the name chooses its kind."""
    games = report.by_game[-_MOST:]
    rows: list[tuple[str, Estimate]] = [("together", report.whole)]
    rows += [(names[game][:28], found) for game, found in games]
    figure, axes = plt.subplots(figsize=(8.0, 1.6 + 0.28 * len(rows)), layout="constrained")
    for place, (_, found) in enumerate(rows):
        color = "#1b4f72" if place == 0 else "#5d8aa8"
        axes.plot(found.interval95, [place] * 2, color=color, linewidth=1.2)
        axes.plot(found.interval80, [place] * 2, color=color, linewidth=4.0, alpha=0.6)
        axes.plot([found.rating], [place], "o", color=color, markersize=6)
    axes.set_yticks(range(len(rows)), [name.replace("$", r"\$") for name, _ in rows])
    axes.invert_yaxis()
    axes.grid(axis="x", alpha=0.3)
    scale = report.whole.scale
    axes.set_xlabel(f"{scale} rating, 80 % (thick) and 95 % intervals")
    if scale in EASIER_THAN_KGS:
        ranks = scale_named(scale)
        low, high = axes.get_xlim()
        whole = range(int(ranks.rank(low)), int(ranks.rank(high)) + 2)
        step = max(1, len(whole) // 12)
        above = axes.secondary_xaxis("top")
        above.set_xticks(
            [ranks.rating(rank + 0.5) for rank in whole[::step]], [rank_name(r) for r in whole[::step]]
        )
    title = f"{report.player}: {report.whole.rank or round(report.whole.rating)}"
    axes.set_title(title.replace("$", r"\$"))
    with replacing(path) as temporary:
        figure.savefig(temporary, dpi=110, format=path.suffix.lstrip(".").lower())
    plt.close(figure)
