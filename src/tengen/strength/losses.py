"""The losses of strength models (thesis, Section 4.7.1). Needs torch."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn


def score_slope(deviation: float) -> float:
    """gamma: one unit of a normalised rating in natural units of the Bradley-Terry model."""
    return deviation * math.log(10.0) / 400.0


class GameLosses(NamedTuple):
    """Means over a batch of games: L_s (Bradley-Terry), L_b and L_w (future Glicko-2)."""

    score: Tensor
    black: Tensor
    white: Tensor

    def training(self, regularisation: Tensor, tau_r: float, tau_theta: float) -> Tensor:
        """L_t = L_s + tau_r (L_b + L_w) + tau_theta L_theta."""
        return self.score + tau_r * (self.black + self.white) + tau_theta * regularisation


def game_losses(ratings: Tensor, labels: Tensor, score: Tensor, gamma: float) -> GameLosses:
    """`ratings` and `labels` (B, 2: Black, White) are normalised, `score` (B) is Black's: 1 or 0.

    -ln(1 - |s - s_hat|) is the cross-entropy of a game with a winner.
    """
    lead = gamma * (ratings[:, 0] - ratings[:, 1])
    black, white = ((ratings - labels) ** 2).mean(0)
    return GameLosses(F.binary_cross_entropy_with_logits(lead, score), black, white)


def regularisation(net: nn.Module) -> Tensor:
    """L_theta: the mean square of all parameters."""
    parameters = list(net.parameters())
    return torch.stack([(p**2).sum() for p in parameters]).sum() / sum(p.numel() for p in parameters)


def rank_loss(logits: Tensor, group: Tensor, smoothing: float) -> Tensor:
    """Cross-entropy of rank groups (B, groups); the share `smoothing` of the target goes to its neighbours."""
    groups = logits.shape[1]
    target = F.one_hot(group, groups).float()
    if smoothing:
        near = torch.zeros_like(target)
        near[:, 1:] += target[:, :-1]
        near[:, :-1] += target[:, 1:]
        target = (1 - smoothing) * target + smoothing * near / near.sum(1, keepdim=True)
    return F.cross_entropy(logits, target)
