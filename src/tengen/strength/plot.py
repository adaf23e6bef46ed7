"""The picture of an estimate: the chances of the ranks, and every game's rating with its intervals."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from tengen.strength.conversions import EASIER_THAN_KGS, scale_named
from tengen.strength.estimate import Estimate
from tengen.strength.groups import CENTRES, WIDTHS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST = 60  # games that are drawn one by one, the last ones
_DARK, _LIGHT = "#1b4f72", "#5d8aa8"


def draw(player: str, whole: Estimate, by_game: Sequence[tuple[str, Estimate]], kind: str = "png") -> bytes:
    """The picture, of this kind: png, svg or pdf. `by_game` has the name of each game and its estimate.

    It uses nothing of pyplot, which must not be called from several threads.
    """
    rows = [(name[:28], found) for name, found in by_game[-_MOST:]]
    if len(by_game) > 1:
        rows.insert(0, ("together", whole))
    with_chances = bool(whole.chances) and not whole.approximate
    heights = [1.3] * with_chances + [0.6 + 0.26 * len(rows)]
    figure = Figure(figsize=(8.0, 1.1 + sum(heights)), layout="constrained")
    panels = figure.subplots(len(heights), sharex=True, squeeze=False, height_ratios=heights)
    axes = panels[-1, 0]
    for place, (_, found) in enumerate(rows):
        color = _LIGHT if place else _DARK
        axes.plot(found.interval95, [place] * 2, color=color, linewidth=1.2)
        axes.plot(found.interval80, [place] * 2, color=color, linewidth=4.0, alpha=0.6)
        axes.plot([found.rating], [place], "o", color=color, markersize=6)
    axes.set_yticks(range(len(rows)), [name.replace("$", r"\$") for name, _ in rows])
    axes.set_ylim(len(rows) - 0.3, -0.7)
    axes.grid(axis="x", alpha=0.3)
    axes.set_xlabel(f"{whole.scale} rating, 80 % (thick) and 95 % intervals")
    if with_chances:
        shares = [100 * share for share in whole.chances.values()]
        # of one rank's width each, so that areas are chances
        panels[0, 0].bar(CENTRES, shares / WIDTHS, width=0.94 * WIDTHS, color=_LIGHT, alpha=0.6)
        panels[0, 0].set_ylabel("chance, %")
        panels[0, 0].grid(axis="x", alpha=0.3)
    if whole.scale in EASIER_THAN_KGS:
        _name_ranks(panels[0, 0], whole)
    title = f"{player}: {whole.words(whole.rating)}, 80 %: {whole.range(whole.interval80)}"
    panels[0, 0].set_title(title.replace("$", r"\$"))
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=110, format=kind)
    return drawn.getvalue()


def _name_ranks(axes: Axes, estimate: Estimate) -> None:
    """Writes the ranks above the ratings, each over its middle."""
    ranks = scale_named(estimate.scale)
    low, high = axes.get_xlim()
    ends = [math.floor(ranks.rank(end)) for end in estimate.ends]
    inside = [rank for rank in range(ends[0], ends[1] + 1) if low <= ranks.rating(rank + 0.5) <= high]
    step = max(1, len(inside) // 12)
    above = axes.secondary_xaxis("top")
    above.set_xticks(
        [ranks.rating(rank + 0.5) for rank in inside[::step]],
        [estimate.words(ranks.rating(rank + 0.5)).replace(" ", "\n") for rank in inside[::step]],
        fontsize=8,
    )
