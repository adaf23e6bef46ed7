"""From a checkpoint to a net that runs without torch: ONNX and safetensors. Needs torch."""

from __future__ import annotations

import dataclasses
import io
import warnings
from pathlib import Path

import onnx
import torch
from safetensors.torch import save
from torch import Tensor, nn

from tengen.errors import InputError
from tengen.games.store import replacing
from tengen.nets.card import ModelCard, NetFile
from tengen.nets.library import sha256_of
from tengen.nets.policy import ARCHITECTURE, PolicyEvaluator
from tengen.nets.policy_net import PolicyNet, build_net
from tengen.nets.runtime import Runtime
from tengen.planes import encoding
from tengen.training import checkpoint as checkpoints
from tengen.training.recipe import PolicyRecipe

OPSET = 17


def load_trained(folder: Path) -> tuple[PolicyNet, PolicyRecipe, checkpoints.Checkpoint]:
    """The net of a run's last checkpoint (or of a checkpoint's folder), averaged weights if it has them."""
    saved = checkpoints.load(folder)
    recipe = PolicyRecipe.from_table(saved.state["recipe"], str(folder))
    net = build_net(recipe.net, planes=len(encoding(recipe.encoding)), **recipe.options)
    weights = dict(saved.tensors["net"])
    weights.update(saved.tensors.get("ema", {}))
    try:
        net.load_state_dict(weights)
    except RuntimeError as error:
        raise InputError(f"the checkpoint in {folder} does not fit its recipe: {error}") from None
    return net.eval(), recipe, saved


class _PolicyOnly(nn.Module):
    """The head that plays; those that only teach are left behind."""

    def __init__(self, net: PolicyNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, planes: Tensor) -> Tensor:
        return self.net(planes)["policy"]


def to_onnx(net: PolicyNet, size: int = 19) -> onnx.ModelProto:
    """`planes` float32 [n, planes, size, size] to `policy` [n, moves], logits; any size, unless it has one."""
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
            input_names=["planes"],
            output_names=["policy"],
            dynamic_axes={"planes": axes, "policy": {0: "n"} if net.size else {0: "n", 1: "moves"}},
        )
    return onnx.load_from_string(buffer.getvalue())


def make_card(
    net: PolicyNet, recipe: PolicyRecipe, saved: checkpoints.Checkpoint, name: str = ""
) -> ModelCard:
    """The card of a trained net, before its files are added."""
    test = saved.state.get("test") or {}
    measured = {}
    if test:
        measured["top-1 on the recipe's test positions, no bagging"] = round(test["top1"], 5)
        measured["cross-entropy on them"] = round(test["loss"], 5)
        measured["test positions"] = int(test["positions"])
    hours = saved.state["seconds"] / 3600
    games = ", ".join(Path(pool).stem for pool in recipe.train)
    return ModelCard(
        name=name or recipe.name,
        architecture=ARCHITECTURE,
        encoding=recipe.encoding,
        board_sizes=(net.size,) if net.size else tuple(range(2, 20)),
        heads=("policy",),
        channels=int(recipe.options.get("width", 0)),
        weights=net.parameter_count,
        source=f"recipe {recipe.name}",
        training=(
            f"{saved.examples:,} examples of {games} (filter {recipe.train_filter}), {hours:.1f} hours on "
            f"{recipe.threads} thread(s)"
        ),
        settings={"pass": net.has_pass, "net": recipe.net, "options": recipe.options},
        measured=measured,
    )


def export(run: Path, output: Path) -> ModelCard:
    """Writes NAME.onnx, NAME.safetensors and the card NAME.json of a run's last checkpoint."""
    net, recipe, saved = load_trained(run)
    output.parent.mkdir(parents=True, exist_ok=True)
    for path, data in (
        (output, to_onnx(net).SerializeToString()),
        (output.with_suffix(".safetensors"), to_safetensors(net)),
    ):
        with replacing(path) as temporary:
            temporary.write_bytes(data)
    card = make_card(net, recipe, saved, output.stem)
    card = dataclasses.replace(card, files={"fp32": NetFile(output.name, sha256_of(output))})
    with replacing(output.with_suffix(".json")) as temporary:
        temporary.write_text(card.to_json(), encoding="utf-8")
    return card


def trained_evaluator(folder: Path, threads: int = 1) -> PolicyEvaluator:
    """The net of a run's last checkpoint, ready to be asked."""
    net, recipe, saved = load_trained(folder)
    return PolicyEvaluator(make_card(net, recipe, saved), Runtime(to_onnx(net).SerializeToString(), threads))


def to_safetensors(net: PolicyNet) -> bytes:
    """The weights, to go on training from; names as in the architecture's module."""
    return save({name: tensor.contiguous() for name, tensor in net.state_dict().items()})
