"""From a run to a model for use: export, calibrate, measure. Needs torch."""

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
from tengen.strength.objectives import GameObjective, RankObjective
from tengen.strength.rank_figures import RANK_WINDOW, calibrate_and_measure
from tengen.strength.ranks import load_ranked, players_of
from tengen.strength.recipe import StrengthRecipe
from tengen.strength.training import load_trained
from tengen.strength.windows import draft_windows, drafted_games, stored


def open_objective(
    recipe: StrengthRecipe,
    evaluator: Evaluator,
    sets: tuple[str, ...] = ("T", "V"),
    progress: Report = silent,
) -> GameObjective | RankObjective:
    """Reads the pool, the draft and the features that a recipe names."""
    progress(Progress("reading games"))
    games = GameStore.open(recipe.data.pool)
    with FeatureStore(Path(recipe.data.features), evaluator, write=False) as features:
        load = stored(games, features, recipe.inputs)
        if recipe.data.target == "ranks":
            players = players_of(games, recipe.data.validation, recipe.data.test)
            return RankObjective(recipe, load_ranked(players, load, recipe.inputs, progress))
        draft = Draft.open(Path(recipe.data.draft))
        chosen = drafted_games(draft, sets)
        windows = draft_windows(
            draft, games.records(), chosen, load, recipe.inputs, recipe.data.window, progress
        )
        return GameObjective(recipe, draft, chosen, windows)


def calibrate_games(model: StrengthModel, objective: GameObjective, name: str = "V") -> Calibration:
    """A calibration from the labels of V: the line is the draft's normalisation, the interval fits the errors."""
    raw, truth, moves = game_samples(model, objective, name)
    draft = objective.draft
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


def game_samples(model: StrengthModel, objective: GameObjective, name: str) -> tuple[Array, Array, Array]:
    """Raw outputs, labels and numbers of moves of the players in a set's games; players without moves are left out."""
    games = np.flatnonzero(objective.draft.sets[objective.games] == name)
    both = np.stack([2 * games, 2 * games + 1], axis=1).ravel()
    moves = np.minimum(objective.windows.sizes[both], model.card.window)
    outputs = model.of_windows(objective.windows, both)[:, 0].astype(np.float64)
    truth = objective.draft.labels[objective.games[games]].ravel()
    known = moves > 0
    return outputs[known], truth[known], moves[known].astype(np.float64)


def publish(run: Path, output: Path, evaluator: Evaluator, progress: Report = silent) -> StrengthCard:
    """Writes the model of a run into the folder `output`: graph, calibration, figures."""
    net, recipe, state = load_trained(run)
    objective = open_objective(recipe, evaluator, ("V", "E", "X"), progress)
    if objective.inputs != len(net.centre):
        raise InputError(
            f"the run has {len(net.centre)} inputs, the features {objective.inputs}: they are of another net"
        )
    progress(Progress("exporting"))
    graph = to_onnx(net, objective.outputs)
    card = StrengthCard(
        name=output.name,
        inputs=recipe.inputs,
        target=recipe.data.target,
        net=evaluator.card.name,
        net_sha256=evaluator.card.identity,
        width=objective.inputs,
        outputs=objective.outputs,
        window=RANK_WINDOW if recipe.data.target == "ranks" else recipe.data.window,
        sha256=sha256(graph),
        weights=net.parameter_count,
        training=(
            f"recipe {recipe.name}: {recipe.model.kind}, {state['best_epoch']} epochs of {recipe.run.steps} steps of "
            f"{recipe.optimiser.batch}, pool {Path(recipe.data.pool).stem}"
        ),
    )
    model = StrengthModel(card, graph, recipe.threads)
    measured: dict[str, Any] = {}
    if isinstance(objective, RankObjective):
        calibration, figures = calibrate_and_measure(model, objective.ranked, progress)
        model.card = replace(card, calibrations={calibration.scale: calibration})
        measured = {name: vars(row) for name, row in figures.items()}
    else:
        progress(Progress("calibrating"))
        calibration = calibrate_games(model, objective)
        model.card = replace(card, calibrations={calibration.scale: calibration})
        for name in ("E", "X"):
            raw, truth, moves = game_samples(model, objective, name)
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
