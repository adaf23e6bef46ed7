from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen import Color, Game, InputError, Move
from tengen.go.fields import ING
from tengen.go.game import Setup
from tengen.go.result import Result, ResultKind
from tengen.go.rules import PRESETS
from tengen.go.sgf import sgf_tree

KGS = """(;GM[1]FF[4]SZ[19]PW[roln111]WR[8d]PB[sharma]BR[6d]DT[2015-01-01]PC[KGS]KM[0.50]RE[W+Resign]
RU[Japanese]OT[3x10 byo-yomi]CA[UTF-8]ST[2]AP[CGoban:3]TM[0]HA[2]AB[pd][dp];W[cd];B[pp];W[])"""


def test_a_server_record() -> None:
    game = Game.from_sgf(KGS)
    assert (game.black, game.black_rank, game.white, game.white_rank) == ("sharma", "6d", "roln111", "8d")
    assert (game.komi, game.handicap, game.rules.name) == (0.5, 2, "japanese")
    assert game.result == Result(ResultKind.RESIGN, Color.WHITE)
    assert game.setup == Setup(black=[15 + 3 * 19, 3 + 15 * 19])
    assert game.moves == [
        Move(Color.WHITE, 2 + 3 * 19),
        Move(Color.BLACK, 15 + 15 * 19),
        Move(Color.WHITE, 361),
    ]
    assert game.time_settings.period == 10
    assert game.day is not None and game.day.year == 2015
    assert game.info["PC"] == "KGS"
    assert game.start().to_move is Color.WHITE


def test_text_bytes_and_files_are_the_same(tmp_path: Path) -> None:
    game = Game.from_sgf(KGS)
    assert Game.from_sgf(KGS.encode()) == game
    for name, data in {
        "a.sgf": KGS.encode(),
        "b.sgf.gz": gzip.compress(KGS.encode()),
        "c.SGF.xz": lzma.compress(KGS.encode()),
    }.items():
        path = tmp_path / name
        path.write_bytes(data)
        assert Game.from_sgf(path) == Game.from_sgf(str(path)) == Game.from_file(path) == game


def test_the_main_line_is_the_first_variation() -> None:
    game = Game.from_sgf("(;SZ[9];B[aa](;W[bb];B[cc])(;W[dd]))")
    assert [m.point for m in game.moves] == [0, 10, 20]


def test_the_tree_has_all_variations() -> None:
    tree = sgf_tree("(;SZ[9];B[aa](;W[bb];B[cc])(;W[dd]C[柯洁]))")
    assert len(tree.get_root()[0]) == 2
    assert tree.get_root()[0][1].get("C") == "柯洁"


def test_handicap_without_ha_is_counted() -> None:
    assert Game.from_sgf("(;SZ[9]AB[cc][gg][gc];W[ee])").handicap == 3
    assert Game.from_sgf("(;SZ[9]HA[0]AB[cc][gg][gc];W[ee])").handicap == 0
    assert Game.from_sgf("(;SZ[9]AB[cc][gg]AW[gc];W[ee])").handicap == 0


def test_who_is_to_move() -> None:
    assert Game.from_sgf("(;SZ[9]AB[cc]PL[B])").start().to_move is Color.BLACK
    assert Game.from_sgf("(;SZ[9]AB[cc])").start().to_move is Color.WHITE
    assert Game.from_sgf("(;SZ[9]AB[cc];B[dd])").start().to_move is Color.BLACK
    assert Game.from_sgf("(;SZ[9])").start().to_move is Color.BLACK


def test_superko_is_not_asked_of_a_record_but_of_what_follows() -> None:
    # Two Black stones kill themselves, and the board of move 1 is there again, White to play.
    game = Game.from_sgf("(;SZ[5]RU[NZ]AW[ba][bb][cb][ac]PL[B];B[];W[];B[aa];W[];B[ab];W[];B[aa];W[])")
    position = game.position()
    assert (position.move_number, position.rules.name) == (8, "new-zealand")
    assert position.refusal("A4", Color.BLACK) == "superko: repeats an earlier position"
    assert game.position(4).refusal("A4", Color.BLACK) == "superko: repeats an earlier position"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(;SZ[9];B[aa];W[aa])", "move 2: point is occupied"),
        ("(;SZ[9];B[jj])", "line 1, move 1: off the board"),
        ("(;SZ[9];B[aa", "cut short"),
        ("(;SZ[9]\n;B[aa];W[b", "line 2.*cut short"),
        ("(;SZ[1])", "board size"),
        ("(;SZ[-9])", "board size"),
        ("(;SZ[1000000000000])", "board size"),
        ("(;SZ[9:13])", "board size"),
        ("(;SZ[nine])", "board size"),
        ("(;KM[NaN])", "komi 'NaN' is not a number"),
        ("(;KM[1e10])", "komi"),
        ("(;GM[3])", "not a game of Go"),
        ("(;SZ[9]AB[zz])", "setup off the board"),
        ("(;SZ[9]AB[cc:aa])", "setup off the board"),
        ("(;SZ[9]AB[aa]AW[ab][ba])", "without liberties"),
        ("(;SZ[9];B[aa];AB[bb])", "after the first move"),
        ("(;SZ[9];B[aa]W[bb])", "several moves"),
        ("(;SZ[5]AB[aa]AW[ba][bb][cb][ac]PL[B];B[ab])", "move 1: suicide, which chinese rules forbid"),
        ("there is no such file.sgf", "no such file"),
        ("a\0b", "neither SGF text"),
        (b"", "no game in it"),
        (b"\x00\x01\x02\xff" * 100, "no game in it"),
    ],
)
def test_bad_records(text: str | bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Game.from_sgf(text)


@pytest.mark.parametrize(
    "fault",
    [";W[aa]", ";W[zz]", ";AB[ii]", ";W[bb]B[cc]"],
    ids=["occupied", "off the board", "late setup", "several moves"],
)
def test_what_is_wrong_later_does_not_matter_to_the_moves_before(fault: str) -> None:
    text = f"(;SZ[9]AB[ee];B[aa];W[ab];B[ba]{fault};B[ff])"
    with pytest.raises(InputError):
        Game.from_sgf(text)
    game = Game.from_sgf(text, before=3)
    assert [move.point for move in game.moves] == [0, 9]
    assert game.setup.black == [40]
    with pytest.raises(InputError):
        Game.from_sgf(text, before=5)
    with pytest.raises(InputError, match="occupied"):
        Game.from_sgf(text.replace("W[ab]", "W[aa]"), before=3)


def test_more_moves_than_there_are_is_all_of_them() -> None:
    assert len(Game.from_sgf("(;SZ[9];B[aa];W[bb])", before=300).moves) == 2
    assert Game.from_sgf("(;SZ[9];B[aa];W[bb])", before=0).moves == []


def test_suicide_where_the_rules_allow_it() -> None:
    game = Game.from_sgf("(;SZ[5]RU[NZ]AB[aa]AW[ba][bb][cb][ac]PL[B];B[ab])")
    assert game.position().captured(Color.BLACK) == 2


def test_bad_files_are_named(tmp_path: Path) -> None:
    for name, data, message in (
        ("empty.sgf", b" \n", "empty file"),
        ("cut.sgf.xz", lzma.compress(KGS.encode())[:-20], "cannot be read"),
        ("fake.sgf.gz", b"(;)", "cannot be read"),
        ("large.sgf", b"(;C[" + b"x" * (65 * 2**20) + b"])", "larger than 64 MB"),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(InputError, match=f"{name}: {message}"):
            Game.from_sgf(path)
    with pytest.raises(InputError, match="is a folder"):
        Game.from_sgf(tmp_path)


names = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=12)


@st.composite
def games(draw: st.DrawFn) -> Game:
    """Records whose moves keep the rules: any points once, filled from an empty board."""
    size = draw(st.integers(2, 19))
    points = draw(st.permutations(range(size * size)))[: draw(st.integers(0, min(size * size // 4, 30)))]
    stones = draw(st.integers(0, len(points)))
    black = draw(st.integers(0, stones))
    rules = draw(st.sampled_from([*PRESETS.values(), ING]))
    game = Game(
        size=size,
        rules=rules.with_komi(draw(st.sampled_from([0, 0.5, 5.5, 6.5, 7, 7.5, -3.5]))),
        black=draw(names),
        white=draw(names),
        black_rank=draw(st.sampled_from(["", "9d", "P9段"])),
        white_rank=draw(st.sampled_from(["", "3k", "-"])),
        date=draw(st.sampled_from(["", "2001-02-03", "1846-09-11,14"])),
        handicap=draw(st.integers(0, 9)),
        result=Result.parse(draw(st.sampled_from(["", "B+R", "W+3.5", "0", "Void", "B+", "W+T", "B+F"]))),
        setup=Setup(points[:black], points[black:stones]),
        first_to_move=draw(st.sampled_from([None, *Color])),
        moves=[Move(draw(st.sampled_from(Color)), p) for p in points[stones:]],
        info=draw(st.dictionaries(st.sampled_from(["EV", "PC", "GC", "XX"]), names.filter(bool), max_size=2)),
    )
    if draw(st.booleans()):
        game.moves.append(Move(Color.BLACK, size * size))
    return game


@given(games())
@settings(max_examples=200, deadline=None)
def test_a_game_survives_being_written_and_read(game: Game) -> None:
    try:
        game.position()
    except ValueError:
        with pytest.raises(InputError):
            Game.from_sgf(game.to_sgf())
        return
    assert Game.from_sgf(game.to_sgf()) == game


def test_line_breaks_in_long_texts_survive() -> None:
    game = Game(size=9, info={"GC": "one\ntwo \\ ] three"})
    assert Game.from_sgf(game.to_sgf()) == game


def test_examples(examples: Path) -> None:
    for path in examples.glob("*.sgf"):
        game = Game.from_sgf(path)
        assert len(game.moves) == game.position().move_number > 20
        assert Game.from_sgf(game.to_sgf()) == game
