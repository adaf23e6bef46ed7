"""Playouts: the rules they keep, and the statistics over them, recomputed from recorded playouts."""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt
import pytest

from tengen import Color, Position
from tengen.go.playouts import Policy, playout_moves, playout_statistics

POLICIES: tuple[Policy, ...] = ("uniform", "guided")

# Black's wall splits the board; both sides have two eyes and no way to lose them. Black leads by 9 points.
DECIDED = """
. X . X O O .
X X X X O O O
X X X X O . O
X X X X O O O
X X X X O O O
X X X X O O O
X X X X O O .
"""


def in_the_middle(size: int) -> Position:
    """A position with captures and kos about to happen: the first half of a playout."""
    position = Position(size)
    for point in playout_moves(Position(size), seed=5)[: size * size // 2]:
        position.play(point)
    return position


def sides(point: int, size: int) -> list[int]:
    y, x = divmod(point, size)
    points = [(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)]
    return [j * size + i for j, i in points if 0 <= i < size and 0 <= j < size]


def diagonals(point: int, size: int) -> list[int]:
    y, x = divmod(point, size)
    points = [(y + j, x + i) for j in (-1, 1) for i in (-1, 1)]
    return [j * size + i for j, i in points if 0 <= i < size and 0 <= j < size]


def is_eye(stones: npt.NDArray[np.uint8], point: int, color: int) -> bool:
    size, flat = len(stones), stones.ravel()
    if any(flat[q] != color for q in sides(point, size)):
        return False
    corners = diagonals(point, size)
    enemies = sum(flat[q] == 3 - color for q in corners)
    return bool(enemies == 0 if len(corners) < 4 else enemies < 2)


def final_owners(position: Position) -> npt.NDArray[np.int64]:
    """+1 Black's, -1 White's, 0 neither's, by area: row-major, by flood fill."""
    size, flat = position.size, position.stones().ravel()
    owners = np.zeros(size * size, np.int64)
    owners[flat == 1], owners[flat == 2] = 1, -1
    left = set(np.flatnonzero(flat == 0).tolist())
    while left:
        region, todo, walls = set(), [left.pop()], set()
        while todo:
            region.add(point := todo.pop())
            for q in sides(point, size):
                if flat[q]:
                    walls.add(int(flat[q]))
                elif q in left:
                    left.remove(q)
                    todo.append(q)
        if len(walls) == 1:
            owners[list(region)] = 1 if walls == {1} else -1
    return owners


def played_out(position: Position, moves: list[int]) -> Position:
    end = position.copy()
    for point in moves:
        end.play(point)
    return end


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("size", [2, 3, 5, 9, 19])
def test_playouts_end_with_two_passes_or_at_the_cap(size: int, policy: Policy) -> None:
    for index in range(20):
        moves = playout_moves(Position(size), policy=policy, index=index)
        assert moves[-2:] == [size * size] * 2 or len(moves) == 3 * size * size
        assert [size * size] * 2 not in [moves[i : i + 2] for i in range(len(moves) - 2)]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("size", [3, 7, 19])
def test_playouts_keep_the_rules_and_their_eyes(size: int, policy: Policy) -> None:
    for index in range(10):
        position = in_the_middle(size)  # Chinese rules: simple ko, no suicide
        for point in playout_moves(position, policy=policy, index=index):
            color = position.to_move
            if point != position.pass_ and policy == "uniform":
                assert not is_eye(position.stones(), point, color)
            position.play(point)


def test_uniform_playouts_pass_only_when_nothing_is_left() -> None:
    for index in range(20):
        position = in_the_middle(5)
        for point in playout_moves(position, index=index):
            if point == position.pass_:
                stones, color = position.stones(), position.to_move
                assert all(is_eye(stones, p, color) for p in position.legal_moves[:-1])
            position.play(point)


def test_every_move_of_a_uniform_playout_is_as_likely_as_the_other() -> None:
    position = in_the_middle(5)
    stones, color = position.stones(), position.to_move
    choices = [p for p in position.legal_moves[:-1] if not is_eye(stones, p, color)]
    n = 4000
    first = Counter(playout_moves(position, seed=1, index=i)[0] for i in range(n))
    assert set(first) == set(choices)
    expected = n / len(choices)
    chi_square = sum((first[p] - expected) ** 2 / expected for p in choices)
    freedom = len(choices) - 1
    assert chi_square < freedom + 5 * np.sqrt(2 * freedom)


@pytest.mark.parametrize("policy", POLICIES)
def test_the_same_seed_gives_the_same_answer_on_any_number_of_threads(policy: Policy) -> None:
    position = in_the_middle(9)
    one = playout_statistics(position, 50, seed=3, policy=policy)
    for threads in (2, 3, 64):
        many = playout_statistics(position, 50, seed=3, policy=policy, threads=threads)
        assert many.black_wins == one.black_wins
        for field in ("margins", "ownership", "criticality"):
            np.testing.assert_array_equal(getattr(many, field), getattr(one, field))
        for color in Color:
            np.testing.assert_array_equal(many.amaf[color], one.amaf[color])
    other = playout_statistics(position, 50, seed=4, policy=policy)
    assert (other.margins != one.margins).any()


@pytest.mark.parametrize("policy", POLICIES)
def test_a_decided_board_has_a_sure_winner(policy: Policy) -> None:
    for to_move in Color:
        position = Position.from_text(DECIDED, to_move)
        statistics = playout_statistics(position, 100, policy=policy)
        assert statistics.margin_mean == 7 and statistics.margin_deviation == 0
        assert statistics.black_wins == 0  # 7 points are not enough at komi 7.5
        assert statistics.win_share(Color.BLACK, 6.5) == 1
        assert statistics.win_share(Color.WHITE, 7) == 0.5
        assert set(statistics.ownership[:, :4].ravel()) == {1.0}
        assert set(statistics.ownership[:, 4:].ravel()) == {-1.0}
        assert not statistics.criticality.any()


def test_handicap_counts_for_the_winner() -> None:
    """Under Chinese rules White gets a point for each handicap stone: 3 and komi beat Black's 25 - 0 not."""
    position = Position(5, komi=23.5).set_stones(black=["B2", "D4"], to_move=Color.WHITE)
    assert position.handicap_bonus == 2
    statistics = playout_statistics(position, 200)
    assert statistics.black_wins == pytest.approx(200 * statistics.win_share(Color.BLACK, 25.5))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("komi", [0.5, 3.0])
def test_statistics_are_those_of_the_recorded_playouts(policy: Policy, komi: float) -> None:
    n, size = 200, 5
    position = Position(size, komi=komi)
    for vertex in ("C3", "C2", "D2"):
        position.play(vertex)
    records = [playout_moves(position, seed=9, policy=policy, index=i) for i in range(n)]
    owners = np.array([final_owners(played_out(position, moves)) for moves in records])
    margins = owners.sum(axis=1)
    black_wins = (np.sign(margins - komi) + 1) / 2

    statistics = playout_statistics(position, n, seed=9, policy=policy)

    assert statistics.playouts == n
    assert statistics.black_wins == black_wins.sum()
    assert statistics.margin_mean == pytest.approx(margins.mean())
    assert statistics.margin_deviation == pytest.approx(margins.std())
    np.testing.assert_array_equal(statistics.margins, np.bincount(margins + 25, minlength=51))
    np.testing.assert_allclose(statistics.ownership.ravel(), owners.mean(axis=0), atol=1e-6)
    assert statistics.ownership.sum() == pytest.approx(statistics.margin_mean, abs=1e-4)

    # Coulom's formula is the sum over both colours of cov(the colour owns the point, the colour wins).
    criticality = [
        np.cov(owners[:, p] == 1, black_wins, bias=True)[0, 1]
        + np.cov(owners[:, p] == -1, 1 - black_wins, bias=True)[0, 1]
        for p in range(size * size)
    ]
    np.testing.assert_allclose(statistics.criticality.ravel(), criticality, atol=1e-6)

    for color in Color:
        wins = black_wins if color is Color.BLACK else 1 - black_wins
        for p in range(size * size):
            # The side to move plays the even moves of a playout.
            parity = 0 if color is position.to_move else 1
            first = [p in moves and moves.index(p) % 2 == parity for moves in records]
            count = sum(first)
            assert statistics.amaf_playouts[color].ravel()[p] == count
            expected = wins[first].mean() if count else wins.mean()
            assert statistics.amaf[color].ravel()[p] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 0}, "number of playouts"),
        ({"n": 1, "threads": 0}, "number of threads"),
        ({"n": 1, "policy": "clever"}, "known are uniform, guided"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        playout_statistics(Position(9), **arguments)  # type: ignore[arg-type]
