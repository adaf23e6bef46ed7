from __future__ import annotations

import json
from pathlib import Path

import pytest
from games.pools import server_games

from tengen.cli.commands import make_app
from tengen.cli.main import main
from tengen.games.store import GameStore


def tengen(monkeypatch: pytest.MonkeyPatch, *words: str | Path) -> int:
    """The exit code of a command as a user would run it."""
    monkeypatch.setattr("sys.argv", ["tengen", *map(str, words)])
    with pytest.raises(SystemExit) as leave:
        main()
    return leave.value.code if isinstance(leave.value.code, int) else 0


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("games.sgfs").write_text("\n".join([*server_games(), "(;SZ[9];B[aa];W[aa])", server_games()[0]]))
    return tmp_path


def test_import_show_filter_export(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tengen(monkeypatch, "games", "import", "games.sgfs", "-o", "pool.parquet") == 0
    out = capsys.readouterr().out
    for words in (
        ["read", "6"],
        ["kept", "4"],
        ["duplicates", "1"],
        ["rejected", "1"],
        ["point is occupied", "1"],
    ):
        assert any(all(word in line for word in words) for line in out.splitlines()), words
    assert Path("pool.rejects.tsv").read_text().splitlines() == [
        "file\tline\tmove\treason",
        "games.sgfs\t5\t2\tpoint is occupied",
    ]

    assert tengen(monkeypatch, "games", "show", "pool.parquet", "--plot", "pool.png") == 0
    out = capsys.readouterr().out
    assert "4 games, 240 moves, 6 players" in out and "柯洁" in out
    assert tengen(monkeypatch, "games", "show", "pool.parquet", "--json") == 0
    assert json.loads(capsys.readouterr().out)["years"] == {"2001": 1, "2002": 1, "2003": 1, "unknown": 1}

    words = ["--without", "Zen19*", "--result", "score", "--result", "time", "--min-rank", "5k"]
    assert tengen(monkeypatch, "games", "filter", "pool.parquet", "-o", "some.parquet", *words) == 0
    assert "2 of 4 games" in capsys.readouterr().out

    for output in ("out.sgfs", "out.sgfs.xz", "folder"):
        assert tengen(monkeypatch, "games", "export", "some.parquet", "-o", output) == 0
        assert tengen(monkeypatch, "games", "import", output, "-o", "again.parquet") == 0
        assert (
            GameStore.open("again.parquet").frame["id"].to_list()
            == GameStore.open("some.parquet").frame["id"].to_list()
        )
    assert sorted(p.suffix for p in Path("folder").iterdir()) == [".sgf", ".sgf"]


def test_settle(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    columns = "".join(f"[{x}{y}]" for x in "bc" for y in "abcde")
    board = f"AB{columns}[aa][ac]AW[da][db][dc][dd][de][ed]"
    results = [("2.5", "B+2.5"), ("0.5", "B+12.5"), ("0.5", "B+R")]
    lines = [
        f"(;SZ[5]RU[Chinese]KM[{komi}]RE[{result}]{board};B[ae];W[eb];B[];W[])" for komi, result in results
    ]
    Path("counted.sgfs").write_text("\n".join(lines))
    assert tengen(monkeypatch, "games", "import", "counted.sgfs", "-o", "pool.parquet") == 0
    capsys.readouterr()
    assert tengen(monkeypatch, "games", "settle", "pool.parquet") == 0
    out = capsys.readouterr().out
    assert "2 of 3 games settled and written to pool.parquet." in out
    assert "Owners are known for 1; for 1 the board does not agree." in out
    assert GameStore.open("pool.parquet").frame["final_margin"].to_list() == [5.0, 13.0, None]

    assert tengen(monkeypatch, "games", "settle", "pool.parquet") == 0
    assert "no counted game is left to settle" in capsys.readouterr().out
    assert tengen(monkeypatch, "games", "settle", "pool.parquet", "--again", "--net", "fake", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"games": 3, "settled": 1, "known": 1, "disagrees": 1}
    assert tengen(monkeypatch, "games", "show", "pool.parquet") == 0
    out = capsys.readouterr().out
    assert "The owners of the last position are known for 1 games" in out
    assert "For 1 more the settled board does not agree" in out


def test_import_as_json(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tengen(monkeypatch, "games", "import", "games.sgfs", "-o", "pool.parquet", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "files": 1,
        "other_files": 0,
        "read": 6,
        "kept": 4,
        "duplicates": 1,
        "rejected": {"point is occupied": 1},
    }


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["games", "import", "nothing", "-o", "x.parquet"], "nothing: no such file"),
        (
            ["games", "import", "bad[1].sgf", "-o", "x.parquet"],
            "bad[1].sgf: line 1, move 2: point is occupied",
        ),
        (["games", "import", "empty.sgf", "-o", "x.parquet"], "empty.sgf: line 1: empty file"),
        (["games", "import", "games.sgfs", "-o", "games.sgfs/x.parquet"], "cannot be written"),
        (["games", "show", "games.sgfs"], "not a pool of games"),
        (["games", "show", "missing.parquet"], "no such pool"),
        (["games", "settle", "missing.parquet"], "no such pool"),
        (["games", "settle", "pool.parquet", "--net", "nonsense"], "nonsense"),
        (["games", "settle", "pool.parquet", "--threads", "0"], "--threads must be positive"),
        (["games", "filter", "pool.parquet", "-o", "x.parquet", "--size", "13"], "none of its 4 games"),
        (["games", "filter", "pool.parquet", "-o", "x.parquet", "--since", "soon"], "is not a date"),
        (["games", "filter", "pool.parquet", "-o", "x.parquet", "--result", "luck"], "is not a result"),
        (["games", "export", "pool.parquet", "-o", "."], "exists already"),
        (["show", "bad[1].sgf"], "bad[1].sgf: move 2: point is occupied"),
        (["show", "empty.sgf"], "empty.sgf: empty file"),
        (["show", "binary.sgf"], "binary.sgf: no game in it"),
        (["show", "cut.sgf"], "cut.sgf: line 1"),
        (["show", "deep.sgf"], "deep.sgf: line 1"),
        (["show", "komi.sgf"], "komi.sgf: komi 'NaN' is not a number"),
    ],
)
def test_bad_input_is_named_and_leaves_nothing(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    message: str,
) -> None:
    tengen(monkeypatch, "games", "import", "games.sgfs", "-o", "pool.parquet")
    Path("bad[1].sgf").write_text("(;SZ[9];B[aa];W[aa])")
    Path("empty.sgf").write_bytes(b"")
    Path("binary.sgf").write_bytes(bytes(range(256)) * 4)
    Path("cut.sgf").write_text("(;SZ[9];B[aa];W[a")
    Path("deep.sgf").write_text("(;" * 1_000_000)
    Path("komi.sgf").write_text("(;KM[NaN];B[aa])")
    before = sorted(folder.rglob("*"))
    capsys.readouterr()
    assert tengen(monkeypatch, *words) == 2
    errors = capsys.readouterr().err
    assert message in " ".join(errors.split())
    assert "Traceback" not in errors
    assert sorted(folder.rglob("*")) == before


def test_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("import", "show", "filter", "settle", "export"):
        make_app(["games"])(["games", command, "--help"], exit_on_error=False, result_action="return_value")
        assert "Example: tengen games" in " ".join(capsys.readouterr().out.split())
