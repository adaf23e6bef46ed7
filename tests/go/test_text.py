from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen import Game
from tengen.go.text import codec_of, decode

NAMES = {
    "utf-8": ["柯洁", "이세돌", "井山裕太", "Jörg"],
    "gb18030": ["柯洁", "古力", "聂卫平", "楚阳春", "申真谞", "罗洗河", "忧郁的孤影"],
    "shift_jis": ["井山裕太", "依田紀基", "アギラール", "藤沢秀行", "ソフト", "張栩"],
    "euc_kr": ["이세돌", "박정환", "신진서", "조훈현", "최정"],
    "cp949": ["똠방각하 이세돌"],
    "latin-1": ["Jörg Müller", "Jérôme", "Nuñez", "Ålander"],
    "big5": ["周俊勳", "林海峰"],
}
CASES = [(codec, name) for codec, names in NAMES.items() for name in names]


@pytest.mark.parametrize(("codec", "name"), CASES)
def test_names_are_found_out(codec: str, name: str) -> None:
    game = Game.from_sgf(f"(;SZ[9]PB[{name}];B[ee])".encode(codec))
    assert game.black == name


@pytest.mark.parametrize(("codec", "name"), CASES)
def test_names_as_ca_says(codec: str, name: str) -> None:
    game = Game.from_sgf(f"(;SZ[9]CA[{codec}]PB[{name}];B[ee])".encode(codec))
    assert game.black == name


@pytest.mark.parametrize(
    ("codec", "name"),
    [
        ("shift_jis", "ソ表示十"),  # second bytes are backslashes
        ("gb18030", "焅乗沑"),  # second bytes are backslashes
        ("gb18030", "乚塢"),  # ... and closing brackets
        ("big5", "許功蓋"),
    ],
)
def test_second_bytes_that_look_like_syntax(codec: str, name: str) -> None:
    raw = name.encode(codec)
    assert b"\\" in raw or b"]" in raw
    game = Game.from_sgf(f"(;CA[{codec}]SZ[9]PB[{name}]PW[x];B[ee])".encode(codec))
    assert (game.black, game.white, len(game.moves)) == (name, "x", 1)


def test_utf8_that_kept_its_old_ca() -> None:
    assert Game.from_sgf("(;CA[gb2312]SZ[9]PB[柯洁];B[ee])".encode()).black == "柯洁"


def test_text_is_text_whatever_its_ca_says() -> None:
    assert Game.from_sgf("(;CA[Shift_JIS]SZ[9]PB[Jörg];B[ee])").black == "Jörg"


def test_utf16() -> None:
    assert Game.from_sgf("(;SZ[9]PB[柯洁];B[ee])".encode("utf-16")).black == "柯洁"


def test_codecs_that_are_no_encodings_are_not_used() -> None:
    for name in ("rot13", "zip", "unicode_escape", "idna", "../etc"):
        assert codec_of(name) is None


@given(st.binary(max_size=200))
def test_decoding_never_fails(data: bytes) -> None:
    decode(data).encode("utf-8", "replace")
    decode(b"(;CA[gbk]C[" + data).encode("utf-8", "replace")
