"""The likelihood of how a game ended, against scipy-free arithmetic written out."""

from __future__ import annotations

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from tengen.training.outcomes import UNKNOWN, Endings  # noqa: E402
from tengen.training.value_losses import (  # noqa: E402
    margin_loss,
    margin_of,
    owner_loss,
    squared_owner_loss,
    squared_win_loss,
    win_loss,
)


def endings(margin: list[float], komi: list[float], won: list[int], owner: list[list[int]]) -> Endings:
    return Endings(
        np.array(margin, np.float32),
        np.array(komi, np.float32),
        np.array(won, np.int8),
        np.array(owner, np.int8),
    )


@pytest.mark.parametrize("least", [0.5, 0.1])
def test_a_counted_game_tells_its_margin_and_a_resigned_one_its_side(least: float) -> None:
    out = torch.tensor([[0.5, -1.0], [0.5, -1.0], [0.1, 0.2]])
    mean, scale = (part.tolist() for part in margin_of(out, 9, least))
    unit = 20 * 9 / 361
    assert scale[2] == pytest.approx(least + unit * math.log(1 + math.exp(0.2)))
    ends = endings([12.0, math.nan, math.nan], [6.5, -6.5, 6.5], [1, -1, 0], [[UNKNOWN] * 9] * 3)

    def chance_above(k: float, i: int) -> float:
        return 1 / (1 + math.exp((k - mean[i]) / scale[i]))

    width = 1e-3  # the density, from the distribution
    density = (chance_above(12 - width, 0) - chance_above(12 + width, 0)) / (2 * width)
    lost = 1 - chance_above(-6.5, 1)
    expected = (-math.log(density) - math.log(lost)) / 2  # the third says nothing
    assert float(margin_loss(out, ends, least)) == pytest.approx(expected, rel=1e-4)


def test_games_that_tell_nothing_teach_nothing() -> None:
    out = torch.zeros(2, 2, requires_grad=True)
    ends = endings([math.nan] * 2, [6.5, 6.5], [0, 0], [[UNKNOWN] * 4] * 2)
    owner = torch.zeros(2, 4, requires_grad=True)
    (margin_loss(out, ends) + owner_loss(owner, ends)).backward()
    assert not out.grad.any()
    assert not owner.grad.any()


def test_owners() -> None:
    out = torch.tensor([[0.3, -0.7, 0.0], [9.0, 9.0, 9.0]])
    ends = endings([0, 0], [0, 0], [1, 1], [[1, 1, 0], [UNKNOWN] * 3])
    # tanh(x) is the difference of two chances, those of mine and the other's
    mine = [(1 + math.tanh(x)) / 2 for x in (0.3, -0.7, 0.0)]
    expected = -(math.log(mine[0]) + math.log(mine[1]) + math.log(0.5)) / 3
    assert float(owner_loss(out, ends)) == pytest.approx(expected, rel=1e-5)


def cross_entropy(logits: list[float], wins: list[float]) -> float:
    """The mean over outputs whose result is known."""
    chances = [1 / (1 + math.exp(-logit)) for logit in logits]
    pairs = zip(chances, wins, strict=True)
    return -sum(w * math.log(p) + (1 - w) * math.log(1 - p) for p, w in pairs) / len(wins)


def test_win_rates_at_komi_labels_turn_with_the_mover() -> None:
    """Black is 7 points ahead: he wins at 6.5 and loses at 7.5, and a komi of 7 is a draw."""
    logits = [0.4, -0.3, 1.1]
    labels = [6.5, 7.0, 7.5]
    black = endings([7.0], [7.5], [-1], [[UNKNOWN]])
    white = endings([-7.0], [-7.5], [1], [[UNKNOWN]])
    out = torch.tensor([logits])
    found = float(win_loss(out, labels, black, np.array([False])))
    assert found == pytest.approx(cross_entropy(logits, [1, 0.5, 0]), rel=1e-5)
    found = float(win_loss(out, labels, white, np.array([True])))
    assert found == pytest.approx(cross_entropy(logits, [0, 0.5, 1]), rel=1e-5)


def test_a_resigned_game_tells_the_labels_beyond_its_komi() -> None:
    """Black won by resignation at komi 7.5: he would have won at 6.5, too, and nothing is known of 8.5."""
    labels = [6.5, 7.5, 8.5]
    out = torch.tensor([[0.4, -0.3, 1.1]])
    black = endings([math.nan], [7.5], [1], [[UNKNOWN]])
    found = float(win_loss(out, labels, black, np.array([False])))
    assert found == pytest.approx(cross_entropy([0.4, -0.3], [1, 1]), rel=1e-5)
    # White lost that game: in his view he lost at 6.5 and 7.5.
    white = endings([math.nan], [-7.5], [-1], [[UNKNOWN]])
    found = float(win_loss(out, labels, white, np.array([True])))
    assert found == pytest.approx(cross_entropy([0.4, -0.3], [0, 0]), rel=1e-5)


def test_a_win_rate_without_labels_is_at_the_games_own_komi() -> None:
    out = torch.tensor([[0.4], [-0.3], [2.0], [1.5]])
    # won by resignation, lost on points by half a point, a draw on points, unknown
    ends = endings([math.nan, 7.0, 7.0, math.nan], [6.5, 7.5, 7.0, 6.5], [1, -1, 0, 0], [[UNKNOWN]] * 4)
    found = float(win_loss(out, (), ends, np.array([False] * 4)))
    assert found == pytest.approx(cross_entropy([0.4, -0.3, 2.0], [1, 0, 0.5]), rel=1e-5)


def test_unknown_results_give_no_gradient() -> None:
    out = torch.zeros(2, 3, requires_grad=True)
    ends = endings([math.nan] * 2, [6.5, 6.5], [0, 0], [[UNKNOWN]] * 2)
    win_loss(out, [5.5, 6.5, 7.5], ends, np.array([False, True])).backward()
    assert not out.grad.any()


def test_squared_errors_of_values_and_owners() -> None:
    """v = tanh(x) at the output 2 x, beside 1, -1 or 0; owners as chances beside 1, 0 or a half."""
    out = torch.tensor([[0.4, -2.0], [1.0, 3.0]])
    ends = endings([5.0, math.nan], [0.5, -7.5], [1, 0], [[1, -1, 0], [UNKNOWN] * 3])
    labels, white = (0.5, 7.5), np.array([False, True])
    v = [math.tanh(0.2), math.tanh(-1.0)]
    expected = ((v[0] - 1) ** 2 + (v[1] + 1) ** 2) / 2  # of the second game nothing is known
    assert float(squared_win_loss(out, labels, ends, white)) == pytest.approx(expected, rel=1e-5)
    owner = torch.tensor([[0.3, -0.7, 0.5], [9.0, 9.0, 9.0]])
    mine = [(1 + math.tanh(x)) / 2 for x in (0.3, -0.7, 0.5)]
    expected = ((mine[0] - 1) ** 2 + mine[1] ** 2 + (mine[2] - 0.5) ** 2) / 3
    assert float(squared_owner_loss(owner, ends)) == pytest.approx(expected, rel=1e-5)


def test_squared_errors_of_games_that_tell_nothing_are_0() -> None:
    ends = endings([math.nan], [7.5], [0], [[UNKNOWN] * 3])
    out, owner = torch.ones(1, 2), torch.ones(1, 3)
    assert float(squared_win_loss(out, (0.5, 7.5), ends, np.array([False]))) == 0
    assert float(squared_owner_loss(owner, ends)) == 0
