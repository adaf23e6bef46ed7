"""Ridge regression, and that it does not shrink those with many games."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tengen.strength.calibration import Evidence  # noqa: E402
from tengen.strength.groups import CENTRES  # noqa: E402
from tengen.strength.objectives import RankObjective, log_softmax, rank_logits  # noqa: E402
from tengen.strength.ranks import Player, RankedMoves  # noqa: E402
from tengen.strength.recipe import ModelShape, StrengthData, StrengthRecipe  # noqa: E402
from tengen.strength.ridge import fit_ranks, solve  # noqa: E402
from tengen.strength.set_transformer import MeanPooled  # noqa: E402
from tengen.strength.windows import Windows  # noqa: E402


def test_it_is_weighted_ridge_regression() -> None:
    rng = np.random.default_rng(0)
    x, y, weight = rng.normal(size=(50, 3)), rng.normal(size=50), rng.uniform(0.5, 2, 50)
    w, b = solve(x, y, weight, 0.1)

    def cost(w: np.ndarray, b: float) -> float:
        return float(weight @ (x @ w + b - y) ** 2 + 0.1 * weight.sum() * w @ w)

    for i in range(3):
        step = np.eye(3)[i] * 1e-3
        assert cost(w, b) < min(cost(w + step, b), cost(w - step, b))
    assert cost(w, b) < min(cost(w, b + 1e-3), cost(w, b - 1e-3))


def ranked(games: int) -> RankedMoves:
    """Every group 30 players; ten moves a game, each of which shows the rank with a noise of eight ranks."""
    rng = np.random.default_rng(1)
    players, rows, windows_of = [], [], []
    for i in range(330):
        players.append(Player(f"p{i}", i % 11, "T", (0,) * games, (0,) * games))
        seen = CENTRES[i % 11] + rng.normal(0, 8, (games * 10, 1))
        rows.append(np.concatenate([seen, rng.normal(size=(games * 10, 3))], axis=1))
        windows_of.append(np.arange(i * games, (i + 1) * games))
    features = np.concatenate(rows).astype(np.float32)
    windows = [np.arange(w * 10, w * 10 + 10, dtype=np.int32) for w in range(330 * games)]
    return RankedMoves(players, Windows.of(features, windows), windows_of)


def test_it_reads_ranks_without_shrinking_them() -> None:
    few, many = ranked(1), ranked(30)
    net = MeanPooled(4, 11, depth=0)
    found = fit_ranks(few, list(range(330)), net)
    assert found.variance == pytest.approx(64 / 10, rel=0.25)
    one, thirty = [], []
    for p in range(330):
        for pool, kept in ((few, one), (many, thirty)):
            rows = pool.moves(pool.windows_of[p])
            x = torch.from_numpy(pool.windows.features[rows])[None]
            with torch.no_grad():
                kept.append(net(x, torch.ones(1, len(rows), dtype=torch.bool))[0].numpy())
    truth = CENTRES[[player.group for player in few.players]]
    # thirty games, the noise of which is a thirtieth: logits thirty times as sharp
    read = Evidence().chances(30 * np.array(thirty, np.float64), np.full(330, 100.0)) @ CENTRES
    assert np.abs(read - truth).mean() < 0.5
    assert np.polyfit(truth, read, 1)[0] == pytest.approx(1.0, abs=0.05)
    # one game: a reader who is sensible shrinks, for a group beyond the ends does not exist
    read = Evidence().chances(np.array(one, np.float64), np.full(330, 100.0)) @ CENTRES
    assert np.polyfit(truth, read, 1)[0] < 0.9


def test_a_number_of_games_that_few_have_does_not_decide() -> None:
    """A player of V with 20 games beside 330 with one each: he is not a half of what is measured."""
    pool = ranked(1)
    players = [replace(player, part="V") for player in pool.players]
    one = RankedMoves(players, pool.windows, pool.windows_of)
    more = RankedMoves(players, pool.windows, [np.zeros(20, np.int64), *pool.windows_of[1:]])
    data = StrengthData(pool="p", features="f", net="fake", target="ranks")
    recipe = StrengthRecipe(inputs="full", data=data, model=ModelShape(kind="ridge"))
    net = MeanPooled(4, 11, depth=0)
    fit_ranks(pool, list(range(330)), net)
    before, after = (RankObjective(recipe, each).validate(net)["log_likelihood"] for each in (one, more))
    z, groups = rank_logits(net, more, "V", 1)
    assert len(groups) == 349
    assert after == pytest.approx(log_softmax(z)[np.arange(349), groups].mean())
    assert after == pytest.approx(before, abs=0.1)
