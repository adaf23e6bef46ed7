"""Training of value nets on how games ended: the task of `tengen train value` (CGI, section III.A). Needs torch."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tengen.errors import InputError
from tengen.games.store import GameStore
from tengen.nets.board_net import BoardNet
from tengen.training.data import TEST_SEED, Batch, Examples, Prefetcher
from tengen.training.net_task import NetTask, build_recipe_net, net_inputs
from tengen.training.outcomes import Outcomes, outcomes
from tengen.training.pools import open_pools
from tengen.training.value_losses import (
    label_results,
    owner_loss,
    squared_owner_loss,
    squared_win_loss,
    win_loss,
)
from tengen.training.value_recipe import ValueRecipe

_LOSSES: dict[str, tuple[Callable[..., Tensor], Callable[..., Tensor]]] = {
    "squared": (squared_win_loss, squared_owner_loss),
    "cross-entropy": (win_loss, owner_loss),
}


def _complain(text: str) -> None:
    print(text, file=sys.stderr)


def open_value_examples(
    recipe: ValueRecipe, say: Callable[[str], None] = _complain
) -> tuple[Examples, Examples | None]:
    """The examples for training, `positions_per_game` of every game whose end is known, and those for tests.

    InputError if the net has no value, or the pool does not say what it needs. `say` gets a line if games are left out.
    """
    data = recipe.data
    with torch.device("meta"):  # shapes only
        net = build_recipe_net(recipe)
    _check_net(recipe, net)
    store = open_pools(data.train, data.train_filter)
    if len(store) < 2:
        raise InputError(
            f"{', '.join(data.train)}: one game is left after the filter, and a value net learns from many: "
            "make a larger pool (`tengen selfplay`), or ask for less in data.train_filter"
        )
    train, ends = _examples(recipe, net, store, data.train)
    known = np.isfinite(ends.margin)
    what = "a final margin"
    if "ownership" in net.heads:
        known &= ends.row >= 0
        what += " and final owners"
    if not known.any():
        raise InputError(
            f"{', '.join(data.train)}: no game has {what}, which the net '{recipe.net.architecture}' learns from: "
            "`tengen selfplay` stores them, `tengen games settle` works them out for counted games"
        )
    if not known.all():
        say(f"{(~known).sum():,} of {len(known):,} games are left out: they do not have {what}")
    train = train.chosen(known, data.positions_per_game, recipe.seed)
    if not data.test:
        return train, None
    test, ends = _examples(recipe, net, open_pools([data.test], data.test_filter), [data.test])
    decided = np.isfinite(ends.margin) | (ends.winner != 0)
    if not decided.any():
        raise InputError(f"{data.test}: no game of the test has a result that the board decided")
    return train, test.chosen(decided)


def _examples(recipe: ValueRecipe, net: BoardNet, store: GameStore, pools: Any) -> tuple[Examples, Outcomes]:
    """All positions of the games, and how these ended."""
    ends = outcomes(store, pools)
    made = Examples(store.records(), recipe.net.encoding, passes=True, outcomes=ends, globals=net.globals)
    return made, ends


def _check_net(recipe: ValueRecipe, net: BoardNet) -> None:
    if not {"value", "values"} & set(net.heads):
        raise InputError(
            f"the net '{recipe.net.architecture}' has no head value or values, only {', '.join(net.heads)}: "
            "`tengen train value` trains these"
        )
    komi, labels = recipe.data.test_komi, net.card_komi_labels
    if recipe.data.test and labels and komi not in labels:
        raise InputError(
            f"data.test_komi is {komi:g}, and the net's komi labels go from {labels[0]:g} to {labels[-1]:g} without "
            "it: set it to one of them, or change the labels of [net]"
        )


class ValueTask(NetTask):
    """A value net that predicts who wins at each of its komi labels and who owns each point at the end."""

    KIND = "value"
    RECIPE = ValueRecipe
    columns = (
        "loss",
        "value",
        "ownership",
        "rate",
        "validation_mse",
        "validation_loss",
        "validation_ownership",
        "validation_rises",
    )
    recipe: ValueRecipe

    def judge(self, heads: dict[str, Tensor], batch: Batch) -> tuple[Tensor, dict[str, float]]:
        """The weighted sum of the losses, and each of them."""
        assert batch.endings is not None and batch.white is not None
        weights = self.recipe.losses
        win, owners = _LOSSES[weights.kind]
        out = heads["values"] if "values" in heads else heads["value"]
        value = win(out, self.net.card_komi_labels, batch.endings, batch.white)
        figures = {"value": float(value.detach())}
        loss = weights.value * value
        if "ownership" in heads:
            ownership = owners(heads["ownership"], batch.endings)
            figures["ownership"] = float(ownership.detach())
            loss = loss + weights.ownership * ownership
        return loss, figures

    def validate(self, batch: int = 250) -> dict[str, float]:
        """Figures on the test positions, always the same ones, without symmetries.

        mse: half of the mean squared difference of v and result, both -1 .. 1, at the test's komi (an even guess has
        0.5); loss and ownership: the recipe's losses; rises: the share of positions in which Black's win rate rises
        somewhere with komi.
        """
        if self.test is None:
            return {}
        count = min(self.recipe.data.test_positions, len(self.test))
        labels = self.net.card_komi_labels
        at = labels.index(self.recipe.data.test_komi) if labels else 0
        sums: dict[str, float] = {}
        error, decided, rises = 0.0, 0, 0
        with (
            self.average.applied(),
            torch.inference_mode(),
            Prefetcher(self.test, 0, count, batch, TEST_SEED, symmetries=False) as made,
        ):
            for one in made:
                assert one.endings is not None and one.white is not None
                heads = self.net(net_inputs(self.net, one))
                loss, figures = self.judge(heads, one)
                for name, figure in {"loss": float(loss), **figures}.items():
                    sums[name] = sums.get(name, 0.0) + len(one) * figure
                out = heads["values"] if "values" in heads else heads["value"]
                result, known = label_results(labels, one.endings, one.white)
                there = known[:, at]
                error += float((torch.tanh(out[there, at] / 2) - result[there, at]).square().sum())
                decided += int(there.sum())
                black = torch.where(torch.from_numpy(one.white)[:, None], -out, out)
                rises += int((black.diff(dim=1) > 0).any(1).sum())
        if not decided:
            raise InputError(
                f"no test position has a known result at komi {self.recipe.data.test_komi:g} (data.test_komi)"
            )
        sums.pop("value", None)
        figures = {name: total / count for name, total in sums.items()}
        return {"mse": error / decided / 2, **figures, "rises": rises / count, "positions": count}

    @staticmethod
    def measured(validation: Mapping[str, float]) -> dict[str, float]:
        return {
            "half the mean squared error of v on the recipe's test positions": round(validation["mse"], 5),
            "share of them where the win rate rises with komi": round(validation["rises"], 5),
            "test positions": int(validation["positions"]),
        }

    @staticmethod
    def described(figures: Mapping[str, float], validation: Mapping[str, float]) -> list[str]:
        said = [f"{name} {figures[name]:.4f}" for name in ("loss", "value", "ownership") if name in figures]
        return said + ([f"test MSE {validation['mse']:.4f}"] if validation else [])
