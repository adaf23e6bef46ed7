"""Pattern search against drawn boards, and against a search that looks at every position in plain Python."""

from __future__ import annotations

import functools
import random
import tempfile
from itertools import product
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen import Color, Game, Position
from tengen.errors import InputError
from tengen.games.find import Match, continuations, find
from tengen.games.importing import read_games
from tengen.games.pattern import Pattern
from tengen.games.store import GameStore
from tests.games.pools import random_sgf

DATA = Path(__file__).parents[2].parent / "shared" / "data"


def pool(tmp_path: Path, *games: str) -> GameStore:
    path = tmp_path / "games.sgfs"
    path.write_text("\n".join(games), encoding="utf-8")
    return GameStore(read_games([path])[0])


def board_rows(position: Position) -> list[str]:
    stones = position.stones().ravel().tolist()
    size = position.size
    return ["".join(".XO"[stones[y * size + x]] for x in range(size)) for y in range(size)]


def turned(rows: list[str], symmetry: int) -> list[str]:
    """The board as it looks after a symmetry."""
    if symmetry & 1:
        rows = rows[::-1]
    if symmetry & 2:
        rows = [row[::-1] for row in rows]
    return ["".join(column) for column in zip(*rows, strict=True)] if symmetry & 4 else rows


def brute_force(pattern: Pattern, game: Game) -> set[tuple[int, frozenset[tuple[int, int, str]]]]:
    """(moves played, points with what had to be there) of each place of the board, at its first moment."""
    found: dict[frozenset[tuple[int, int, str]], int] = {}
    for number in range(len(game.moves) + 1):
        position = game.position(number)
        mover = game.moves[number].color if number < len(game.moves) else position.to_move
        rows = board_rows(position)
        for symmetry, swapped in product(range(8), (False, True)):
            drawn = turned(list(pattern.rows), symmetry)
            edges = turned_edges(pattern, symmetry)
            if swapped:
                drawn = [row.translate(str.maketrans("XO", "OX")) for row in drawn]
            wanted = pattern.to_move and (pattern.to_move.opponent if swapped else pattern.to_move)
            if wanted and wanted is not mover:
                continue
            height, width = len(drawn), len(drawn[0])
            for y, x in product(range(game.size - height + 1), range(game.size - width + 1)):
                at_edge = (x == 0, x + width == game.size, y == 0, y + height == game.size)
                if any(edge and not at for edge, at in zip(edges, at_edge, strict=True)):
                    continue
                cells = [(x + dx, y + dy, drawn[dy][dx]) for dy in range(height) for dx in range(width)]
                cells = [cell for cell in cells if cell[2] != "?"]
                if all(rows[cy][cx] == what for cx, cy, what in cells):
                    found.setdefault(frozenset(cells), number)
    return {(number, cells) for cells, number in found.items()}


def turned_edges(pattern: Pattern, symmetry: int) -> tuple[bool, bool, bool, bool]:
    left, right, top, bottom = pattern.left, pattern.right, pattern.top, pattern.bottom
    if symmetry & 1:
        top, bottom = bottom, top
    if symmetry & 2:
        left, right = right, left
    return (top, bottom, left, right) if symmetry & 4 else (left, right, top, bottom)


def as_set(pattern: Pattern, matches: list[Match]) -> set[tuple[int, frozenset[tuple[int, int, str]]]]:
    return {(match.move, frozenset(pattern.cells(match.placement))) for match in matches}


CORNER = Pattern.parse("""
    . . . |
    . X . |
    . . . |
    ------+
""")


def test_a_corner_is_found_in_every_corner_and_for_both_colours(tmp_path: Path) -> None:
    store = pool(tmp_path, "(;SZ[9];B[bb];W[hb];B[bh];W[hh])")
    matches = find(CORNER, store)
    assert [match.move for match in matches] == [1, 2, 3, 4]
    assert [match.placement.colors_swapped for match in matches] == [False, True, False, True]
    assert [match.placement.to_board(1, 1) for match in matches] == [(1, 1), (7, 1), (1, 7), (7, 7)]


def test_a_pattern_that_a_capture_makes_is_found(tmp_path: Path) -> None:
    store = pool(tmp_path, "(;SZ[5];B[ba];W[aa];B[ee];W[ec];B[ab];W[cc])")
    ponnuki = Pattern.parse("""
        +---
        | . X
        | X .
    """)
    (match,) = find(ponnuki, store)
    assert match.move == 5 and not match.placement.colors_swapped


def test_a_stone_that_was_taken_is_no_longer_there(tmp_path: Path) -> None:
    store = pool(tmp_path, "(;SZ[5];B[ba];W[aa];B[ab];W[cc];B[bb])")
    with_stone = Pattern(("OX", "XX"), left=True, top=True)
    assert find(with_stone, store) == []
    assert len(find(Pattern((".X", "XX"), left=True, top=True), store)) == 1


def test_the_turn_waits_for_the_right_side(tmp_path: Path) -> None:
    store = pool(tmp_path, "(;SZ[9];B[hh];W[ee];B[ed];W[ec])")
    drawing = "...|\n.X.|\n...|\n---+\n"
    assert [m.move for m in find(Pattern.parse(drawing + "O to move"), store)] == [1]
    assert [m.move for m in find(Pattern.parse(drawing + "X to move"), store)] == [2]


def test_setup_stones_count(tmp_path: Path) -> None:
    store = pool(tmp_path, "(;SZ[9]AB[hh][bb]PL[W];W[ee])")
    assert [match.move for match in find(CORNER, store)] == [0, 0]


def test_edges_hold_a_pattern(tmp_path: Path) -> None:
    store = pool(tmp_path, "(;SZ[9];B[de];W[ea])")
    free = Pattern(("...", ".X.", "..."))
    assert [m.move for m in find(free, store)] == [1]
    on_the_side = Pattern((".X.", "..."), top=True)
    assert [(m.move, m.placement.colors_swapped) for m in find(on_the_side, store)] == [(2, True)]
    assert find(Pattern(("X",)), store)[0].move == 1


def test_next_moves_are_told_in_the_colours_and_places_of_the_pattern(tmp_path: Path) -> None:
    store = pool(
        tmp_path,
        "(;SZ[9]RE[B+R];B[hh];W[gg])",
        "(;SZ[9]RE[W+R];B[ee];W[bb];B[cc])",
        "(;SZ[9]RE[B+R];B[hb];W[ee])",
        "(;SZ[9];B[hb])",
    )
    matches = find(CORNER, store)
    assert [(m.next, m.next_color) for m in matches] == [
        ((0, 0), Color.WHITE),
        ((0, 0), Color.WHITE),
        (None, Color.WHITE),
        (None, None),
    ]
    rows = continuations(matches, store)
    assert [(row.next, row.times, row.wins, row.decided) for row in rows] == [
        ((0, 0), 2, 0, 2),
        (None, 1, 0, 1),
    ]


@functools.cache
def random_pool(seed: int, size: int) -> GameStore:
    with tempfile.TemporaryDirectory() as folder:
        return pool(Path(folder), random_sgf(seed, size, 40))


cells = st.lists(st.text(".XO?", min_size=3, max_size=3), min_size=2, max_size=3)


@settings(max_examples=60, deadline=None)
@given(
    rows=cells,
    edges=st.sampled_from([{}, {"left": True}, {"right": True, "bottom": True}, {"top": True}]),
    seed=st.integers(0, 4),
    size=st.integers(4, 6),
    to_move=st.sampled_from([None, Color.BLACK, Color.WHITE]),
)
def test_every_position_looked_at_in_plain_python_agrees(
    rows: list[str],
    edges: dict[str, bool],
    seed: int,
    size: int,
    to_move: Color | None,
) -> None:
    if not any(c in "XO" for row in rows for c in row):
        rows[0] = "X" + rows[0][1:]
    pattern = Pattern(tuple(rows), **edges, to_move=to_move)
    store = random_pool(seed, size)
    assert as_set(pattern, find(pattern, store, threads=2)) == brute_force(pattern, store[0])


def test_a_piece_of_a_board_is_found_under_all_symmetries(tmp_path: Path) -> None:
    rng = random.Random(3)
    for seed in range(10):
        store = pool(tmp_path, random_sgf(seed, 9, 50))
        rows = board_rows(store[0].position(50))
        x, y = rng.randrange(5), rng.randrange(5)
        piece = [row[x : x + 5] for row in rows[y : y + 4]]
        expected = {match.move for match in find(Pattern(tuple(piece)), store)}
        assert max(expected) <= 50 and expected
        for symmetry in range(8):
            assert {m.move for m in find(Pattern(tuple(turned(piece, symmetry))), store)} == expected


def test_a_pattern_of_an_sgf_takes_the_corner_it_is_in() -> None:
    pattern = Pattern.from_sgf("(;SZ[19]AB[oq]AW[qp][oo](;B[qq];W[pp])(;B[mp]))")
    assert str(pattern) == "\n".join(
        [
            ". . . . . .|",
            ". O . . . .|",
            ". . . O . .|",
            ". X . . . .|",
            ". . . . . .|",
            ". . . . . .|",
            "-----------+",
        ]
    )
    assert pattern.to_move is Color.BLACK and pattern.size == 19 and pattern.origin == (13, 13)


def test_points_to_view_are_the_pattern() -> None:
    pattern = Pattern.from_sgf("(;SZ[9]AB[ee]AW[fe]VW[dd:ff][fg])")
    assert pattern.rows == ("...", ".XO", "...", "??.") and not pattern.right
    assert pattern.to_move is None


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "rectangle"),
        (". X\n.", "one length"),
        (". .\n. .", "needs a stone"),
        (". Z\nX .", "line 1: 'Z' is none"),
        ("X .|\n. .", "line 2: the edges"),
        ("X\n--\n--", "line 3: the bottom edge is drawn twice"),
        ("X\n--\nX", "line 3: there is something below"),
        ("\n".join("X" for _ in range(20)), "19 lines"),
    ],
)
def test_a_bad_drawing_is_refused(text: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=complaint):
        Pattern.parse(text)
    path = tmp_path / "pattern.txt"
    path.write_text(text or " ")
    with pytest.raises(InputError, match=r"pattern\.txt"):
        Pattern.read(path)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("(;SZ[19];B[dd])", "no stones"),
        ("(;SZ[19]AB[dd]PL[nobody])", "first node"),
        ("(;SZ[19]AB[zz])", "first node"),
        ("(;SZ[25]AB[dd])", "board size"),
        ("(;SZ[19]AB[dd]", "bad.sgf"),
    ],
)
def test_a_bad_sgf_is_refused(text: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.sgf"
    path.write_text(text)
    with pytest.raises(InputError, match=rf"bad\.sgf.*{complaint}|{complaint}.*"):
        Pattern.read(path)


@pytest.mark.data
@pytest.mark.skipif(not DATA.exists(), reason="the real games are not here")
def test_the_trick_plays_are_patterns_of_a_corner() -> None:
    for path in sorted((DATA / "trickplay").glob("*.sgf")):
        pattern = Pattern.read(path)
        assert pattern.bottom and pattern.right and pattern.to_move is Color.BLACK, path
        assert pl.Series(list(pattern.rows)).str.len_chars().n_unique() == 1
