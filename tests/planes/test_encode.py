"""Batches: symmetries, threads, records, and what is refused."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen import Color, InputError, Position, Rules, _native
from tengen.games.records import Records
from tengen.planes import encode, encode_inputs, encode_records, encoding, encoding_names

# The Monte Carlo planes draw other playouts for a board that lies otherwise.
DETERMINISTIC = [name for name in encoding_names() if name != "golois42"]


def random_game(size: int, length: int, seed: int, rules: Rules | str = "chinese") -> Position:
    rng = random.Random(seed)
    position = Position(size, rules)
    for _ in range(length):
        moves = position.legal_moves
        position.play(rng.choice(moves[:-1] or moves))
    return position


def turned(planes: np.ndarray, symmetry: int) -> np.ndarray:
    """Planes [.., size, size] as a symmetry carries their points."""
    out = np.empty_like(planes)
    size = planes.shape[-1]
    for point in range(size * size):
        y, x = divmod(point, size)
        v, u = divmod(_native.transform_point(point, size, symmetry), size)
        out[..., v, u] = planes[..., y, x]
    return out


@pytest.mark.parametrize("name", encoding_names())
@settings(max_examples=15, deadline=None)
@given(size=st.integers(2, 9), fullness=st.floats(0, 2), seed=st.integers(0, 2**32))
def test_a_symmetry_turns_every_plane(name: str, size: int, fullness: float, seed: int) -> None:
    position = random_game(size, int(fullness * size**2), seed)
    eight = encode_inputs(name, [position] * 8, range(8))
    for symmetry in range(8):
        np.testing.assert_array_equal(eight.planes[symmetry], turned(eight.planes[0], symmetry))
        np.testing.assert_array_equal(eight.globals[symmetry], eight.globals[0])


@pytest.mark.parametrize("name", DETERMINISTIC)
@settings(max_examples=15, deadline=None)
@given(
    size=st.integers(2, 9), fullness=st.floats(0, 2), seed=st.integers(0, 2**32), symmetry=st.integers(0, 7)
)
def test_a_turned_game_gives_turned_planes(
    name: str, size: int, fullness: float, seed: int, symmetry: int
) -> None:
    position = random_game(size, int(fullness * size**2), seed)
    other = Position(size)
    for move in position.moves():
        other.play(_native.transform_point(int(move) & 0x3FFF, size, symmetry))
    np.testing.assert_array_equal(encode(name, [other])[0], turned(encode(name, [position])[0], symmetry))


@pytest.mark.parametrize("name", encoding_names())
def test_colours_exchanged_give_the_same_planes(name: str) -> None:
    """All planes are the view of the side to move; only `black` and the komi know the colours."""
    black, white = Position(7), Position(7)
    white.to_move = Color.WHITE
    for vertex in ("C3", "C4", "D4", "E5", "D5", "B4", "C5"):
        black.play(vertex)
        white.play(vertex)
    skip = {"black", "ownership", "criticality", "amaf"}
    planes = encode(name, [black, white])
    for channel, one, other in zip(encoding(name).planes, *planes, strict=True):
        if channel.name not in skip:
            np.testing.assert_array_equal(one, other, channel.name)


@pytest.mark.parametrize("name", encoding_names())
def test_threads_do_not_change_a_batch(name: str) -> None:
    positions = [random_game(6, 3 * n, n) for n in range(20)]
    symmetries = [n % 8 for n in range(20)]
    one = encode_inputs(name, positions, symmetries)
    for threads in (2, 3, 50):
        several = encode_inputs(name, positions, symmetries, threads)
        np.testing.assert_array_equal(one.planes, several.planes)
        np.testing.assert_array_equal(one.globals, several.globals)
    for k, position in enumerate(positions):
        np.testing.assert_array_equal(one.planes[k], encode(name, [position], [symmetries[k]])[0])


def columns(games: Sequence[Position], setups: Sequence[list[int]], first: Sequence[Color]) -> Records:
    """Records of the games' moves."""
    moves = [game.moves() for game in games]
    rules = [game.rules for game in games]
    table = tuple(dict.fromkeys(replace(r, komi=0) for r in rules))
    return Records(
        sizes=np.array([game.size for game in games], np.uint8),
        moves_flat=np.concatenate([*moves, np.zeros(0, np.uint16)]),
        move_offsets=np.cumsum([0, *map(len, moves)]),
        setup_flat=np.array([s for setup in setups for s in setup], np.uint16),
        setup_offsets=np.cumsum([0, *map(len, setups)]),
        komi=np.array([r.komi for r in rules], np.float32),
        first_to_move=np.array(first, np.uint8),
        winner=np.zeros(len(games), np.uint8),
        rules=np.array([table.index(replace(r, komi=0)) for r in rules], np.uint8),
        rules_table=table,
    )


def made_records() -> tuple[Records, list[Position]]:
    handicap = [10, 11, 20 | 0x4000]
    games = [
        random_game(6, 30, 1, "chinese"),
        random_game(6, 50, 2, "tromp-taylor"),
        Position(6, "japanese", komi=-3.5).set_stones([10, 11], to_move=Color.WHITE).play(0).play(36).play(1),
    ]
    return columns(games, [[], [], handicap], [Color.BLACK, Color.BLACK, Color.WHITE]), games


@pytest.mark.parametrize("name", encoding_names())
def test_records_give_what_positions_give(name: str) -> None:
    records, games = made_records()
    wanted = [(g, m, (g + m) % 8) for g, game in enumerate(games) for m in range(game.move_number + 1)]
    random.Random(3).shuffle(wanted)
    which, moves, symmetries = zip(*wanted, strict=True)
    for threads in (1, 2):
        got = encode_records(name, records, which, moves, symmetries, threads)
        for k, (g, m, s) in enumerate(wanted):
            played = games[g].moves()
            start = Position(6, games[g].rules)
            if g == 2:
                start.set_stones([10, 11], to_move=Color.WHITE)
            start.play_all(played[:m])
            want = encode_inputs(name, [start], [s])
            np.testing.assert_array_equal(got.planes[k], want.planes[0])
            np.testing.assert_array_equal(got.globals[k], want.globals[0])
            if m == len(played):
                assert got.targets[k] == -1
            else:
                assert got.targets[k] == _native.transform_point(int(played[m]) & 0x3FFF, 6, s)


def test_the_target_of_a_pass_is_pass() -> None:
    records, _ = made_records()
    assert encode_records("golois39", records, [2], [1], [5]).targets.tolist() == [36]


def test_arrays_have_the_promised_types() -> None:
    records, _ = made_records()
    examples = encode_records("katago7", records, [0, 1], [3, 4])
    assert examples.planes.dtype == examples.globals.dtype == np.float32
    assert examples.targets.dtype == np.int32
    assert examples.planes.shape == (2, 22, 6, 6)
    assert examples.globals.shape == (2, 19)
    assert encode_inputs("golois39", [Position(19)]).globals.shape == (1, 0)


@pytest.mark.parametrize("size", range(2, 20))
def test_every_board_size(size: int) -> None:
    position = random_game(size, size * size // 2, size)
    for name in DETERMINISTIC:
        planes = encode(name, [position])
        assert planes.shape == (1, len(encoding(name)), size, size)
        assert np.isfinite(planes).all()


def test_bad_batches_are_refused() -> None:
    position = Position(9)
    for symmetries in ([8], [-1], [0, 0], []):
        with pytest.raises(InputError, match="symmetry"):
            encode("golois39", [position], symmetries)
    with pytest.raises(InputError, match="one board size"):
        encode("golois39", [position, Position(5)])
    with pytest.raises(InputError, match="no position"):
        encode("golois39", [])
    with pytest.raises(InputError, match="threads"):
        encode("golois39", [position], threads=0)
    with pytest.raises(
        InputError, match="unknown encoding 'golois40': known are golois42, golois39, alphago48"
    ):
        encode("golois40", [position])


def test_bad_records_are_refused() -> None:
    records, games = made_records()
    for which, moves, complaint in (
        ([3], [0], "no game 3"),
        ([-1], [0], "no game -1"),
        ([0], [31], "game 0 has no move 31"),
        ([0], [-1], "game 0 has no move -1"),
        ([0, 1], [0], "one move number"),
    ):
        with pytest.raises(InputError, match=complaint):
            encode_records("golois39", records, which, moves)
    moves = records.moves_flat.copy()
    moves[5] = moves[4]
    with pytest.raises(InputError, match="game 0: move 6 is played on a stone"):
        encode_records("golois39", replace(records, moves_flat=moves), [1, 0], [3, 20], threads=2)
    moves[5] = 37
    with pytest.raises(InputError, match="game 0: move 6 is not on the board"):
        encode_records("golois39", replace(records, moves_flat=moves), [0], [20])
    for broken, complaint in (
        (replace(records, komi=records.komi[:2]), "different lengths"),
        (replace(records, rules=records.rules + 9), "rules"),
        (replace(records, move_offsets=records.move_offsets[::-1]), "do not rise"),
        (replace(records, move_offsets=records.move_offsets + 1000), "beyond"),
        (replace(records, sizes=np.array([6, 7, 6], np.uint8)), "one board size"),
        (replace(records, sizes=np.array([20, 20, 20], np.uint8)), "board size 20"),
        (replace(records, setup_flat=np.array([40, 41, 42], np.uint16)), "game 2: setup is not on the board"),
    ):
        with pytest.raises(InputError, match=complaint):
            encode_records("golois39", broken, [0, 1, 2], [0, 0, 0])
    assert len(games) == 3
