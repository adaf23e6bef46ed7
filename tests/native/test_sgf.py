"""The native reader against sgfmill, and against whatever bytes come along."""

from __future__ import annotations

import lzma
import tarfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sgfmill import sgf as sgfmill
from sgfmill import sgf_grammar

from tengen import _native

FAULT_NAMES = _native.sgf_faults()
CORPUS = Path(__file__).parent / "corpus" / "sgf"


def corpus() -> dict[str, bytes]:
    return {path.stem: path.read_bytes() for path in sorted(CORPUS.glob("*.sgf"))}


def sgfmill_nodes(data: bytes) -> list[dict[str, list[bytes]]]:
    return list(sgf_grammar.main_sequence_iter(sgf_grammar.parse_sgf_game(data)))


def our_nodes(data: bytes) -> list[dict[str, list[bytes]]]:
    nodes = []
    for values in _native.sgf_main_line(data):
        node: dict[str, list[bytes]] = {}
        for name, value in values:
            node.setdefault(name, []).append(value)
        nodes.append(node)
    return nodes


def sgfmill_record(data: bytes) -> tuple[int, set[int], list[int]]:
    """Size, packed setup before the first move, packed moves; ValueError where a Game cannot hold it."""
    game = sgfmill.Sgf_game.from_bytes(data)
    size = game.get_size()
    stones: dict[int, int] = {}
    moves: list[int] = []

    def flat(row_col: tuple[int, int]) -> int:
        return (size - 1 - row_col[0]) * size + row_col[1]

    for node in game.get_main_sequence():
        black, white, empty = node.get_setup_stones()
        if (black or white or empty) and moves:
            raise ValueError("late setup")
        stones |= {flat(p): 0 for p in black} | {flat(p): 0x8000 for p in white}
        for p in empty:
            stones.pop(flat(p), None)
        color, move = node.get_move()
        if color is not None:
            moves.append((size * size if move is None else flat(move)) | (0x8000 if color == "w" else 0))
    return size, {p | c for p, c in stones.items()}, moves


def assert_agrees(data: bytes) -> None:
    """Wherever sgfmill accepts the data, so do we, and read the same."""
    try:
        theirs = sgfmill_nodes(data)
    except ValueError:
        return
    assert our_nodes(data) == theirs
    record = _native.read_sgf_game(data)
    assert record is not None
    if record.fault is None:
        size, setup, moves = sgfmill_record(data)
        assert record.size == size
        assert set(record.setup.tolist()) == setup
        assert record.moves.tolist() == moves


@pytest.mark.parametrize("name", corpus())
def test_corpus_is_read_as_sgfmill_reads_it(name: str) -> None:
    if name != "lost_parenthesis":  # sgfmill takes a variation for the game
        assert_agrees(corpus()[name])


FAULTS = {
    "cut_in_value": ("ends inside the game", 1),
    "cut_in_tree": ("ends inside the game", 1),
    "two_moves": ("several moves in a node", 1),
    "off_board": ("off the board", 1),
    "size_52": ("board size", 0),
    "oblong": ("board size", 0),
    "othello": ("not a game of Go", 0),
    "lost_parenthesis": ("not SGF", 0),
    "digit_name": ("not SGF", 0),
    "no_value": ("not SGF", 0),
    "late_setup": ("setup after the first move", 1),
    "occupied": ("point is occupied", 2),
    "single_suicide": ("suicide", 6),
}


@pytest.mark.parametrize(("name", "fault"), FAULTS.items())
def test_faults(name: str, fault: tuple[str, int]) -> None:
    record = _native.read_sgf_game(corpus()[name])
    assert record is not None
    assert (record.fault, record.fault_move) == fault


@pytest.mark.parametrize("name", ["prose", "binary"])
def test_no_game(name: str) -> None:
    assert _native.read_sgf_game(corpus()[name]) is None
    batch = _native.read_sgf(corpus()[name], np.array([0, len(corpus()[name])]))
    assert [FAULT_NAMES[f] for f in batch.fault] == ["no game found"]


def test_everything_else_in_the_corpus_is_read() -> None:
    for name in corpus().keys() - FAULTS.keys() - {"prose", "binary"}:
        record = _native.read_sgf_game(corpus()[name])
        assert record is not None and record.fault is None, name


def moves_of(text: str) -> list[int]:
    record = _native.read_sgf_game(text.encode())
    assert record is not None and record.fault is None
    return record.moves.tolist()


def test_passes() -> None:
    assert moves_of("(;SZ[9];B[];W[tt];B[ ])") == [81, 81 | 0x8000, 81]


def test_setup_before_the_first_move_is_one_position() -> None:
    record = _native.read_sgf_game(corpus()["setup_nodes"])
    assert record is not None
    assert record.setup.tolist() == [3 * 9 + 3 | 0x8000]  # the Black stone was taken off again
    assert record.player == 1


def test_ko_and_its_end() -> None:
    ko = "(;SZ[9];B[ba];W[ca];B[ab];W[db];B[bc];W[cc];B[cb];W[bb]{};B[cb])"
    record = _native.read_sgf_game(ko.format("").encode())
    assert record is not None and (record.fault, record.fault_move) == ("ko", 9)
    record = _native.read_sgf_game(ko.format(";B[ii];W[ih]").encode())
    assert record is not None and record.fault is None


def test_suicide_of_several_stones_is_reported_but_not_judged() -> None:
    text = "(;SZ[5]AB[aa]AW[ba][bb][cb][ac]PL[B];B[ab])"
    record = _native.read_sgf_game(text.encode())
    assert record is not None and record.fault is None and record.suicide == 1


@pytest.mark.parametrize(
    ("moves", "out_of_turn"),
    [
        (";B[aa];W[bb]", 0),
        (";B[aa];B[bb];B[cc];W[dd];B[ee]", 0),
        (";B[aa];W[bb];W[cc]", 3),
        (";W[aa];W[bb]", 2),
    ],
)
def test_out_of_turn(moves: str, out_of_turn: int) -> None:
    batch = _native.read_sgf(f"(;SZ[9]{moves})".encode())
    assert batch.out_of_turn.tolist() == [out_of_turn]


def test_the_place_of_a_fault() -> None:
    record = _native.read_sgf_game(b"(;SZ[9]\n;B[aa]\n  ;W[q9])")
    assert record is not None and (record.line, record.column) == (3, 6)


def test_a_root_of_countless_values() -> None:
    record = _native.read_sgf_game(b"(;" + b"A[]" * 1_000_000 + b")")
    assert record is not None and record.fault == "too many values in the root"
    assert len(record.root) == 100_000


def test_depth_is_no_matter() -> None:
    depth = 1_000_000
    nested = _native.read_sgf_game(b"(;B[]" * depth + b")" * depth)
    assert nested is not None and nested.fault is None and len(nested.moves) == depth
    assert _native.read_sgf_game(b"(" * depth) is None
    cut = _native.read_sgf_game(b"(;" * depth)
    assert cut is not None and cut.fault == "ends inside the game"


def test_a_broken_game_does_not_take_the_next_with_it() -> None:
    data = b"(;GM[1]PB[one];B[aa];W[bb]\n(;FF[4]PB[two]B\n(;GM[1]PB[three]SZ[9];B[aa])\n"
    batch = _native.read_sgf(data, np.array([0, len(data)]))
    assert [FAULT_NAMES[f] for f in batch.fault] == ["not SGF", "not SGF", "no fault"]
    assert batch.line.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    "data",
    [b"(;GM[1]\n" * 400_000, b"(;\\" + b"\n(" * 1_000_000, b"(" + b" " * 3_000_000 + b"("],
    ids=["openings without ends", "parentheses", "spaces"],
)
def test_hostile_files_take_linear_time(data: bytes) -> None:
    batch = _native.read_sgf(data, np.array([0, len(data)]))
    assert 1 <= len(batch) < 20


def test_a_variation_never_passes_for_a_game() -> None:
    data = b"(;SZ[9]\n;B\n(;W[aa])\n(;W[bb]))"
    batch = _native.read_sgf(data, np.array([0, len(data)]))
    assert [FAULT_NAMES[f] for f in batch.fault] == ["not SGF"]


def test_batch_does_not_depend_on_threads() -> None:
    lines = b"\n".join(data.replace(b"\n", b" ").replace(b"\r", b" ") for data in corpus().values()) * 3
    one, four = _native.read_sgf(lines, threads=1), _native.read_sgf(lines, threads=4)
    assert len(one) > 90
    for name in (
        "entry",
        "line",
        "fault",
        "fault_move",
        "size",
        "first_to_move",
        "moves",
        "move_offsets",
        "setup",
        "ids",
    ):
        assert np.array_equal(getattr(one, name), getattr(four, name)), name
    for prop in ("PB", "KM", "AP"):
        codes, texts = one.texts(prop)
        codes4, texts4 = four.texts(prop)
        assert texts == texts4 and np.array_equal(codes, codes4)


def test_repeated_properties_are_joined() -> None:
    codes, texts = _native.read_sgf(b"(;AP[GNUGo:3.8]SZ[9]AP[foxwq])").texts("AP")
    assert [texts[c] for c in codes] == ["GNUGo:3.8; foxwq"]


def test_id_is_of_what_was_played() -> None:
    def ids(*games: str) -> list[tuple[int, ...]]:
        return [tuple(row) for row in _native.read_sgf("\n".join(games).encode()).ids.tolist()]

    moves = "".join(f";{'BW'[i % 2]}[{'abcdefghi'[i % 9]}{'abcdefghi'[i // 9]}]" for i in range(40))
    long = f"(;SZ[9]PB[a]PW[b]DT[2001-01-01]RE[B+1]{moves})"
    same, other = ids(long, long.replace("DT[2001-01-01]", "C[hello]"))[0:2]
    assert same == other
    assert (
        len(set(ids(long, long.replace("PB[a]", "PB[c]"), long.replace("SZ[9]", "SZ[13]"), long + " "))) == 3
    )
    short = "(;SZ[9]PB[a]PW[b]DT[2001-01-01];B[ee])"
    assert len(set(ids(short, short.replace("2001", "2002"), short.replace("DT", " DT")))) == 2


# Random trees: properties with escapes, white space anywhere it may be, variations.
raw_text = st.lists(st.sampled_from([*"ab:;()[é \n\t", "\\]", "\\\\", "\\:"]), max_size=8).map(
    lambda parts: "".join(parts).encode()
)
point = st.tuples(st.sampled_from("abcdefghi"), st.sampled_from("abcdefghi")).map("".join)
space = st.sampled_from([b"", b"", b" ", b"\n", b"\r\n\t"])
names = st.sampled_from(["C", "N", "PB", "XY", "Comment", "LB", "PW", "KM"])


@st.composite
def node(draw: st.DrawFn, root: bool) -> bytes:
    parts = [b";"]
    if root:
        parts.append(b"SZ[9]")
        for name in draw(st.lists(st.sampled_from(["AB", "AW", "AE", "AddBlack"]), max_size=3)):
            values = draw(
                st.lists(st.one_of(point, st.tuples(point, point).map(_rectangle)), min_size=1, max_size=3)
            )
            parts.append(name.encode() + b"".join(b"[%s]" % v.encode() for v in values))
    else:
        parts.append(
            draw(st.sampled_from([b"B", b"W", b"Black", b" B "]))
            + b"[%s]" % draw(st.one_of(point, st.just(""))).encode()
        )
    for name in draw(st.lists(names, max_size=2)):
        parts.append(draw(space) + name.encode() + draw(space))
        parts += [b"[%s]" % value + draw(space) for value in draw(st.lists(raw_text, min_size=1, max_size=2))]
    return draw(space).join(parts)


def _rectangle(corners: tuple[str, str]) -> str:
    (a, b), (c, d) = corners
    return f"{min(a, c)}{min(b, d)}:{max(a, c)}{max(b, d)}"


@st.composite
def tree(draw: st.DrawFn, depth: int = 3) -> bytes:
    root = depth == 3
    nodes = [draw(node(root and i == 0)) for i in range(draw(st.integers(1, 4)))]
    children = draw(st.lists(tree(depth - 1), max_size=2)) if depth else []
    return draw(space) + b"(" + draw(space) + b"".join(nodes + children) + draw(space) + b")"


@given(tree())
@settings(max_examples=150, deadline=None)
def test_random_trees_are_read_as_sgfmill_reads_them(data: bytes) -> None:
    sgfmill_nodes(data)  # they are all SGF
    assert_agrees(data)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    data = bytearray(draw(st.sampled_from(list(corpus().values()))))
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(data)))
        match draw(st.sampled_from(["insert", "delete", "copy", "cut"])):
            case "insert":
                data[at:at] = draw(
                    st.one_of(
                        st.binary(max_size=4), st.sampled_from([b"(;", b")", b"[", b"]", b"\\", b"SZ["])
                    )
                )
            case "delete":
                del data[at : at + draw(st.integers(1, 8))]
            case "copy":
                data[at:at] = data[: draw(st.integers(0, len(data)))]
            case "cut":
                data = data[:at]
    return bytes(data)


@given(mutated())
@settings(max_examples=700, deadline=None)
def test_mutated_files_never_crash_and_agree(data: bytes) -> None:
    try:
        assert_agrees(data)
    except ValueError as error:
        # What we alone refuse: a game that lost its "(", or text that is no SGF after the first game.
        assert data.lstrip(b"\xef\xbb\xbf \t\r\n\f\v").startswith(b";"), error
    batch = _native.read_sgf(data, np.array([0, len(data)]), threads=1)
    offsets = batch.move_offsets
    for i in range(len(batch)):
        moves = batch.moves[offsets[i] : offsets[i + 1]] & 0x3FFF
        assert (moves <= int(batch.size[i]) ** 2).all()


@pytest.mark.data
def test_real_games_are_read_as_sgfmill_reads_them(shared_data: Path) -> None:
    files = sorted(shared_data.glob("*/*.sgfs.xz"))
    assert files
    for path in files:
        with lzma.open(path) as file:
            lines = [file.readline() for _ in range(200)]
        for line in lines[::10]:
            if not line.lstrip().startswith(b";"):
                assert_agrees(line)
    for path in sorted(shared_data.glob("trickplay/*.sgf"))[::8]:
        assert_agrees(path.read_bytes())
    with tarfile.open(next(shared_data.glob("gnugo_regression/*.tar.xz"))) as tar:
        for member in [m for m in tar if m.name.endswith(".sgf")][::40]:
            file = tar.extractfile(member)
            assert file is not None
            assert_agrees(file.read())
