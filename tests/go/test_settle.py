"""Settling a finished game: dead stones, owners, the count, and whether all of it is clear."""

from __future__ import annotations

import lzma
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from tengen import Color, Game, Position
from tengen.errors import InputError
from tengen.go.result import ResultKind
from tengen.go.settle import settle

LONE_STONES = """
    . . . X . O . . .
    . O . X . O . X .
    . . . X . O . . .
    . . . X . O . . .
    . . . X . O . . .
    . . . X . O . . .
    . . . X . O . . .
    . . . X . O . X .
    . . . X . O . . .
    """

SEKI = """
    O . O X . X
    . O O X X .
    O O O X X X
    O X X O X X
    O X . O X X
    O X . O X X
    """

# Black's group has two eyes: it is pass-alive. So is White's, and its territory holds a black stone.
CERTAIN = """
    . X . X O . .
    X X X X O X .
    O O O O O O O
    . O . O . O .
    O O O O O O O
    . . . . . . .
    . . . . . . .
    """


def vertices(position: Position, points: tuple[int, ...]) -> list[str]:
    return [position.vertex(p) for p in points]


def test_lone_stones_in_enemy_territory_are_dead() -> None:
    position = Position.from_text(LONE_STONES)
    found = settle(position)
    assert vertices(position, found.dead) == ["B8", "H8", "H2"]
    assert found.score.dead == found.dead
    assert found.margin == found.score.black - (found.score.white - position.rules.komi) == 4 * 9 - 4 * 9


@pytest.mark.parametrize("seed", range(5))
def test_a_seki_is_not_dead_and_not_settled(seed: int) -> None:
    found = settle(Position.from_text(SEKI), seed=seed)
    assert found.dead == ()
    assert not found.is_settled


def test_the_whole_string_is_dead_and_each_of_its_points_is_named() -> None:
    position = Position.from_text(LONE_STONES.replace(". O . X . O . X .", ". O O X . O . X ."))
    assert vertices(position, settle(position).dead) == ["B8", "C8", "H8", "H2"]


@pytest.mark.parametrize("opinion", [1.0, -1.0])
def test_what_is_certain_holds_whatever_the_net_says(opinion: float) -> None:
    position = Position.from_text(CERTAIN)
    alive, enclosed = position.pass_alive(Color.WHITE)
    assert alive[2, 0] and enclosed[1, 5]
    found = settle(position, np.full((7, 7), opinion, np.float32))
    assert vertices(position, found.dead) == ["F6"]
    assert (found.owner[alive | enclosed] == -1).all()
    assert (found.owner[position.pass_alive(Color.BLACK).stones] == 1).all()


def test_net_and_playouts_count_alike() -> None:
    position = Position.from_text(LONE_STONES)
    alone = settle(position).owner
    for opinion in (1.0, -1.0):
        ownership = np.full((9, 9), opinion, dtype=np.float32)
        np.testing.assert_allclose(settle(position, ownership).owner, (alone + ownership) / 2, atol=1e-6)


def test_a_net_decides_where_playouts_are_in_doubt() -> None:
    position = Position.from_text(SEKI)
    for_black = settle(position, np.ones((6, 6), np.float32))
    assert position.point("D3") in for_black.dead and position.point("B3") not in for_black.dead
    for_white = settle(position, -np.ones((6, 6), np.float32))
    assert position.point("B3") in for_white.dead and position.point("D3") not in for_white.dead


CLOSED = """
    . X X O .
    X X X O O
    . X X O .
    X X X O O
    . X X O .
    """


def test_a_board_is_settled_when_all_borders_are_closed() -> None:
    assert settle(Position.from_text(CLOSED)).is_settled
    assert settle(
        Position.from_text(CLOSED.replace("X X X O O", "X X . O O"))
    ).is_settled  # two dame are neutral
    assert not settle(Position.from_text(LONE_STONES)).is_settled
    assert not settle(Position(9)).is_settled


def test_owners_by_area_do_not_depend_on_the_rules() -> None:
    japanese, chinese = (Position.from_text(CERTAIN, rules=rules) for rules in ("japanese", "chinese"))
    one, other = settle(japanese), settle(chinese)
    np.testing.assert_array_equal(one.area, other.area)
    assert one.margin == other.margin == 8 - 41
    assert one.score.lead.of(Color.BLACK) != other.score.lead.of(Color.BLACK)


def test_the_same_on_any_number_of_threads() -> None:
    position = Position.from_text(LONE_STONES)
    np.testing.assert_array_equal(settle(position).owner, settle(position, threads=3).owner)


def test_the_position_is_left_alone() -> None:
    position = Position.from_text(LONE_STONES, Color.WHITE, "japanese")
    settle(position)
    assert position.to_move is Color.WHITE and position.rules.name == "japanese"


def test_what_cannot_be_used_is_refused() -> None:
    with pytest.raises(ValueError, match=r"ownership is \(9, 9\), the board 5x5"):
        settle(Position(5), np.zeros((9, 9), np.float32))
    with pytest.raises(ValueError, match="at least two playouts"):
        settle(Position(5), playouts=1)


def test_the_examples_count_as_they_were_recorded(examples: Path) -> None:
    for path in sorted(examples.glob("*.sgf")):
        if "seki" in path.name:
            continue  # GNU Go counts one of the two dame of its seki for Black
        game = Game.from_file(path)
        assert str(settle(game.position()).score.result) == str(game.result), path.name


@pytest.mark.data
def test_most_counted_games_of_a_server_come_out_as_recorded(shared_data: Path) -> None:
    games = []
    with lzma.open(shared_data / "kgs6d" / "kgs6d_2015.sgfs.xz") as lines:
        for line in islice(lines, 400):
            try:
                game = Game.from_sgf(line)
            except InputError:
                continue
            if game.result.kind is ResultKind.SCORE:
                games.append(game)
    results = [settle(game.position()).score.result for game in games[:40]]
    agree = sum(str(a) == str(game.result) for a, game in zip(results, games, strict=False))
    assert len(results) == 40 and agree >= 34
