"""How well a model estimates ranks: samples of moves of players of known rank, and the figures from them.

There are few players with many games, and chance in their selection changes a calibration by several points. So the
calibration uses all players that the model was not trained on, of V and E, and coverage is measured by
cross-validation: each fifth of the players with a calibration from the other four fifths. The accuracy of ranks is
measured on E only, because V selected the epoch.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.errors import InputError
from tengen.progress import Progress, Report, renamed, silent
from tengen.strength.calibration import Array, Calibration, fit_calibration, fit_evidence, inside
from tengen.strength.groups import CENTRES, GROUPS
from tengen.strength.model import StrengthModel, read_groups
from tengen.strength.ranks import RankedMoves, packs
from tengen.strength.windows import Floats, Windows

COUNTS = (1, 2, 5, 10, 20)
RANK_WINDOW = 2500  # moves that a rank model reads: some twenty games
SHORT = (5, 10, 20, 40)  # moves of very short samples, so that the calibration includes them
DRAWS = 100  # number of random sets of games of one rank group, whoever played them
TURNS = 5


class Samples(NamedTuple):
    """Sets of one player's moves: outputs [n, outputs], numbers of moves, the player's group and number.

    A player who was in two groups has one number.
    """

    outputs: Floats
    moves: Array
    group: npt.NDArray[np.int64]
    player: npt.NDArray[np.int64]

    def only(self, which: npt.NDArray[np.bool_]) -> Samples:
        return Samples(self.outputs[which], self.moves[which], self.group[which], self.player[which])


def rank_samples(
    model: StrengthModel,
    ranked: RankedMoves,
    parts: str,
    count: int,
    progress: Report = silent,
) -> Samples:
    """All runs of `count` games of each player of these parts; a count of 0 means the very short samples."""
    rng = np.random.default_rng(0)
    number_of = {name: n for n, name in enumerate(dict.fromkeys(each.name for each in ranked.players))}
    sets: list[npt.NDArray[np.int32]] = []
    group, player = [], []
    for p in (p for part in parts for p in ranked.part(part)):
        own = ranked.windows_of[p]
        if count == 0:
            some = [rng.permutation(ranked.moves(own[:1]))[: int(rng.choice(SHORT))]]
        else:
            some = [ranked.moves(pack[::-1])[:RANK_WINDOW] for pack in packs(own, count)]
        sets += some
        group += [ranked.players[p].group] * len(some)
        player += [number_of[ranked.players[p].name]] * len(some)
    if not sets:
        raise InputError(f"no player of {parts} has features of {count} games")
    return _asked(model, ranked, sets, group, player, progress)


def group_samples(
    model: StrengthModel,
    ranked: RankedMoves,
    part: str,
    count: int,
    progress: Report = silent,
) -> Samples:
    """DRAWS random sets of `count` games of one rank group, whoever played them; each set counts as a player.

    The published figures on these games are measured in this way (Kuboki et al., "Policies of multiple skill levels
    for better strength estimation in games", 2025): it averages over players who are better or worse than their rank.
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
    progress: Report,
) -> Samples:
    windows = Windows.of(ranked.windows.features, sets)
    sizes = windows.sizes.astype(np.float64)
    outputs = model.of_windows(windows, progress=progress)
    return Samples(outputs, sizes, np.array(group), np.array(player))


def calibrate_ranks(model: StrengthModel, samples: Iterable[Samples], scale: str = "fox") -> Calibration:
    """Evidence, line and intervals."""
    outputs, moves, group, player = (np.concatenate(each) for each in zip(*samples, strict=True))
    evidence = fit_evidence(outputs.astype(np.float64), moves, group)
    raws = read_groups(outputs, moves, evidence)
    return fit_calibration(
        np.array([raw.number for raw in raws]),
        CENTRES[group],
        moves,
        np.array([raw.spread for raw in raws]),
        model_sha256=model.card.sha256,
        net_sha256=model.card.net_sha256,
        scale=scale,
        evidence=evidence,
        player=player,
    )


class Judged(NamedTuple):
    """Samples under a calibration: the error of each in ranks (n), and whether the intervals contain it (n, 2)."""

    off: Array
    inside: npt.NDArray[np.bool_]


def judge(calibration: Calibration, found: Samples) -> Judged:
    raws = read_groups(found.outputs, found.moves, calibration.evidence)
    number = np.array([raw.number for raw in raws])
    spread = np.array([raw.spread for raw in raws])
    truth = CENTRES[found.group]
    rating = np.clip(calibration.slope * number + calibration.offset, calibration.low, calibration.high)
    return Judged(np.abs(rating - truth), inside(calibration, number, truth, found.moves, spread))


def judge_by_turns(model: StrengthModel, samples: dict[int, Samples], progress: Report) -> dict[int, Judged]:
    """Each sample under the calibration from the players of the other folds."""
    judged = {
        count: Judged(np.zeros(len(found.moves)), np.zeros((len(found.moves), 2), dtype=np.bool_))
        for count, found in samples.items()
    }
    for turn in range(TURNS):
        progress(Progress("measuring intervals", turn, TURNS))
        mine = {count: found.player % TURNS == turn for count, found in samples.items()}
        calibration = calibrate_ranks(model, [found.only(~mine[count]) for count, found in samples.items()])
        for count, found in samples.items():
            if mine[count].any():
                one = judge(calibration, found.only(mine[count]))
                judged[count].off[mine[count]], judged[count].inside[mine[count]] = one
    return judged


@dataclass(frozen=True)
class RankFigures:
    """How well ranks are estimated from `games` games of a player, over `samples` samples.

    `exact` and `within_one`: shares of samples whose most probable group is the player's, or at most one off. `error`:
    the mean distance of the rating from the middle of the group, in ranks. `covered80`, `covered95`: shares of
    `covered_samples` (V and E) whose middles are inside the intervals; None for games of a group, because intervals
    are for one player.
    """

    games: int
    samples: int
    exact: float
    within_one: float
    error: float
    covered_samples: int = 0
    covered80: float | None = None
    covered95: float | None = None


def _figures(count: int, found: Samples, off: Array) -> RankFigures:
    groups = np.abs(found.outputs.argmax(1) - found.group)
    exact, near = float((groups == 0).mean()), float((groups <= 1).mean())
    return RankFigures(count, len(groups), exact, near, float(off.mean()))


def calibrate_and_measure(
    model: StrengthModel, ranked: RankedMoves, progress: Report = silent
) -> tuple[Calibration, dict[str, RankFigures]]:
    """The model's calibration, and its figures: for games of one player, and for games of one group."""
    samples: dict[int, Samples] = {}
    for count in (0, *COUNTS):
        try:
            samples[count] = rank_samples(
                model, ranked, "VE", count, renamed(progress, f"samples of {count} games")
            )
        except InputError:
            break  # no player has that many games
    progress(Progress("calibrating"))
    calibration = calibrate_ranks(model, samples.values())
    figures = {}
    parts = {each.name: each.part for each in ranked.players}  # in the order of the players' numbers
    of_e = np.array([part == "E" for part in parts.values()])
    for count, judged in judge_by_turns(model, samples, progress).items():
        test = of_e[samples[count].player]
        if count and test.any():
            found = _figures(count, samples[count].only(test), judged.off[test])
            first, second = judged.inside.mean(axis=0).tolist()
            held = replace(found, covered_samples=len(test), covered80=first, covered95=second)
            figures[f"from {count} games, players of E"] = held
    for count in COUNTS:
        name = f"from {count} games of a group, players of E"
        try:
            drawn = group_samples(model, ranked, "E", count, renamed(progress, f"measuring {name}"))
        except InputError:
            break
        figures[name] = _figures(count, drawn, judge(calibration, drawn).off)
    return calibration, figures
