"""What a strength model is trained by: one frozen value, read from a small TOML file.

    pool = "out/pools/kgs.parquet"     # the games
    draft = "out/kgs-draft.parquet"    # of `tengen strength prepare`
    features = "out/features"          # of `tengen strength features`
    net = "b15c192"                    # whose features they are

Names of hyperparameters are the thesis' in words (Section 4.7.3); the usual values are those of its Table 5.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tengen.errors import InputError
from tengen.strength.windows import Inputs
from tengen.training.recipe import Recipe, read_table


@dataclass(frozen=True)
class StrengthRecipe(Recipe):
    """A strength model's training.

    `inputs`: the six features of Section 4.5 (basic), the trunk's vector of Section 4.6 (full), that and what the net's
    policy said of the move (joint), or those and the vector that the policy expected (relative).
    `target`: "games" learns ratings from a draft's games, as the thesis does; "ranks" learns the rank group of
    players whose games are in the pool.
    """

    KIND = "strength recipe"
    FREE = frozenset({"epochs", "patience", "threads", "name", "pool", "draft", "features"})

    inputs: Inputs
    pool: str
    features: str
    net: str
    precision: str = ""  # of the net; its usual one unless given
    target: Literal["games", "ranks"] = "games"
    draft: str = ""
    name: str = ""  # the run's folder; the file's name and the inputs unless given

    # "ridge" is a linear model too, but solved instead of trained.
    model: Literal["set-transformer", "mean", "linear", "ridge"] = "set-transformer"
    window: int = 500  # N, the most recent moves that are looked at
    depth: int = 5  # l
    hidden: int = 254  # d
    query: int = 154  # d_q
    inducing: int = 61  # m

    rate: float = 2.14e-4  # eta_0
    decay: float = 0.995  # beta: the rate is multiplied by it after every epoch
    tau_r: float = 2.05
    tau_theta: float = 73.9
    epochs: int = 100  # E
    steps: int = 100  # T, of an epoch
    batch: int = 100  # B, games or players of a step
    patience: int = 10  # p, epochs without improvement
    ema: float = 0.0  # decay of the averaged weights that are validated and kept, each step; 0: no averaging
    whitened: bool = False  # inputs are made uncorrelated first, not only of one size
    balanced: bool = False  # draw evenly over the range of ratings instead of over games

    most_games: int = 20  # ranks: a player is judged by 1 to so many games
    ordered: bool = False  # ranks: one number, a reading of the rank, gives the logits of all groups
    smoothing: float = 0.0  # ranks: the share of the target that goes to the neighbouring groups
    validation: float = 0.15  # ranks: the share of the players
    test: float = 0.25
    seed: int = 1
    threads: int = 1

    def __post_init__(self) -> None:
        counts = ("window", "depth", "hidden", "query", "inducing", "epochs", "steps", "batch", "patience")
        for name in (*counts, "most_games", "threads"):
            if getattr(self, name) < 1:
                raise InputError(f"the recipe's '{name}' must be 1 or more, not {getattr(self, name)}")
        for name in ("rate", "decay"):
            if not 0 < getattr(self, name) <= 1:
                raise InputError(
                    f"the recipe's '{name}' must be above 0 and at most 1, not {getattr(self, name)}"
                )
        for name in ("tau_r", "tau_theta", "smoothing", "validation", "test"):
            if not getattr(self, name) >= 0:
                raise InputError(f"the recipe's '{name}' cannot be {getattr(self, name)}")
        if not 0 <= self.ema < 1:
            raise InputError(f"the recipe's 'ema' must be at least 0 and below 1, not {self.ema}")
        if self.validation + self.test >= 1 or self.smoothing >= 1:
            raise InputError("the recipe leaves nothing to learn from: validation, test, smoothing below 1")
        if self.target == "games" and not self.draft:
            raise InputError('a recipe with target = "games" names the draft')
        if self.ordered and (self.target != "ranks" or self.model == "ridge"):
            raise InputError('ordered = true is for target = "ranks", and for models that are trained')

    @staticmethod
    def read(path: Path, inputs: str, changes: Sequence[str] = ()) -> StrengthRecipe:
        """The recipe from a TOML file for one kind of inputs, with `key=value` changes."""
        table = read_table(path, changes)
        table["inputs"] = inputs
        table.setdefault("name", f"{path.stem}-{inputs}")
        return StrengthRecipe.from_table(table, str(path))
