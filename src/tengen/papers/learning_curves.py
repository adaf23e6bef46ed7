"""Drawings of how nets learn: accuracy over the examples they have seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tengen.papers.move_prediction import TrainedNet
from tengen.plots import new_figure, save

# A panel: its title, what x is, what y is, and the lines by name, each points (x, y).
Panel = tuple[str, str, str, Mapping[str, Sequence[tuple[float, float]]]]
ACCURACY = "top-1 accuracy, %"
SEEN = "thousand examples"


def accuracies(nets: Sequence[TrainedNet]) -> dict[str, list[tuple[float, float]]]:
    """Percent right by thousands of examples seen, for each net."""
    return {net.name: [(examples / 1000, 100 * top1) for examples, top1, _ in net.curve] for net in nets}


def draw_panels(panels: Sequence[Panel], title: str, path: Path) -> None:
    """Panels side by side."""
    figure = new_figure(5 * len(panels) + 1, 4.5)
    for axes, (name, x, y, lines) in zip(
        figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True
    ):
        for label, points in lines.items():
            axes.plot([point[0] for point in points], [point[1] for point in points], label=label)
        axes.set(xlabel=x, ylabel=y, title=name)
        axes.grid(alpha=0.3)
        axes.legend()
    figure.suptitle(title)
    save(figure, path)
