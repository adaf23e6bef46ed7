"""The data folder."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tengen.errors import InputError
from tengen.web.store import VERSION, Store


def test_a_deeper_analysis_replaces_a_shallower_one_and_never_the_reverse(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for visits in (10, 100, 50, 100):
        store.put_analysis(b"key", visits, {"visits": visits})
    assert store.analysis(b"key") == {"visits": 100}
    assert store.analysis(b"other") is None


def test_what_was_written_is_there_after_a_restart(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add_game("g", "tab", b"(;SZ[9])", {"id": "g"})
    store.put("plays", "p", "tab", {"n": 1})
    store.put("plays", "p", "other", {"n": 2})
    store.close()
    store = Store(tmp_path)
    assert store.game("g") == (b"(;SZ[9])", {"id": "g"})
    assert store.get("plays", "p") == {"n": 2} and store.owner("plays", "p") == "tab"
    assert store.games_of("tab") == [{"id": "g"}] and store.of_tab("plays", "tab") == [{"n": 2}]


def test_two_servers_on_one_folder_are_refused(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(InputError, match="another Tengen server uses this data folder"):
        Store(tmp_path)
    store.close()
    Store(tmp_path).close()


def test_a_newer_form_and_a_file_that_is_no_database_are_refused(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.close()
    with sqlite3.connect(tmp_path / "tengen.sqlite") as db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")
    with pytest.raises(InputError, match="a newer Tengen wrote it"):
        Store(tmp_path)
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "tengen.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(InputError, match="not a database of Tengen"):
        Store(tmp_path / "x")


def test_old_games_and_analyses_make_room(tmp_path: Path) -> None:
    store = Store(tmp_path, kept_games=10, kept_analyses=20)
    for n in range(500):
        store.add_game(f"g{n}", "tab", b"(;SZ[9])", {"id": f"g{n}"})
    for n in range(500):
        store.put_analysis(b"%d" % n, 1, {})
    assert len(store.games_of("tab", 1000)) == 10 and store.game("g499") is not None
    assert store.analysis(b"0") is None and store.analysis(b"499") is not None
