"""Figures of judges whose judgement is known."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from prediction.judges import Says
from training.made_ends import made_ends

from tengen.errors import InputError
from tengen.games.store import GameStore
from tengen.go.color import Color
from tengen.go.game import Game
from tengen.nets.evaluation import given
from tengen.nets.fake import FakeEvaluator
from tengen.prediction.value_accuracy import half_mse
from tengen.prediction.value_figures import AFTER_PASSES, BEFORE_PASSES, measure_values
from tengen.prediction.value_reading import Positions

MOVES = "".join(f";{'BW'[n % 2]}[{'abcde'[n % 5]}{'abcde'[n // 5]}]" for n in range(20))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> GameStore:
    path: Path = made_ends(tmp_path_factory.mktemp("ends") / "ends.parquet", 12, size=7)
    return GameStore.open(path)


def won_by_black(*results: str, moves: str = MOVES, komi: float = 7.5) -> GameStore:
    return GameStore.from_games(
        [
            Game.from_sgf(f"(;SZ[9]KM[{komi}]RU[Japanese]RE[{result}]PB[{i}]{moves})")
            for i, result in enumerate(results)
        ]
    )


def test_an_even_guess_has_a_half_and_is_right_half_of_the_time(store: GameStore) -> None:
    [figures] = measure_values([Says(lambda position: 0.5)], store, 100, 0)
    assert figures.phases["all"].error.estimate() == (0.5, 0.5, 0.5)
    assert figures.phases["all"].right.value == 0.5
    assert figures.ends == {}


def test_the_error_is_the_papers_half_mse_on_the_same_positions(store: GameStore) -> None:
    net = FakeEvaluator()
    [figures] = measure_values([net], store, 60, 0, seed=3)
    drawn = Positions.spread(store, 60, 3)
    wins = [given(said.win).of(Color.BLACK) for said in net.evaluate(drawn.at(slice(None)))]
    part = figures.phases["all"]
    assert part.error.positions == 60
    assert part.error.value == pytest.approx(half_mse(2 * np.array(wins) - 1, drawn.results()))
    assert part.right.value == pytest.approx(np.mean((np.array(wins) > 0.5) == (drawn.results() > 0)))


def test_positions_are_drawn_from_all_moves_and_more_hold_the_fewer(store: GameStore) -> None:
    few, many = (Positions.spread(store, count, 1) for count in (20, 50))
    pairs = [set(zip(drawn.game.tolist(), drawn.number.tolist(), strict=True)) for drawn in (few, many)]
    assert len(pairs[0]) == 20 and pairs[0] < pairs[1]
    everything = Positions.spread(store, 10**6, 1)
    assert len(everything) == store.frame["move_count"].sum()
    assert (everything.number < store.frame["move_count"].to_numpy()[everything.game]).all()


def test_phases_are_by_the_moves_played_before() -> None:
    """A judge that is sure of Black after 60 moves, and not before, in games that Black won."""
    long = "".join(f";{'BW'[n % 2]}[{'abcdefghi'[n % 9]}{'abcdefghi'[n // 9]}]" for n in range(70))
    sure = Says(lambda position: 1.0 if len(position.moves()) >= 60 else 0.5)
    [figures] = measure_values([sure], won_by_black("B+R", "B+2", moves=long), 1000, 0)
    assert {name: part.error.positions for name, part in figures.phases.items()} == {
        "all": 140,
        "moves 1-60": 120,
        "moves 61-120": 20,
    }
    assert figures.phases["moves 1-60"].error.value == 0.5
    assert figures.phases["moves 61-120"].error.value == 0.0
    assert figures.phases["moves 61-120"].right.value == 1.0


def test_the_lead_at_the_end_is_compared_with_the_count_at_the_records_komi() -> None:
    """B+2.5, B+6.5 and W+3.5: leads with komi are 2.5, 6.5 and -3.5. A resignation has no count."""
    store = won_by_black("B+2.5", "B+6.5", "W+3.5", "B+R", moves=MOVES + ";B[];W[]", komi=0.5)
    net = Says(lambda position: 0.9, lambda position: 2.5 if position.is_over else 4.5)
    [figures] = measure_values([net], store, 10, 10)
    before, after = figures.ends[BEFORE_PASSES], figures.ends[AFTER_PASSES]
    assert before.right.positions == 3 and before.right.value == pytest.approx(2 / 3)
    assert given(before.distance).value == pytest.approx((2 + 2 + 8) / 3) and before.median == 2.0
    assert given(after.distance).value == pytest.approx((0 + 4 + 6) / 3) and after.median == 4.0


def test_komi_and_rules_are_the_records() -> None:
    seen = set()

    def note(position: object) -> float:
        seen.add((position.rules.komi, position.rules.name))  # type: ignore[attr-defined]
        return 0.5

    measure_values([Says(note)], won_by_black("B+3", komi=-5.5), 10, 1)
    assert seen == {(-5.5, "japanese")}


def test_several_nets_judge_the_same_positions_and_differences_are_from_the_first(store: GameStore) -> None:
    def judges(sharpness: float) -> Says:
        plain = FakeEvaluator()

        def win(position: object) -> float:
            black = given(plain.evaluate([position])[0].win).of(Color.BLACK)  # type: ignore[list-item]
            return 0.5 + sharpness * (black - 0.5)

        return Says(win, lambda position: 0.0)

    first, second = measure_values([judges(0.5), judges(0.55)], store, 200, 5)
    own, base = second.phases["all"].error, first.phases["all"].error
    less = own.less(base)
    assert less.value == pytest.approx(own.value - base.value)
    assert less.high - less.low < own.estimate().high - own.estimate().low
    table = json.loads(json.dumps(second.to_json(first)))
    assert table["phases"]["all"]["half_mse_less_first"]["value"] == pytest.approx(less.value)
    assert table["ends"][BEFORE_PASSES]["lead_distance_less_first"]["value"] == 0.0
    assert "half_mse_less_first" not in first.to_json(None)["phases"]["all"]
    assert sum(row["positions"] for row in table["reliability"]) == 200


def test_a_net_without_leads_has_no_distances_and_one_without_win_rates_is_refused(store: GameStore) -> None:
    [figures] = measure_values([FakeEvaluator(heads=("policy", "win_by_komi"))], store, 10, 3)
    assert figures.ends[BEFORE_PASSES].distance is None and figures.ends[BEFORE_PASSES].median is None
    assert figures.to_json(None)["ends"][BEFORE_PASSES]["lead_distance"] is None
    with pytest.raises(InputError, match=r"net fake-0 has no win rates"):
        measure_values([FakeEvaluator(heads=("policy",))], store, 10, 3)


def test_pools_of_resignations_have_no_ends() -> None:
    [figures] = measure_values([FakeEvaluator()], won_by_black("B+R", "W+R"), 10, 10)
    assert figures.ends == {}
