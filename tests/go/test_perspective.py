"""Leads and win rates cannot be read without saying for whom."""

from __future__ import annotations

import math

import pytest

from tengen import Color
from tengen.go.perspective import Lead, WinRate


def test_a_lead_is_the_others_deficit() -> None:
    lead = Lead(2.5, Color.WHITE)
    assert lead.of(Color.WHITE) == 2.5 and lead.of(Color.BLACK) == -2.5
    assert lead == Lead(-2.5, Color.BLACK) and hash(lead) == hash(Lead(-2.5, Color.BLACK))
    assert lead.leader is Color.WHITE and Lead(0, Color.WHITE).leader is None
    assert str(lead) == "W+2.5" and str(Lead(0, Color.BLACK)) == "0"


def test_win_rates_add_up_to_one() -> None:
    rate = WinRate(0.75, Color.BLACK)
    assert rate.of(Color.BLACK) == 0.75 and rate.of(Color.WHITE) == 0.25
    assert rate == WinRate(0.25, Color.WHITE)
    assert str(rate) == "Black 75.0%" and str(WinRate(1, Color.WHITE)) == "White 100.0%"


@pytest.mark.parametrize("chance", [-0.1, 1.1, math.nan, math.inf])
def test_a_win_rate_is_a_chance(chance: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        WinRate(chance, Color.BLACK)


def test_neither_is_a_bare_number() -> None:
    for value in (Lead(1, Color.BLACK), WinRate(1, Color.BLACK)):
        with pytest.raises(TypeError):
            float(value)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="0 is not a valid Color"):
            value.of(0)  # type: ignore[arg-type]
