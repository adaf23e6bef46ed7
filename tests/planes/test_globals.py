"""Global inputs: komi, rules and ranks in the view of the side to move."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from planes.test_encode import columns

from tengen import Color, InputError, Position, Rules
from tengen.games.store import GameStore
from tengen.go.rules import HandicapBonus, Ko, Scoring, Tax
from tengen.planes import encode_globals, encode_record_globals, global_channels


def named(names: tuple[str, ...], position: Position, **known: object) -> dict[str, float]:
    row = encode_globals(names, [position], **known)[0].tolist()  # type: ignore[arg-type]
    return dict(zip([channel.name for channel in global_channels(names)], row, strict=True))


@pytest.mark.parametrize("komi", [7.5, 0.5, -13.0])
def test_komi_is_what_the_mover_gets_in_units_of_20_points(komi: float) -> None:
    position = Position(9, komi=komi)
    assert named(("komi",), position)["komi"] == pytest.approx(-komi / 20)
    position.play("E5")
    assert named(("komi",), position)["komi"] == pytest.approx(komi / 20)
    position.play("pass")
    assert named(("komi",), position)["komi"] == pytest.approx(-komi / 20)


@pytest.mark.parametrize(
    ("rules", "ones"),
    [
        (Rules(), set()),
        (Rules.named("chinese"), {"bonus of stones"}),
        (Rules.named("japanese"), {"territory", "seki tax"}),
        (Rules.named("tromp-taylor"), {"positional ko", "suicide"}),
        (Rules.named("aga"), {"situational ko", "bonus of stones less one"}),
        (Rules(scoring=Scoring.TERRITORY, ko=Ko.SITUATIONAL, tax=Tax.ALL, suicide=True,
               handicap_bonus=HandicapBonus.STONES),
         {"territory", "situational ko", "group tax", "suicide", "bonus of stones"}),
    ],
    ids=lambda value: "" if isinstance(value, set) else str(value.name),
)  # fmt: skip
def test_rules_are_ones_and_zeros_whoever_is_to_move(rules: Rules, ones: set[str]) -> None:
    for position in (Position(9, rules), Position(9, rules).play("E5")):
        given = named(("rules",), position)
        assert {name for name, value in given.items() if value == 1} == ones
        assert set(given.values()) <= {0.0, 1.0}


def test_ranks_change_places_with_the_mover() -> None:
    black_to_move = Position(9)
    white_to_move = Position(9).play("E5")
    for position, mover, other in ((black_to_move, 3, -4), (white_to_move, -4, 3)):
        given = named(("rank",), position, ranks=[(3, -4)])
        assert given == {
            "mover's rank known": 1,
            "mover's rank": pytest.approx(mover / 10),
            "other's rank known": 1,
            "other's rank": pytest.approx(other / 10),
        }
    half = named(("rank",), white_to_move, ranks=[(3, None)])
    assert half["mover's rank known"] == half["mover's rank"] == 0
    assert half["other's rank known"] == 1
    assert set(named(("rank",), white_to_move).values()) == {0.0}
    with pytest.raises(InputError, match="ranks for 1 positions, and 2"):
        encode_globals(("rank",), [Position(9), Position(9)], ranks=[(1, 1)])


def test_groups_stand_in_the_order_of_their_names() -> None:
    position = Position(9, "japanese", komi=6.0)
    assert encode_globals(("komi", "rules"), [position])[0, :2].tolist() == [pytest.approx(-0.3), 1.0]
    assert encode_globals(("rules", "komi"), [position])[0, [0, -1]].tolist() == [1.0, pytest.approx(-0.3)]
    assert encode_globals((), [position] * 3).shape == (3, 0)
    assert encode_globals(("komi",), [position]).dtype == np.float32
    with pytest.raises(InputError, match="unknown global input 'weather': known are komi, rules, rank"):
        encode_globals(("weather",), [position])


def test_records_give_what_positions_give() -> None:
    games = [
        Position(6, "chinese", komi=7.5).play(0).play(7).play(14),
        Position(6, "japanese", komi=-3.5).set_stones([10, 11], to_move=Color.WHITE).play(0).play(36).play(1),
    ]
    records = columns(games, [[], [10, 11]], [Color.BLACK, Color.WHITE])
    ranks = np.array([[1, -5], [np.nan, 9]], np.float32)
    records = replace(records, ranks=ranks)
    names = ("komi", "rules", "rank")
    for g, game in enumerate(games):
        for m in range(4):
            position = Position(6, game.rules)
            if g:
                position.set_stones([10, 11], to_move=Color.WHITE)
            position.play_all(game.moves()[:m])
            found = encode_record_globals(names, records, np.array([g]), np.array([m]))
            np.testing.assert_array_equal(found, encode_globals(names, [position], ranks[g : g + 1]))
    without = encode_record_globals(("rank",), replace(records, ranks=None), np.array([0]), np.array([0]))
    assert not without.any()


def test_a_pools_records_carry_the_ranks(pool: Path) -> None:
    store = GameStore.open(pool)
    assert store.game(0).black_rank == "6d"
    ranks = store.records().ranks
    assert ranks is not None
    assert ranks.tolist() == [[6, 7]] * len(store)
    unknown = GameStore(store.frame.with_columns(white_rank_number=None)).records().ranks
    assert unknown is not None
    assert np.isnan(unknown[:, 1]).all()
