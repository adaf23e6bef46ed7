from __future__ import annotations

from pathlib import Path

import pytest

from tengen import Color, Game, InputError

# Made for this test, after the shape of Cyberoro's files.
LINES = [
    "Friendly game",
    "19",
    "Somebody    7D*",
    "江維傑      5段P",
    "www.cyberoro.com",
    "0",
    "0",
    "6",
    "20110812 [09:31]",
    "10",
    "黒2目半勝ち!",
    "3",
    "PMABBQEEQ",
    "PMACWEEEE",
    "PMADBAAAA",
]


def read(tmp_path: Path, changes: dict[int, str] | None = None, codec: str = "utf-8") -> Game:
    lines = [(changes or {}).get(i, line) for i, line in enumerate(LINES)]
    path = tmp_path / "game.ngf"
    path.write_bytes("\r\n".join(lines).encode(codec))
    return Game.from_file(path)


@pytest.mark.parametrize("codec", ["utf-8", "cp932"])
def test_an_ngf_file(tmp_path: Path, codec: str) -> None:
    game = read(tmp_path, codec=codec)
    assert (game.black, game.black_rank, game.white, game.white_rank) == ("江維傑", "5段P", "Somebody", "7D*")
    assert (game.date, game.komi, str(game.result)) == ("2011-08-12", 6.5, "B+2.5")
    assert [(m.color, m.point) for m in game.moves] == [
        (Color.BLACK, 3 * 19 + 15),
        (Color.WHITE, 3 * 19 + 3),
        (Color.BLACK, 361),
    ]
    assert game.time_settings.main == 600


def test_handicap(tmp_path: Path) -> None:
    game = read(tmp_path, {5: "2", 7: "0", 12: "PMABWDDDD", 13: "PMACBFEEF"})
    assert (game.komi, game.handicap, len(game.setup.black)) == (0, 2, 2)


@pytest.mark.parametrize(
    ("words", "result"),
    [
        ("White Win by Resign!", "W+R"),
        ("Black Win 6.5 >> White(50):Black(63)", "B+6.5"),
        ("White loses on time ", "B+T"),
        ("White 19Win  >> White(83):Black(64)", "W+19"),
        ("흑 1.5집 승", "B+1.5"),
        ("白5.5目勝ち!", "W+5.5"),
        ("黒中押し勝ち!", "B+R"),
        ("197手完、黒中押し勝ち", "B+R"),
        ("白時間切れ勝ち！", "W+T"),
        ("白棋12子 >> 白方(94):黑方(82)", "W+24"),
        ("Progressing!", "?"),
    ],
)
def test_results_in_words(tmp_path: Path, words: str, result: str) -> None:
    assert str(read(tmp_path, {10: words}).result) == result


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({1: "x"}, "line 2: board size 'x' is not a number"),
        ({1: "25"}, "line 2: board size"),
        ({7: "nan"}, "line 8: komi"),
        ({13: "PMACXEEEE"}, "line 14: .* is not a move"),
        ({13: "PMACWVVVV"}, "line 14, move 2: off the board"),
        ({1: "9", 5: "3"}, "line 6"),
    ],
)
def test_bad_files(tmp_path: Path, changes: dict[int, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, changes)


def test_too_short(tmp_path: Path) -> None:
    path = tmp_path / "game.ngf"
    path.write_text("one\n19\n")
    with pytest.raises(InputError, match="header has 12 lines"):
        Game.from_file(path)
