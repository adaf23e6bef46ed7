"""From a run to a model that people can ask: export, calibrate on V, measure on E. Needs torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.errors import InputError
from tengen.files import replacing
from tengen.games.store import GameStore
from tengen.nets.evaluator import Evaluator
from tengen.ratings.draft import Draft
from tengen.strength.calibration import (
    Array,
    Calibration,
    coverage,
    fit_calibration,
    fit_evidence,
)
from tengen.strength.export import sha256, to_onnx
from tengen.strength.feature_store import FeatureStore
from tengen.strength.groups import CENTRES, GROUPS
from tengen.strength.model import CARD, GRAPH, StrengthCard, StrengthModel, net_hash, read_groups
from tengen.strength.ranks import RankedMoves, load_ranked, players_of
from tengen.strength.recipe import StrengthRecipe
from tengen.strength.tasks import GameTask, RankTask, packs
from tengen.strength.training import load_trained
from tengen.strength.windows import Floats, Windows, draft_windows, drafted_games, stored

COUNTS = (1, 2, 5, 10, 20)
RANK_WINDOW = 2500  # moves that a rank model looks at: some twenty games
SHORT = (5, 10, 20, 40)  # moves of very short samples, so that the interval knows them too
DRAWS = 100  # of games of one rank group, whoever played them
Stage = Callable[[str, float | None], None]  # what is being done, and which share of it is, if known


def _silent(title: str, done: float | None) -> None:
    pass


def open_task(
    recipe: StrengthRecipe,
    evaluator: Evaluator,
    sets: tuple[str, ...] = ("T", "V"),
    stage: Stage = _silent,
) -> GameTask | RankTask:
    """Reads the pool, the draft and the features that a recipe names."""
    stage("reading games", None)
    games = GameStore.open(recipe.pool)
    with FeatureStore(Path(recipe.features), evaluator, write=False) as features:
        load = stored(games, features)
        progress = partial(stage, "reading features")
        if recipe.target == "ranks":
            players = players_of(games, recipe.validation, recipe.test)
            return RankTask(recipe, load_ranked(players, load, recipe.inputs, progress))
        draft = Draft.open(Path(recipe.draft))
        chosen = drafted_games(draft, sets)
        windows = draft_windows(draft, games.records(), chosen, load, recipe.inputs, recipe.window, progress)
        return GameTask(recipe, draft, chosen, windows)


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


def calibrate_ranks(
    model: StrengthModel, ranked: RankedMoves, scale: str = "fox", stage: Stage = _silent
) -> Calibration:
    """From the players of V: evidence, line and intervals."""
    found = rank_samples(model, ranked, "V", (0, *COUNTS), partial(stage, "calibrating"))
    evidence = fit_evidence(found.outputs.astype(np.float64), found.moves, found.group)
    raws = read_groups(found.outputs, found.moves, evidence)
    return fit_calibration(
        np.array([raw.number for raw in raws]),
        CENTRES[found.group],
        found.moves,
        np.array([raw.spread for raw in raws]),
        model_sha256=model.card.sha256,
        net_sha256=model.card.net_sha256,
        scale=scale,
        evidence=evidence,
        player=found.player,
    )


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
    model: StrengthModel, ranked: RankedMoves, part: str = "E", stage: Stage = _silent
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


def calibrate_games(model: StrengthModel, task: GameTask, name: str = "V") -> Calibration:
    """From the labels of V: the line is the draft's own normalisation, the interval what is missed."""
    raw, truth, moves = game_samples(model, task, name)
    draft = task.draft
    return fit_calibration(
        raw,
        truth,
        moves,
        np.ones(len(raw)),
        model_sha256=model.card.sha256,
        net_sha256=model.card.net_sha256,
        scale="glicko2",
        line=(draft.deviation, draft.mean),
    )


def game_samples(model: StrengthModel, task: GameTask, name: str) -> tuple[Array, Array, Array]:
    """Raw outputs, labels and numbers of moves of both players of each game of a set; those without moves not."""
    games = np.flatnonzero(task.draft.sets[task.games] == name)
    both = np.stack([2 * games, 2 * games + 1], axis=1).ravel()
    moves = np.minimum(task.windows.sizes[both], model.card.window)
    outputs = model.of_windows(task.windows, both)[:, 0].astype(np.float64)
    truth = task.draft.labels[task.games[games]].ravel()
    known = moves > 0
    return outputs[known], truth[known], moves[known].astype(np.float64)


def publish(run: Path, output: Path, evaluator: Evaluator, stage: Stage = _silent) -> StrengthCard:
    """Writes the model of a run into the folder `output`: graph, calibration on V, figures on E."""
    net, recipe, state = load_trained(run)
    task = open_task(recipe, evaluator, ("V", "E", "X"), stage)
    if task.inputs != len(net.spread):
        raise InputError(
            f"the run has {len(net.spread)} inputs, the features {task.inputs}: they are of another net"
        )
    stage("exporting", None)
    graph = to_onnx(net, task.outputs)
    card = StrengthCard(
        name=output.name,
        inputs=recipe.inputs,
        target=recipe.target,
        net=evaluator.card.name,
        net_sha256=net_hash(evaluator.card),
        width=task.inputs,
        outputs=task.outputs,
        window=RANK_WINDOW if recipe.target == "ranks" else recipe.window,
        sha256=sha256(graph),
        weights=net.parameter_count,
        training=(
            f"recipe {recipe.name}: {recipe.model}, {state['best_epoch']} epochs of {recipe.steps} steps of "
            f"{recipe.batch}, pool {Path(recipe.pool).stem}"
        ),
    )
    model = StrengthModel(card, graph, recipe.threads)
    measured: dict[str, Any] = {}
    if isinstance(task, RankTask):
        calibration = calibrate_ranks(model, task.ranked, stage=stage)
        model.card = replace(card, calibrations={calibration.scale: calibration})
        measured = {name: vars(row) for name, row in measure_ranks(model, task.ranked, stage=stage).items()}
    else:
        stage("calibrating", None)
        calibration = calibrate_games(model, task)
        model.card = replace(card, calibrations={calibration.scale: calibration})
        for name in ("E", "X"):
            raw, truth, moves = game_samples(model, task, name)
            inside = coverage(calibration, raw, truth, moves, np.ones(len(raw))) if len(raw) else (0.0, 0.0)
            measured[f"labels of {name} inside the 80 % and 95 % interval"] = list(inside)
    card = replace(model.card, measured=measured)
    write_model(card, graph, output)
    return card


def write_model(card: StrengthCard, graph: bytes, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / GRAPH) as temporary:
        temporary.write_bytes(graph)
    with replacing(folder / CARD) as temporary:
        temporary.write_text(card.to_json(), encoding="utf-8")
