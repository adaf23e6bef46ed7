"""The recipe of a strength model, read from a small TOML file with sections.

    [data]
    pool = "out/pools/kgs.parquet"     # the games
    draft = "out/kgs-draft.parquet"    # from `tengen strength prepare`
    features = "out/features"          # from `tengen strength features`
    net = "b15c192"                    # the net that made the features

Hyperparameters have the thesis' names in words (Section 4.7.3), the defaults are those of its Table 5.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from tengen.errors import InputError
from tengen.strength.windows import Inputs
from tengen.training.recipe import Recipe, check_counts, check_shares, read_table


@dataclass(frozen=True)
class StrengthCounts:
    """[run]: how long."""

    epochs: int = 100  # E: the run ends after so many.
    steps: int = 100  # T: steps of an epoch.
    patience: int = 10  # p: the run ends after so many epochs without improvement.

    def __post_init__(self) -> None:
        check_counts(self, "epochs", "steps", "patience")


@dataclass(frozen=True)
class StrengthData:
    """[data]: the games, and what the model reads of them."""

    pool: str  # The pool of games.
    features: str  # The folder of features.
    net: str  # The net that made the features.
    precision: str = ""  # The net's precision; its usual one if empty.
    target: Literal["games", "ranks"] = (
        "games"  # Ratings from a draft's games (the thesis), or players' rank groups.
    )
    draft: str = ""  # Games: the draft with the sets T, V, E and X.
    window: int = 500  # N: how many of a player's most recent moves the model reads.
    balanced: bool = False  # Games: draw evenly over the range of ratings, not over games.
    most_games: int = 20  # Ranks: a training sample has from 1 to so many games of a player.
    validation: float = 0.15  # Ranks: share of the players in V.
    test: float = 0.25  # Ranks: share of the players in E.

    def __post_init__(self) -> None:
        check_counts(self, "window", "most_games")
        check_shares(self, "validation", "test")
        if self.validation + self.test >= 1:
            raise InputError(
                "the recipe leaves no players for training: validation and test must be below 1 in sum"
            )
        if self.target == "games" and not self.draft:
            raise InputError('a recipe with target = "games" names the draft (data.draft)')


@dataclass(frozen=True)
class ModelShape:
    """[model]: the strength model."""

    kind: Literal["set-transformer", "mean", "linear", "ridge"] = (
        "set-transformer"  # Ridge: linear, solved in one step.
    )
    depth: int = 5  # l
    hidden: int = 254  # d
    query: int = 154  # d_q
    inducing: int = 61  # m
    whitened: bool = False  # Inputs are made uncorrelated, not only scaled to one size.
    ordered: bool = False  # Ranks: one number, the reading of the rank, gives the logits of all groups.

    def __post_init__(self) -> None:
        check_counts(self, "depth", "hidden", "query", "inducing")


@dataclass(frozen=True)
class StrengthOptimiser:
    """[optimiser]: Adam."""

    rate: float = 2.14e-4  # eta_0
    decay: float = 0.995  # beta: the rate is multiplied by it after every epoch.
    batch: int = 100  # B: games or players of a step.
    ema: float = (
        0.0  # Decay, each step, of the averaged weights that are validated and kept; 0: no averaging.
    )

    def __post_init__(self) -> None:
        check_counts(self, "batch")
        check_shares(self, "ema")
        for name in ("rate", "decay"):
            if not 0 < getattr(self, name) <= 1:
                raise InputError(
                    f"the recipe's '{name}' must be above 0 and at most 1, not {getattr(self, name)}"
                )


@dataclass(frozen=True)
class StrengthLosses:
    """[losses]: weights of the parts of the loss."""

    tau_r: float = 2.05  # Games: weight of the error of the ratings.
    tau_theta: float = 73.9  # Weight of the regularisation.
    smoothing: float = 0.0  # Ranks: share of the target that goes to the neighbouring groups.

    def __post_init__(self) -> None:
        check_shares(self, "smoothing")
        for name in ("tau_r", "tau_theta"):
            if not getattr(self, name) >= 0:
                raise InputError(f"the recipe's '{name}' cannot be {getattr(self, name)}")


@dataclass(frozen=True)
class StrengthRecipe(Recipe):
    """Training of a strength model.

    `inputs`: what the model reads of a move: the six features of Section 4.5 (basic), the trunk's vector of Section 4.6
    (full), that vector and the policy's figures of the move (joint), or these and the vector of the move that the
    policy expected (relative).
    """

    KIND = "strength recipe"
    FREE = frozenset(
        {"name", "threads", "run.epochs", "run.patience", "data.pool", "data.draft", "data.features"}
    )
    MOVED: ClassVar[Mapping[str, str]] = {"net": "data.net", "model": "model.kind"}

    inputs: Inputs
    data: StrengthData
    name: str = ""  # The run's folder; the file's name and the inputs unless given.
    seed: int = 1
    threads: int = 1  # Threads of torch.
    run: StrengthCounts = StrengthCounts()
    model: ModelShape = ModelShape()
    optimiser: StrengthOptimiser = StrengthOptimiser()
    losses: StrengthLosses = StrengthLosses()

    def __post_init__(self) -> None:
        check_counts(self, "threads")
        if self.model.ordered and (self.data.target != "ranks" or self.model.kind == "ridge"):
            raise InputError('ordered = true is for target = "ranks", and for models that are trained')

    @staticmethod
    def read(path: Path, inputs: str, changes: Sequence[str] = ()) -> StrengthRecipe:
        """The recipe from a TOML file for one kind of inputs, with `key=value` changes."""
        table = read_table(path, changes)
        table["inputs"] = inputs
        table.setdefault("name", f"{path.stem}-{inputs}")
        return StrengthRecipe.from_table(table, str(path))
