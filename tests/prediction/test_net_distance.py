"""A net beside a reference net, by board size."""

from __future__ import annotations

from pathlib import Path

import pytest
from prediction.judges import Says

from tengen.errors import InputError
from tengen.nets.fake import FakeEvaluator
from tengen.prediction.games import open_games
from tengen.prediction.net_distance import measure_distance


def test_leads_win_rates_and_first_moves_by_board_size(examples: Path) -> None:
    store = open_games([examples], {"size": [9, 13]})
    net = Says(lambda position: 0.7, lambda position: 3.0 if position.size == 9 else 1.0)
    reference = Says(lambda position: 0.5, lambda position: -2.0)
    nine, thirteen = measure_distance(net, reference, store, 20)
    assert (nine.size, nine.games, nine.positions) == (9, 2, 20) and thirteen.size == 13
    assert nine.lead and nine.lead.value == 5.0 and nine.lead_median == 5.0
    assert thirteen.lead and thirteen.lead.value == 3.0
    assert nine.win and nine.win.value == pytest.approx(0.2)
    assert nine.same_move and nine.same_move.value == 1.0  # both have the fake's policy
    [table] = [one.to_json() for one in measure_distance(FakeEvaluator(1), reference, store, 20)][:1]
    assert table["same_first_move"]["value"] < 0.5 and table["lead_distance"]["value"] > 0


def test_what_one_of_the_nets_lacks_is_left_out(examples: Path) -> None:
    store = open_games([examples / "9x9.sgf"], {})
    [found] = measure_distance(FakeEvaluator(heads=("policy",)), FakeEvaluator(), store, 10)
    assert found.lead is None and found.lead_median is None and found.win is None
    assert found.same_move and found.same_move.value == 1.0
    with pytest.raises(InputError, match="cannot be compared"):
        measure_distance(FakeEvaluator(heads=("policy",)), FakeEvaluator(heads=("margin",)), store, 10)
