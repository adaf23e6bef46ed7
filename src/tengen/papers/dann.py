"""Table 2 and Figure 4 of the DANN paper (Wang et al., AAAI 2017), at a scale of one's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tengen.papers.move_prediction import Report, Row, Scale, open_trainer, recipe_of, train_row

# Table 2: top-1 in % on GoGoD and PGD. T is not told in its left and middle parts.
PAPER_TABLE_2: dict[str, tuple[float, float]] = {
    "b-6c-2fc": (32.2, 37.2),
    "al-5c-2fc": (40.5, 42.5),
    "c-al-4c-2fc": (41.1, 41.1),
    "2c-al-3c-2fc": (45.6, 44.8),
    "3c-al-2c-2fc": (47.4, 43.0),
    "4c-al-c-2fc": (49.4, 46.6),
    "5c-al-2fc": (51.9, 49.3),
    "2al-4c-2fc": (35.0, 39.3),
    "3al-3c-2fc": (42.7, 43.1),
    "4al-2c-2fc": (47.4, 42.2),
    "5al-c-2fc": (47.2, 46.4),
    "6al-2fc": (53.5, 51.8),
    "5al-2fc T=2": (46.9, 42.3),
    "5al-2fc T=3": (48.2, 47.1),
    "5al-2fc T=4": (52.3, 45.8),
    "5al-2fc T=5": (55.0, 51.6),
    "6al-2fc T=2": (46.4, 47.2),
    "6al-2fc T=3": (51.1, 51.6),
    "6al-2fc T=4": (55.3, 49.4),
    "6al-2fc T=5": (57.7, 53.8),
}
# The least that shows the paper's claims: the baseline, one early, one late, all layers, T = 2 and 5.
SOME_ROWS = ("b-6c-2fc", "al-5c-2fc", "5c-al-2fc", "6al-2fc T=2", "6al-2fc T=5")

# "Implementation details"; when the rate falls is not told.
TRAINING: dict[str, Any] = {
    "optimiser": "sgd",
    "rate": 0.003,
    "momentum": 0.9,
    "weight_decay": 0.005,
    "batch": 200,
    "schedule": "stages",
    "stages": (0.6, 0.85),
}
DEFAULT_STEPS = 3


@dataclass(frozen=True)
class Table2:
    scale: Scale
    rows: list[Row]


def row_recipe(name: str, scale: Scale, **changes: Any) -> Any:
    net, _, steps = name.partition(" T=")
    return recipe_of(
        name.replace(" T=", "-t"),
        net,
        "dann41",
        scale,
        **(TRAINING | {"options": {"steps": int(steps or DEFAULT_STEPS)}} | changes),
    )


def table_2(
    folder: Path,
    scale: Scale,
    rows: tuple[str, ...] = SOME_ROWS,
    report: Report | None = None,
    **changes: Any,
) -> Table2:
    """Rows of Table 2; `changes` are of the training (a higher rate for a short run, say)."""
    made = [train_row(row_recipe(name, scale, **changes), folder / "dann-table2", report) for name in rows]
    return Table2(scale, made)


@dataclass(frozen=True)
class Figure4:
    """Top-n accuracy, n = 1 .. 10, of DANN and its peers."""

    scale: Scale
    top: dict[str, list[float]]
    parameters: dict[str, int]


def figure_4(folder: Path, scale: Scale, report: Report | None = None, **changes: Any) -> Figure4:
    """6AL_2FC with T = 5 against the 12-layer nets of Maddison et al. and of DarkForest (three steps)."""
    import numpy as np
    import torch

    from tengen.training.accuracy import measure
    from tengen.training.policy import as_tensor

    training = TRAINING | changes
    recipes = [
        row_recipe("6al-2fc T=5", scale, **changes),
        recipe_of("maddison12", "maddison12", "dann41", scale, **training),
        recipe_of("darkforest12", "darkforest12", "dann41", scale, next_weight=2.0, **training),
    ]
    top: dict[str, list[float]] = {}
    parameters = {}
    for recipe in recipes:
        # The first of them is a row of Table 2 as well.
        place = folder / ("dann-table2" if recipe is recipes[0] else "dann-figure4")
        train_row(recipe, place, report)
        trainer = open_trainer(recipe, place)
        assert trainer.test
        with trainer.averaged_net() as net, torch.inference_mode():

            def predict(planes: np.ndarray[Any, Any], net: Any = net) -> np.ndarray[Any, Any]:
                out: np.ndarray[Any, Any] = net(as_tensor(planes))["policy"].softmax(1).numpy()
                return out

            figures = measure(predict, trainer.test, scale.test_positions)
        top[recipe.name] = [figures.top(n) for n in range(1, 11)]
        parameters[recipe.name] = trainer.net.parameter_count
    return Figure4(scale, top, parameters)


def draw_figure_4(figure: Figure4, path: Path) -> None:
    import matplotlib.pyplot as plt

    drawing, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    for name, shares in figure.top.items():
        axes.plot(range(1, 11), [100 * share for share in shares], marker="o", label=name)
    axes.set(xlabel="n", ylabel="top-n accuracy, %", title=f"Figure 4\n{figure.scale}")
    axes.title.set_fontsize(9)
    axes.grid(alpha=0.3)
    axes.legend()
    drawing.savefig(path, dpi=150)
    plt.close(drawing)
