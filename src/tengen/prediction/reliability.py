"""Are win rates calibrated? Of positions judged 70 to 80 %, about 75 % should be won. No torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tengen.plots import new_figure, save
from tengen.prediction.resampling import Doubles, Estimate, GameMean, Ints

BINS = 10


class Bin(NamedTuple):
    """Positions whose win rate for Black is from `low` to below `high` (the last bin holds 1 as well)."""

    low: float
    high: float
    judged: float  # mean win rate
    won: Estimate  # share that Black won; the interval is from resampled games
    positions: int

    def to_json(self) -> dict[str, Any]:
        return {**self._asdict(), "won": self.won.to_json()}


def reliability(game: Ints, win: Doubles, results: Doubles, games: int) -> list[Bin]:
    """The bins that hold positions: win [n] are Black's win rates, results [n] 1 or -1, game [n] below `games`."""
    place = np.minimum((win * BINS).astype(np.int64), BINS - 1)
    found = []
    for i in np.unique(place).tolist():
        inside = place == i
        won = GameMean.of(game[inside], results[inside] > 0, games)
        found.append(Bin(i / BINS, (i + 1) / BINS, float(win[inside].mean()), won.share(), won.positions))
    return found


def draw_reliability(nets: Mapping[str, Sequence[Bin]], title: str, path: Path) -> None:
    """The share won against the judged win rate, with intervals, and below them how many positions each bin holds."""
    figure = new_figure(6, 7)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(4, 1))
    upper.plot([0, 100], [0, 100], color="black", lw=0.8, ls=":")
    for i, (name, bins) in enumerate(nets.items()):
        judged, won = 100 * np.array([one.judged for one in bins]), 100 * np.array([one.won for one in bins])
        # Rounding must not make the arms of the share 0 or 1 negative.
        bars = np.maximum([won[:, 0] - won[:, 1], won[:, 2] - won[:, 0]], 0)
        upper.errorbar(
            judged, won[:, 0], bars, marker="o", markersize=4, capsize=2, label=name, color=f"C{i}"
        )
        width = 100 / BINS / len(nets)
        left = [100 * one.low + i * width for one in bins]
        lower.bar(left, [one.positions for one in bins], 0.9 * width, align="edge", color=f"C{i}")
    upper.set(ylabel="Black won, %", xlim=(0, 100), ylim=(0, 100), yticks=range(0, 101, 10))
    upper.set_title(title, fontsize=9)
    upper.grid(alpha=0.3)
    upper.legend()
    lower.set(xlabel="judged: Black's win rate, %", ylabel="positions", xticks=range(0, 101, 10))
    lower.grid(alpha=0.3)
    save(figure, path)
