from __future__ import annotations

import re
from pathlib import Path

import pytest

from tengen import Color, Game, InputError

# Made for this test, after the shape of Tygem's files.
GIB = r"""\HS
\[GIBOKIND=Global\]
\[GAMENAME=승급대국\]
\[GAMEDATE=2016- 3-26-17-29-30\]
\[GAMEPLACE=Tygem Baduk\]
\[GAMEWHITENAME=alpha (9D)\]
\[GAMEBLACKNAME=둘 (3D)\]
\[GAMEINFOMAIN=GBKIND:3,GTYPE:0,GCDT:1,GTIME:1200-30-3,GRLT:{grlt},ZIPSU:{zipsu},DUM:0,GONGJE:{komi},TCNT:3,AUSZ:0\]
\[GAMETAG=S1,R3,D5,G65,W3,Z0,T30-3-1200,C2016:03:26:17:29,I:alpha,L:9,M:two,N:3,A:alpha,B:two,J:1,K:1\]
\HE
\GS
2 1 0
4 0 &4
INI 0 1 {handicap} &4
STO 0 2 2 15 15
STO 0 3 1 2 3
SKI 0 4 2
STO 0 5 1 18 0
\GE
"""


def read(tmp_path: Path, text: str, codec: str = "utf-8") -> Game:
    path = tmp_path / "game.gib"
    path.write_bytes(text.encode(codec))
    return Game.from_file(path)


@pytest.mark.parametrize("codec", ["utf-8", "cp949"])
def test_a_gib_file(tmp_path: Path, codec: str) -> None:
    game = read(tmp_path, GIB.format(grlt=3, zipsu=0, komi=0, handicap=3), codec)
    assert (game.black, game.black_rank, game.white, game.white_rank) == ("둘", "3D", "alpha", "9D")
    assert (game.date, game.komi, game.handicap, str(game.result)) == ("2016-03-26", 0, 3, "B+R")
    assert game.setup.black == sorted([3 * 19 + 3, 3 * 19 + 15, 15 * 19 + 3])
    assert [(m.color, m.point) for m in game.moves] == [
        (Color.WHITE, 15 * 19 + 15),
        (Color.BLACK, 3 * 19 + 2),
        (Color.WHITE, 361),
        (Color.BLACK, 18),
    ]
    assert (game.time_settings.main, game.time_settings.period, game.time_settings.periods) == (1200, 30, 3)
    assert Game.from_sgf(game.to_sgf()).moves == game.moves


@pytest.mark.parametrize(
    ("grlt", "zipsu", "result"),
    [
        (0, 65, "B+6.5"),
        (1, 5, "W+0.5"),
        (4, 0, "W+R"),
        (7, 0, "B+T"),
        (8, 0, "W+T"),
        (255, 0, "?"),
        (0, 0, "0"),
    ],
)
def test_results(tmp_path: Path, grlt: int, zipsu: int, result: str) -> None:
    assert str(read(tmp_path, GIB.format(grlt=grlt, zipsu=zipsu, komi=65, handicap=0)).result) == result


def test_an_even_game(tmp_path: Path) -> None:
    game = read(tmp_path, GIB.format(grlt=3, zipsu=0, komi=65, handicap=0))
    assert game.komi == 6.5 and not game.setup


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello", "not a GIB file"),
        ("STO 0 2 2 15", "line 1: .* is not a STO line"),
        ("\nSTO 0 2 2 19 0", "line 2, move 1: off"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, text)


def test_any_cut_is_an_error_or_a_game(tmp_path: Path) -> None:
    whole = GIB.format(grlt=3, zipsu=0, komi=65, handicap=2)
    for end in range(1, len(whole), 7):
        try:
            read(tmp_path, whole[:end])
        except InputError as error:
            assert re.search(r"game\.gib", str(error))
