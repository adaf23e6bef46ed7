"""Supervised training of policy nets: the task of `tengen train policy`. Needs torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from pathlib import Path

import numpy as np
import polars as pl
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from tengen.errors import InputError
from tengen.games.store import GameStore
from tengen.nets.board_net import BoardNet
from tengen.training.data import TEST_SEED, Batch, Examples, Prefetcher
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
)
from tengen.training.value_losses import margin_loss, owner_loss, win_loss


def open_examples(recipe: PolicyRecipe) -> tuple[Examples | Mixture, Examples | None]:
    """The examples for training and for tests. Passes are examples for nets that may pass, and never for tests."""
    data = recipe.data
    with torch.device("meta"):  # shapes only
        net = build_recipe_net(recipe)
    train: Examples | Mixture
    if data.sources:
        check_heads(recipe, net)
        sources = [_labelled(recipe, net, source) for source in data.sources]
        train = Mixture(sources, [source.share for source in data.sources], recipe.optimiser.batch)
    else:
        train = _plain(recipe, net)
    if not data.test:
        return train, None
    test = open_pools([data.test], data.test_filter)
    return train, Examples(test.records(), recipe.net.encoding, globals=net.globals)


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


def _labelled(recipe: PolicyRecipe, net: BoardNet, source: Source) -> Examples:
    """The positions of a source that have labels."""
    if net.teacher:
        raise InputError("labels do not hold the teacher's trunk: set net.teacher=0")
    pool = Path(source.pool)
    whole = GameStore.open(pool)
    labels = open_labels(Path(source.labels), pool, whole.identity)
    frame = whole.frame.with_row_index("row").filter(
        *predicates(source.filter), pl.col("size") == labels.about["size"]
    )
    labels = labels.of_games(frame["row"].to_numpy().astype(np.int64))
    if not len(labels):
        raise InputError(f"no game of {pool} that meets the filter {source.filter} has labels in {source.labels}")
    store = GameStore(frame.drop("row"))
    return Examples(
        store.records(),
        recipe.net.encoding,
        following=net.next_moves,
        outcomes=_ends(recipe, store, [pool]),
        globals=net.globals,
        labels=labels,
        learns=source.learns,
    )


def _ends(recipe: PolicyRecipe, store: GameStore, pools: Sequence[str | Path]) -> Outcomes | None:
    """How the games ended, if a loss asks for it."""
    losses = recipe.losses
    return outcomes(store, pools) if losses.margin or losses.win or losses.ownership else None


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
    weights = recipe.losses
    losses: list[Tensor] = []
    if "policy" in heads:
        losses += policy_losses(recipe, heads, batch)
    if batch.endings is not None:
        if weights.margin:
            losses.append(weights.margin * margin_loss(heads["margin"], batch.endings))
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
        if weights.teacher_win:
            losses.append(weights.teacher_win * teacher_win_loss(heads, batch.teacher_targets))
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
    """A policy net that predicts moves."""

    KIND = "policy"
    RECIPE = PolicyRecipe
    columns = ("loss", "top1", "rate", "validation_top1", "validation_loss")
    recipe: PolicyRecipe

    def judge(self, heads: dict[str, Tensor], batch: Batch) -> tuple[Tensor, dict[str, float]]:
        """The loss, and the share of moves that the net found."""
        found = 0
        if "policy" in heads:
            found = int((heads["policy"].argmax(1) == torch.from_numpy(batch.target)).sum())
        loss = criterion(self.recipe, heads, batch, self.net.card_komi_labels)
        return loss, {"top1": found / len(batch)}

    @staticmethod
    def measured(validation: Mapping[str, float]) -> dict[str, float]:
        return {
            "top-1 on the recipe's test positions, no bagging": round(validation["top1"], 5),
            "cross-entropy on them": round(validation["loss"], 5),
            "test positions": int(validation["positions"]),
        }

    @staticmethod
    def described(figures: Mapping[str, float], validation: Mapping[str, float]) -> list[str]:
        said = [f"loss {figures['loss']:.4f}", f"top-1 {figures['top1']:.1%}"]
        return said + ([f"test {validation['top1']:.2%}"] if validation else [])

    def validate(self, batch: int = 250) -> dict[str, float]:
        """Top-1 accuracy and cross-entropy on the test positions, always the same ones, without symmetries."""
        if self.test is None:
            return {}
        count = min(self.recipe.data.test_positions, len(self.test))
        hits, loss = 0, 0.0
        with (
            self.average.applied(),
            torch.inference_mode(),
            Prefetcher(self.test, 0, count, batch, TEST_SEED, symmetries=False) as made,
        ):
            for one in made:
                logits = self.net(net_inputs(self.net, one))["policy"]
                target = torch.from_numpy(one.target)
                hits += int((logits.argmax(1) == target).sum())
                loss += float(F.cross_entropy(logits, target, reduction="sum"))
        return {"top1": hits / count, "loss": loss / count, "positions": count}
