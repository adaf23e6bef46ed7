"""GNU Go as a live witness: a slice of what `scripts/witness-gnugo` asks about 20,000 positions."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from reference.gnugo import Agreement, GnuGo, compare, random_game, sgf_game

from tengen import Position
from tengen.go.handicap import fixed_handicap, max_fixed_handicap


@pytest.fixture(scope="module")
def witness(gnugo: str) -> Iterator[GnuGo]:
    with GnuGo(gnugo) as process:
        yield process


@pytest.mark.parametrize(("size", "games", "every"), [(9, 8, 1), (13, 2, 2), (19, 1, 4)])
def test_random_games(witness: GnuGo, size: int, games: int, every: int) -> None:
    agreement = Agreement()
    rng = random.Random(size)
    for _ in range(games):
        compare(witness, size, random_game(size, rng, moves=2 * size * size), agreement, every)
    assert agreement.differences == []
    assert agreement.positions >= 160 and agreement.captures >= 40 and agreement.kos >= 3


def test_games_of_the_examples(witness: GnuGo, examples: Path) -> None:
    agreement = Agreement()
    for path in sorted(examples.glob("*.sgf")):
        compare(witness, *sgf_game(path.read_bytes()), agreement, every=4)
    assert agreement.differences == []
    assert agreement.games >= 3


def test_fixed_handicap_on_every_size(witness: GnuGo) -> None:
    # GNU Go takes the fourth line on 12x12 already, where the specification has the third below 13x13.
    for size in (*range(7, 12), *range(13, 20)):
        for stones in range(2, max_fixed_handicap(size) + 1):
            answer = witness.ask([f"boardsize {size}", "clear_board", f"fixed_handicap {stones}"])[-1]
            ours = [Position(size).vertex(p) for p in fixed_handicap(size, stones)]
            assert sorted(ours) == sorted(answer.split()), (size, stones)
            assert len(ours) == len(set(ours)) == stones
        too_many = max_fixed_handicap(size) + 1
        with pytest.raises(RuntimeError, match="invalid handicap"):
            witness.ask(["clear_board", f"fixed_handicap {too_many}"])
