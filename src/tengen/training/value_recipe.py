"""Recipes of value nets: `tengen train value`. The sections [run], [net] and [optimiser] are those of policy nets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tengen.errors import InputError
from tengen.training.recipe import GameData, NetRecipe


@dataclass(frozen=True)
class ValueData(GameData):
    """[data] of a value net: games whose final margin (and owners, for nets with ownership) the pool has."""

    positions_per_game: int = 1  # Positions of each game, drawn once for the run; 0: all.
    test_komi: float = 7.5  # The komi of the test's mean squared error; the net must have a label for it.

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.positions_per_game < 0:
            raise InputError(
                f"the recipe's 'positions_per_game' must be 0 or more, not {self.positions_per_game}"
            )


@dataclass(frozen=True)
class ValueLosses:
    """[losses]: the error and the weights of the heads, each the mean over its labels or points (CGI: 1:1)."""

    kind: Literal["squared", "cross-entropy"] = "squared"  # Of value and ownership alike.
    value: float = 1.0
    ownership: float = 1.0  # Only for nets with the head ownership.

    def __post_init__(self) -> None:
        if not (self.value > 0 and self.ownership > 0):
            raise InputError("the recipe's losses.value and losses.ownership must be above 0")


@dataclass(frozen=True)
class ValueRecipe(NetRecipe):
    """Training of a value net on how games ended (CGI, section III.A)."""

    FREE = NetRecipe.FREE | {"data.test_komi"}

    data: ValueData = ValueData()
    losses: ValueLosses = ValueLosses()

    @property
    def games(self) -> GameData:
        return self.data
