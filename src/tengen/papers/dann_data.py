"""What the DANN paper (Wang et al., AAAI 2017) says of move prediction, and how it trains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tengen.papers.move_prediction import Scale, recipe_of

if TYPE_CHECKING:
    from tengen.training.recipe import PolicyRecipe

# Table 2: top-1 in % on GoGoD and PGD. T is not given in its left and middle parts.
TABLE_2: dict[str, tuple[float, float]] = {
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
    "5al-2fc-t2": (46.9, 42.3),
    "5al-2fc-t3": (48.2, 47.1),
    "5al-2fc-t4": (52.3, 45.8),
    "5al-2fc-t5": (55.0, 51.6),
    "6al-2fc-t2": (46.4, 47.2),
    "6al-2fc-t3": (51.1, 51.6),
    "6al-2fc-t4": (55.3, 49.4),
    "6al-2fc-t5": (57.7, 53.8),
}
# The least that shows the paper's claims: the baseline, one early AL, one late, all of them with T = 2 and 5.
SOME_ROWS = "b-6c-2fc al-5c-2fc 5c-al-2fc 6al-2fc-t2 6al-2fc-t5"

# "Implementation details". When the rate falls is not said; nor is T where a row does not name it.
TRAINING: dict[str, Any] = {
    "optimiser.method": "sgd",
    "optimiser.momentum": 0.9,
    "optimiser.schedule": "stages",
    "optimiser.stages": [0.6, 0.85],
}
DEFAULT_STEPS = 3
# What may be set: the paper's rate, minibatch and decay are for runs far longer than a laptop's.
SETTINGS: dict[str, Any] = {"rate": 0.003, "batch": 200, "weight_decay": 0.005}


def training_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """How a net is trained under these settings."""
    return TRAINING | {f"optimiser.{key}": settings[key] for key in SETTINGS}


def row_recipe(name: str, scale: Scale, settings: Mapping[str, Any]) -> PolicyRecipe:
    """The recipe of a row of Table 2."""
    net, _, steps = name.partition("-t")
    return recipe_of(name, net, "dann41", scale, training_of(settings), steps=int(steps or DEFAULT_STEPS))


def described(settings: Mapping[str, Any]) -> str:
    return "learning rate {rate:g}, minibatches of {batch}, weight decay {weight_decay:g}".format_map(
        settings
    )
