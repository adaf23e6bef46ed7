"""Head starts as on OGS: the cases of its analysis, computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tengen.ratings.handicap import head_start


@pytest.mark.parametrize(
    ("handicap", "komi", "size", "rules", "ranks"),
    [
        (0, 6, 19, "japanese", 0.0),  # the fair komi of territory scoring
        (0, 7, 19, "aga", 0.0),  # and of area scoring
        (0, 6.5, 19, "japanese", -0.5 / 12),
        (0, 7.5, 19, "chinese", -0.5 / 12),
        (0, 0.5, 19, "japanese", 5.5 / 12),  # no komi: half a stone
        (1, 0.5, 19, "japanese", 5.5 / 12),  # a handicap of one is no komi and no stone
        (2, 0.5, 19, "japanese", 17.5 / 12),
        (9, 0.5, 19, "korean", 101.5 / 12),
        (2, 0.5, 19, "chinese", (7 - 2.5 + 13) / 12),  # White gets two points for two stones
        (2, 0.5, 19, "aga", (7 - 1.5 + 13) / 12),  # one, for each stone after the first
        (2, 0.5, 19, "new-zealand", (7 - 0.5 + 13) / 12),
        (2, 0.5, 13, "japanese", 3 * 17.5 / 12),
        (2, 0.5, 9, "japanese", 6 * 17.5 / 12),
        (0, -12.0, 19, "japanese", 1.5),  # reverse komi
    ],
)
def test_head_starts(handicap: int, komi: float, size: int, rules: str, ranks: float) -> None:
    assert head_start(handicap, komi, size, rules) == pytest.approx(ranks)


def test_columns_broadcast() -> None:
    many = head_start(
        np.array([0, 2]), np.array([6.0, 0.5]), np.array([19, 9]), np.array(["japanese", "Japanese"])
    )
    assert many.tolist() == [0.0, pytest.approx(8.75)]
