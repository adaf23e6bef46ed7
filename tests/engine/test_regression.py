"""GNU Go's suites: reading them, answering them."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from tengen import InputError, Rules
from tengen.engine.regression import answer, read_suite, suites_folder
from tengen.engine.session import CommandError, Session
from tengen.nets.library import open_net
from tengen.search.registry import make_player

SUITE = """
# a comment
loadsgf games/one.sgf 3
1 reg_genmove black
#? [D4|E5]*

2 restricted_genmove white A1 pass
#? [A1|pass]

loadsgf games/one.sgf
play black G7
3 owl_attack D4
#? [1 D4]
4 reg_genmove white
#? [!E5]

loadsgf ../secret.sgf
5 reg_genmove black
#? [A1]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "regression"
    (inside / "games").mkdir(parents=True)
    (inside / "games" / "one.sgf").write_text("(;SZ[9];B[ee];W[cc];B[gc])")
    (tmp_path / "secret.sgf").write_text("(;SZ[9])")
    (inside / "odd.tst").write_text(SUITE)
    return inside


def test_a_suite_is_read(folder: Path) -> None:
    problems = read_suite(folder / "odd.tst")
    assert [p.number for p in problems] == [1, 2, 4, 5]
    assert [p.gnugo_solves for p in problems] == [False, True, True, True]
    assert problems[0].is_right("e5") and not problems[0].is_right("E6")
    assert problems[2].is_right("A1") and not problems[2].is_right("E5")
    assert problems[2].setup == ("loadsgf games/one.sgf", "play black G7")


def test_problems_are_answered(folder: Path) -> None:
    session = Session(make_player("puct", open_net("fake"), {"visits": 8}), Rules.named("japanese"))
    problems = read_suite(folder / "odd.tst")
    answer(problems[0], session, folder)
    assert len(session.game.moves) == 2  # the position before move 3
    assert problems[1].is_right(answer(problems[1], session, folder))
    with pytest.raises(CommandError, match="illegal"):  # G7 is taken
        answer(problems[2], session, folder)
    with pytest.raises(InputError, match="outside"):
        answer(problems[3], session, folder)


def test_the_archive_does_as_well(folder: Path, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "suites.tar.xz", "w:xz") as archive:
        archive.add(folder, "regression")
    with suites_folder(tmp_path / "suites.tar.xz") as unpacked:
        assert [p.name for p in unpacked.glob("*.tst")] == ["odd.tst"]
    (tmp_path / "bad.tar.xz").write_bytes(b"not an archive")
    with pytest.raises(InputError, match=r"bad\.tar\.xz"), suites_folder(tmp_path / "bad.tar.xz"):
        pass
