"""Recipes: what a training run is made of, read from a small TOML file with sections.

    seed = 1

    [run]
    examples = 200_000

    [data]
    train = ["kgs.parquet"]      # pools, relative to the folder in which the command runs

    [net]
    architecture = "res13-sbn"   # see tengen.nets.board_net
    encoding = "golois39"
    width = 64                   # the other keys are options of the architecture

    [optimiser]
    rate = 0.05

Every section is a dataclass here, and every key a field of it with its meaning. A key that does not exist is refused,
in a file and in `--set section.key=value`.
"""

from __future__ import annotations

import dataclasses
import json
import tomllib
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from tengen.errors import InputError
from tengen.nets.heads import LEAST_SCALE
from tengen.settings import read_settings, set_keys


@dataclass(frozen=True)
class Recipe:
    """What recipes of every kind have in common: they are read from tables with sections, and written to them."""

    KIND: ClassVar[str] = "recipe"  # what error messages call it
    FREE: ClassVar[frozenset[str]] = frozenset()  # keys that may change when a run is resumed: `run.examples`
    # Where the keys of recipes without sections are now, if they have another name than before.
    MOVED: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def from_table(cls, table: Mapping[str, Any], where: str) -> Self:
        sections = _sections(cls)
        for key, value in table.items():
            in_place = isinstance(value, Mapping) if key in sections else False
            if not in_place and (place := cls._new_place(key)):
                raise InputError(f"{where}: recipes have sections: '{key}' is {place} now")
        return read_settings(cls, table, f"{where}: a {cls.KIND}")

    @classmethod
    def _new_place(cls, key: str) -> str | None:
        """Where a key is that was at the top of recipes without sections."""
        if key in cls.MOVED:
            return cls.MOVED[key]
        if key in {f.name for f in dataclasses.fields(cls)}:
            return None
        for section, kind in _sections(cls).items():
            if key in {f.name for f in dataclasses.fields(kind)}:
                return f"{section}.{key}"
        return None

    def table(self) -> dict[str, Any]:
        """Nested, as JSON keeps it and as `from_table` reads it."""
        return dataclasses.asdict(self)

    def changed(self, changes: Mapping[str, Any]) -> Self:
        """The recipe with other values for some dotted keys: `{"run.examples": 100}`."""
        table = self.table()
        for key, value in changes.items():
            *parents, last = key.split(".")
            inner = table
            for parent in parents:
                inner = inner.setdefault(parent, {})
            inner[last] = value
        return self.from_table(table, getattr(self, "name", "") or "a changed recipe")

    def check_same_run(self, saved: Mapping[str, Any], folder: Path) -> None:
        """Raises InputError unless the run was begun with this recipe; only the FREE keys may differ.

        A key that did not exist when the run was begun had the value that is its default now.
        """
        now = dotted(json.loads(json.dumps(self.table())))
        then = _defaults(type(self)) | dotted(saved)
        for key in sorted(now.keys() | then.keys()):
            if key not in self.FREE and then.get(key) != now.get(key):
                raise InputError(
                    f"the run in {folder} was begun with {key} = {then.get(key)!r}, and the recipe now says "
                    f"{now.get(key)!r}: give the run another name (--set name=...), or the old value"
                )


def _sections(kind: type) -> dict[str, Any]:
    """The fields of a recipe that are sections, with their dataclasses."""
    return {
        name: hint for name, hint in typing.get_type_hints(kind).items() if dataclasses.is_dataclass(hint)
    }


def _defaults(kind: type, prefix: str = "") -> dict[str, Any]:
    """The defaults of all keys by dotted names, as JSON keeps them; required keys have none."""
    found: dict[str, Any] = {}
    sections = _sections(kind)
    for f in dataclasses.fields(kind):
        if f.name in sections:
            found |= _defaults(sections[f.name], f"{prefix}{f.name}.")
        elif f.default is not dataclasses.MISSING:
            found[prefix + f.name] = list(f.default) if isinstance(f.default, tuple) else f.default
    return found


def dotted(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """A nested table by dotted keys.

    >>> dotted({"seed": 1, "net": {"width": 64}})
    {'seed': 1, 'net.width': 64}
    """
    found: dict[str, Any] = {}
    for key, value in table.items():
        found |= dotted(value, f"{prefix}{key}.") if isinstance(value, Mapping) else {prefix + key: value}
    return found


def read_table(path: Path, changes: Sequence[str]) -> dict[str, Any]:
    """The table of a TOML file with `key=value` changes; keys may be dotted (`net.width=32`)."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"cannot read the recipe {path}: {error}") from None
    return set_keys(table, changes)


@dataclass(frozen=True)
class FileRecipe(Recipe):
    """A recipe that is all in one file, and has its name unless it gives another."""

    @classmethod
    def read(cls, path: Path, changes: Sequence[str] = ()) -> Self:
        """The recipe of a TOML file with `key=value` changes."""
        table = read_table(path, changes)
        table.setdefault("name", path.stem)
        return cls.from_table(table, str(path))


def check_counts(section: Any, *names: str) -> None:
    """InputError unless these fields are 1 or more."""
    for name in names:
        if getattr(section, name) < 1:
            raise InputError(f"the recipe's '{name}' must be 1 or more, not {getattr(section, name)}")


def check_shares(section: Any, *names: str) -> None:
    """InputError unless these fields are from 0 to below 1."""
    for name in names:
        if not 0 <= getattr(section, name) < 1:
            raise InputError(f"the recipe's '{name}' must be from 0 to below 1, not {getattr(section, name)}")


@dataclass(frozen=True)
class PolicyCounts:
    """[run]: how long and how often. Counts are examples (positions seen), not steps."""

    examples: int = 200_000  # The run ends after so many.
    test_every: int = 50_000
    checkpoint_every: int = 20_000
    log_every: int = 5_000  # Rows of log.csv; a test has a row of its own.
    begin: str = ""  # A run's folder, or a net of ours (name or folder), whose weights are the first ones.

    def __post_init__(self) -> None:
        check_counts(self, "examples", "test_every", "checkpoint_every", "log_every")


@dataclass(frozen=True)
class GameData:
    """[data]: the games."""

    train: tuple[str, ...] = ()  # Pools of games for training.
    test: str = ""  # The pool for tests; no tests if empty.
    train_filter: dict[str, Any] = field(default_factory=dict)  # Which games: see tengen.training.pools.
    test_filter: dict[str, Any] = field(default_factory=dict)
    test_positions: int = 100_000  # Positions of a test, always the same ones, without symmetries.
    symmetries: bool = True  # Each example is shown in a random one of the eight symmetries.

    def __post_init__(self) -> None:
        check_counts(self, "test_positions")


@dataclass(frozen=True)
class Source:
    """[[data.sources]]: the games of a pool, all on one board size, and labels that a teacher made of them."""

    pool: str
    # The file that `tengen train label` wrote; the examples are the positions that it has. If empty, they are all
    # positions, and only moves and results of the games are learnt.
    labels: str = ""
    share: float = 1.0  # Of the minibatches, in proportion to the shares of the other sources.
    learns: Literal["played", "teacher", "none"] = "played"  # What the head `policy` learns here.
    # Whose win rate is learnt where there are labels: the "teacher"'s, which is that of much stronger players, or that
    # of the players, from the "results" of their games (losses.margin, losses.win).
    learns_win: Literal["teacher", "results"] = "teacher"
    filter: dict[str, Any] = field(default_factory=dict)  # Which games: see tengen.training.pools.

    def __post_init__(self) -> None:
        if self.share <= 0:
            raise InputError(f"the share of the source {self.pool} must be above 0, not {self.share:g}")
        if self.learns == "teacher" and not self.labels:
            raise InputError(f"the source {self.pool} learns from a teacher: name its labels")


@dataclass(frozen=True)
class PolicyData(GameData):
    """[data] of a policy net."""

    teacher: str = ""  # A KataGo net (name or file) that is asked at every example; none if empty.
    sources: tuple[Source, ...] = ()  # Pools in stated proportions, in place of `train`.
    judged: tuple[Source, ...] = ()  # Labelled pools for tests: how far the net is from the teacher.

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sources and (self.train or self.teacher):
            raise InputError(
                "data.sources take the place of data.train and data.teacher: give these or those"
            )
        if any(not source.labels for source in self.judged):
            raise InputError("data.judged are pools with labels: name them")


@dataclass(frozen=True)
class NetChoice:
    """[net]: the architecture, its input planes and its options. A file writes the options as keys of the section."""

    architecture: str
    encoding: str
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def least_scale(self) -> float:
        """Of the head `margin`, in points."""
        return float(self.options.get("least_scale", LEAST_SCALE))


@dataclass(frozen=True)
class PolicyOptimiser:
    """[optimiser]: how weights are changed."""

    method: Literal["sgd", "adamw", "muon"] = "sgd"
    batch: int = 50  # Examples of a step.
    rate: float = 0.05  # The learning rate. Of Muon: for the matrices.
    rate_rest: float = 0.002  # Muon only: AdamW's learning rate for all weights that are not matrices.
    rate_times_batch: bool = False  # The rate is multiplied by the batch (Golois, section 3.3).
    momentum: float = 0.9
    weight_decay: float = 0.0
    schedule: Literal["constant", "algorithm1", "stages", "trapezoid"] = "constant"
    stages: tuple[float, ...] = ()  # Fractions of the run at which rate and weight decay fall tenfold.
    warmup: int = 0  # Trapezoid: the rate rises over the first so many examples.
    decay: int = 0  # Trapezoid: the rate falls to 0 over the last so many examples.
    ema: float = (
        0.0  # Decay, each step, of the averaged weights that are tested and exported; 0: no averaging.
    )

    def __post_init__(self) -> None:
        check_counts(self, "batch")
        check_shares(self, "momentum", "ema")
        for name in ("rate", "rate_rest"):
            if not 0 < getattr(self, name) < 1000:
                raise InputError(f"the recipe's '{name}' must be above 0, not {getattr(self, name)}")


@dataclass(frozen=True)
class PolicyLosses:
    """[losses]: the error of the move, and the weights of further losses; a weight of 0 leaves a loss out."""

    policy: Literal["cross-entropy", "mse"] = "cross-entropy"  # Error of the move that was played.
    label_smoothing: float = 0.0
    next_moves: float = 0.0  # Cross-entropy of the moves after the next one (nets with `next_moves`).
    margin: float = 0.0  # Negative log-likelihood of the final margin.
    win: float = 0.0  # Cross-entropy of who won, at each komi of the net's heads `value` or `values`.
    ownership: float = 0.0  # Cross-entropy of the final owners, mean over points.
    teacher_policy: float = 0.0  # Cross-entropy of the teacher's policy.
    teacher_trunk: float = 0.0  # Trunk-matching loss: unexplained variance of the teacher's trunk, 0 to 1.
    teacher_value: float = 0.0  # Distance of margin and owners from the teacher's.
    teacher_win: float = 0.0  # Cross-entropy of the teacher's win rate.

    def __post_init__(self) -> None:
        check_shares(self, "label_smoothing")
        if self.policy == "mse" and (self.label_smoothing or self.next_moves):
            raise InputError('label_smoothing and next_moves go with policy = "cross-entropy"')

    @property
    def asks_teacher(self) -> bool:
        return bool(self.teacher_policy or self.teacher_trunk or self.teacher_value or self.teacher_win)


@dataclass(frozen=True)
class NetRecipe(FileRecipe):
    """What recipes of nets that learn from the games of pools have in common; `data` and `losses` are each kind's."""

    FREE = frozenset(
        {
            "name",
            "threads",
            "run.examples",
            "run.test_every",
            "run.checkpoint_every",
            "run.log_every",
            "data.test",
            "data.test_positions",
            "data.judged",
            "optimiser.decay",
        }
    )

    net: NetChoice
    name: str = ""  # The run's folder; the name of the file unless given.
    seed: int = 1
    threads: int = 1  # Threads of torch.
    run: PolicyCounts = PolicyCounts()
    optimiser: PolicyOptimiser = PolicyOptimiser()

    def __post_init__(self) -> None:
        check_counts(self, "threads")

    @property
    def games(self) -> GameData:
        """The section [data]."""
        raise NotImplementedError

    @classmethod
    def from_table(cls, table: Mapping[str, Any], where: str) -> Self:
        """Keys of [net] that are not the net's architecture and encoding are its options."""
        table = dict(table)
        if isinstance(table.get("net"), Mapping):
            net = dict(table["net"])
            known = {key: net.pop(key) for key in ("architecture", "encoding") if key in net}
            table["net"] = known | {"options": net}
        return super().from_table(table, where)

    def table(self) -> dict[str, Any]:
        table = super().table()
        table["net"] |= table["net"].pop("options")
        return table


@dataclass(frozen=True)
class PolicyRecipe(NetRecipe):
    """Supervised training of a policy net."""

    MOVED: ClassVar[Mapping[str, str]] = {
        "net": "net.architecture",
        "encoding": "net.encoding",
        "options": "net",
        "optimiser": "optimiser.method",
        "criterion": "losses.policy",
        "next_weight": "losses.next_moves",
        "value_weight": "losses.margin",
        "owner_weight": "losses.ownership",
        "taught_weight": "losses.teacher_policy",
        "hint_weight": "losses.teacher_trunk",
        "judged_weight": "losses.teacher_value",
    }

    data: PolicyData = PolicyData()
    losses: PolicyLosses = PolicyLosses()

    @property
    def games(self) -> GameData:
        return self.data

    def __post_init__(self) -> None:
        super().__post_init__()
        labelled = any(source.labels for source in self.data.sources)
        if bool(self.data.teacher or labelled) != self.losses.asks_teacher:
            raise InputError(
                "a teacher (data.teacher, or the labels of data.sources) goes with losses.teacher_policy, "
                "teacher_trunk, teacher_value or teacher_win, and these with a teacher"
            )
        if self.losses.teacher_trunk and self.data.sources:
            raise InputError(
                "labels do not hold the teacher's trunk: losses.teacher_trunk goes with data.teacher"
            )
