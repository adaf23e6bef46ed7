"""Win rates beside the shares won, in bins of ten percent."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tengen.errors import InputError
from tengen.prediction.reliability import draw_reliability, reliability


def test_bins_hold_the_mean_win_rate_and_the_share_that_black_won() -> None:
    win = np.array([0.0, 0.72, 0.78, 0.7, 1.0])
    results = np.array([-1.0, 1.0, 1.0, -1.0, 1.0])
    first, middle, last = reliability(np.arange(5), win, results, games=5)
    assert (first.low, first.positions, first.won.value) == (0.0, 1, 0.0)
    assert (middle.low, middle.high, middle.positions) == (0.7, 0.8, 3)
    assert middle.judged == pytest.approx(2.2 / 3) and middle.won.value == pytest.approx(2 / 3)
    assert (last.low, last.positions, last.won.value) == (0.9, 1, 1.0)  # 1.0 is in the last bin


def test_a_calibrated_judge_is_near_the_diagonal() -> None:
    rng = np.random.default_rng(1)
    win = rng.uniform(0, 1, 20_000)
    results = np.where(rng.uniform(0, 1, len(win)) < win, 1.0, -1.0)
    bins = reliability(np.arange(len(win)) // 2, win, results, games=len(win) // 2)
    assert len(bins) == 10 and sum(one.positions for one in bins) == len(win)
    assert max(abs(one.judged - one.won.value) for one in bins) < 0.03
    assert sum(one.won.low <= one.judged <= one.won.high for one in bins) >= 8


def test_the_plot_is_written_in_a_known_format(tmp_path: Path) -> None:
    bins = reliability(np.arange(3), np.array([0.1, 0.5, 0.9]), np.array([-1.0, 1.0, 1.0]), games=3)
    draw_reliability({"one": bins, "other": bins[:1]}, "three positions", tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(InputError, match=r"\.png, \.svg, \.pdf"):
        draw_reliability({"one": bins}, "", tmp_path / "plot.txt")
