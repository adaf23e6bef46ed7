"""The data folder: games, analyses, reviews, plays and jobs in SQLite, so that a restart loses nothing.

Tables hold JSON; only what is searched for has a column. All methods may be called from any thread.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
import zlib
from pathlib import Path
from typing import Any, Literal

from tengen.errors import InputError
from tengen.files import Claim

VERSION = 1
# Bytes of all games together, packed; the oldest go first.
KEPT_BYTES = 1_000_000_000
_SCHEMA = """
CREATE TABLE games (id TEXT PRIMARY KEY, tab TEXT, made REAL, sgf BLOB, facts TEXT);
CREATE INDEX games_of_tab ON games (tab, made);
CREATE INDEX games_by_age ON games (made);
CREATE TABLE reviews (id TEXT PRIMARY KEY, tab TEXT, made REAL, facts TEXT);
CREATE TABLE plays (id TEXT PRIMARY KEY, tab TEXT, made REAL, facts TEXT);
CREATE INDEX plays_of_tab ON plays (tab, made);
CREATE TABLE jobs (id TEXT PRIMARY KEY, tab TEXT, made REAL, facts TEXT);
CREATE TABLE analyses (key BLOB PRIMARY KEY, visits INTEGER, used REAL, root BLOB);
CREATE INDEX analyses_by_use ON analyses (used);
"""
Kind = Literal["reviews", "plays", "jobs"]


def data_folder() -> Path:
    """Where the server keeps its data: TENGEN_DATA, or `tengen` in the user's data folder."""
    if folder := os.environ.get("TENGEN_DATA"):
        return Path(folder)
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "tengen"


class Store:
    """The database of one server. InputError if another server has the folder, or a newer one wrote it."""

    def __init__(self, folder: Path, kept_games: int = 20_000, kept_analyses: int = 200_000) -> None:
        try:
            self._claim = Claim(folder)
        except InputError as error:
            if "another process" not in str(error):
                raise
            raise InputError(
                f"{folder}: another Tengen server uses this data folder: stop it, or choose another folder with --data"
            ) from None
        self._kept = kept_games, kept_analyses
        self._writes = 0
        self._added = 0  # bytes of games since the last look at all of them
        self._lock = threading.Lock()
        path = folder / "tengen.sqlite"
        try:
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            (version,) = self._db.execute("PRAGMA user_version").fetchone()
            if version == 0:
                self._db.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;")
        except sqlite3.Error as error:
            self._claim.release()
            raise InputError(
                f"{path}: not a database of Tengen, or damaged ({error}): move it away, or choose another --data"
            ) from None
        if version > VERSION:
            self.close()
            raise InputError(
                f"{path}: a newer Tengen wrote it (form {version}, this one knows {VERSION}): "
                "install that one, or choose another folder with --data"
            )

    def close(self) -> None:
        with self._lock:
            self._db.close()
            self._claim.release()

    # Games

    def add_game(self, id: str, tab: str, sgf: bytes, facts: dict[str, Any]) -> None:
        packed = zlib.compress(sgf, 1)
        with self._lock:
            self._db.execute(
                "INSERT INTO games VALUES (?, ?, ?, ?, ?)", (id, tab, time.time(), packed, json.dumps(facts))
            )
            self._tidy("games", "made", self._kept[0])
            self._added += len(packed)
            if self._added > KEPT_BYTES / 20:
                self._added = 0
                self._db.execute(
                    "DELETE FROM games WHERE id IN (SELECT id FROM (SELECT id, SUM(LENGTH(sgf)) "
                    "OVER (ORDER BY made DESC) AS total FROM games) WHERE total > ?)",
                    (KEPT_BYTES,),
                )

    def game(self, id: str) -> tuple[bytes, dict[str, Any]] | None:
        """SGF in UTF-8, and facts."""
        row = self._one("SELECT sgf, facts FROM games WHERE id = ?", id)
        return None if row is None else (zlib.decompress(row[0]), json.loads(row[1]))

    def games_of(self, tab: str, most: int = 200) -> list[dict[str, Any]]:
        """The newest first."""
        rows = self._all("SELECT facts FROM games WHERE tab = ? ORDER BY made DESC LIMIT ?", tab, most)
        return [json.loads(row[0]) for row in rows]

    # Reviews, plays and jobs

    def put(self, kind: Kind, id: str, tab: str, facts: dict[str, Any]) -> None:
        """Writes or replaces; the tab and the time of the first writing stay."""
        with self._lock:
            self._db.execute(
                f"INSERT INTO {kind} VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET facts = excluded.facts",
                (id, tab, time.time(), json.dumps(facts)),
            )
            self._tidy(kind, "made", self._kept[0])

    def get(self, kind: Kind, id: str) -> dict[str, Any] | None:
        row = self._one(f"SELECT facts FROM {kind} WHERE id = ?", id)
        return None if row is None else json.loads(row[0])

    def owner(self, kind: Kind, id: str) -> str:
        row = self._one(f"SELECT tab FROM {kind} WHERE id = ?", id)
        return row[0] if row else ""

    def of_tab(self, kind: Kind, tab: str, most: int = 100) -> list[dict[str, Any]]:
        """The newest first."""
        rows = self._all(f"SELECT facts FROM {kind} WHERE tab = ? ORDER BY made DESC LIMIT ?", tab, most)
        return [json.loads(row[0]) for row in rows]

    # Analyses

    def put_analysis(self, key: bytes, visits: int, root: dict[str, Any]) -> None:
        """Keeps the root statistics of a position, unless deeper ones are kept already."""
        packed = zlib.compress(json.dumps(root, separators=(",", ":")).encode(), 1)
        with self._lock:
            self._db.execute(
                "INSERT INTO analyses VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET visits = excluded.visits, "
                "used = excluded.used, root = excluded.root WHERE excluded.visits > visits",
                (key, visits, time.time(), packed),
            )
            self._tidy("analyses", "used", self._kept[1])

    def analysis(self, key: bytes) -> dict[str, Any] | None:
        """The deepest known."""
        row = self._one("SELECT root FROM analyses WHERE key = ?", key)
        if row is None:
            return None
        found: dict[str, Any] = json.loads(zlib.decompress(row[0]))
        return found

    def _one(self, query: str, *values: Any) -> Any:
        with self._lock:
            return self._db.execute(query, values).fetchone()

    def _all(self, query: str, *values: Any) -> list[Any]:
        with self._lock:
            return self._db.execute(query, values).fetchall()

    def _tidy(self, table: str, column: str, most: int) -> None:
        """Now and then: drops what is above the bound, the oldest first."""
        self._writes += 1
        if self._writes % 500 == 0:
            self._db.execute(
                f"DELETE FROM {table} WHERE rowid IN "
                f"(SELECT rowid FROM {table} ORDER BY {column} DESC LIMIT -1 OFFSET ?)",
                (most,),
            )
