"""The features of each move by a net (thesis, Sections 4.2 and 4.5)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from threading import Barrier, Event

import numpy as np
import pytest
from nets.reference import lines, position_of

from tengen._native import parse_vertex
from tengen.errors import InputError
from tengen.go.color import Color
from tengen.go.game import Game, Move, Setup
from tengen.go.position import Position
from tengen.nets.evaluation import Evaluation
from tengen.nets.fake import FakeEvaluator
from tengen.strength.features import (
    BASIC,
    LEAD,
    MAX_POLICY,
    POLICY,
    WINRATE,
    MoveFeatures,
    features_of,
    move_features,
)

NET = FakeEvaluator()


class Counting(FakeEvaluator):
    """A net that records the positions it evaluates."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[list[Position]] = []

    def evaluate(self, positions: Sequence[Position], **how: object) -> list[Evaluation]:
        self.batches.append(list(positions))
        return super().evaluate(positions, **how)  # type: ignore[arg-type]

    @property
    def asked(self) -> int:
        return sum(len(batch) for batch in self.batches)


def game(moves: str = ";B[ee];W[ec];B[cc];W[gg]", root: str = "") -> Game:
    return Game.from_sgf(f"(;SZ[9]KM[5.5]{root}{moves})")


def same(a: MoveFeatures, b: MoveFeatures) -> bool:
    names = ("number", "white", "basic", "trunk", "expected")
    pairs = [(getattr(a, name), getattr(b, name)) for name in names]
    return all(np.array_equal(x, y) and x.dtype == y.dtype for x, y in pairs)


def test_every_column_is_what_the_thesis_says_of_the_position_before_and_after_the_move() -> None:
    record = game()
    found = move_features(record, NET)
    assert found.number.tolist() == [1, 2, 3, 4]
    assert found.white.tolist() == [False, True, False, True]
    for i, move in enumerate(record.moves):
        pre, post = NET.evaluate([record.position(i), record.position(i + 1)], trunk=True)
        me = move.color
        expected = [
            post.win.of(me) - 0.5,
            post.lead.of(me) * 0.1,
            pre.policy[move.point] - 0.5,
            pre.policy.max() - 0.5,
            pre.win.of(me) - post.win.of(me),
            (pre.lead.of(me) - post.lead.of(me)) * 0.1,
        ]
        assert found.basic[i] == pytest.approx(expected, abs=1e-6)
        assert pre.trunk is not None
        row, column = divmod(move.point, 9)
        np.testing.assert_array_equal(found.trunk[i], pre.trunk[:, row, column].astype(np.float16))
        wanted = sum(pre.policy[point] * pre.trunk[:, *divmod(point, 9)] for point in range(81))
        np.testing.assert_allclose(found.expected[i], wanted, rtol=2e-3, atol=1e-4)
        assert found.points_loss[i] == pytest.approx(pre.lead.of(me) - post.lead.of(me), abs=1e-4)
    assert found.basic.shape == (4, len(BASIC)) and found.basic.dtype == np.float32
    assert found.trunk.dtype == found.expected.dtype == np.float16


def test_one_evaluation_a_position() -> None:
    net = Counting()
    move_features(game(), net, batch=3)
    assert net.asked == 5
    assert [len(batch) for batch in net.batches] == [3, 2]


def test_passes_have_no_row_but_count_as_moves() -> None:
    record = game(";B[ee];W[];B[cc];W[];B[]")
    found = move_features(record, NET)
    assert found.number.tolist() == [1, 3]
    assert not found.white.any()
    # After the pass Black's move is judged in the position in which he made it.
    pre = NET.evaluate([record.position(2)])[0]
    assert found.basic[1, MAX_POLICY] == pytest.approx(pre.policy.max() - 0.5)


def test_a_colour_twice_in_a_row_is_to_move_each_time() -> None:
    """Handicap stones written as moves: Black's, Black's, then White's."""
    record = game(";B[cc];B[gg];W[ee]")
    net = Counting()
    found = move_features(record, net)
    assert found.white.tolist() == [False, False, True]
    second = record.position(1)
    second.to_move = Color.BLACK
    pre = NET.evaluate([second])[0]
    assert found.basic[1, POLICY] == pytest.approx(float(pre.policy[record.moves[1].point]) - 0.5)
    first_after = record.position(1)
    first_after.to_move = Color.WHITE
    assert found.basic[0, LEAD] == pytest.approx(
        NET.evaluate([first_after])[0].lead.of(Color.BLACK) * 0.1, abs=1e-5
    )
    assert net.asked == 5


def test_komi_rules_and_handicap_are_the_records() -> None:
    net = Counting()
    move_features(game(";W[ec];B[cc]", "HA[2]AB[cg][gc]RU[Japanese]"), net)
    first = net.batches[0][0]
    assert first.rules.komi == 5.5
    assert first.rules.scoring.name == "TERRITORY"
    assert first.to_move is Color.WHITE
    assert int((first.stones() == 1).sum()) == 2


def test_the_moves_of_one_colour() -> None:
    found = move_features(game(), NET)
    black, white = found.of(Color.BLACK), found.of(Color.WHITE)
    assert black.number.tolist() == [1, 3] and white.number.tolist() == [2, 4]
    np.testing.assert_array_equal(white.basic[:, WINRATE], found.basic[[1, 3], WINRATE])
    assert len(black.trunk) == len(black.expected) == 2


def test_batches_reach_across_games_and_games_come_in_order() -> None:
    games = [game(), game(";B[aa];W[bb]"), game(""), game(";B[gg]")]
    net = Counting()
    found = list(features_of(games, net, batch=4))
    assert [len(f) for f in found] == [4, 2, 0, 1]
    assert [len(batch) for batch in net.batches] == [4, 4, 2]
    for one, record in zip(found, games, strict=True):
        assert same(one, move_features(record, NET))


class Slow(FakeEvaluator):
    """A net that returns the first of any two batches last."""

    def __init__(self) -> None:
        super().__init__()
        self.both = Barrier(2, timeout=20)
        self.second = Event()
        self.asked = count()

    def evaluate(self, positions: Sequence[Position], *, trunk: bool = False) -> list[Evaluation]:
        number = next(self.asked)
        self.both.wait()
        if number % 2:
            found = super().evaluate(positions, trunk=trunk)
            self.second.set()
            return found
        assert self.second.wait(20)
        self.second.clear()
        return super().evaluate(positions, trunk=trunk)


def test_batches_side_by_side_give_the_same() -> None:
    games = [game(), game(";B[aa];W[bb]"), game(""), game(";B[gg]"), game(";B[aa];W[bb];B[cc];W[dd];B[ee]")]
    found = list(features_of(games, Slow(), batch=2, workers=2))
    for one, record in zip(found, games, strict=True):
        assert same(one, move_features(record, NET))


def test_a_game_without_moves_or_of_passes_only_has_no_rows() -> None:
    for record in (game(""), game(";B[];W[]")):
        found = move_features(record, NET)
        assert len(found) == 0
        assert found.basic.shape == (0, 6)


def test_an_illegal_record_is_named() -> None:
    record = game()
    record.moves.append(record.moves[0])
    with pytest.raises(InputError, match="move 5"):
        move_features(record, NET)


def test_superko_in_a_record_is_no_fault() -> None:
    """A ko taken back after two passes repeats the board; the record is still valid."""
    ko = "AB[ba][ab][bc]AW[ca][cc][db][bb];B[cb];W[];B[];W[bb]"
    record = Game.from_sgf(f"(;SZ[5]RU[Tromp-Taylor]{ko})")
    assert record.rules.ko.name == "POSITIONAL"
    net = Counting()
    found = move_features(record, net)
    assert found.number.tolist() == [1, 4]
    assert {p.rules for batch in net.batches for p in batch} == {record.rules}


def test_a_net_without_trunk_gives_no_channels() -> None:
    class NoTrunk(FakeEvaluator):
        def evaluate(self, positions: Sequence[Position], **how: object) -> list[Evaluation]:
            return super().evaluate(positions)

    found = move_features(game(), NoTrunk())
    assert found.trunk.shape == found.expected.shape == (4, 0)


@pytest.mark.data
def test_the_trunk_vector_is_katagos_own(shared_reference: Path) -> None:
    """Compared with KataGo's own output at the move that was played next."""
    from tengen.nets.library import open_net

    net = open_net(str(next((shared_reference / "nets").glob("g170-b6c96-*.bin.gz"))), threads=1)
    compared = 0
    for line in lines(shared_reference, "b6c96"):
        if not line["nextMovePlayed"] or len(line["moves"]) > 60:
            continue
        position = position_of(line)
        setup = Setup(
            *([parse_vertex(v, position.size) for v in line[f"initial{c}"]] for c in ("Black", "White"))
        )
        moves = [
            Move(Color.parse(color), parse_vertex(vertex, position.size))
            for color, vertex in [*line["moves"], line["nextMovePlayed"]]
        ]
        record = Game(size=position.size, rules=position.rules, setup=setup, moves=moves)
        record.first_to_move = moves[0].color
        last = move_features(record, net)[-1:]
        pick = line["trunk"]["picks"]["nextMove"]
        assert pick["pos"] == moves[-1].point
        np.testing.assert_allclose(last.trunk[0], pick["trunkTip"], rtol=2e-3, atol=2e-3)
        assert last.basic[0, POLICY] + 0.5 == pytest.approx(line["policy"][moves[-1].point], abs=1e-4)
        compared += 1
    assert compared >= 2
