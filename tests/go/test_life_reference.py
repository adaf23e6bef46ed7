"""Pass-alive groups, the count and KataGo's maps against the reference, and Benson against its definition."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from reference import life_reference as plain
from reference.go_reference import Board
from reference.random_boards import boards, set_up

from tengen import Color, Rules, _native
from tengen.go.rules import Scoring, Tax

START = boards(st.integers(2, 9))


def points(mask: np.ndarray) -> set[int]:
    return set(np.flatnonzero(mask).tolist())


def owners(owner: np.ndarray) -> dict[int, int]:
    return {p: int(owner.flat[p]) for p in points(owner)}


@given(boards(st.sampled_from([2, 3, 4, 5])), st.sampled_from(list(Color)), st.booleans())
@settings(max_examples=200, deadline=None)
def test_benson_by_its_definition(start: tuple[int, Board], color: Color, suicide: bool) -> None:
    """No sequence of enemy moves takes a pass-alive stone, some sequence takes any other, and none lives in
    pass-alive territory."""
    size, board = start
    life = set_up(size, board, Rules(suicide=suicide)).pass_alive(color)
    stones, territory = points(life.stones), points(life.territory)
    # The search grows threefold with each point that the enemy may fill: keep to boards with few of them.
    assume(size**2 - len(stones) - sum(c != color for c in board.values()) <= (7 if suicide else 9))
    assert plain.pass_alive_by_search(board, color, size, suicide) == stones
    if territory:
        for later in plain.reachable(board, color.opponent, size, suicide):
            assert not plain.benson(later, color.opponent, size, suicide)[0] & territory


@given(START, st.sampled_from(list(Color)), st.booleans())
@settings(max_examples=250, deadline=None)
def test_pass_alive_stones_and_territory_on_larger_boards(
    start: tuple[int, Board], color: Color, suicide: bool
) -> None:
    size, board = start
    life = set_up(size, board, Rules(suicide=suicide)).pass_alive(color)
    assert points(life.stones) == plain.benson(board, color, size, suicide)[0]
    assert points(life.territory) == plain.pass_alive_territory(board, color, size, suicide)


@given(START, st.booleans(), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_katagos_maps(start: tuple[int, Board], suicide: bool, rng: np.random.Generator) -> None:
    size, board = start
    position = set_up(size, board, Rules())
    assert owners(_native.katago_area(position, suicide)) == plain.katago_area(board, size, suicide)
    taxed = _native.katago_area(position, suicide, tax=True)
    assert owners(taxed) == plain.katago_taxed_area(board, size, suicide)
    earlier = {p: c for p, c in board.items() if rng.random() < 0.7}
    before = set_up(size, earlier, Rules())
    for tax in (False, True):
        found = _native.katago_territory(position, suicide, tax, before)
        assert owners(found) == plain.katago_territory(board, size, suicide, tax, earlier)


@given(START, st.sampled_from(list(Scoring)), st.sampled_from(list(Tax)), st.randoms(use_true_random=False))
@settings(max_examples=300, deadline=None)
def test_the_count(start: tuple[int, Board], scoring: Scoring, tax: Tax, rng: np.random.Generator) -> None:
    size, board = start
    dead = [p for p in board if rng.random() < rng.choice([0, 0.1, 0.3])]
    score = set_up(size, board, Rules(scoring=scoring, tax=tax, komi=0.5)).score(dead)
    territory = scoring is Scoring.TERRITORY
    owner, paid = plain.counted(board, dead, size, territory, tax.name)
    live = plain.without(board, dead, size)
    assert owners(score.owner) == owner
    assert set(score.dead) == board.keys() - live.keys()

    def total(color: int) -> int:
        owned = sum(c == color for c in owner.values()) - paid[color]
        if not territory:
            return owned
        stones = sum(c == color for c in live.values())
        taken = sum(c == 3 - color for p, c in board.items() if p not in live)
        return owned - stones + taken

    assert (score.black, score.white) == (total(1), total(2) + 0.5)
    if not territory and tax is Tax.NONE:
        regions, _ = plain.surrounded(live, size)
        assert owner == {**live, **{p: c for region, c in regions for p in region}}
