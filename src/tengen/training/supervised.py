"""Supervised training of policy nets: the task of `tengen train policy`. Needs torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from tengen.errors import InputError
from tengen.games.store import GameStore
from tengen.nets.board_net import BoardNet
from tengen.nets.heads import LEAST_SCALE
from tengen.training import checkpoint as checkpoints
from tengen.training.data import TEST_SEED, Batch, Drawing, Examples, Prefetcher
from tengen.training.labels import open_labels
from tengen.training.mixture import Mixture
from tengen.training.net_task import NetTask, build_recipe_net, net_inputs
from tengen.training.outcomes import Outcomes, outcomes
from tengen.training.pools import open_pools, predicates
from tengen.training.recipe import PolicyRecipe, Source
from tengen.training.teacher import Teacher
from tengen.training.teacher_losses import (
    teacher_policy_loss,
    teacher_trunk_loss,
    teacher_value_loss,
    teacher_win_loss,
    win_logit,
)
from tengen.training.value_losses import margin_loss, margin_of, owner_loss, win_loss


def open_examples(recipe: PolicyRecipe) -> tuple[Examples | Mixture, Examples | None, dict[str, Examples]]:
    """The examples for training, for tests, and labelled ones for tests by the names of their labels.

    Passes are examples for nets that may pass, and never for tests of moves.
    """
    data = recipe.data
    with torch.device("meta"):  # shapes only
        net = build_recipe_net(recipe)
    train: Examples | Mixture
    if data.sources:
        check_heads(recipe, net)
        sources = [_source(recipe, net, source) for source in data.sources]
        train = Mixture(sources, [source.share for source in data.sources], recipe.optimiser.batch)
    else:
        train = _plain(recipe, net)
    judged = {Path(source.labels).stem: _source(recipe, net, source) for source in data.judged}
    if not data.test:
        return train, None, judged
    test = open_pools([data.test], data.test_filter)
    return train, Examples(test.records(), recipe.net.encoding, globals=net.globals), judged


def _plain(recipe: PolicyRecipe, net: BoardNet) -> Examples:
    """The games of data.train, with a teacher that is asked at every example if the recipe names one."""
    data = recipe.data
    store = open_pools(data.train, data.train_filter)
    teacher = Teacher(data.teacher) if data.teacher else None
    channels = teacher.channels if teacher else 0
    if net.teacher != channels:
        whose = (
            f"{data.teacher}'s trunk has {channels} channels" if teacher else "the recipe names no teacher"
        )
        raise InputError(f"{whose}, the net has net.teacher={net.teacher}: set it to {channels}")
    check_heads(recipe, net)
    ends = _ends(recipe, store, data.train)
    return Examples(
        store.records(), recipe.net.encoding, net.has_pass, net.next_moves, ends, teacher, net.globals
    )


def _source(recipe: PolicyRecipe, net: BoardNet, source: Source) -> Examples:
    """The positions of a source: those that have labels, or all, with how the games ended, if it names none."""
    if net.teacher:
        raise InputError("labels do not hold the teacher's trunk: set net.teacher=0")
    pool, labels = Path(source.pool), None
    whole = GameStore.open(pool)
    frame = whole.frame.with_row_index("row").filter(*predicates(source.filter))
    if source.labels:
        labels = open_labels(Path(source.labels), pool, whole.identity)
        frame = frame.filter(pl.col("size") == labels.about["size"])
        labels = labels.of_games(frame["row"].to_numpy().astype(np.int64))
    if not len(frame) or (labels is not None and not len(labels)):
        what = f"has labels in {source.labels}" if source.labels else "is there"
        raise InputError(f"no game of {pool} that meets the filter {source.filter} {what}")
    store = GameStore(frame.drop("row"))
    return Examples(
        store.records(),
        recipe.net.encoding,
        net.has_pass,
        net.next_moves,
        None if source.labels and source.learns_win == "teacher" else _ends(recipe, store, [pool]),
        globals=net.globals,
        labels=labels,
        learns=source.learns,
        learns_win=source.learns_win,
    )


def _ends(recipe: PolicyRecipe, store: GameStore, pools: Sequence[str | Path]) -> Outcomes | None:
    """How the games ended, if a loss asks for it."""
    losses = recipe.losses
    return outcomes(store, pools) if losses.margin or losses.win or losses.ownership else None


# How far a net is from its labels, means over positions.
DISTANCES = {
    "lead": "distance of the lead from the teacher's, points",
    "win": "distance of the win rate from the teacher's",
    "first": "share of positions with the teacher's first move",
}


def distances(heads: dict[str, Tensor], batch: Batch, least: float = LEAST_SCALE) -> dict[str, float]:
    """The figures of DISTANCES that the heads give."""
    targets = batch.teacher_targets
    assert targets is not None
    with torch.no_grad():
        mean, _ = margin_of(heads["margin"], targets.owner.shape[1])
        lead = (mean - torch.from_numpy(targets.margin)).abs().mean()
        win = (torch.sigmoid(win_logit(heads, targets, least)) - torch.from_numpy(targets.win)).abs().mean()
        found = {"lead": float(lead), "win": float(win)}
        if "policy" in heads:
            same = heads["policy"].argmax(1) == torch.from_numpy(targets.policy).argmax(1)
            found["first"] = float(same.float().mean())
    return found


def check_heads(recipe: PolicyRecipe, net: BoardNet) -> None:
    """Raises InputError if the recipe weighs a head that the net does not have."""
    losses = recipe.losses
    needs: list[tuple[str, object, tuple[str, ...]]] = [
        ("losses.margin", losses.margin, ("margin",)),
        ("losses.win", losses.win, ("value", "values")),
        ("losses.ownership", losses.ownership, ("ownership",)),
        ("losses.teacher_value", losses.teacher_value, ("margin",)),
        ("losses.teacher_value", losses.teacher_value, ("ownership",)),
        ("losses.teacher_win", losses.teacher_win, ("margin", "value")),
        ("losses.teacher_policy", losses.teacher_policy, ("teacher_policy",)),
        ("data.test", recipe.data.test, ("policy",)),
        ("data.judged", recipe.data.judged, ("margin",)),
    ]
    for key, wanted, heads in needs:
        if wanted and not any(name in net.heads for name in heads):
            raise InputError(
                f"the recipe's {key} is for nets with the head {' or '.join(heads)}; the net "
                f"'{recipe.net.architecture}' has only {', '.join(net.heads)}"
            )
    if losses.teacher_win and net.komi is not None:
        raise InputError("losses.teacher_win is for nets that know every komi: declare the global input komi")
    if any(source.learns == "teacher" for source in recipe.data.sources) and not net.has_pass:
        raise InputError("a source whose policy learns from the teacher is for nets that may pass")


def criterion(
    recipe: PolicyRecipe, heads: dict[str, Tensor], batch: Batch, komi_labels: Sequence[float] = ()
) -> Tensor:
    """The loss, its mean over the batch, from the raw numbers of the net's heads (tengen.nets.heads).

    `komi_labels` are those of the net's win rates, empty for the games' own komi.
    """
    weights, least = recipe.losses, recipe.net.least_scale
    losses: list[Tensor] = []
    if "policy" in heads:
        losses += policy_losses(recipe, heads, batch)
    if batch.endings is not None:
        if weights.margin:
            losses.append(weights.margin * margin_loss(heads["margin"], batch.endings, least))
        for name in ("value", "values"):
            if weights.win and name in heads:
                assert batch.white is not None
                losses.append(weights.win * win_loss(heads[name], komi_labels, batch.endings, batch.white))
        if weights.ownership:
            losses.append(weights.ownership * owner_loss(heads["ownership"], batch.endings))
    if batch.teacher_targets is not None:
        if weights.teacher_policy:
            losses.append(
                weights.teacher_policy * teacher_policy_loss(heads["teacher_policy"], batch.teacher_targets)
            )
        if weights.teacher_trunk:
            losses.append(
                weights.teacher_trunk * teacher_trunk_loss(heads["teacher_trunk"], batch.teacher_targets)
            )
        if weights.teacher_value:
            judged = teacher_value_loss(heads["margin"], heads["ownership"], batch.teacher_targets)
            losses.append(weights.teacher_value * judged)
        if weights.teacher_win and batch.learns_win == "teacher":
            losses.append(weights.teacher_win * teacher_win_loss(heads, batch.teacher_targets, least))
    if not losses:
        raise InputError("the recipe gives a weight to none of the net's heads: there is nothing to learn")
    return reduce(torch.add, losses)


def policy_losses(recipe: PolicyRecipe, heads: dict[str, Tensor], batch: Batch) -> list[Tensor]:
    """The losses of the heads `policy` and `next`.

    `mse` is Golois' (section 3.3): the mean over points of the squared difference between the softmax and a
    plane that is one at the move and zero elsewhere.
    """
    if batch.learns == "none":
        return []
    weights, logits = recipe.losses, heads["policy"]
    if batch.learns == "teacher":
        assert batch.teacher_targets is not None
        return [teacher_policy_loss(logits, batch.teacher_targets)]
    target = torch.from_numpy(batch.target)
    there = target >= 0  # not at the end of a record
    logits, target = logits[there], target[there]
    if not len(target):
        return [logits.sum()]
    if weights.policy == "mse":
        return [F.mse_loss(logits.softmax(1), F.one_hot(target, logits.shape[1]).float())]
    losses = [F.cross_entropy(logits, target, label_smoothing=weights.label_smoothing)]
    if weights.next_moves and "next" in heads:
        following = torch.from_numpy(batch.following).flatten()
        later = F.cross_entropy(heads["next"].flatten(0, 1), following, ignore_index=-1)
        losses.append(weights.next_moves * later)
    return losses


class PolicyTask(NetTask):
    """A policy net that predicts moves, and what its other heads declare. `judged`: labelled examples for tests."""

    KIND = "policy"
    RECIPE = PolicyRecipe
    columns: tuple[str, ...] = ("loss", "top1", "rate", "validation_top1", "validation_loss")
    recipe: PolicyRecipe

    def __init__(
        self,
        recipe: PolicyRecipe,
        train: Drawing,
        test: Examples | None = None,
        judged: Mapping[str, Examples] | None = None,
    ) -> None:
        super().__init__(recipe, train, test)
        self.judged = dict(judged or {})
        if recipe.data.sources and "margin" in self.net.heads:
            sizes = [f"{figure}_{size}x{size}" for size in train.sizes for figure in DISTANCES]
            tests = [f"validation_{figure}_{name}" for name in self.judged for figure in DISTANCES]
            self.columns = (*self.columns, *sizes, *tests)

    def judge(self, heads: dict[str, Tensor], batch: Batch) -> tuple[Tensor, dict[str, float]]:
        """The loss, the share of moves that the net found, and how far it is from the labels."""
        figures = {}
        if batch.learns == "played":
            found = 0
            if "policy" in heads:
                found = int((heads["policy"].argmax(1) == torch.from_numpy(batch.target)).sum())
            figures["top1"] = found / len(batch)
        if self.recipe.data.sources and batch.teacher_targets is not None and "margin" in heads:
            side = batch.planes.shape[-1]
            figures |= {
                f"{name}_{side}x{side}": one
                for name, one in distances(heads, batch, self.net.least_scale).items()
            }
        return criterion(self.recipe, heads, batch, self.net.card_komi_labels), figures

    @staticmethod
    def measured(validation: Mapping[str, float]) -> dict[str, float]:
        found: dict[str, float] = {}
        if "top1" in validation:
            found = {
                "top-1 on the recipe's test positions, no bagging": round(validation["top1"], 5),
                "cross-entropy on them": round(validation["loss"], 5),
                "test positions": int(validation["positions"]),
            }
        for name, figure in validation.items():
            kind, _, labels = name.partition("_")
            if kind in DISTANCES:
                found[f"{DISTANCES[kind]}, labels {labels}"] = round(figure, 4)
        return found

    @staticmethod
    def described(figures: Mapping[str, float], validation: Mapping[str, float]) -> list[str]:
        said = [f"loss {figures['loss']:.4f}"]
        if "top1" in figures:
            said.append(f"top-1 {figures['top1']:.1%}")
        said += [
            f"{name.replace('_', ' ')} {figure:.1f}"
            for name, figure in figures.items()
            if name.startswith("lead_")
        ]
        return said + ([f"test {validation['top1']:.2%}"] if "top1" in validation else [])

    def validate(self, batch: int = 250) -> dict[str, float]:
        """Figures on the test positions, always the same ones, without symmetries.

        top1 and loss: accuracy and cross-entropy of the played moves; and the distances from the labels.
        """
        with self.average.applied(), torch.inference_mode():
            return self._tested(batch) | self._judged(batch)

    def state(self) -> tuple[checkpoints.Tensors, dict[str, Any]]:
        tensors, state = super().state()
        teachers = {one.labels.about["net"] for one in getattr(self.train, "sources", ()) if one.labels}
        return tensors, state | {"teachers": sorted(teachers)}

    def _tested(self, batch: int) -> dict[str, float]:
        if self.test is None:
            return {}
        count = min(self.recipe.data.test_positions, len(self.test))
        hits, loss = 0, 0.0
        with Prefetcher(self.test, 0, count, batch, TEST_SEED, symmetries=False) as made:
            for one in made:
                logits = self.net(net_inputs(self.net, one))["policy"]
                target = torch.from_numpy(one.target)
                hits += int((logits.argmax(1) == target).sum())
                loss += float(F.cross_entropy(logits, target, reduction="sum"))
        return {"top1": hits / count, "loss": loss / count, "positions": count}

    def _judged(self, batch: int) -> dict[str, float]:
        found: dict[str, float] = {}
        for name, examples in self.judged.items():
            count = min(self.recipe.data.test_positions, len(examples))
            with Prefetcher(examples, 0, count, batch, TEST_SEED, symmetries=False) as made:
                for one in made:
                    heads = self.net(net_inputs(self.net, one))
                    for figure, mean in distances(heads, one, self.net.least_scale).items():
                        key = f"{figure}_{name}"
                        found[key] = found.get(key, 0.0) + mean * len(one) / count
        return found
