"""From a checkpoint to a net that runs without torch: ONNX and safetensors. Needs torch."""

from __future__ import annotations

import dataclasses
import io
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from safetensors.numpy import save
from torch import Tensor, nn

from tengen.errors import InputError
from tengen.files import replacing
from tengen.nets.board_net import BoardNet, build_net
from tengen.nets.card import ModelCard, NetFile
from tengen.nets.convert import CALIBRATION, CALIBRATION_GAMES, CHECK, CHECK_GAMES
from tengen.nets.fidelity import draw_positions, fidelity, games_of, is_faithful
from tengen.nets.heads_reader import ARCHITECTURE
from tengen.nets.int8 import quantize
from tengen.nets.int16 import Int16Runtime, why_not
from tengen.nets.katago_graph import build
from tengen.nets.library import CARD, sha256_of
from tengen.nets.net_evaluator import NetEvaluator
from tengen.nets.residual import ResidualNet
from tengen.nets.residual_form import katago_form
from tengen.nets.runtime import Runs, Runtime
from tengen.planes import encode, encoding
from tengen.progress import Progress, Report, silent
from tengen.training import checkpoint as checkpoints
from tengen.training.recipe import PolicyRecipe

OPSET = 17
FP32, INT8, WEIGHTS = "fp32.onnx", "int8.onnx", "weights.safetensors"


def load_trained(folder: Path) -> tuple[BoardNet, PolicyRecipe, checkpoints.Checkpoint]:
    """The net of a run's last checkpoint (or of a checkpoint's folder), averaged weights if it has them."""
    saved = checkpoints.load(folder)
    recipe = PolicyRecipe.from_table(saved.state["recipe"], str(folder))
    # Layers that only tell what a teacher says are left behind.
    options = {key: value for key, value in recipe.options.items() if key != "teacher"}
    recipe = dataclasses.replace(recipe, options=options)
    net = build_net(recipe.net, planes=len(encoding(recipe.encoding)), **options)
    weights = saved.tensors["net"] | saved.tensors.get("ema", {})
    weights = {name: value for name, value in weights.items() if not name.startswith(net.LESSONS)}
    try:
        net.load_state_dict(weights)
    except RuntimeError as error:
        raise InputError(f"the checkpoint in {folder} does not fit its recipe: {error}") from None
    return net.eval(), recipe, saved


class _PolicyOnly(nn.Module):
    """The head that plays; those that only teach are left behind."""

    def __init__(self, net: BoardNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, planes: Tensor) -> Tensor:
        return self.net(planes)["policy"]


def to_onnx(net: BoardNet, size: int = 19) -> onnx.ModelProto:
    """`spatial` float32 [n, planes, size, size] to `policy` [n, moves], logits; any size, unless it has one.

    Our own net also gives the rest that its evaluator reads, by the graphs of KataGo's nets.
    """
    if isinstance(net, ResidualNet):
        return build(katago_form(arrays(net), "tengen"))
    size = net.size or size
    axes = {0: "n"} if net.size else {0: "n", 2: "size", 3: "size"}
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        # torch's older exporter needs no further packages; torch is pinned, so it stays.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            _PolicyOnly(net).eval(),
            (torch.zeros(2, net.planes, size, size),),
            buffer,  # type: ignore[arg-type]
            dynamo=False,
            opset_version=OPSET,
            input_names=["spatial"],
            output_names=["policy"],
            dynamic_axes={"spatial": axes, "policy": {0: "n"} if net.size else {0: "n", 1: "moves"}},
        )
    return onnx.load_from_string(buffer.getvalue())


def make_card(
    net: BoardNet, recipe: PolicyRecipe, saved: checkpoints.Checkpoint, name: str = ""
) -> ModelCard:
    """The card of a trained net, before its files are added."""
    test = saved.state.get("test") or {}
    measured = {}
    if test:
        measured["top-1 on the recipe's test positions, no bagging"] = round(test["top1"], 5)
        measured["cross-entropy on them"] = round(test["loss"], 5)
        measured["test positions"] = int(test["positions"])
    return ModelCard(
        name=name or recipe.name,
        architecture=ARCHITECTURE,
        encoding=recipe.encoding,
        board_sizes=(net.size,) if net.size else tuple(range(2, 20)),
        heads=("policy", "margin", "ownership", "trunk") if isinstance(net, ResidualNet) else ("policy",),
        channels=int(recipe.options.get("width", 0)),
        weights=net.parameter_count,
        source=f"recipe {recipe.name}",
        training=_history(recipe, saved),
        settings={"pass": net.has_pass, "net": recipe.net, "options": recipe.options},
        measured=measured,
    )


def _history(recipe: PolicyRecipe, saved: checkpoints.Checkpoint) -> str:
    """What it learnt from and for how long."""
    games = ", ".join(Path(pool).stem for pool in recipe.train)
    text = f"{saved.examples:,} examples of {games} ({_said(recipe.train_filter)})"
    if recipe.teacher:
        text += f" with {Path(recipe.teacher).name.removesuffix('.bin.gz')} as a teacher"
    text += f", {saved.state['seconds'] / 3600:.1f} hours on {recipe.threads} thread"
    text += "s" if recipe.threads > 1 else ""
    begun = saved.state.get("begun")
    while begun:
        hours = begun["seconds"] / 3600
        text += f", begun with the weights of {begun['run']} after {begun['examples']:,} examples and {hours:.1f} hours"
        begun = begun.get("begun")
    return text


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
        if (recipe.net, recipe.encoding, recipe.options) != (first.net, first.encoding, first.options):
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


def export(runs: Sequence[Path], output: Path, progress: Report = silent) -> ModelCard:
    """Writes the net of `load_mean` into a folder: `fp32.onnx`, `weights.safetensors` and `card.json`.

    Our own net also gets `int8.onnx`, calibrated on the games that ship; in fp32 and int16 it runs from its
    weights, and `fp32.onnx` is for other programs.
    """
    progress(Progress("reading the run"))
    net, card = load_mean(runs, output.resolve().name)
    output.mkdir(parents=True, exist_ok=True)
    files = {WEIGHTS: to_safetensors(net), FP32: to_onnx(net).SerializeToString()}
    if isinstance(net, ResidualNet):
        files[INT8], fidelities = to_integers(net, card, progress)
        precisions = {"fp32": WEIGHTS}
        for precision, figures in fidelities.items():
            measured = {**card.measured, f"{precision} against fp32": {**figures, "games": CHECK_GAMES.name}}
            usual = precision if is_faithful(figures) else card.precision
            card = dataclasses.replace(card, measured=measured, precision=usual)
            precisions[precision] = INT8 if precision == "int8" else WEIGHTS
    else:
        precisions = {"fp32": FP32}
    for name, data in files.items():
        with replacing(output / name) as temporary:
            temporary.write_bytes(data)
    known = {precision: NetFile(name, sha256_of(output / name)) for precision, name in precisions.items()}
    card = dataclasses.replace(card, files=known)
    with replacing(output / CARD) as temporary:
        temporary.write_text(card.to_json(), encoding="utf-8")
    return card


def to_integers(
    net: ResidualNet, card: ModelCard, progress: Report = silent
) -> tuple[bytes, dict[str, dict[str, float | int]]]:
    """The graph in int8, and how near int16 and int8 come to float32 on games that calibration did not see."""
    form = katago_form(arrays(net), card.name)
    planes = encode(card.encoding, draw_positions(games_of(CALIBRATION_GAMES), CALIBRATION, seed=0))
    batches = [{"spatial": planes[i : i + 4]} for i in range(0, len(planes), 4)]
    made = quantize(form, batches, progress=progress).SerializeToString()
    truth = NetEvaluator(card, Runtime(build(form).SerializeToString()))
    others: dict[str, Runs] = {} if why_not(form) else {"int16": Int16Runtime(form)}
    others["int8"] = Runtime(made)
    positions = draw_positions(games_of(CHECK_GAMES), CHECK, seed=0)
    return made, {
        name: fidelity(truth, NetEvaluator(card, runtime, name), positions)
        for name, runtime in others.items()
    }


def trained_evaluator(folder: Path, threads: int | None = None) -> NetEvaluator:
    """The net of a run's last checkpoint, ready to be asked."""
    net, recipe, saved = load_trained(folder)
    return NetEvaluator(make_card(net, recipe, saved), Runtime(to_onnx(net).SerializeToString(), threads))


def arrays(net: BoardNet) -> dict[str, np.ndarray[Any, Any]]:
    """The weights by their names in the architecture's module."""
    return {name: tensor.detach().contiguous().numpy() for name, tensor in net.state_dict().items()}


def to_safetensors(net: BoardNet) -> bytes:
    """The weights, to go on training from."""
    return save(arrays(net))
