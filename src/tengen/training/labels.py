"""Labels: what a strong net, the teacher, says of positions of a pool, made once and used by many runs. Needs no torch.

A file of labels is Parquet, one row a position:

    game       the row of the game in the pool
    number     moves played before the position; the position after the last move is one, too
    komi       White's points, at which the teacher was asked
    rules      the preset, if the teacher was asked under other rules than the game's; null for the game's own
    moves      the teacher's likeliest moves, uint16 [24], the likeliest first; pass is size * size
    chances    of these moves, uint16 [24]: 65535 is 1; 0 fills up
    win        Black's chance to win at that komi
    lead       points by which Black is ahead, komi included
    mean       Black's points less White's before komi: mean and
    deviation  standard deviation of the final margin
    owner      of each point, int8 [size * size]: 127 Black's, -127 White's

Its metadata say what the labels are of: the identity of the pool, the name and hash of the teacher, and how positions
were drawn. `tengen.training.labelling` makes the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from tengen.errors import InputError
from tengen.go.rules import PRESETS
from tengen.training.teacher import TeacherTargets

ABOUT = "tengen.labels"  # the key of the metadata
KEPT_MOVES = 24
CHANCE_UNIT = 65535.0
OWNER_UNIT = 127.0
OWN_RULES = -1
SCHEMA = pl.Schema(
    {
        "game": pl.UInt32,
        "number": pl.UInt16,
        "komi": pl.Float32,
        "rules": pl.String,
        "moves": pl.Binary,
        "chances": pl.Binary,
        "win": pl.Float32,
        "lead": pl.Float32,
        "mean": pl.Float32,
        "deviation": pl.Float32,
        "owner": pl.Binary,
    }
)

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Labels:
    """n positions with what the teacher says of them, in Black's view; see the columns of the file.

    games, numbers int64 [n]; komi, win, lead float32 [n]; rules int64 [n], the number of a preset in PRESETS, or
    OWN_RULES; moves, chances uint16 [n, 24]; owner int8 [n, points]; about: the metadata.
    """

    about: Mapping[str, Any]
    games: Ints
    numbers: Ints
    komi: Floats
    rules: Ints
    moves: npt.NDArray[np.uint16]
    chances: npt.NDArray[np.uint16]
    win: Floats
    lead: Floats
    owner: npt.NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.games)

    def only(self, wanted: npt.NDArray[np.bool_]) -> Labels:
        """The rows for which it holds, [n]."""
        return replace(self, **{name: value[wanted] for name, value in vars(self).items() if name != "about"})

    def of_games(self, rows: Ints) -> Labels:
        """Those of these games, rows of the pool; game `rows[k]` is number k from now on."""
        number = np.full(1 + max(self.games.max(initial=0), rows.max(initial=0)), -1, np.int64)
        number[rows] = np.arange(len(rows))
        kept = self.only(number[self.games] >= 0)
        return replace(kept, games=number[kept.games])

    def rule_codes(self, positions: Ints, own: npt.NDArray[np.integer]) -> Ints:
        """Of these rows: the rules the teacher was asked under, `own` where they are the game's.

        Numbers of presets are indices into the `rules_table` of any records.
        """
        asked = self.rules[positions]
        return np.where(asked == OWN_RULES, own, asked)

    def targets(self, positions: Ints, white: npt.NDArray[np.bool_], carried: Ints) -> TeacherTargets:
        """Of these rows, for the mover; `carried` [n, points + 1]: where each move lies in the example's symmetry."""
        sign = np.where(white, -1, 1).astype(np.float32)
        policy = np.zeros(carried.shape, np.float32)
        each = np.arange(len(positions))[:, None]
        turned = carried[each, self.moves[positions].astype(np.int64)]
        np.add.at(policy, (each, turned), self.chances[positions].astype(np.float32))
        policy /= policy.sum(1, keepdims=True)
        owner = np.empty((len(positions), carried.shape[1] - 1), np.float32)
        owner[each, carried[:, :-1]] = self.owner[positions] / np.float32(OWNER_UNIT) * sign[:, None]
        win, lead, komi = self.win[positions], self.lead[positions], self.komi[positions]
        return TeacherTargets(policy, np.where(white, 1 - win, win), sign * komi, sign * (lead + komi), owner)


def read_about(path: Path) -> dict[str, Any]:
    """What the labels of a file are of; InputError if it is no such file."""
    if not path.is_file():
        raise InputError(f"{path}: no such labels; make them with `tengen train label ... -o {path}`")
    try:
        about = json.loads(pl.read_parquet_metadata(path)[ABOUT])
    except (pl.exceptions.PolarsError, OSError, KeyError, ValueError):
        raise InputError(f"{path}: not a file of labels, or cut short") from None
    if not isinstance(about, dict):
        raise InputError(f"{path}: not a file of labels")
    return about


def read_frame(path: Path) -> pl.DataFrame:
    """The rows of a file of labels; InputError if they cannot be read."""
    try:
        frame = pl.read_parquet(path, glob=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(f"{path}: labels cannot be read: {error}") from None
    if frame.schema != SCHEMA:
        raise InputError(f"{path}: labels with other columns than {', '.join(SCHEMA)}")
    return frame


def open_labels(path: Path, pool: Path, identity: str) -> Labels:
    """The labels of a pool with that identity; InputError if they are of another."""
    about = read_about(path)
    if about.get("pool") != identity:
        raise InputError(
            f"{path} has labels of the pool {about.get('pool_name')}, and {pool} has other games, or the same in "
            "another order: label this pool"
        )
    frame = read_frame(path)
    if not len(frame):
        raise InputError(f"{path} has no labels")
    points = int(about["size"]) ** 2
    codes = {name: code for code, name in enumerate(PRESETS)}
    rules = frame["rules"].replace_strict(codes, default=OWN_RULES, return_dtype=pl.Int64).to_numpy()
    return Labels(
        about,
        frame["game"].to_numpy().astype(np.int64),
        frame["number"].to_numpy().astype(np.int64),
        frame["komi"].to_numpy(),
        rules,
        _rows(frame["moves"], "<u2", KEPT_MOVES, path),
        _rows(frame["chances"], "<u2", KEPT_MOVES, path),
        frame["win"].to_numpy(),
        frame["lead"].to_numpy(),
        _rows(frame["owner"], "i1", points, path),
    )


def _rows(column: pl.Series, kind: str, width: int, path: Path) -> npt.NDArray[Any]:
    values = np.frombuffer(b"".join(column.to_list()), kind)
    if len(values) != len(column) * width:
        raise InputError(f"{path} is damaged: its column {column.name} has {len(values)} numbers")
    return values.reshape(-1, width)
