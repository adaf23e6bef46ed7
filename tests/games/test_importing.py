from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import signal
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

import polars as pl
import pytest
from games.pools import random_sgf, server_games

from tengen import Game, InputError
from tengen.games.importing import ImportReport, import_games, rejects_path
from tengen.games.schema import SCHEMA
from tengen.games.store import GameStore

LINES = "\n".join(server_games()).encode() + b"\n"


def run(*paths: Path, threads: int = 2) -> tuple[GameStore, ImportReport, pl.DataFrame]:
    pool = paths[0].parent / "pool.parquet"
    report = import_games(paths, pool, threads)
    assert report.read == report.kept + report.duplicates + sum(report.rejected.values())
    store = GameStore.open(pool)
    assert len(store) == report.kept
    rejects = pl.read_csv(rejects_path(pool), separator="\t", quote_char=None)
    assert len(rejects) == sum(report.rejected.values())
    return store, report, rejects


def test_a_file_of_lines(tmp_path: Path) -> None:
    (tmp_path / "games.sgfs").write_bytes(LINES)
    store, report, _ = run(tmp_path / "games.sgfs")
    assert (report.read, report.kept) == (4, 4)
    assert store.frame.schema == SCHEMA
    rows = store.frame.select(
        "black", "white", "line", "year", "komi", "winner", "result", "margin", "ranked"
    ).rows()
    assert rows == [
        ("ann", "bo", 1, 2001, 6.5, "B", "score", 3.5, None),
        ("bo", "Zen19S", 2, 2002, 7.5, "W", "resign", None, True),
        ("柯洁", "ann", 3, 2003, 7.5, "W", "time", None, None),
        ("cy", "dan", 4, None, 7.5, None, "void", None, False),
    ]
    assert store.frame["black_rank_number"].to_list() == [-4, 1, 18, None]
    assert store.frame["date"].is_null().to_list() == [False, False, True, True]
    assert store.frame["time_per_move"][0] == pytest.approx(600 / 90 + 30)
    assert store.frame["komi_recorded"].to_list() == [True, True, True, False]


def test_games_come_back_as_they_were(tmp_path: Path) -> None:
    (tmp_path / "games.sgfs").write_bytes(LINES)
    store, _, _ = run(tmp_path / "games.sgfs")
    for stored, text in zip(store, server_games(), strict=True):
        game = Game.from_sgf(text)
        assert stored.moves == game.moves
        assert (stored.black, stored.rules, stored.result, stored.date) == (
            game.black,
            game.rules,
            game.result,
            game.date,
        )
        assert stored.position().hash == game.position().hash


def archive(kind: str, members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    if kind == ".zip":
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as zip_:
            for name, data in members.items():
                zip_.writestr(name, data)
    else:
        mode = {
            ".tar": "w",
            ".tar.gz": "w:gz",
            ".tgz": "w:gz",
            ".tar.xz": "w:xz",
            ".txz": "w:xz",
            ".tar.bz2": "w:bz2",
            ".tbz2": "w:bz2",
        }
        with tarfile.open(fileobj=buffer, mode=mode[kind]) as tar:  # type: ignore[call-overload]
            for name, data in members.items():
                info = tarfile.TarInfo(name)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress), (".bz2", bz2.compress), ("", bytes)]
)
def test_compressed_files(tmp_path: Path, suffix: str, pack: object) -> None:
    (tmp_path / f"games.sgfs{suffix}").write_bytes(pack(LINES))  # type: ignore[operator]
    (tmp_path / f"one.sgf{suffix}").write_bytes(pack(random_sgf(9).encode()))  # type: ignore[operator]
    store, _, _ = run(tmp_path / f"games.sgfs{suffix}", tmp_path / f"one.sgf{suffix}")
    assert store.frame["line"].to_list() == [1, 2, 3, 4, 1]


@pytest.mark.parametrize("kind", [".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2"])
def test_archives(tmp_path: Path, kind: str) -> None:
    members = {
        "a/one.sgf": random_sgf(9).encode(),
        "a/lines.sgfs": LINES,
        "b/packed.sgf.gz": gzip.compress(random_sgf(10).encode()),
        "readme.txt": b"hello",
        "../../outside.sgf": random_sgf(11).encode(),
        "empty.sgf": b"",
    }
    (tmp_path / f"games{kind}").write_bytes(archive(kind, members))
    store, report, rejects = run(tmp_path / f"games{kind}")
    assert report.kept == 7
    assert rejects["reason"].to_list() == ["empty file"]
    sources = store.frame["source"].str.split("!").list.last().to_list()
    assert sources == ["a/one.sgf", *["a/lines.sgfs"] * 4, "b/packed.sgf.gz", "../../outside.sgf"]


def test_folders_are_read_in_order_with_all_that_is_in_them(tmp_path: Path) -> None:
    folder = tmp_path / "games"
    for i, name in enumerate(["b/2.sgf", "a/1.sgf", "c.sgf", "a/z/3.SGF"]):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(random_sgf(i))
    (folder / "notes.txt").write_text("hello")
    store, report, _ = run(folder)
    assert [Path(s).relative_to(folder).as_posix() for s in store.frame["source"]] == [
        "a/1.sgf",
        "a/z/3.SGF",
        "b/2.sgf",
        "c.sgf",
    ]
    assert (report.files, report.other_files) == (4, 1)


def test_gib_and_ngf_files(tmp_path: Path) -> None:
    (tmp_path / "one.gib").write_text("\\[GAMEBLACKNAME=ann (3D)\\]\nSTO 0 2 1 15 15\nSTO 0 3 2 3 3\n")
    lines = [
        "t",
        "9",
        "bo 1D",
        "ann 2D",
        "site",
        "0",
        "0",
        "6",
        "20110812",
        "0",
        "Black Win 6.5",
        "1",
        "PMABBBBBB",
    ]
    (tmp_path / "two.ngf").write_text("\n".join(lines))
    (tmp_path / "bad.ngf").write_text("\n".join([*lines[:12], "PMABBZZZZ"]))
    (tmp_path / "worse.gib").write_text("STO 0 2 1 3 3\nSTO 0 3 2 3 3\n")
    store, _, rejects = run(*(tmp_path / n for n in ("one.gib", "two.ngf", "bad.ngf", "worse.gib")))
    assert store.frame.select("black", "size", "move_count").rows() == [("ann", 19, 2), ("ann", 9, 1)]
    assert rejects["reason"].to_list() == ["line 13, move 1: off the board", "point is occupied"] or rejects[
        "reason"
    ].to_list() == ["point is occupied", "line 13, move 1: off the board"]


def test_duplicates_are_kept_once(tmp_path: Path) -> None:
    game = random_sgf(1, root="PB[ann]PW[bo]DT[2001-01-01]")
    again = game.replace("DT[2001-01-01]", "C[same game, other words]").replace(";", "\n;")
    other = game.replace("PB[ann]", "PB[someone else]")
    for name, text in (("a.sgf", game), ("b.sgf", again), ("c.sgf", other)):
        (tmp_path / name).write_text(text)
    store, report, _ = run(tmp_path / "a.sgf", tmp_path / "b.sgf", tmp_path / "c.sgf")
    assert (report.read, report.kept, report.duplicates) == (3, 2, 1)
    assert [Path(s).name for s in store.frame["source"]] == ["a.sgf", "c.sgf"]
    assert store.frame["id"].n_unique() == 2


REJECTS = {
    "(;SZ[9];B[aa];W[aa])": ("point is occupied", 2),
    "(;SZ[9];B[aa];W[zz])": ("off the board", 2),
    "(;SZ[9];B[ba];W[hh];B[ab];W[ii];B[gg];W[aa])": ("suicide", 6),
    "(;SZ[9];B[ba];W[ca];B[ab];W[db];B[bc];W[cc];B[cb];W[bb];B[cb])": ("ko", 9),
    "(;SZ[9];B[aa];W[bb];W[cc])": ("a side moves twice in a row", 3),
    "(;SZ[9]HA[3];W[bb];B[cc])": ("handicap stones missing", 0),
    "(;SZ[9]KM[nan];B[bb])": ("komi", 0),
    "(;SZ[25];B[bb])": ("board size", 0),
    "(;GM[5];B[bb])": ("not a game of Go", 0),
    "(;SZ[9];B[bb];AW[cc])": ("setup after the first move", 1),
    "(;SZ[9]AB[aa]AW[ab][ba])": ("setup without liberties", 0),
    "(;SZ[9];B[bb": ("ends inside the game", 0),
    "(;SZ[9];B[bb]]": ("not SGF", 0),
    "hello": ("no game found", 0),
    "(;SZ[5]RU[Japanese]AB[aa]AW[ba][bb][cb][ac]PL[B];B[ab])": ("suicide", 1),
}


def test_every_reject_has_its_reason(tmp_path: Path) -> None:
    lines = [*REJECTS, "", random_sgf(1), "(;SZ[5]RU[NZ]AB[aa]AW[ba][bb][cb][ac]PL[B];B[ab])"]
    (tmp_path / "games.sgfs").write_text("\n".join(lines))
    _, report, rejects = run(tmp_path / "games.sgfs")
    assert (report.read, report.kept) == (len(REJECTS) + 2, 2)
    found = {lines[line - 1]: (reason, move) for _, line, move, reason in rejects.rows()}
    assert found == REJECTS


def test_the_pool_does_not_depend_on_threads(tmp_path: Path) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    for i in range(30):
        (folder / f"{i:02}.sgf").write_text(random_sgf(i % 20, moves=20))
    (folder / "lines.sgfs.xz").write_bytes(lzma.compress(LINES * 50))
    one, _, _ = run(folder, threads=1)
    four, _, _ = run(folder, threads=4)
    assert one.frame.equals(four.frame)


def test_lines_in_other_encodings(tmp_path: Path) -> None:
    lines = [
        random_sgf(i, root=f"PB[{name}]").encode(codec)
        for i, (name, codec) in enumerate(
            [
                ("柯洁", "utf-8"),
                ("聂卫平", "gb18030"),
                ("井山裕太", "cp932"),
                ("이세돌", "cp949"),
                ("Jörg", "latin-1"),
            ]
        )
    ]
    (tmp_path / "games.sgfs").write_bytes(b"\n".join(lines))
    store, _, _ = run(tmp_path / "games.sgfs")
    assert store.frame["black"].to_list() == ["柯洁", "聂卫平", "井山裕太", "이세돌", "Jörg"]


def test_a_file_cut_short_keeps_what_can_be_read(tmp_path: Path) -> None:
    many = "\n".join(random_sgf(i) for i in range(300)).encode()
    whole = lzma.compress(many)
    (tmp_path / "games.sgfs.xz").write_bytes(whole[: len(whole) // 2])
    _, report, rejects = run(tmp_path / "games.sgfs.xz")
    assert 50 < report.kept < 299
    assert any("unreadable file" in reason for reason in rejects["reason"])


def test_bombs_are_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tengen.games import sources

    monkeypatch.setattr(sources, "SWELL_FREE", 2**20)
    monkeypatch.setattr(sources, "MAX_RECORD", 2**22)
    good = tmp_path / "good.sgf"
    good.write_text(random_sgf(1))
    zeros = b"\n" * 2**24
    bombs = {
        "lines.sgfs.xz": lzma.compress(zeros),
        "one.zip": archive(".zip", {f"{i}.sgf": zeros[: 2**21] for i in range(8)}),
        "two.tar.xz": archive(".tar.xz", {"x.bin": zeros}),
        "large.sgf.gz": gzip.compress(zeros),
    }
    for name, data in bombs.items():
        (tmp_path / name).write_bytes(data)
    _, report, rejects = run(good, *(tmp_path / name for name in bombs))
    assert report.kept == 1
    for name in bombs:
        assert any(name in file for file in rejects["file"]), name


def test_one_line_too_long_is_not_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tengen.games import sources

    monkeypatch.setattr(sources, "CHUNK", 1000)
    monkeypatch.setattr(sources, "MAX_RECORD", 5000)
    lines = [random_sgf(1), "(;C[" + "x" * 20_000 + "])", random_sgf(2), random_sgf(3)]
    (tmp_path / "games.sgfs").write_text("\n".join(lines))
    store, _, rejects = run(tmp_path / "games.sgfs")
    assert store.frame["line"].to_list() == [1, 3, 4]
    assert rejects.select("line", "reason").rows() == [(2, "too large")]


def test_nothing_to_keep_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "bad.sgf").write_text("(;SZ[9];B[aa];W[aa])")
    with pytest.raises(InputError, match=r"bad\.sgf: line 1, move 2: point is occupied"):
        import_games([tmp_path / "bad.sgf"], tmp_path / "pool.parquet")
    with pytest.raises(InputError, match="no such file or folder"):
        import_games([tmp_path / "nothing"], tmp_path / "pool.parquet")
    with pytest.raises(InputError, match="no games found"):
        (tmp_path / "empty").mkdir()
        import_games([tmp_path / "empty"], tmp_path / "pool.parquet")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.sgf", "empty"]


def test_input_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "games.sgfs").write_bytes(LINES)
    with pytest.raises(InputError, match="read and written at once"):
        import_games([tmp_path / "games.sgfs"], tmp_path / "games.sgfs")
    assert (tmp_path / "games.sgfs").read_bytes() == LINES


def test_an_old_pool_survives_a_failed_import(tmp_path: Path) -> None:
    (tmp_path / "games.sgfs").write_bytes(LINES)
    run(tmp_path / "games.sgfs")
    before = (tmp_path / "pool.parquet").read_bytes()
    (tmp_path / "bad.sgf").write_text("(;SZ[9];B[aa];W[aa])")
    with pytest.raises(InputError):
        import_games([tmp_path / "bad.sgf"], tmp_path / "pool.parquet")
    assert (tmp_path / "pool.parquet").read_bytes() == before


def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "slow.sgfs")  # nobody ever writes to it
    (tmp_path / "good.sgf").write_text(random_sgf(1))
    code = "from tengen.cli.main import main; main()"
    command = [sys.executable, "-c", code, "games", "import", "good.sgf", "slow.sgfs", "-o", "pool.parquet"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE)
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert b"Traceback" not in errors
    assert sorted(p.name for p in tmp_path.iterdir()) == ["good.sgf", "slow.sgfs"]


@pytest.mark.data
def test_foxpro_counts_add_up(shared_data: Path, tmp_path: Path) -> None:
    pool = tmp_path / "pool.parquet"
    report = import_games([shared_data / "foxpro"], pool)
    assert report.read == 10_349 == report.kept + report.duplicates + sum(report.rejected.values())
    assert report.rejected["point is occupied"] >= 10 and report.rejected["a side moves twice in a row"] > 200
