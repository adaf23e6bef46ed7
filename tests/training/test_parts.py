"""The folder of parts: the same terms go on, others are refused, and what a kill left is removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tengen.errors import InputError
from tengen.training.parts import PartFolder

MADE = ("games", "played")


def test_a_folder_goes_on_with_the_same_terms(tmp_path: Path) -> None:
    parts = PartFolder(tmp_path / "pool.parquet", {"seed": 1, "net": "tengen"}, MADE)
    with parts.claim():
        (parts.folder / "000001.parquet").touch()
        (parts.folder / "000000.parquet").touch()
        (parts.folder / "notes.parquet").touch()
        (parts.folder / ".000002.parquet.tmp").touch()
    again = PartFolder(tmp_path / "pool.parquet", {"net": "tengen", "seed": 1}, MADE)
    with again.claim():
        assert [path.name for path in again.files()] == ["000000.parquet", "000001.parquet"]
        assert not list(again.folder.glob(".*.tmp"))


def test_other_terms_are_refused_and_the_folder_is_free_again(tmp_path: Path) -> None:
    with PartFolder(tmp_path / "pool.parquet", {"seed": 1}, MADE).claim():
        pass
    with pytest.raises(InputError, match=r"games in .*pool\.parquet\.parts were played with seed = 1, not 2"):
        PartFolder(tmp_path / "pool.parquet", {"seed": 2}, MADE).claim()
    with PartFolder(tmp_path / "pool.parquet", {"seed": 1}, MADE).claim():
        pass


def test_a_term_that_older_folders_do_not_have_stands_for_its_old_value(tmp_path: Path) -> None:
    with PartFolder(tmp_path / "pool.parquet", {"seed": 1}, MADE).claim():
        pass
    with PartFolder(tmp_path / "pool.parquet", {"seed": 1, "begin": ""}, MADE, {"begin": ""}).claim():
        pass
    with pytest.raises(InputError, match="begin = '', not 'kgs'"):
        PartFolder(tmp_path / "pool.parquet", {"seed": 1, "begin": "kgs"}, MADE, {"begin": ""}).claim()


def test_terms_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    parts = PartFolder(tmp_path / "pool.parquet", {"seed": 1}, MADE)
    with parts.claim():
        pass
    (parts.folder / "terms.json").write_text("{")
    with pytest.raises(InputError, match=r"terms\.json cannot be read"):
        parts.claim()
