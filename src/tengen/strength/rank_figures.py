"""How well a model tells ranks: samples of the moves of players whose rank is known, and the figures they give.

Players with many games are few, and one lucky or unlucky set of them moves a calibration by several points. So
intervals are made from all who were not learnt from, of V and of E, and measured by turns: those of a fifth of the
players by a calibration that the other four fifths gave. How ranks are told is measured on E alone, for V chose the
epoch.
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
RANK_WINDOW = 2500  # moves that a rank model looks at: some twenty games
SHORT = (5, 10, 20, 40)  # moves of very short samples, so that the interval knows them too
DRAWS = 100  # of games of one rank group, whoever played them
TURNS = 5


class Samples(NamedTuple):
    """Sets of one player's moves: what the model said [n, outputs], how many moves, his group, his number.

    Who was of two groups has one number.
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
    """Every run of so many games of every player of these parts; a count of 0 stands for the very short ones."""
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
    """Samples as a calibration sees them: how many ranks each is off (n), whether the intervals hold it (n, 2)."""

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
    """Every sample by the calibration that the players of the other turns gave."""
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
    """How well ranks are told from `games` games of a player, over `samples` of them.

    `exact` and `within_one`: the likeliest group is the player's, or next to it. `error`: the mean distance of
    the rating from the middle of the group, in ranks. `covered80`, `covered95`: the share of `covered_samples`, V's
    among them, whose middles are inside the intervals; None for games of a group, for intervals are of one player.
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
    """The model's calibration, and its figures by what was asked: games of one player, and games of one group."""
    samples: dict[int, Samples] = {}
    for count in (0, *COUNTS):
        try:
            samples[count] = rank_samples(
                model, ranked, "VE", count, renamed(progress, f"samples of {count} games")
            )
        except InputError:
            break  # there are not so many games
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
