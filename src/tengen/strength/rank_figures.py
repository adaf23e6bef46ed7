"""How well a model tells ranks: samples of the moves of players whose rank is known, and the figures they give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.errors import InputError
from tengen.strength.calibration import Array, coverage
from tengen.strength.groups import CENTRES, GROUPS
from tengen.strength.model import StrengthModel, read_groups
from tengen.strength.ranks import RankedMoves, packs
from tengen.strength.windows import Floats, Windows

COUNTS = (1, 2, 5, 10, 20)
RANK_WINDOW = 2500  # moves that a rank model looks at: some twenty games
SHORT = (5, 10, 20, 40)  # moves of very short samples, so that the interval knows them too
DRAWS = 100  # of games of one rank group, whoever played them
Stage = Callable[[str, float | None], None]  # what is being done, and which share of it is, if known


def silent(title: str, done: float | None) -> None:
    pass


class Samples(NamedTuple):
    """Sets of one player's moves: what the model said [n, outputs], how many moves, his group, his number."""

    outputs: Floats
    moves: Array
    group: npt.NDArray[np.int64]
    player: npt.NDArray[np.int64]


def rank_samples(
    model: StrengthModel,
    ranked: RankedMoves,
    part: str,
    counts: tuple[int, ...],
    progress: Callable[[float], None] | None = None,
) -> Samples:
    """Every run of so many games of every player of a part; a count of 0 stands for the very short ones."""
    rng = np.random.default_rng(0)
    sets: list[npt.NDArray[np.int32]] = []
    group, player = [], []
    for p in ranked.part(part):
        own = ranked.windows_of[p]
        for count in counts:
            if count == 0:
                some = [rng.permutation(ranked.moves(own[:1]))[: int(rng.choice(SHORT))]]
            else:
                some = [ranked.moves(pack[::-1])[:RANK_WINDOW] for pack in packs(own, count)]
            sets += some
            group += [ranked.players[p].group] * len(some)
            player += [p] * len(some)
    if not sets:
        raise InputError(f"no player of part {part} has features of enough games")
    return _asked(model, ranked, sets, group, player, progress)


def group_samples(
    model: StrengthModel,
    ranked: RankedMoves,
    part: str,
    count: int,
    progress: Callable[[float], None] | None = None,
) -> Samples:
    """DRAWS times so many games of one rank group, whoever played them: every draw counts as a player.

    So do those who have published most on these games measure (Kuboki et al., "Policies of multiple skill levels
    for better strength estimation in games", 2025): whoever is better or worse than his rank is evened out.
    """
    rng = np.random.default_rng(0)
    sets: list[npt.NDArray[np.int32]] = []
    group = []
    for number in range(len(GROUPS)):
        own = [ranked.windows_of[p] for p in ranked.part(part) if ranked.players[p].group == number]
        at_hand = np.concatenate([np.zeros(0, np.int64), *own])
        if len(at_hand) < 2 * count:
            raise InputError(f"part {part} has too few games of {GROUPS[number]} to draw {count} of them")
        for _ in range(DRAWS):
            drawn = rng.choice(at_hand, size=count, replace=False)
            sets.append(ranked.moves(drawn)[:RANK_WINDOW])
            group.append(number)
    return _asked(model, ranked, sets, group, list(range(len(sets))), progress)


def _asked(
    model: StrengthModel,
    ranked: RankedMoves,
    sets: list[npt.NDArray[np.int32]],
    group: list[int],
    player: list[int],
    progress: Callable[[float], None] | None,
) -> Samples:
    windows = Windows.of(ranked.windows.features, sets)
    sizes = windows.sizes.astype(np.float64)
    outputs = model.of_windows(windows, progress=progress)
    return Samples(outputs, sizes, np.array(group), np.array(player))


@dataclass(frozen=True)
class RankFigures:
    """How well ranks are told from `games` games of a player, over `samples` of them.

    `exact` and `within_one`: the likeliest group is the player's, or next to it. `error`: the mean distance of
    the rating from the middle of the group, in ranks. `covered80`, `covered95`: middles inside the intervals, which
    are those of one player.
    """

    games: int
    samples: int
    exact: float
    within_one: float
    error: float
    covered80: float
    covered95: float


def measure_ranks(
    model: StrengthModel, ranked: RankedMoves, part: str = "E", stage: Stage = silent
) -> dict[str, RankFigures]:
    """By what was asked: games of one player, and games of one group."""
    figures = {}
    for of_group in (False, True):
        for count in COUNTS:
            name = f"from {count} games{' of a group' if of_group else ''}, players of {part}"
            progress = partial(stage, f"measuring {name}")
            try:
                if of_group:
                    found = group_samples(model, ranked, part, count, progress)
                else:
                    found = rank_samples(model, ranked, part, (count,), progress)
            except InputError:
                break  # there are not so many games
            figures[name] = _figures(model, found, count)
    return figures


def _figures(model: StrengthModel, found: Samples, count: int) -> RankFigures:
    calibration = model.card.calibrations[model.card.scale]
    raws = read_groups(found.outputs, found.moves, calibration.evidence)
    number = np.array([raw.number for raw in raws])
    spread = np.array([raw.spread for raw in raws])
    truth = CENTRES[found.group]
    rating = np.clip(calibration.slope * number + calibration.offset, calibration.low, calibration.high)
    off = np.abs(found.outputs.argmax(1) - found.group)
    covered = coverage(calibration, number, truth, found.moves, spread)
    error = float(np.abs(rating - truth).mean())
    exact, near = float((off == 0).mean()), float((off <= 1).mean())
    return RankFigures(count, len(raws), exact, near, error, *covered)
