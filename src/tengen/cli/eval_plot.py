"""The picture of an evaluation: the board with ownership and moves, and the win rate over komi."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Rectangle

from tengen.errors import InputError
from tengen.go.color import Color
from tengen.go.drawing import COLUMNS, star_points
from tengen.go.position import Position
from tengen.nets.evaluation import Evaluation

_WOOD = "#e3b96b"
_INK = "#4a3818"
_SHOWN_MOVES = 5


def draw(position: Position, found: Evaluation, title: str, path: Path) -> None:
    """Writes the picture; the ending of the name chooses its kind."""
    figure, (board, curve) = plt.subplots(
        1, 2, figsize=(12.5, 6.4), width_ratios=[1.1, 1], layout="constrained"
    )
    leader = Color.BLACK if found.win.of(Color.BLACK) >= 0.5 else Color.WHITE
    ahead = found.lead.leader or Color.BLACK
    figure.suptitle(
        f"{title}: {leader} wins {found.win.of(leader):.1%}, {ahead} leads by {found.lead.of(ahead):.1f}"
    )
    _board(board, position, found)
    _curve(curve, position, found)
    try:
        figure.savefig(path, dpi=110)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: the picture cannot be written: {error}") from None
    finally:
        plt.close(figure)


def _board(axes: Axes, position: Position, found: Evaluation) -> None:
    size = position.size
    axes.set_aspect("equal")
    axes.set_xlim(-0.9, size - 0.1)
    axes.set_ylim(size - 0.1, -0.9)
    axes.set_facecolor(_WOOD)
    axes.set_xticks(range(size), list(COLUMNS[:size]))
    axes.set_yticks(range(size), [str(size - y) for y in range(size)])
    axes.tick_params(length=0)
    for i in range(size):
        axes.plot([0, size - 1], [i, i], color=_INK, linewidth=0.7, zorder=1)
        axes.plot([i, i], [0, size - 1], color=_INK, linewidth=0.7, zorder=1)
    for point in star_points(size):
        axes.add_patch(Circle((point % size, point // size), 0.1, color=_INK, zorder=1))
    stones = position.stones()
    for y, x in np.argwhere(stones):
        black = stones[y, x] == Color.BLACK
        axes.add_patch(
            Circle((x, y), 0.47, facecolor="#111" if black else "#fdfdfd", edgecolor="#111", zorder=2)
        )
    for (y, x), owner in np.ndenumerate(found.ownership):
        side = 0.42 * abs(float(owner))
        if side > 0.04:
            color = "#111" if owner > 0 else "#fdfdfd"
            corner = (x - side / 2, y - side / 2)
            axes.add_patch(
                Rectangle(corner, side, side, facecolor=color, edgecolor="#888", linewidth=0.4, zorder=3)
            )
    for rank, (point, chance) in enumerate(found.top_moves(_SHOWN_MOVES)):
        if point < size * size:
            y, x = divmod(point, size)
            shade = "#2b6cb0" if rank == 0 else "#63a0d8"
            axes.add_patch(Circle((x, y), 0.47, facecolor=shade, edgecolor="white", zorder=4))
            axes.text(
                x, y, f"{100 * chance:.0f}", color="white", ha="center", va="center", fontsize=8, zorder=5
            )
    axes.set_title(f"{position.to_move} to play; squares: ownership, blue: moves in %", fontsize=10)


def _curve(axes: Axes, position: Position, found: Evaluation) -> None:
    komi = position.rules.komi
    axes.plot(found.komi_labels, 100 * found.win_by_komi, color="#2b6cb0", marker=".", linewidth=1.6)
    axes.axvline(komi, color=_INK, linestyle=":", linewidth=1)
    axes.axhline(50, color="#999", linewidth=0.8)
    axes.annotate(
        f"komi {komi:g}", (komi, 2), xytext=(4, 0), textcoords="offset points", fontsize=9, color=_INK
    )
    axes.set_ylim(0, 100)
    axes.set_xlabel("komi")
    axes.set_ylabel("Black wins, %")
    axes.set_title("Win rate by komi", fontsize=10)
    axes.grid(alpha=0.3)
