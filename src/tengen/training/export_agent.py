"""From a run of `tengen train long-term` to an agent that runs without torch. Needs torch."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from tengen.errors import InputError
from tengen.files import replacing
from tengen.nets.agent import CARD, GRAPH, INPUTS, NUMBERS, OUTPUTS, AgentCard, OnnxAgent
from tengen.nets.agent_net import AgentNet
from tengen.nets.library import sha256_of
from tengen.training import checkpoint as checkpoints
from tengen.training.long_term_recipe import LongTermRecipe
from tengen.training.tracing import traced

LONG_TERM = "long-term"  # the kind of runs of `tengen train long-term`


def load_agent(run: Path) -> tuple[AgentNet, AgentCard]:
    """The agent of a run's last checkpoint, or of a checkpoint's folder, with a card that has no file yet."""
    saved = checkpoints.load(run)
    if saved.kind != LONG_TERM:
        raise InputError(f"{run} is a run of `tengen train {saved.kind}`, not of `tengen train long-term`")
    recipe = LongTermRecipe.from_table(saved.state["recipe"], str(run))
    net = AgentNet(recipe.agent)
    try:
        net.load_state_dict(saved.tensors["net"])
    except RuntimeError as error:
        raise InputError(f"the checkpoint in {run} does not fit its recipe: {error}") from None
    play, size = recipe.play, saved.state["task"]["size"]
    games = ", ".join(Path(pool).stem for pool in recipe.data.train)
    threads = f"{recipe.threads} thread{'s' if recipe.threads > 1 else ''}"
    imitated = min(recipe.run.imitated, saved.done)
    begun = f"{imitated:,} lines of the games foretold, then " if imitated else ""
    card = AgentCard(
        name=recipe.name,
        shape=recipe.agent,
        reward=play.reward,
        opponent=play.opponent,
        steps=play.steps,
        predictor=Path(play.predictor).name,
        weights=net.parameter_count,
        training=(
            f"{begun}REINFORCE, {saved.done - imitated:,} episodes of at most {play.steps} steps on {size}x{size} "
            f"positions of {games}, {play.lines} lines each of {play.candidates} candidates, "
            f"{saved.state['seconds'] / 3600:.2f} hours on {threads}"
        ),
        measured=_measured(saved.state["validation"]),
    )
    return net.eval(), card


def _measured(test: dict[str, float]) -> dict[str, Any]:
    if not test:
        return {}
    return {
        "points a line gained on the agent it began as": round(test["gain"], 3),
        "half width of the 95 % interval": round(test["half_width"], 3),
        "variance of the gradient with the baseline, of that without": round(
            test["variance"] / max(test["variance_without"], 1e-9), 3
        ),
        "test positions": int(test["positions"]),
    }


def to_onnx(net: AgentNet) -> bytes:
    """One step of the agent, for any number of lines."""
    shape = net.shape
    near, far = shape.sensor.planes
    given = (
        torch.zeros(2, near, shape.near, shape.near),
        torch.zeros(2, far, shape.cells, shape.cells),
        torch.zeros(2, NUMBERS),
        torch.zeros(2, shape.hidden),
    )
    free = {name: {0: "lines"} for name in (*INPUTS, *OUTPUTS)}
    return traced(net, dict(zip(INPUTS, given, strict=True)), OUTPUTS, free)


def export_agent(runs: Sequence[Path], output: Path) -> AgentCard:
    """Writes card and graph of a run's agent into a folder."""
    if len(runs) != 1:
        raise InputError(f"an agent is exported from one run: {len(runs)} were given")
    net, card = load_agent(runs[0])
    output.mkdir(parents=True, exist_ok=True)
    with replacing(output / GRAPH) as temporary:
        temporary.write_bytes(to_onnx(net))
    card = dataclasses.replace(card, name=output.resolve().name, sha256=sha256_of(output / GRAPH))
    with replacing(output / CARD) as temporary:
        temporary.write_text(card.to_json(), encoding="utf-8")
    return card


def trained_agent(run: Path, threads: int | None = None) -> OnnxAgent:
    """The agent of a run's last checkpoint, ready to be asked."""
    net, card = load_agent(run)
    return OnnxAgent(card, to_onnx(net), threads)
