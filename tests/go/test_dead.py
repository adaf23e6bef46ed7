"""Guessing dead stones."""

from __future__ import annotations

import lzma
from itertools import islice
from pathlib import Path

import pytest

from tengen import Game, Position
from tengen.errors import InputError
from tengen.go.dead import guess_dead
from tengen.go.result import ResultKind


def test_lone_stones_in_enemy_territory_are_dead() -> None:
    position = Position.from_text(
        """
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
    )
    assert [position.vertex(p) for p in guess_dead(position)] == ["B8", "H8", "H2"]


def test_a_seki_is_not_dead() -> None:
    position = Position.from_text(
        """
        O . O X . X
        . O O X X .
        O O O X X X
        O X X O X X
        O X . O X X
        O X . O X X
        """
    )
    assert guess_dead(position) == []


def test_the_examples_count_as_they_were_recorded(examples: Path) -> None:
    for path in sorted(examples.glob("*.sgf")):
        if "seki" in path.name:
            continue  # GNU Go counts one of the two dame of its seki for Black
        game = Game.from_file(path)
        position = game.position()
        assert str(position.score(guess_dead(position)).result) == str(game.result), path.name


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
    positions = [game.position() for game in games[:40]]
    results = [position.score(guess_dead(position)).result for position in positions]
    agree = sum(str(a) == str(game.result) for a, game in zip(results, games, strict=False))
    assert len(results) == 40 and agree >= 34
