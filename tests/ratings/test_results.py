"""Results, histories and recent moves as in Definitions 1 and 2 of the thesis."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen.ratings.results import Results, recent_moves

games = st.lists(
    st.tuples(st.permutations("abcde"), st.sampled_from([0.0, 0.5, 1.0])).map(
        lambda g: (g[0][0], g[0][1], g[1])
    ),
    max_size=40,
)


@settings(deadline=None)
@given(games, st.integers(0, 40), st.integers(0, 12))
def test_histories_by_their_definitions(rows: list[tuple[str, str, float]], t: int, ahead: int) -> None:
    pool = Results.of(rows)
    for name in pool.players:
        mine = [i for i, (b, w, _) in enumerate(rows) if name in (b, w)]
        history = pool.history(pool.number(name))
        assert history.games.tolist() == mine
        assert history.side.tolist() == [0 if rows[i][0] == name else 1 for i in mine]
        assert pool.history(pool.number(name), t).games.tolist() == [i for i in mine if i <= t]
        assert pool.games_of_players[pool.number(name)] == len(mine)
        for place, game in enumerate(mine):
            side = 0 if rows[game][0] == name else 1
            assert pool.earlier_games[game, side] == place
            later = mine[min(place + ahead, len(mine) - 1)]
            assert pool.ahead(ahead)[game, side] == 2 * later + (0 if rows[later][0] == name else 1)


# Black's moves are even, White's odd: B0 W1 B2 W3 ..., with a pass of Black's in game 2.
PASS = 361
MOVES = [
    np.array([0, 1 | 0x8000, 2, 3 | 0x8000, 4], dtype=np.uint16),
    np.array([10, 11 | 0x8000], dtype=np.uint16),
    np.array([20, 21 | 0x8000, PASS, 23 | 0x8000, 24], dtype=np.uint16),
]


def test_recent_moves_are_the_last_of_the_player_without_passes() -> None:
    pool = Results.of([("a", "b", 1), ("b", "a", 0), ("a", "c", 1)])

    def of(t: int, window: int) -> list[tuple[int, int]]:
        found = recent_moves(pool, MOVES.__getitem__, pool.number("a"), t, window)
        return list(zip(found.games.tolist(), found.moves.tolist(), strict=True))

    assert of(2, 500) == [(0, 0), (0, 2), (0, 4), (1, 1), (2, 0), (2, 4)]
    assert of(2, 4) == [(0, 4), (1, 1), (2, 0), (2, 4)]
    assert of(0, 2) == [(0, 2), (0, 4)]
    assert of(-1, 500) == []


def test_the_first_games_of_a_pool_keep_its_players() -> None:
    pool = Results.of([("a", "b", 1), ("c", "a", 0)]).head(1)
    assert len(pool) == 1
    assert pool.players == ["a", "b", "c"]
    assert pool.games_of_players.tolist() == [1, 1, 0]
