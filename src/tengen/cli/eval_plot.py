"""The picture of an evaluation: the board with ownership and moves, the win rate over komi, the best moves."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Rectangle

from tengen.errors import InputError
from tengen.files import replacing
from tengen.go.color import Color
from tengen.go.drawing import COLUMNS, star_points
from tengen.go.position import Position
from tengen.nets.evaluation import Evaluation

_WOOD = "#ecc98a"
_INK = "#5a4420"
_BLUE = "#1f5fa8"
_PALE_BLUE = "#6fa8dc"
_RED = "#c0392b"
_GREY = "#8a8a8a"
_SHOWN_MOVES = 6


def draw(position: Position, found: Evaluation, title: str, path: Path) -> None:
    """Writes the picture; the ending of the name chooses its kind."""
    figure = plt.figure(figsize=(13, 7.2), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=[1.25, 1], height_ratios=[1.7, 1])
    board = figure.add_subplot(grid[:, 0])
    curve, moves = figure.add_subplot(grid[0, 1]), figure.add_subplot(grid[1, 1])
    figure.suptitle(f"{title}\n{_verdict(found)}".strip(), fontsize=13)
    _board(board, position, found)
    _curve(curve, position, found)
    _moves(moves, position, found)
    kind = path.suffix.removeprefix(".") or "png"
    try:
        with replacing(path) as temporary:
            figure.savefig(temporary, dpi=120, format=kind)
    except ValueError as error:
        raise InputError(f"{path}: the picture cannot be written: {error}") from None
    finally:
        plt.close(figure)


def _verdict(found: Evaluation) -> str:
    """Who wins, and by how much, as far as the net knows."""
    words = []
    if found.win is not None:
        leader = Color.BLACK if found.win.of(Color.BLACK) >= 0.5 else Color.WHITE
        words.append(f"{leader} wins {found.win.of(leader):.1%}")
    if found.lead is not None:
        ahead = found.lead.leader or Color.BLACK
        words.append(f"{ahead} leads by {found.lead.of(ahead):.1f}")
    return ", ".join(words)


def _absent(axes: Axes, what: str) -> None:
    """A panel for what the net does not have."""
    axes.axis("off")
    axes.text(0.5, 0.5, f"This net has no {what}.", ha="center", va="center", color=_GREY, fontsize=11)


def _board(axes: Axes, position: Position, found: Evaluation) -> None:
    size = position.size
    axes.set_aspect("equal")
    axes.set_xlim(-0.7, size - 0.3)
    axes.set_ylim(size - 0.3, -0.7)
    axes.set_facecolor(_WOOD)
    axes.set_xticks(range(size), list(COLUMNS[:size]))
    axes.set_yticks(range(size), [str(size - y) for y in range(size)])
    axes.tick_params(length=0, labelsize=8, labelcolor="#444")
    axes.spines[:].set_visible(False)
    axes.hlines(range(size), 0, size - 1, color=_INK, linewidth=0.6, zorder=1)
    axes.vlines(range(size), 0, size - 1, color=_INK, linewidth=0.6, zorder=1)
    for point in star_points(size):
        axes.add_patch(Circle((point % size, point // size), 0.09, color=_INK, zorder=1))
    stones = position.stones()
    for y, x in np.argwhere(stones):
        black = stones[y, x] == Color.BLACK
        face, edge = ("#1a1a1a", "#000") if black else ("#fbfbf8", "#555")
        axes.add_patch(Circle((x, y), 0.47, facecolor=face, edgecolor=edge, linewidth=0.8, zorder=2))
    owners = np.zeros((size, size), np.float32) if found.ownership is None else found.ownership
    for (y, x), owner in np.ndenumerate(owners):
        side = 0.46 * abs(float(owner))
        lives = stones[y, x] != 0 and (stones[y, x] == Color.BLACK) == (owner > 0)
        if side > 0.05 and not lives:  # a stone that stands needs no mark
            face, edge = ("#1a1a1a", "none") if owner > 0 else ("#fbfbf8", "#9a8a6a")
            corner = (x - side / 2, y - side / 2)
            axes.add_patch(
                Rectangle(corner, side, side, facecolor=face, edgecolor=edge, linewidth=0.5, zorder=3)
            )
    played = position.moves()
    last = int(played[-1]) & 0x7FFF if len(played) else size * size
    if last < size * size:
        axes.add_patch(
            Circle((last % size, last // size), 0.22, fill=False, edgecolor=_RED, linewidth=1.8, zorder=4)
        )
    for rank, (point, chance) in enumerate(found.top_moves(_SHOWN_MOVES)):
        if point < size * size and chance >= 0.005:
            y, x = divmod(point, size)
            face = _BLUE if rank == 0 else _PALE_BLUE
            axes.add_patch(Circle((x, y), 0.47, facecolor=face, edgecolor="white", linewidth=1.2, zorder=5))
            size_of_text = 8 if size > 13 else 11
            axes.text(
                x,
                y,
                f"{100 * chance:.0f}",
                color="white",
                ha="center",
                va="center",
                fontsize=size_of_text,
                fontweight="bold",
                zorder=6,
            )
    axes.set_title(
        f"{position.to_move} to play. Blue: moves in %. "
        + ("" if found.ownership is None else "Squares: whose point it becomes. ")
        + "Red: the last move.",
        fontsize=9,
        color="#444",
    )


def _curve(axes: Axes, position: Position, found: Evaluation) -> None:
    if found.win is None or found.komi_labels is None or found.win_by_komi is None:
        _absent(axes, "win rates")
        return
    komi, labels, chances = position.rules.komi, found.komi_labels, 100 * found.win_by_komi
    win = 100 * found.win.of(Color.BLACK)
    axes.fill_between(labels, chances, color=_BLUE, alpha=0.12, linewidth=0)
    axes.plot(labels, chances, color=_BLUE, linewidth=2)
    axes.axhline(50, color=_GREY, linewidth=0.8)
    if labels[0] <= komi <= labels[-1]:
        axes.axvline(komi, color=_RED, linestyle=":", linewidth=1.2)
        axes.plot([komi], [win], "o", color=_RED, markersize=6)
        axes.annotate(
            f"komi {komi:g}: {win:.1f} %",
            (komi, win),
            xytext=(8, 8),
            textcoords="offset points",
            color=_RED,
            fontsize=10,
        )
    if chances[0] >= 50 >= chances[-1]:
        even = float(np.interp(-50, -chances, labels))
        axes.annotate(
            f"even at {even:.1f}", (even, 50), xytext=(6, 5), textcoords="offset points", color="#444"
        )
        axes.plot([even], [50], "o", color=_GREY, markersize=5)
    axes.set_xlim(float(labels[0]), float(labels[-1]))
    axes.set_ylim(0, 100)
    axes.set_xlabel("komi")
    axes.set_ylabel("Black wins, %")
    axes.set_title("Win rate for every komi", fontsize=11)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)


def _moves(axes: Axes, position: Position, found: Evaluation) -> None:
    if found.policy is None:
        _absent(axes, "move probabilities")
        return
    moves = found.top_moves(_SHOWN_MOVES)
    names = [position.vertex(point) for point, _ in moves]
    chances = [100 * chance for _, chance in moves]
    colors = [_BLUE] + [_PALE_BLUE] * (len(moves) - 1)
    bars = axes.barh(range(len(moves)), chances, color=colors, height=0.7)
    axes.bar_label(bars, [f"{chance:.1f} %" for chance in chances], padding=4, fontsize=9)
    axes.set_yticks(range(len(moves)), names)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.2 * max(chances))
    axes.set_xticks([])
    axes.tick_params(length=0)
    axes.set_title(f"{position.to_move}'s likeliest moves", fontsize=11)
    axes.spines[["top", "right", "bottom"]].set_visible(False)
