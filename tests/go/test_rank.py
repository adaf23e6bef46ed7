from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.go.rank import Rank


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        ("9d", "9d"),
        ("9段", "9d"),
        ("９段", "9d"),
        ("九段", "9d"),
        ("初段", "1d"),
        ("2 Dan", "2d"),
        ("P9段", "9p"),
        ("9段P", "9p"),
        ("职业九段", "9p"),
        ("9 dan pro", "9p"),
        ("P9", "9p"),
        ("9DP", "9p"),
        ("1p", "1p"),
        ("3 kyu", "3k"),
        ("18级", "18k"),
        ("十一级", "11k"),
        ("1급", "1k"),
        ("7단", "7d"),
        ("5k?", "5k"),
        ("7段*", "7d"),
        ("~2d", "2d"),
    ],
)
def test_spellings(text: str, rank: str) -> None:
    assert str(Rank.parse(text)) == rank


@pytest.mark.parametrize("text", ["", "-", "?", "NR", "P", "0d", "10d", "99k", "2100", "d", "9x", "9" * 400])
def test_no_rank(text: str) -> None:
    assert Rank.parse(text) is None


def test_order() -> None:
    ranks = [Rank.parse(text) for text in ("30k", "18k", "2k", "1k", "1d", "9d", "1p", "9p")]
    assert all(rank is not None for rank in ranks)
    assert sorted(ranks, key=lambda r: r.number) == ranks  # type: ignore[union-attr]
    assert ranks[0] < ranks[-1] and ranks[3] >= ranks[2]  # type: ignore[operator]


@given(st.integers(-29, 18))
def test_numbers_and_text_go_both_ways(number: int) -> None:
    rank = Rank.of_number(number)
    assert rank.number == number
    assert Rank.parse(str(rank)) == rank
