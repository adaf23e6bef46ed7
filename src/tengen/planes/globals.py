"""Global inputs: numbers of the whole position that a net may take beside its planes.

A net declares groups of them by name (`komi`, `rules`, `rank`); its input `global` is float32 `[batch, k]` with the
numbers of each group in the order of the names. All numbers are in the view of the side to move. KataGo's encodings
have global inputs of their own, see `tengen.planes.encoding`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tengen.errors import InputError
from tengen.games.records import Records
from tengen.go.color import Color
from tengen.go.game import WHITE_BIT
from tengen.go.position import Position
from tengen.go.rules import HandicapBonus, Ko, Rules, Scoring, Tax
from tengen.planes.encoding import Channel

Float32 = npt.NDArray[np.float32]
Ranks = Sequence[tuple[float | None, float | None]] | npt.NDArray[np.floating]

KOMI_UNIT = 20.0  # points
RANK_UNIT = 10.0  # steps of `Rank.number`: 1k is 0, 1d is 0.1

GLOBALS: dict[str, tuple[Channel, ...]] = {
    "komi": (
        Channel("komi", "points added to the mover's score / 20: White has the komi, Black minus the komi"),
    ),
    "rules": (
        Channel("territory", "1 if territory is counted, 0 if area is"),
        Channel("positional ko", "1 if no board may be repeated"),
        Channel("situational ko", "1 if no board may be repeated with the same side to move"),
        Channel("suicide", "1 if a player may take his own string of two or more stones"),
        Channel("seki tax", "1 if eyes of strings in seki do not count"),
        Channel("group tax", "1 if in addition two eyes of every living group do not count"),
        Channel("bonus of stones", "1 if White gets a point for each handicap stone"),
        Channel("bonus of stones less one", "1 if White gets a point for each handicap stone but one"),
    ),
    "rank": (
        Channel("mover's rank known", "1 if it is"),
        Channel("mover's rank", "Rank.number / 10, 0 if not known"),
        Channel("other's rank known", "1 if it is"),
        Channel("other's rank", "Rank.number / 10, 0 if not known"),
    ),
}


def global_channels(names: Sequence[str]) -> tuple[Channel, ...]:
    """What each number of the input `global` means.

    >>> [channel.name for channel in global_channels(("komi", "rules"))][:2]
    ['komi', 'territory']
    """
    for name in names:
        if name not in GLOBALS:
            raise InputError(f"unknown global input '{name}': known are {', '.join(GLOBALS)}")
    return tuple(channel for name in names for channel in GLOBALS[name])


def encode_globals(
    names: Sequence[str], positions: Sequence[Position], ranks: Ranks | None = None
) -> Float32:
    """The global inputs of positions, float32 [positions, k].

    `ranks`: for each position Black's and White's rank as `Rank.number`, None or NaN where not known; without it
    no rank is known.

    >>> encode_globals(("komi",), [Position(9, komi=7.0), Position(9, komi=7.0).play("E5")]).ravel().tolist()
    [-0.3499999940395355, 0.3499999940395355]
    """
    white = np.array([position.to_move is Color.WHITE for position in positions], bool)
    komi = np.array([position.rules.komi for position in positions], np.float32)
    rules = np.array([_rules(position.rules) for position in positions], np.float32)
    return _join(names, white, komi, rules, ranks)


def encode_record_globals(
    names: Sequence[str],
    records: Records,
    games: npt.NDArray[np.integer],
    moves: npt.NDArray[np.integer],
    komi: Float32 | None = None,
    rules: npt.NDArray[np.integer] | None = None,
) -> Float32:
    """The global inputs of game `games[i]` after its first `moves[i]` moves, float32 [games, k].

    `komi` [games] and `rules` [games], indices into `records.rules_table`, take the place of the games' own.
    """
    games = np.asarray(games, np.int64)
    table = np.array([_rules(rules) for rules in records.rules_table], np.float32)
    ranks = None if records.ranks is None else records.ranks[games]
    komi = records.komi[games] if komi is None else komi
    rules = records.rules[games] if rules is None else rules
    return _join(names, white_to_move(records, games, moves), komi, table[rules], ranks)


def white_to_move(
    records: Records, games: npt.NDArray[np.integer], moves: npt.NDArray[np.integer]
) -> npt.NDArray[np.bool_]:
    """Whether White is to move in game `games[i]` after its first `moves[i]` moves, bool [games].

    The side to move is the one that `encode_records` takes: the other than that of the last move.
    """
    games, moves = np.asarray(games, np.int64), np.asarray(moves, np.int64)
    last = records.move_offsets[games] + moves - 1
    before = records.moves_flat[np.maximum(last, 0)] if len(records.moves_flat) else np.zeros_like(last)
    white: npt.NDArray[np.bool_] = np.where(
        moves > 0, before < WHITE_BIT, records.first_to_move[games] == int(Color.WHITE)
    )
    return white


def _rules(rules: Rules) -> list[bool]:
    """The numbers of the group `rules`, in the order of GLOBALS."""
    return [
        rules.scoring is Scoring.TERRITORY,
        rules.ko is Ko.POSITIONAL,
        rules.ko is Ko.SITUATIONAL,
        rules.suicide,
        rules.tax is Tax.SEKI,
        rules.tax is Tax.ALL,
        rules.handicap_bonus is HandicapBonus.STONES,
        rules.handicap_bonus is HandicapBonus.STONES_LESS_ONE,
    ]


def _join(
    names: Sequence[str], white: npt.NDArray[np.bool_], komi: Float32, rules: Float32, ranks: Ranks | None
) -> Float32:
    """The groups side by side; `ranks` [n, 2] are Black's and White's."""
    global_channels(names)
    count = len(white)
    groups: list[npt.NDArray[np.floating]] = [np.zeros((count, 0), np.float32)]
    for name in names:
        if name == "komi":
            groups.append((np.where(white, komi, -komi) / KOMI_UNIT)[:, None])
        elif name == "rules":
            groups.append(rules.reshape(count, len(GLOBALS["rules"])))
        else:
            groups.append(_rank(white, ranks))
    return np.concatenate(groups, axis=1).astype(np.float32)


def _rank(white: npt.NDArray[np.bool_], ranks: Ranks | None) -> npt.NDArray[np.floating]:
    if ranks is None:
        return np.zeros((len(white), len(GLOBALS["rank"])), np.float32)
    both = np.array(ranks, np.float64).reshape(-1, 2)  # None becomes NaN
    if len(both) != len(white):
        raise InputError(f"there are ranks for {len(both)} positions, and {len(white)} positions")
    both = np.where(white[:, None], both[:, ::-1], both)
    known = np.isfinite(both)
    numbers = np.where(known, both, 0.0) / RANK_UNIT
    return np.stack([known[:, 0], numbers[:, 0], known[:, 1], numbers[:, 1]], axis=1)
