"""Windows: sets of a player's recent moves (thesis, Definition 2 and Section 4.1.1), the inputs of models.

Each row of features is stored once, however many windows have it. A window is a list of rows, the most recent move
first, so that a shorter window is the beginning of a longer one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from tengen.errors import InputError
from tengen.go.game import WHITE_BIT
from tengen.progress import Progress, Report, silent
from tengen.ratings.results import BLACK, WHITE, recent_moves
from tengen.strength.feature_store import FeatureStore, game_key
from tengen.strength.features import MAX_POLICY, POLICY, MoveFeatures

if TYPE_CHECKING:
    from tengen.games.records import Records
    from tengen.games.store import GameStore
    from tengen.strength.draft import Draft

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Rows = npt.NDArray[Any]  # features, one row for each move: float16 (trunk) or float32
SETS = ("T", "V", "E", "X")
Inputs = Literal["basic", "full", "joint", "relative"]  # kinds of model inputs


# The features of a game, by its row in the pool; None where they were not extracted.
Load = Callable[[int], MoveFeatures | None]


def stored(games: GameStore, features: FeatureStore, kind: str) -> Load:
    """Looks up the games of a pool in a store of features, which must have the columns that these inputs need."""
    if kind == "relative" and not features.has_expected:
        raise InputError(
            f"{features.folder}: these features have no expected trunk features: "
            "extract them again with `tengen strength features` in another folder"
        )
    return lambda row: features.get(game_key(games.game(row)))


def inputs_of(features: MoveFeatures, kind: str) -> Rows:
    """A model's inputs for each move (n, d_x): Sections 4.5 and 4.6, or ours.

    Joint: the trunk features at the move, and numbers of the policy. Relative: these, and the expected trunk features
    under the policy. The reason: suppose that people of a rank choose a point with probability proportional to the
    policy times exp(w x), where x are the trunk features there. To first order in w, the log-probability of a move is
    that of the policy plus w (x - expected x). So a mean over moves of relative inputs separates one rank from
    another, however different the positions were.
    """
    match kind:
        case "basic":
            return features.basic
        case "full":
            return features.trunk
        case "joint":
            return np.concatenate([features.trunk.astype(np.float32), _policy_of(features.basic)], axis=1)
        case "relative":
            if features.expected.shape != features.trunk.shape:
                raise ValueError("these features have no expected trunk features")
            vectors = [each.astype(np.float32) for each in (features.trunk, features.expected)]
            return np.concatenate([*vectors, _policy_of(features.basic)], axis=1)
    raise ValueError(f"no inputs are called '{kind}'")


def _policy_of(basic: Floats) -> Floats:
    """Numbers of the policy at each move (n, 5), whose means contain more information than the mean probability.

    The log-probability of the move; its difference to that of the most probable move; whether the move is the most
    probable one; whether its probability is very low; and the highest probability of any move. They need no evaluation
    after the move.
    """
    chance, likeliest = basic[:, POLICY] + 0.5, basic[:, MAX_POLICY] + 0.5
    log, best = np.log(np.maximum(chance, 1e-4)), np.log(np.maximum(likeliest, 1e-4))
    columns = (log, log - best, chance >= likeliest - 1e-6, log < -4, likeliest)
    return np.stack([column.astype(np.float32) for column in columns], axis=1)


@dataclass(frozen=True, eq=False)
class Windows:
    """`features` (rows, d_x) and the rows of each window: `rows[offsets[i] : offsets[i + 1]]`."""

    features: Rows
    rows: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int64]

    @staticmethod
    def of(
        features: Rows,
        windows: Iterable[npt.NDArray[np.int32]],
    ) -> Windows:
        parts = list(windows)
        offsets = np.zeros(len(parts) + 1, dtype=np.int64)
        np.cumsum([len(part) for part in parts], out=offsets[1:])
        return Windows(features, np.concatenate([np.zeros(0, np.int32), *parts]), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        return np.diff(self.offsets)

    def window(self, i: int) -> npt.NDArray[np.int32]:
        """The rows of one window, the most recent move first."""
        return self.rows[self.offsets[i] : self.offsets[i + 1]]

    def batch(
        self, which: Sequence[int] | npt.NDArray[np.int64], most: int | None = None
    ) -> tuple[Floats, Mask]:
        """Features (B, n, d_x) and mask (B, n) of some windows, padded to the longest; the last `most` moves."""
        chosen = [self.window(int(i))[:most] for i in which]
        return pad([self.features[rows] for rows in chosen], self.features.shape[1])


def pad(sets: Sequence[Rows], width: int) -> tuple[Floats, Mask]:
    """Sets of rows as one array (B, n, width) of float32 with its mask (B, n); n is at least 1."""
    longest = max([1, *(len(each) for each in sets)])
    x = np.zeros((len(sets), longest, width), dtype=np.float32)
    mask = np.zeros((len(sets), longest), dtype=np.bool_)
    for i, each in enumerate(sets):
        x[i, : len(each)] = each
        mask[i, : len(each)] = True
    return x, mask


def drafted_games(draft: Draft, sets: Sequence[str] = SETS) -> npt.NDArray[np.int64]:
    """The games of these sets, in the order of play."""
    return np.flatnonzero(np.isin(draft.sets, list(sets)))


def draft_windows(
    draft: Draft,
    records: Records,
    games: npt.NDArray[np.int64],
    load: Load,
    kind: str,
    window: int = 500,
    progress: Report = silent,
) -> Windows:
    """The windows of both players before each game: window 2 i is Black's of `games[i]`, 2 i + 1 White's.

    `records` are the records of the pool that was prepared. Raises InputError where a game has no features.
    """
    wanted: dict[tuple[int, int], int] = {}  # (game, side): the first move, from 0, that any window needs
    # For each window (game, side, first move), the most recent game first.
    parts: list[list[tuple[int, int, int]]] = []

    def moves_of(game: int) -> npt.NDArray[np.uint16]:
        row = draft.results.row[game]
        return records.moves_flat[records.move_offsets[row] : records.move_offsets[row + 1]]

    for game in games.tolist():
        for side in (BLACK, WHITE):
            player = int(draft.results.sides[game, side])
            recent = recent_moves(draft.results, moves_of, player, game - 1, window)
            part: list[tuple[int, int, int]] = []
            earlier, first = np.unique(recent.games, return_index=True)
            for one, move in zip(earlier[::-1].tolist(), recent.moves[first[::-1]].tolist(), strict=True):
                his_side = BLACK if draft.results.black[one] == player else WHITE
                wanted[one, his_side] = min(move, wanted.get((one, his_side), move))
                part.append((one, his_side, move))
            parts.append(part)
    features, numbers, start = _load_rows(draft, wanted, load, kind, progress)
    windows = []
    for part in parts:
        pieces = [np.zeros(0, np.int32)]
        for one, side, move in part:
            begin = start[one, side]
            own = numbers[one, side]
            kept = np.arange(begin, begin + len(own), dtype=np.int32)[own > move]
            pieces.append(kept[::-1])
        windows.append(np.concatenate(pieces))
    return Windows.of(features, windows)


def needed_games(
    draft: Draft, records: Records, games: npt.NDArray[np.int64], window: int = 500
) -> npt.NDArray[np.int64]:
    """Rows, in the prepared pool of games, of all games whose features the windows of `games` need."""
    counts = _moves_by_side(draft, records)
    needed: set[int] = set()
    for game in games.tolist():
        for side in (BLACK, WHITE):
            history = draft.results.history(int(draft.results.sides[game, side]), game - 1)
            found = 0
            for one, his in zip(history.games[::-1].tolist(), history.side[::-1].tolist(), strict=True):
                if found >= window:
                    break
                needed.add(one)
                found += counts[one, his]
    return np.sort(draft.results.row[sorted(needed)])


def _moves_by_side(draft: Draft, records: Records) -> npt.NDArray[np.int64]:
    """How many moves, passes left out, each side has in each game of the draft (n, 2)."""
    white = (records.moves_flat & np.uint16(WHITE_BIT)) != 0
    real = (records.moves_flat & ~np.uint16(WHITE_BIT)) != 19 * 19
    sums = [np.concatenate([[0], np.cumsum(real & (white == bool(side)))]) for side in (BLACK, WHITE)]
    begin, end = records.move_offsets[draft.results.row], records.move_offsets[draft.results.row + 1]
    return np.stack([total[end] - total[begin] for total in sums], axis=1)


def _load_rows(
    draft: Draft,
    wanted: dict[tuple[int, int], int],
    load: Load,
    kind: str,
    progress: Report,
) -> tuple[
    Rows,
    dict[tuple[int, int], npt.NDArray[np.int16]],
    dict[tuple[int, int], int],
]:
    rows: list[Rows] = []
    numbers: dict[tuple[int, int], npt.NDArray[np.int16]] = {}
    start: dict[tuple[int, int], int] = {}
    total, missing = 0, 0
    for n, (game, side) in enumerate(sorted(wanted)):
        found = load(int(draft.results.row[game]))
        progress(Progress("reading features", n + 1, len(wanted)))
        if found is None:
            missing += 1
            continue
        own = (found.white == bool(side)) & (found.number > wanted[game, side])  # numbers are from 1
        rows.append(inputs_of(found, kind)[own])
        numbers[game, side], start[game, side] = found.number[own], total
        total += len(rows[-1])
    if missing:
        raise InputError(
            f"{missing:,} of {len(wanted):,} sides of games have no features yet: "
            "extract them with `tengen strength features`, which continues where it stopped"
        )
    if not rows:
        raise InputError("no player of the draft's games has an earlier game: there are no moves to train on")
    return np.concatenate(rows), numbers, start
