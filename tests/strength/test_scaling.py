"""Inputs scaled to unit variance, and uncorrelated inputs."""

from __future__ import annotations

import numpy as np
import pytest

from tengen.strength.scaling import FLOOR, scaling_of


def alike(rows: int = 4000) -> np.ndarray:
    """Two inputs that differ by a hundredth of their size, a large one of its own, and one that never changes."""
    rng = np.random.default_rng(5)
    one = rng.normal(3.0, 2.0, rows)
    columns = [one, one + rng.normal(0.0, 0.02, rows), rng.normal(-50.0, 100.0, rows), np.full(rows, 7.0)]
    return np.stack(columns, axis=1).astype(np.float16)


def test_inputs_are_divided_by_their_deviation_and_not_moved() -> None:
    x = alike()
    scaled = scaling_of(x, whitened=False).of(x.astype(np.float32))
    np.testing.assert_allclose(scaled[:, :3].std(axis=0), 1.0, atol=0.01)
    np.testing.assert_allclose(scaled[:, :3], x[:, :3] / x[:, :3].astype(np.float64).std(axis=0), rtol=1e-4)
    np.testing.assert_array_equal(scaled[:, 3], 7.0)


def test_whitened_inputs_are_centred_and_hardly_correlated() -> None:
    x = alike()
    white = scaling_of(x, whitened=True).of(x.astype(np.float32))
    np.testing.assert_allclose(white.mean(axis=0), 0.0, atol=0.01)
    np.testing.assert_allclose(white[:, 2].std(), 1 / np.sqrt(1 + FLOOR), atol=0.01)
    assert abs(np.corrcoef(white[:, 0], white[:, 2])[0, 1]) < 0.03
    np.testing.assert_array_equal(white[:, 3], 0.0)


def test_a_small_difference_grows_but_not_beyond_the_floor() -> None:
    x = alike()
    difference = np.array([1, -1, 0, 0]) / np.sqrt(2)
    plain, white = (
        scaling_of(x, whitened).of(x.astype(np.float32)) @ difference for whitened in (False, True)
    )
    assert white.std() > 5 * plain.std()
    assert white.std() < plain.std() / np.sqrt(FLOOR) * 1.01


@pytest.mark.parametrize("whitened", [False, True])
def test_a_single_row_is_no_reason_to_fail(whitened: bool) -> None:
    assert np.isfinite(scaling_of(alike(1), whitened).matrix).all()
