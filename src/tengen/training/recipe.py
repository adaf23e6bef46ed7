"""What a training run is made of: one frozen value, read from a small TOML file.

    net = "res13-sbn"            # an architecture, see tengen.nets.board_net
    encoding = "golois39"
    train = ["kgs.parquet"]      # pools, relative to the folder the command runs in
    examples = 200_000

    [options]                    # of the net
    width = 64

Every key is a field of `PolicyRecipe`; a key that is none is refused, here and in `--set key=value`.
"""

from __future__ import annotations

import dataclasses
import json
import tomllib
import typing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from tengen.errors import InputError
from tengen.settings import read_settings, set_keys


@dataclass(frozen=True)
class Recipe:
    """What recipes of every kind share: they come from tables of known keys, and go back to them."""

    KIND: ClassVar[str] = "recipe"  # as errors call it
    FREE: ClassVar[frozenset[str]] = frozenset()  # keys that may change between the sittings of a run

    @classmethod
    def from_table(cls, table: dict[str, Any], where: str) -> Self:
        return read_settings(cls, table, f"{where}: a {cls.KIND}")

    def table(self) -> dict[str, Any]:
        """As JSON keeps it, and `from_table` reads it back."""
        return dataclasses.asdict(self)

    def check_same_run(self, saved: dict[str, Any], run: Path) -> None:
        """Raises InputError unless the run was begun with this recipe; only the FREE keys may differ.

        Keys that did not exist when it was begun had what is their default now.
        """
        now = json.loads(json.dumps(self.table()))
        saved = {f.name: f.default for f in dataclasses.fields(self)} | saved
        changed = sorted(k for k in now if k not in self.FREE and saved.get(k) != now[k])
        if changed:
            key = changed[0]
            raise InputError(
                f"the run in {run} was begun with {key} = {saved.get(key)!r}, and the recipe now says "
                f"{now[key]!r}: give the run another name (--set name=...), or the old value"
            )


def read_table(path: Path, changes: typing.Sequence[str]) -> dict[str, Any]:
    """The table of a TOML file with `key=value` changes; keys may be dotted (`options.width=32`)."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"cannot read the recipe {path}: {error}") from None
    return set_keys(table, changes)


@dataclass(frozen=True)
class PolicyRecipe(Recipe):
    """Supervised training of a policy net. Counts are examples (positions seen), not steps."""

    # How long, how often, how fast the machine goes.
    FREE = frozenset(
        {"examples", "decay", "test_every", "checkpoint_every", "threads", "test_positions", "test", "name"}
    )

    net: str
    encoding: str
    name: str = ""  # the run's folder; the file's name unless given
    options: dict[str, Any] = field(default_factory=dict)  # of the net

    begin: str = ""  # a run whose weights are the first ones; random if empty
    train: tuple[str, ...] = ()  # pools to learn from
    test: str = ""  # pool to be tested on; none if empty
    train_filter: dict[str, Any] = field(default_factory=dict)  # see tengen.games.filters
    test_filter: dict[str, Any] = field(default_factory=dict)
    test_positions: int = 100_000  # drawn from the test pool with a fixed seed, not mirrored
    symmetries: bool = True  # each example in a random one of the eight

    examples: int = 200_000  # to see in all
    batch: int = 50
    criterion: Literal["cross-entropy", "mse"] = "cross-entropy"
    next_weight: float = 0.0  # of the cross-entropy of the moves after the next one, for nets that tell them
    label_smoothing: float = 0.0
    value_weight: float = 0.0  # of how the game ended: the margin's likelihood, for nets that tell it
    owner_weight: float = 0.0  # of the cross-entropy of the points' owners, mean over points, likewise

    teacher: str = ""  # a KataGo net that teaches beside the games, for nets with the option `teacher`
    taught_weight: float = 0.0  # of the cross-entropy of the teacher's policy
    hint_weight: float = 0.0  # of the share of the variance of the teacher's trunk that is not told
    judged_weight: float = 0.0  # of how far margin and owners are from the teacher's, for nets that tell them

    optimiser: Literal["sgd", "adamw", "muon"] = "sgd"
    rate: float = (
        0.05  # of the optimiser (of Muon: for the matrices; the rest learns by AdamW at `rate_rest`)
    )
    rate_rest: float = 0.002
    rate_times_batch: bool = False  # Golois: the rate is 0.2 x minibatch
    momentum: float = 0.9
    weight_decay: float = 0.0
    schedule: Literal["constant", "algorithm1", "stages", "trapezoid"] = "constant"
    stages: tuple[float, ...] = ()  # fractions of the run at which the rate (and weight decay) fall tenfold
    warmup: int = 0  # trapezoid: examples until the full rate
    decay: int = 0  # trapezoid: the last so many examples fall linearly to nothing
    ema: float = 0.0  # decay of the averaged weights that are tested and kept, each step; 0: no averaging

    seed: int = 1
    threads: int = 1  # of torch
    test_every: int = 50_000
    checkpoint_every: int = 20_000

    def __post_init__(self) -> None:
        for name in ("examples", "batch", "test_every", "checkpoint_every", "threads", "test_positions"):
            if getattr(self, name) < 1:
                raise InputError(f"the recipe's '{name}' must be 1 or more, not {getattr(self, name)}")
        for name in ("rate", "rate_rest"):
            if not 0 < getattr(self, name) < 1000:
                raise InputError(f"the recipe's '{name}' must be above 0, not {getattr(self, name)}")
        for name in ("momentum", "ema", "label_smoothing"):
            if not 0 <= getattr(self, name) < 1:
                raise InputError(
                    f"the recipe's '{name}' must be from 0 to below 1, not {getattr(self, name)}"
                )
        if bool(self.teacher) != bool(self.taught_weight or self.hint_weight or self.judged_weight):
            raise InputError(
                "a teacher goes with a taught_weight, a hint_weight or a judged_weight, and they with a teacher"
            )
        if self.criterion == "mse" and (self.label_smoothing or self.next_weight):
            raise InputError('label_smoothing and next_weight go with criterion = "cross-entropy"')

    @classmethod
    def read(cls, path: Path, changes: typing.Sequence[str] = ()) -> Self:
        """The recipe of a TOML file with `key=value` changes."""
        table = read_table(path, changes)
        table.setdefault("name", path.stem)
        return cls.from_table(table, str(path))
