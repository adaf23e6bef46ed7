"""The three losses of Section 4.7.1, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tengen.strength.losses import game_losses, rank_loss, regularisation, score_slope  # noqa: E402


def test_a_unit_of_rating_is_worth_what_the_thesis_says() -> None:
    assert score_slope(315.81) == pytest.approx(315.81 * math.log(10) / 400)


def test_losses_of_two_games_by_hand() -> None:
    gamma = 1.5
    ratings = torch.tensor([[0.5, -0.5], [0.2, 0.8]])
    labels = torch.tensor([[1.0, -1.0], [0.0, 1.0]])
    score = torch.tensor([1.0, 1.0])
    found = game_losses(ratings, labels, score, gamma)
    wanted = []
    for b, w in ratings.tolist():
        s_hat = math.exp(gamma * b) / (math.exp(gamma * b) + math.exp(gamma * w))
        wanted.append(-math.log(1 - abs(1 - s_hat)))
    assert float(found.score) == pytest.approx(np.mean(wanted))
    assert float(found.black) == pytest.approx((0.5**2 + 0.2**2) / 2)
    assert float(found.white) == pytest.approx((0.5**2 + 0.2**2) / 2)


def test_the_training_loss_weighs_its_parts() -> None:
    losses = game_losses(torch.zeros(1, 2), torch.tensor([[1.0, 2.0]]), torch.tensor([0.0]), 1.0)
    total = losses.training(torch.tensor(0.25), tau_r=2.0, tau_theta=8.0)
    assert float(total) == pytest.approx(math.log(2) + 2.0 * (1 + 4) + 8.0 * 0.25)


def test_regularisation_is_the_mean_square_of_every_parameter() -> None:
    net = torch.nn.Linear(2, 1)
    with torch.no_grad():
        net.weight.copy_(torch.tensor([[1.0, 2.0]]))
        net.bias.copy_(torch.tensor([4.0]))
    assert regularisation(net).item() == pytest.approx((1 + 4 + 16) / 3)


def test_smoothing_gives_a_share_to_the_neighbours() -> None:
    logits = torch.log(torch.tensor([[0.1, 0.6, 0.3], [0.1, 0.6, 0.3]]))
    plain = rank_loss(logits, torch.tensor([1, 2]), 0.0)
    assert float(plain) == pytest.approx(-(math.log(0.6) + math.log(0.3)) / 2)
    smooth = rank_loss(logits, torch.tensor([1, 2]), 0.2)
    first = -(0.8 * math.log(0.6) + 0.1 * math.log(0.1) + 0.1 * math.log(0.3))
    second = -(0.8 * math.log(0.3) + 0.2 * math.log(0.6))
    assert float(smooth) == pytest.approx((first + second) / 2)
