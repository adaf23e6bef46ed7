"""Losses of the value heads, from how games ended. Needs torch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from tengen.nets.heads import LEAST_SCALE, margin_unit
from tengen.training.outcomes import Endings


def margin_of(out: Tensor, points: int, least: float = LEAST_SCALE) -> tuple[Tensor, Tensor]:
    """Mean and scale of the mover's margin, from a net's `margin` [n, 2] on a board of so many points."""
    unit = margin_unit(points)
    return unit * out[:, 0], least + unit * F.softplus(out[:, 1])


def margin_loss(out: Tensor, endings: Endings, least: float = LEAST_SCALE) -> Tensor:
    """Minus the log-likelihood of how the games ended, the mean over the examples whose end is known.

    The margin of a counted game is known: minus the log of the logistic density there. Of a game that was resigned
    only the side of the komi is known: minus the log of that side's probability.
    """
    mean, scale = margin_of(out, endings.owner.shape[1], least)
    margin, komi = torch.from_numpy(endings.margin), torch.from_numpy(endings.komi)
    known = margin.isfinite()
    z = (torch.where(known, margin, mean.detach()) - mean) / scale
    density = scale.log() + z + 2 * F.softplus(-z)
    won = torch.from_numpy(endings.won).float()
    side = F.softplus(-won * (mean - komi) / scale)
    decided = known | (won != 0)
    return torch.where(known, density, side)[decided].sum() / max(1, int(decided.sum()))


def label_results(
    labels: Sequence[float], endings: Endings, white: npt.NDArray[np.bool_]
) -> tuple[Tensor, Tensor]:
    """The mover's result at each komi, float32 [n, labels]: 1 won, -1 lost, 0 drawn; and bool, whether it is known.

    `labels` are komi that Black gives, empty for the games' own; `white` [n] says where White is to move. All are known
    if the game was counted; if it was resigned, the game's own komi and those at which the winner would have won by
    more. Section III.A of the CGI paper leaves draws out; its labels are no whole numbers.
    """
    margin, komi = torch.from_numpy(endings.margin), torch.from_numpy(endings.komi)
    won = torch.from_numpy(endings.won).float()[:, None]
    counted = margin.isfinite()[:, None]
    needed = komi[:, None]  # what the mover must be ahead by, [n, outputs]
    if labels:
        sign = 1 - 2 * torch.from_numpy(white).float()
        needed = sign[:, None] * torch.tensor(labels, dtype=torch.float32)
    result = torch.where(counted, torch.sign(margin.nan_to_num()[:, None] - needed), won)
    # A winner by resignation would have won with less komi against him, too.
    implied = won * (komi[:, None] - needed) >= 0
    return result, (counted | ((won != 0) & implied)).expand_as(result)


def win_loss(out: Tensor, labels: Sequence[float], endings: Endings, white: npt.NDArray[np.bool_]) -> Tensor:
    """Cross-entropy of the mover's win from a net's `value` [n, 1] or `values` [n, labels], logits.

    The mean is over the outputs whose result is known (see `label_results`). A draw is half a win.
    """
    result, known = label_results(labels, endings, white)
    if not known.any():
        return out.sum() * 0
    return F.binary_cross_entropy_with_logits(out[known], (result[known] + 1) / 2)


def squared_win_loss(
    out: Tensor, labels: Sequence[float], endings: Endings, white: npt.NDArray[np.bool_]
) -> Tensor:
    """Squared error of v = tanh(out / 2), -1 .. 1, at the results 1, -1 or (drawn) 0; the mean as in `win_loss`."""
    result, known = label_results(labels, endings, white)
    if not known.any():
        return out.sum() * 0
    return F.mse_loss(torch.tanh(out[known] / 2), result[known])


def owner_loss(out: Tensor, endings: Endings) -> Tensor:
    """Cross-entropy of the points' owners from a net's `ownership` [n, points], the argument of tanh; a point that
    nobody owns is half."""
    owner = torch.from_numpy(endings.owner)
    known = owner[:, 0] >= -1
    if not known.any():
        return out.sum() * 0
    target = (owner[known].float() + 1) / 2
    return F.binary_cross_entropy_with_logits(2 * out[known], target)


def squared_owner_loss(out: Tensor, endings: Endings) -> Tensor:
    """Squared error of the points' owners, 0 .. 1, from a net's `ownership` [n, points]; nobody's points are half."""
    owner = torch.from_numpy(endings.owner)
    known = owner[:, 0] >= -1
    if not known.any():
        return out.sum() * 0
    return F.mse_loss(torch.sigmoid(2 * out[known]), (owner[known].float() + 1) / 2)
