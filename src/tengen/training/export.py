"""From a checkpoint to a net that runs without torch: ONNX and safetensors. Needs torch."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import onnx
import torch
from safetensors.numpy import save
from torch import Tensor, nn

from tengen.errors import InputError
from tengen.files import replacing
from tengen.nets.agent import AgentCard
from tengen.nets.board_net import BoardNet
from tengen.nets.card import ModelCard, NetFile
from tengen.nets.heads import LEAST_SCALE, exported
from tengen.nets.heads_reader import ARCHITECTURE
from tengen.nets.integers import Integers
from tengen.nets.katago_graph import build
from tengen.nets.library import CARD, WEIGHTS, sha256_of
from tengen.nets.net_evaluator import NetEvaluator
from tengen.nets.runtime import Runtime
from tengen.progress import Progress, Report, silent
from tengen.training import checkpoint as checkpoints
from tengen.training.export_agent import LONG_TERM, export_agent
from tengen.training.net_task import NetTask, build_recipe_net
from tengen.training.recipe import NetChoice, NetRecipe, PolicyData, PolicyRecipe
from tengen.training.supervised import PolicyTask
from tengen.training.tracing import traced
from tengen.training.value import ValueTask

REINFORCE = "reinforce"  # the kind of runs of `tengen train reinforce`
FP32, INT8 = "fp32.onnx", "int8.onnx"
TASKS: dict[str, type[NetTask]] = {task.KIND: task for task in (PolicyTask, ValueTask)}
_TRACED = 19  # the board size that the graph of a net for any size is traced on


def load_trained(folder: Path) -> tuple[BoardNet, NetRecipe, checkpoints.Checkpoint]:
    """The net of a run's last checkpoint (or of a checkpoint's folder), averaged weights if it has them."""
    saved = checkpoints.load(folder)
    if saved.kind not in (*TASKS, REINFORCE):
        commands = " or ".join(f"`tengen train {kind}`" for kind in (*TASKS, REINFORCE))
        raise InputError(f"{folder} is no run of {commands}")
    recipe: NetRecipe
    if saved.kind == REINFORCE:
        recipe = PolicyRecipe(net=NetChoice(**saved.state["task"]["net"]), name=saved.state["recipe"]["name"])
    else:
        recipe = TASKS[saved.kind].RECIPE.from_table(saved.state["recipe"], str(folder))
    # Layers that exist only in training are left behind.
    options = {key: value for key, value in recipe.net.options.items() if key != "teacher"}
    if "heads" in options:
        options["heads"] = list(exported(options["heads"]))
    recipe = dataclasses.replace(recipe, net=dataclasses.replace(recipe.net, options=options))
    net = build_recipe_net(recipe)
    weights = saved.tensors["net"] | saved.tensors.get("ema", {})
    weights = {name: value for name, value in weights.items() if not name.startswith(net.TRAINING_LAYERS)}
    try:
        net.load_state_dict(weights)
    except RuntimeError as error:
        raise InputError(f"the checkpoint in {folder} does not fit its recipe: {error}") from None
    return net.eval(), recipe, saved


class _Outputs(nn.Module):
    """A net as torch's exporter wants it: tensors in, a tuple of the exported heads out."""

    def __init__(self, net: BoardNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        heads = self.net(dict(zip(("spatial", "global"), inputs, strict=False)))
        return tuple(heads[name] for name in exported(self.net.heads))


# Which lengths of the exported heads change with the board, by their axes (tengen.nets.heads).
_BOARD_AXES = {
    "policy": {1: "moves"},
    "next": {2: "points"},
    "ownership": {1: "points"},
    "trunk": {1: "size", 2: "size"},
}


def to_onnx(net: BoardNet, name: str = "net") -> onnx.ModelProto:
    """The float32 graph, from `spatial` and, if the net has global inputs, `global` to every head but training heads.

    Nets that offer a form get the graph of KataGo's nets. Boards are of any size, unless the net has one.
    """
    form = net.form(name)
    if form is not None:
        return build(form)
    size = net.size or _TRACED
    given = {"spatial": torch.zeros(2, net.planes, size, size)}
    axes = {"spatial": {0: "n"} if net.size else {0: "n", 2: "size", 3: "size"}}
    if net.globals:
        given["global"] = torch.zeros(2, net.global_inputs)
        axes["global"] = {0: "n"}
    outputs = exported(net.heads)
    for head in outputs:
        axes[head] = {0: "n"} if net.size else {0: "n", **_BOARD_AXES.get(head, {})}
    return onnx.load_from_string(traced(_Outputs(net), given, outputs, axes))


def declared_card(net: BoardNet, name: str, encoding: str) -> ModelCard:
    """The card of a net as far as the net itself declares it: sizes, heads, inputs, komi."""
    return ModelCard(
        name=name,
        architecture=ARCHITECTURE,
        encoding=encoding,
        board_sizes=(net.size,) if net.size else tuple(range(2, 20)),
        heads=exported(net.heads),
        inputs=net.globals,
        komi_labels=net.card_komi_labels,
        weights=net.parameter_count,
        settings={"pass": net.has_pass, **_least_scale(net)},
    )


def _least_scale(net: BoardNet) -> dict[str, float]:
    """The setting of that name, where it is not what readers expect."""
    return {} if net.least_scale == LEAST_SCALE else {"least_scale": net.least_scale}


def make_card(net: BoardNet, recipe: NetRecipe, saved: checkpoints.Checkpoint, name: str = "") -> ModelCard:
    """The card of a trained net, before its files are added."""
    test = saved.state["validation"]
    measured = {}
    if test and saved.kind == REINFORCE:
        measured["games won against the net it began with"] = round(test["win_rate"], 4)
        measured["half width of the 95 % interval"] = round(test["half_width"], 4)
    elif test:
        measured = TASKS[saved.kind].measured(test)
    card = declared_card(net, name or recipe.name, recipe.net.encoding)
    done = saved.state["task"]
    sizes = done.get("sizes") or ([done["size"]] if "size" in done else [])  # older runs wrote one, or none
    return dataclasses.replace(
        card,
        trained_sizes=tuple(sizes),
        channels=int(recipe.net.options.get("width", 0)),
        source=f"recipe {recipe.name}",
        training=_history(recipe, saved),
        settings={**card.settings, "net": recipe.net.architecture, "options": recipe.net.options},
        measured=measured,
    )


def _history(recipe: NetRecipe, saved: checkpoints.Checkpoint) -> str:
    """What the net learnt from and for how long."""
    if saved.kind == REINFORCE:
        return _reinforced(saved)
    data = recipe.games
    if isinstance(data, PolicyData) and data.sources:
        games = ", ".join(
            f"{source.share:g} x {Path(source.pool).stem} ({_said(source.filter)}"
            f"{f'; labels {Path(source.labels).stem}' if source.labels else ''})"
            for source in data.sources
        )
        teachers = ", ".join(saved.state["task"]["teachers"])
        text = f"{saved.done:,} examples of {games}" + (f", labelled by {teachers}" if teachers else "")
    else:
        games = ", ".join(Path(pool).stem for pool in data.train)
        text = f"{saved.done:,} examples of {games} ({_said(data.train_filter)})"
    if isinstance(data, PolicyData) and data.teacher:
        text += f" with {Path(data.teacher).name.removesuffix('.bin.gz')} as a teacher"
    text += f", {saved.state['seconds'] / 3600:.1f} hours on {recipe.threads} thread"
    text += "s" if recipe.threads > 1 else ""
    begun = saved.state["task"]["begun"]
    while begun:
        if "net" in begun:
            return (
                text + f", begun with the weights of the net {begun['net']}, trained on {begun['training']}"
            )
        hours = begun["seconds"] / 3600
        text += f", begun with the weights of {begun['run']} after {begun['examples']:,} examples and {hours:.1f} hours"
        begun = begun.get("begun")
    return text


def _reinforced(saved: checkpoints.Checkpoint) -> str:
    games, size, begun = (
        saved.state["recipe"]["play"]["games"],
        saved.state["task"]["size"],
        saved.state["task"]["begun"],
    )
    return (
        f"{saved.done:,} iterations of REINFORCE, {games:,} games on {size}x{size} each, "
        f"{saved.state['seconds'] / 3600:.1f} hours, begun with the weights of {begun['run']} "
        f"after {begun['done']:,} {begun['unit']}"
    )


def _said(table: dict[str, Any]) -> str:
    """A filter in words: `max handicap 0, not years 2015`."""
    words = [
        f"{key.replace('_', ' ')} {', '.join(map(str, value)) if isinstance(value, list) else value}"
        for key, value in table.items()
    ]
    return "; ".join(words) or "all games"


def load_mean(runs: Sequence[Path], name: str = "") -> tuple[BoardNet, ModelCard]:
    """The net of a run's last checkpoint with its card, or the mean of several runs' weights.

    Runs that branched off one another late end in the same valley, and the mean of their weights often lies deeper in
    it than any of them ("Model soups", Wortsman et al., 2022). A run that is named twice counts twice.
    """
    trained = [load_trained(run) for run in runs]
    net, first, _ = trained[0]
    card = make_card(*trained[0], name)
    if len(runs) == 1:
        return net, card
    for run, (_, recipe, _) in zip(runs, trained, strict=True):
        if recipe.net != first.net:
            raise InputError(f"{runs[0]} and {run} are different nets: their weights have no mean")
    states = [one.state_dict() for one, _, _ in trained]
    net.load_state_dict(
        {
            key: torch.stack([state[key].double() for state in states]).mean(0).to(value.dtype)
            for key, value in states[0].items()
        }
    )
    histories = {
        str(run): _history(recipe, saved) for run, (_, recipe, saved) in zip(runs, trained, strict=True)
    }
    parts = [f"{list(map(str, runs)).count(run)} x {history}" for run, history in histories.items()]
    training = f"the mean of the weights of {len(runs)} runs: {'; '.join(parts)}"
    return net, dataclasses.replace(card, training=training, measured={})


def export(runs: Sequence[Path], output: Path, progress: Report = silent) -> ModelCard | AgentCard:
    """Writes the net of `load_mean` into a folder, see `write_net`; of `tengen train long-term`, the agent."""
    progress(Progress("reading the run"))
    if checkpoints.load(runs[0]).kind == LONG_TERM:
        return export_agent(runs, output)
    net, card = load_mean(runs, output.resolve().name)
    return write_net(net, card, output, progress)


def write_net(net: BoardNet, card: ModelCard, output: Path, progress: Report = silent) -> ModelCard:
    """Writes a net into a folder in every precision that its layers allow; returns the card with files and figures.

    `weights.safetensors` to go on training from, `fp32.onnx`, `int8.onnx` (calibrated on the games that ship) and
    `card.json`. A net that offers a form runs in fp32 and int16 from its weights, and its `fp32.onnx` is for other
    programs; a plain net runs in both from its graph. Why a net has no int16, its report says.
    """
    output.mkdir(parents=True, exist_ok=True)
    progress(Progress("writing fp32"))
    form, graph = net.form(card.name), to_onnx(net, card.name)
    integers = Integers(card, form, graph)
    files = {WEIGHTS: to_safetensors(net), FP32: graph.SerializeToString()}
    precisions = {"fp32": FP32 if form is None else WEIGHTS}
    if reason := integers.why_not_int16:
        progress(Progress(f"no int16: {reason}"))
    else:
        precisions["int16"] = precisions["fp32"]
        card = integers.compare(card, "int16", integers.int16(), progress)
    files[INT8] = integers.int8(progress)
    precisions["int8"] = INT8
    card = integers.compare(card, "int8", Runtime(files[INT8]), progress)
    for name, data in files.items():
        with replacing(output / name) as temporary:
            temporary.write_bytes(data)
    known = {precision: NetFile(name, sha256_of(output / name)) for precision, name in precisions.items()}
    card = dataclasses.replace(card, files=known)
    with replacing(output / CARD) as temporary:
        temporary.write_text(card.to_json(), encoding="utf-8")
    return card


def trained_evaluator(folder: Path, threads: int | None = None) -> NetEvaluator:
    """The net of a run's last checkpoint, ready to be asked."""
    net, recipe, saved = load_trained(folder)
    return NetEvaluator(make_card(net, recipe, saved), Runtime(to_onnx(net).SerializeToString(), threads))


def to_safetensors(net: BoardNet) -> bytes:
    """The weights, to go on training from."""
    return save(net.arrays())
