"""From a run to a model that people can ask: export, calibrate, measure. Needs torch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tengen.errors import InputError
from tengen.files import replacing
from tengen.games.store import GameStore
from tengen.nets.evaluator import Evaluator
from tengen.progress import Progress, Report, silent
from tengen.strength.calibration import (
    Array,
    Calibration,
    coverage,
    fit_calibration,
)
from tengen.strength.draft import Draft
from tengen.strength.export import sha256, to_onnx
from tengen.strength.feature_store import FeatureStore
from tengen.strength.model import CARD, GRAPH, StrengthCard, StrengthModel
from tengen.strength.rank_figures import RANK_WINDOW, calibrate_and_measure
from tengen.strength.ranks import load_ranked, players_of
from tengen.strength.recipe import StrengthRecipe
from tengen.strength.tasks import GameTask, RankTask
from tengen.strength.training import load_trained
from tengen.strength.windows import draft_windows, drafted_games, stored


def open_task(
    recipe: StrengthRecipe,
    evaluator: Evaluator,
    sets: tuple[str, ...] = ("T", "V"),
    progress: Report = silent,
) -> GameTask | RankTask:
    """Reads the pool, the draft and the features that a recipe names."""
    progress(Progress("reading games"))
    games = GameStore.open(recipe.pool)
    with FeatureStore(Path(recipe.features), evaluator, write=False) as features:
        load = stored(games, features, recipe.inputs)
        if recipe.target == "ranks":
            players = players_of(games, recipe.validation, recipe.test)
            return RankTask(recipe, load_ranked(players, load, recipe.inputs, progress))
        draft = Draft.open(Path(recipe.draft))
        chosen = drafted_games(draft, sets)
        windows = draft_windows(draft, games.records(), chosen, load, recipe.inputs, recipe.window, progress)
        return GameTask(recipe, draft, chosen, windows)


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
        balanced=False,
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


def publish(run: Path, output: Path, evaluator: Evaluator, progress: Report = silent) -> StrengthCard:
    """Writes the model of a run into the folder `output`: graph, calibration, figures."""
    net, recipe, state = load_trained(run)
    task = open_task(recipe, evaluator, ("V", "E", "X"), progress)
    if task.inputs != len(net.centre):
        raise InputError(
            f"the run has {len(net.centre)} inputs, the features {task.inputs}: they are of another net"
        )
    progress(Progress("exporting"))
    graph = to_onnx(net, task.outputs)
    card = StrengthCard(
        name=output.name,
        inputs=recipe.inputs,
        target=recipe.target,
        net=evaluator.card.name,
        net_sha256=evaluator.card.identity,
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
        calibration, figures = calibrate_and_measure(model, task.ranked, progress)
        model.card = replace(card, calibrations={calibration.scale: calibration})
        measured = {name: vars(row) for name, row in figures.items()}
    else:
        progress(Progress("calibrating"))
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
