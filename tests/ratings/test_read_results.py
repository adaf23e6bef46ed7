"""Reading results: the usual tables, and the usual faults, which are counted."""

from __future__ import annotations

import datetime
import lzma
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen.errors import InputError
from tengen.games.importing import import_games
from tengen.ratings import read_results as reader
from tengen.ratings.glicko2 import Glicko2
from tengen.ratings.read_results import read_results
from tengen.ratings.results import Results

TYGEM = """\
id\tdatetime\twhite_id\twhite_nation\tblack_id\tblack_nation\tresult\tmoves\ttime
1\t2005.11.02 10:48\tkikwk\t0\tkaaka46\t1\tW+Resign\t220\t30/3 5m
2\t2005.11.02 11:12\tkikwk\t0\tLive "9d"\t0\tB+Time\t175\t10/3 1m
3\t2005.11.02 11:17\tLive "9d"\t2\tkaaka46\t2\tB+3.5\t198\t30/3 5m
"""


def read(tmp_path: Path, text: str, name: str = "pool.csv") -> tuple[Results, reader.Report]:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_results(path)


def games_of(pool: Results) -> list[tuple[str, str, float]]:
    names = pool.players
    return [(names[b], names[w], s) for b, w, s in zip(pool.black, pool.white, pool.score, strict=True)]


def test_the_results_table_of_tygem(tmp_path: Path) -> None:
    pool, report = read(tmp_path, TYGEM, "results.tsv")
    assert games_of(pool) == [("kaaka46", "kikwk", 0), ('Live "9d"', "kikwk", 1), ("kaaka46", 'Live "9d"', 1)]
    assert pool.time.tolist() == [
        int(datetime.datetime(2005, 11, 2, h, m, tzinfo=datetime.UTC).timestamp())
        for h, m in ((10, 48), (11, 12), (11, 17))
    ]
    assert (report.read, report.rated, report.players, report.left_out, report.reordered) == (3, 3, 3, {}, 0)


def test_a_compressed_table(tmp_path: Path) -> None:
    path = tmp_path / "results.tsv.xz"
    path.write_bytes(lzma.compress(TYGEM.encode()))
    assert len(read_results(path)[0]) == 3


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_tables_as_spreadsheets_write_them(tmp_path: Path, separator: str) -> None:
    text = "\ufeffBlack,White,Result\r\n Go ,Shusaku,W+2\r\nShusaku,Jowa,B+R\r\n".replace(",", separator)
    pool, _ = read(tmp_path, text)
    assert games_of(pool) == [("Go", "Shusaku", 0), ("Shusaku", "Jowa", 1)]


def test_the_games_of_the_thesis_have_dates_in_their_paths(tmp_path: Path) -> None:
    text = """\
File,Player White,Player Black,Score,BlackRating,Set
dataset/2006/08/24/16783-xxc-tag1153.sgf,tag1153,xxc,1.0,1691.7,E
dataset/2006/04/28/14181-shige-saruman.sgf,saruman,shige,0.0,1927.4,E
"""
    pool, report = read(tmp_path, text)
    assert games_of(pool) == [("shige", "saruman", 0.0), ("xxc", "tag1153", 1.0)]
    assert pool.row.tolist() == [1, 0]
    assert report.reordered == 1


@pytest.mark.parametrize(
    ("header", "rows", "scores"),
    [
        ("result", ["B+R", "W+2.5", "Jigo", "black+"], [1, 0, 0.5, 1]),
        ("result", ["1", "0", "0.5", "1"], [1, 0, 0.5, 1]),  # not SGF: there 0 would be a draw
        ("RE", ["B+T", "W+F", "0", "Draw"], [1, 0, 0.5, 0.5]),
        ("score", ["1.0", "0", "0.5", "1"], [1, 0, 0.5, 1]),
        ("winner", ["B", "white", "draw", "Go"], [1, 0, 0.5, 1]),
    ],
)
def test_every_usual_way_to_write_a_result(
    tmp_path: Path, header: str, rows: list[str], scores: list[float]
) -> None:
    names = [("a", "b"), ("c", "d"), ("e", "f"), ("Go", "Jowa")]
    text = f"Black,White,{header}\n" + "".join(
        f"{b},{w},{r}\n" for (b, w), r in zip(names, rows, strict=True)
    )
    pool, report = read(tmp_path, text)
    assert pool.score.tolist() == scores
    assert not report.dated


@pytest.mark.parametrize(
    "written",
    [
        "2015-03-04",
        "2015/3/4",
        "2015.03.04",
        "2015年3月4日",
        "2015-03-04,05",
        "2015-03-04T00:00:00Z",
        "1425427200",
    ],
)
def test_every_usual_way_to_write_a_date(tmp_path: Path, written: str) -> None:
    pool, _ = read(tmp_path, f'black,white,result,date\na,b,B+R,"{written}"\nb,c,B+R,1999-01-01 12:00\n')
    assert pool.time.tolist() == [915192000, 1425427200]


BAD = """\
id,date,black,white,result,komi
1,2020-01-01,a,b,B+R,6.5
2,2020-01-03,b,c,W+R,6.5
3,2020-01-02,a,c,B+R,6.5
4,,a,b,B+R,6.5
5,2020-02-31,a,b,B+R,6.5
6,someday,a,b,B+R,6.5
1,2020-01-01,a,b,B+R,6.5
7,2020-01-04,a,a,B+R,6.5
8,2020-01-04,a,b,Void,6.5
9,2020-01-04,a,b,?,6.5
10,2020-01-04,a,b,NaN,6.5
11,2020-01-04,a,b,B+R,nan
12,2020-01-04,a,b,B+R,inf
13,2020-01-04, ,b,B+R,6.5
14,2020-01-04
15,2020-01-05,c,a,W+R,
"""


def test_each_fault_is_counted_and_the_rest_is_rated(tmp_path: Path) -> None:
    pool, report = read(tmp_path, BAD)
    assert games_of(pool) == [("a", "b", 1), ("a", "c", 1), ("b", "c", 0), ("c", "a", 0)]
    assert report.left_out == {
        reader.NO_NAME: 2,
        reader.AGAINST_SELF: 1,
        reader.NOT_A_NUMBER: 3,
        reader.NO_RESULT: 2,
        reader.NO_DATE: 3,
        reader.TWICE: 1,
    }
    assert report.reordered == 1
    assert report.read == 16
    assert report.rated == 4 == report.read - sum(report.left_out.values())
    assert report.examples[reader.NO_DATE] == ["row 4", "row 5", "row 6"]
    assert report.examples[reader.UNORDERED] == ["row 3"]
    assert any("3 left out: no date" in line for line in report.lines())
    assert np.all(np.isfinite(Glicko2().rate(pool).players))


@pytest.mark.parametrize("handicap", ["nan", "inf", "-3", "1000", "two"])
def test_a_handicap_that_is_none_is_left_out(tmp_path: Path, handicap: str) -> None:
    text = f"black,white,result,handicap,komi\na,b,B+R,{handicap},6.5\na,b,B+R,{handicap},\nb,a,B+R,2,0.5\n"
    pool, report = read(tmp_path, text)
    assert report.left_out == {reader.NOT_A_NUMBER: 2}
    assert len(pool) == 1


@pytest.mark.parametrize("written", ["99999-01-01", "2020-01-011", "12/01/2020"])
def test_digits_that_only_contain_a_date_are_none(tmp_path: Path, written: str) -> None:
    text = f"black,white,result,date\na,b,B+R,{written}\nb,a,B+R,2020-01-01\n"
    assert read(tmp_path, text)[1].left_out == {reader.NO_DATE: 1}


def test_the_same_game_under_two_ids_is_known_by_its_minute(tmp_path: Path) -> None:
    row = "{},2020-01-01 {},a,b,B+R\n"
    text = (
        "id,date,black,white,result\n"
        + row.format(1, "12:30")
        + row.format(2, "12:30")
        + row.format(3, "13:30")
    )
    assert read(tmp_path, text)[1].left_out == {reader.TWICE: 1}
    # With nothing but a day they may have met twice.
    assert read(tmp_path, text.replace(" 12:30", "").replace(" 13:30", ""))[1].left_out == {}


def test_handicap_and_komi_become_head_starts(tmp_path: Path) -> None:
    text = """\
black,white,result,handicap,komi,size,rules
a,b,B+R,0,6.5,19,japanese
a,b,B+R,2,0.5,19,japanese
a,b,B+R,2,0.5,9,japanese
a,b,B+R,,,,
a,b,B+R,3,,19,
"""
    pool, _ = read(tmp_path, text)
    expected = [-0.5 / 12, 17.5 / 12, 6 * 17.5 / 12, 0.0, (5.5 + 24) / 12]
    assert pool.head_start.tolist() == pytest.approx(expected)


def test_game_records_and_the_pool_made_of_them_rate_alike(tmp_path: Path, examples: Path) -> None:
    import_games([examples], tmp_path / "pool.parquet")
    direct, report = read_results(examples)
    stored, _ = read_results(tmp_path / "pool.parquet")
    assert games_of(direct) == games_of(stored)
    np.testing.assert_array_equal(direct.head_start, stored.head_start)
    assert report.read == report.rated + sum(report.left_out.values())


def test_broken_records_are_counted(tmp_path: Path) -> None:
    good = "(;SZ[19]PB[a]PW[b]RE[B+R]DT[2020-01-01];B[dd];W[pp])"
    (tmp_path / "games.sgfs").write_text(f"{good}\n(;SZ[19]PB[a]PW[b]RE[B+R];B[dd];W[dd])\n{good}\n")
    pool, report = read_results(tmp_path / "games.sgfs")
    assert len(pool) == 1
    assert report.left_out == {reader.BROKEN_RECORD: 1, reader.TWICE: 1}
    assert report.read == 3


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("pool.csv", "", "cannot be read"),
        ("pool.csv", "white,result\na,B+R\n", "no column with Black's name"),
        ("pool.csv", "black,white\na,b\n", "no column with the result"),
        ("pool.parquet", "not a parquet file", "cannot be read"),
        ("pool.tsv.xz", "not xz", "cannot be read"),
        ("pool.doc", "not a game", "no game|cannot"),
    ],
)
def test_what_is_no_pool_is_refused_by_name(tmp_path: Path, name: str, content: str, message: str) -> None:
    if name == "pool.doc":
        (tmp_path / name).mkdir()
    else:
        (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=message) as error:
        read_results(tmp_path / name)
    assert name in str(error.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_results(tmp_path / "nothing.csv")


cells = st.sampled_from(
    ["", "a", "b", "B+R", "W+1.5", "0", "1", "NaN", "2020-01-01", "2020-13-45", "-7", "1e400", '"']
)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(*[cells] * 6), max_size=12))
def test_no_table_breaks_the_reader(rows: list[tuple[str, ...]]) -> None:
    columns = ("id", "date", "black", "white", "result", "komi")
    table = pl.DataFrame(
        {c: [r[i] for r in rows] for i, c in enumerate(columns)}, schema=dict.fromkeys(columns, pl.String)
    )
    pool, report = reader.results_of(table, "table")
    assert report.read == len(rows) == report.rated + sum(report.left_out.values())
    assert np.all(np.isfinite(Glicko2(period_days=7).rate(pool).players))


@pytest.mark.data
def test_the_tygem_results(shared_data: Path) -> None:
    pool, report = read_results(shared_data / "tygem9d" / "tygem9d_results_2005-2011_2015-2016.tsv.xz")
    assert (report.read, report.rated, report.players) == (961_670, 961_670, 19_890)
    assert int((pool.games_of_players >= 50).sum()) == 6_831
    assert report.reordered == 12_899
