"""Records in files of strangers, within bounds."""

from __future__ import annotations

import gzip
import io
import zipfile

from tengen.games.sources import records_in

SGF = b"(;SZ[9];B[ee])"


def zipped(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def found(name: str, data: bytes, largest: int = 1000, most: int = 10) -> list[tuple[str, bytes, str]]:
    return list(records_in(name, data, largest, most))


def test_a_record_is_itself() -> None:
    assert found("a.sgf", SGF) == [("a.sgf", SGF, "")]
    assert found("a.sgf", b"  ") == [("a.sgf", b"", "empty file")]
    assert found("a.sgf", SGF * 100) == [("a.sgf", b"", "too large")]


def test_members_of_a_zip_are_records_or_left_out() -> None:
    archive = zipped(
        {"d/a.sgf": SGF, "b.sgf.gz": gzip.compress(SGF), "c.txt": b"x", "d.zip": zipped({"a.sgf": SGF})}
    )
    assert [(name, data) for name, data, _ in found("x.zip", archive)] == [
        ("d/a.sgf", SGF),
        ("b.sgf.gz", SGF),
    ]


def test_what_swells_is_given_up_member_by_member() -> None:
    big = bytes(10_000_000)
    archive = zipped({"a.sgf": big, "b.sgf.gz": gzip.compress(big), "c.sgf": SGF})
    assert [reason for *_, reason in found("x.zip", archive, largest=50_000)] == [
        "too large",
        "too large",
        "",
    ]


def test_after_so_many_members_the_rest_is_left_out() -> None:
    rows = found("x.zip", zipped({f"{n}.sgf": SGF for n in range(5)}), most=2)
    assert [reason for *_, reason in rows] == ["", "", "has more than 2 files: the rest is left out"]


def test_a_broken_archive_is_named() -> None:
    broken = bytearray(zipped({"a.sgf": SGF * 10}))
    broken[40] ^= 255
    assert "unreadable" in found("x.zip", bytes(broken))[-1][2]
    assert "unreadable" in found("x.zip", b"PK no zip")[0][2]
