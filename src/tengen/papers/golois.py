"""Tables and figures of "Improved Architectures for Computer Go" (Cazenave), at a scale of one's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tengen.papers.move_prediction import Report, Row, Scale, recipe_of, train_row

# Table 1: accuracy in % on the test set after 5, 10, ... 100 million examples, 256 planes, 42 input planes.
PAPER_TABLE_1 = {
    "alpha13": (0.896, 0.675, 1.121, 1.454, 43.719, 46.334, 47.875, 48.629, 49.308, 49.698,
                50.196, 50.367, 50.954, 51.337, 51.489, 51.572, 51.981, 51.922, 52.056, 52.294),
    "dark13": (47.132, 49.179, 50.260, 51.076, 51.230, 51.832, 52.188, 52.384, 52.705, 52.748,
               53.244, 53.114, 53.471, 53.661, 53.969, 53.983, 54.145, 54.134, 54.183, 54.408),
    "res13": (46.978, 48.555, 50.302, 51.186, 51.088, 51.602, 52.258, 52.384, 52.697, 52.856,
              53.189, 53.201, 53.442, 53.720, 53.844, 53.635, 54.009, 54.051, 54.164, 54.226),
    "res20": (47.389, 48.821, 50.601, 51.449, 51.722, 51.797, 52.375, 52.618, 53.029, 53.157,
              53.566, 53.514, 53.794, 53.827, 54.063, 54.282, 54.438, 54.539, 54.631, 54.541),
    "res13-sbn": (47.819, 49.493, 50.826, 51.471, 51.689, 52.219, 52.611, 52.756, 53.085, 53.145,
                  53.441, 53.718, 53.708, 53.985, 53.984, 54.021, 54.349, 54.314, 54.485, 54.522),
}  # fmt: skip
PAPER_STEP = 5_000_000
# Section 3.3, second experiments (39 planes, Algorithm 1), at the end of figure 8; and the bagging of net_20.
PAPER_FIGURE_8 = {"res13-sbn": 57.024, "res20-sbn": 57.687}
PAPER_BAGGING = (58.001, 58.485)

# How all of them are trained (section 3.3).
TRAINING: dict[str, Any] = {
    "criterion": "mse",
    "optimiser": "sgd",
    "rate": 0.2,
    "rate_times_batch": True,
    "momentum": 0.9,
    "batch": 50,
}


@dataclass(frozen=True)
class Curves:
    """Nets trained alike, and the scale they were trained at."""

    scale: Scale
    encoding: str
    rows: list[Row]


def table_1(folder: Path, scale: Scale, encoding: str = "golois39", report: Report | None = None) -> Curves:
    """The five nets of Table 1, each tested `scale.tests` times on the way.

    The paper's 42 planes include three from 100 playouts a position, which cost more than a small net does;
    `golois39`, the planes of its second experiments, leaves them out.
    """
    nets = list(PAPER_TABLE_1)
    rows = [
        train_row(recipe_of(net, net, encoding, scale, **TRAINING), folder / "golois-table1", report)
        for net in nets
    ]
    return Curves(scale, encoding, rows)


def figures_7_8(folder: Path, scale: Scale, report: Report | None = None) -> Curves:
    """The 13 and the 20 layers net with residuals and batch normalisation; the rate by Algorithm 1."""
    rows = [
        train_row(
            recipe_of(net, net, "golois39", scale, schedule="algorithm1", **TRAINING),
            folder / "golois-figure7-8",
            report,
        )
        for net in PAPER_FIGURE_8
    ]
    return Curves(scale, "golois39", rows)


def draw_figures_7_8(curves: Curves, path: Path) -> None:
    """Error (cross-entropy) and accuracy on the test set over examples."""
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for row in curves.rows:
        examples = [point[0] for point in row.curve]
        left.plot(examples, [point[2] for point in row.curve], label=row.name)
        right.plot(examples, [100 * point[1] for point in row.curve], label=row.name)
    left.set(xlabel="examples", ylabel="cross-entropy on the test set", title="Figure 7")
    right.set(xlabel="examples", ylabel="top-1 accuracy, %", title="Figure 8")
    for axes in (left, right):
        axes.legend()
        axes.grid(alpha=0.3)
    figure.suptitle(str(curves.scale))
    figure.savefig(path, dpi=150)
    plt.close(figure)



@dataclass(frozen=True)
class Bagging:
    """Top-1 accuracy of one net on the same positions, without and with the eight symmetries."""

    scale: Scale
    row: Row
    plain: float
    bagged: float
    positions: int


def bagging(folder: Path, scale: Scale, report: Report | None = None) -> Bagging:
    """The 20 layers net of figures 7 and 8 (trained if it is not there yet), alone and bagged."""
    import numpy as np
    import torch

    from tengen.papers.move_prediction import open_trainer
    from tengen.training.accuracy import measure
    from tengen.training.policy import as_tensor

    recipe = recipe_of("res20-sbn", "res20-sbn", "golois39", scale, schedule="algorithm1", **TRAINING)
    row = train_row(recipe, folder / "golois-figure7-8", report)
    trainer = open_trainer(recipe, folder / "golois-figure7-8")
    assert trainer.test
    with trainer.averaged_net() as net, torch.inference_mode():

        def predict(planes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
            out: np.ndarray[Any, Any] = net(as_tensor(planes))["policy"].softmax(1).numpy()
            return out

        plain = measure(predict, trainer.test, scale.test_positions)
        bagged = measure(predict, trainer.test, scale.test_positions, bagging=True)
    return Bagging(scale, row, plain.top(1), bagged.top(1), len(plain))
