"""The random search: the thesis' marginals, the shrinking space, and going on after a stop."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
optuna = pytest.importorskip("optuna")

from tengen.strength import search as searching  # noqa: E402
from tengen.strength.recipe import StrengthData, StrengthRecipe  # noqa: E402
from tengen.strength.search import DOMAIN, Point, draw, read_search, search  # noqa: E402

RECIPE = StrengthRecipe(inputs="full", data=StrengthData(pool="p", features="f", net="n", draft="d"))


def drawn(gamma: float, count: int = 300) -> list[Point]:
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    return [draw(study.ask(), Point(), gamma) for _ in range(count)]


def test_points_stay_in_the_domain_and_fill_it() -> None:
    points = drawn(1.0)
    for name, (low, high) in DOMAIN.items():
        values = [getattr(point, name) for point in points]
        assert low <= min(values) and max(values) <= high
    rates = np.log10([point.rate for point in points])
    assert rates.min() < -4.9 and rates.max() > -0.2  # 10^-3 times 10^U(-3, 3), clamped to 10^-5
    assert {point.depth for point in points} == {1, 2, 3, 4, 5}
    assert min(p.hidden for p in points) <= 18 and max(p.hidden for p in points) >= 230
    assert min(p.inducing for p in points) == 1 and max(p.inducing for p in points) == 64


def test_the_space_shrinks_around_the_best_point() -> None:
    points = drawn(0.1296)
    assert all(1e-3 * 10**-0.4 < p.rate < 1e-3 * 10**0.4 for p in points)
    assert all(28 <= p.inducing <= 36 for p in points)  # floor(32 gamma + 0.5) = 4
    assert all(abs(p.decay - 0.95) <= 0.05 * 0.1296 + 1e-9 for p in points)
    assert {point.depth for point in points} == {1, 2, 3, 4, 5}  # the depth is always drawn anew


def toy_score(recipe: StrengthRecipe, task: object) -> tuple[float, int]:
    return -abs(np.log10(recipe.optimiser.rate) + 2) - abs(recipe.model.hidden - 128) / 128, 1


def test_it_climbs_and_goes_on_after_a_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "_train", toy_score)
    whole = search(RECIPE, None, tmp_path / "whole", iterations=4, runs=6)  # type: ignore[arg-type]
    assert [found.iteration for found in whole] == sorted([0, 1, 2, 3] * 6)
    assert read_search(tmp_path / "whole") == whole
    assert read_search(tmp_path / "nothing") == []
    best = [max(f.score for f in whole if f.iteration <= i) for i in range(4)]
    assert best[-1] > best[0]

    calls = 0

    def interrupted(recipe: StrengthRecipe, task: object) -> tuple[float, int]:
        nonlocal calls
        calls += 1
        if calls == 9:
            raise KeyboardInterrupt
        return toy_score(recipe, task)

    monkeypatch.setattr(searching, "_train", interrupted)
    with pytest.raises(KeyboardInterrupt):
        search(RECIPE, None, tmp_path / "parts", iterations=4, runs=6)  # type: ignore[arg-type]
    random.seed(1)
    again = search(RECIPE, None, tmp_path / "parts", iterations=4, runs=6)  # type: ignore[arg-type]
    assert calls == 9 + 24 - 8
    assert [f.point for f in again] == [f.point for f in whole]
