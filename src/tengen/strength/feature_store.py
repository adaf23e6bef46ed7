"""Move features on disk, so that a net evaluates each game only once.

A folder has one subfolder for each net, named by everything that its features depend on. It has two files that only
grow, and a description:

    rows.bin    the rows of one game after another: number, white, basic, vectors (trunk and expected)
    index.bin   one entry for each game, written after its rows: key, offset, number of rows, channels, checksums
    about.json  the columns of the rows

Folders that were begun before `expected` existed continue without it.

A run may be killed at any moment: the next writer cuts off rows without a complete entry, and drops an entry whose
rows did not reach the disk, because their checksum is wrong. Nothing in the files is ever executed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import struct
import zlib
from collections.abc import KeysView
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import numpy as np

from tengen.errors import InputError
from tengen.files import Claim, replacing
from tengen.go.game import Game
from tengen.nets.evaluator import Evaluator
from tengen.strength.features import BASIC, MoveFeatures

VERSION = 1
KEY_BYTES = 16
ROWS, INDEX, ABOUT = "rows.bin", "index.bin", "about.json"
_VECTORS = ("trunk", "expected")  # adjacent in a row
# key, offset, rows, channels (of all vectors), checksum of the rows, checksum of the entry
_ENTRY = struct.Struct(f"<{KEY_BYTES}sQIIII")
_FIXED = 2 + 1 + 4 * len(BASIC)  # bytes of a row without its vectors


class _Place(NamedTuple):
    offset: int
    rows: int
    channels: int
    checksum: int

    @property
    def size(self) -> int:
        return self.rows * (_FIXED + 2 * self.channels)


def game_key(game: Game) -> bytes:
    """A hash of what the features of a game depend on: board, rules with komi, setup and moves; not the players."""
    rules = game.rules
    start = game.start()
    words = (
        VERSION,
        game.size,
        rules.scoring.name,
        rules.ko.name,
        rules.suicide,
        rules.komi,
        rules.handicap_bonus.name,
        rules.friendly_pass,
        rules.tax.name,
        game.setup.black,
        game.setup.white,
        int(start.to_move),
        start.handicap_bonus,
    )
    digest = hashlib.blake2b(repr(words).encode(), digest_size=KEY_BYTES)
    digest.update(game.packed_moves().astype("<u2").tobytes())
    return digest.digest()


def net_key(evaluator: Evaluator) -> str:
    """What the features depend on in a net, as the name of a folder: its name, and a hash of its file's
    sha256, precision and encoding."""
    card = evaluator.card
    precision = str(getattr(evaluator, "precision", card.precision))
    words = json.dumps([VERSION, card.architecture, card.encoding, precision, card.identity_in(precision)])
    name = re.sub(r"[^A-Za-z0-9._-]", "_", card.name)[:60].strip(".") or "net"
    return f"{name}-{precision}-{hashlib.sha256(words.encode()).hexdigest()[:16]}"


class FeatureStore:
    """Features of games by one net. One process may write; any number may read what was there when they opened it.

    `net` gives the name of the folder (`net_key`). A store that only reads needs no lock.
    """

    def __init__(self, folder: Path, net: str | Evaluator, write: bool = True) -> None:
        name = net if isinstance(net, str) else net_key(net)
        if Path(name).name != name or name in ("", ".", ".."):
            raise InputError(f"'{name}' is not the name of a folder of features")
        self.folder = Path(folder) / name
        self.write = write
        self.found = 0
        """Games that were asked for and were here."""
        self._claim: Claim | None = None
        self._rows: int | None = None
        self._index: int | None = None
        if not write and not all((self.folder / each).is_file() for each in (INDEX, ABOUT)):
            raise InputError(
                f"{self.folder}: there are no features; make them with `tengen strength features`"
            )
        try:
            self._open()
        except OSError as error:
            self.close()
            raise InputError(f"{self.folder}: {error.strerror or error}") from None
        except InputError:
            self.close()
            raise

    def _open(self) -> None:
        flags = os.O_RDONLY
        if self.write:
            self._claim = Claim(self.folder)
            flags = os.O_RDWR | os.O_CREAT
            if not (self.folder / ABOUT).exists():
                about = {"version": VERSION, "basic": BASIC, "vectors": _VECTORS, "vector": "float16"}
                with replacing(self.folder / ABOUT) as temporary:
                    temporary.write_text(json.dumps(about) + "\n", encoding="utf-8")
        self._vectors = self._kept_vectors()
        self._rows = os.open(self.folder / ROWS, flags, 0o644)
        self._index = os.open(self.folder / INDEX, flags, 0o644)
        self._places: dict[bytes, _Place] = {}
        end = os.fstat(self._rows).st_size
        data = (self.folder / INDEX).read_bytes()
        self._end = self._entries = 0
        for at in range(0, len(data) - _ENTRY.size + 1, _ENTRY.size):
            key, offset, rows, channels, checksum, own = _ENTRY.unpack_from(data, at)
            place = _Place(offset, rows, channels, checksum)
            whole = own == zlib.crc32(data[at : at + _ENTRY.size - 4])
            if not whole or offset != self._end or offset + place.size > end:
                break
            self._places[key] = place
            self._end += place.size
            self._entries += 1
        if self.write:  # remove what a killed run left incomplete
            os.ftruncate(self._index, self._entries * _ENTRY.size)
            os.ftruncate(self._rows, self._end)

    def _kept_vectors(self) -> int:
        """How many of the vectors, counted from the first, are in every row."""
        try:
            about = json.loads((self.folder / ABOUT).read_text(encoding="utf-8"))
            kept = tuple(about.get("vectors", _VECTORS[:1]))
        except (ValueError, AttributeError, TypeError) as error:
            raise InputError(f"{self.folder / ABOUT} is damaged: {error}") from None
        if not kept or kept != _VECTORS[: len(kept)]:
            raise InputError(f"{self.folder / ABOUT}: rows with {kept} cannot be read")
        return len(kept)

    @property
    def has_expected(self) -> bool:
        return self._vectors > 1

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, key: bytes) -> bool:
        return key in self._places

    def keys(self) -> KeysView[bytes]:
        return self._places.keys()

    def get(self, key: bytes) -> MoveFeatures | None:
        """The features of a game (`game_key`), or None if they are missing or damaged."""
        place = self._places.get(key)
        if place is None or self._rows is None:
            return None
        data = os.pread(self._rows, place.size, place.offset)
        if len(data) != place.size or zlib.crc32(data) != place.checksum:
            del self._places[key]
            return None
        self.found += 1
        n, channels = place.rows, place.channels
        vectors = np.frombuffer(data, "<f2", n * channels, _FIXED * n).reshape(n, channels)
        width = channels // self._vectors
        return MoveFeatures(
            np.frombuffer(data, "<i2", n, 0),
            np.frombuffer(data, np.bool_, n, 2 * n),
            np.frombuffer(data, "<f4", n * len(BASIC), 3 * n).reshape(n, len(BASIC)),
            vectors[:, :width],
            vectors[:, width:],
        )

    def put(self, key: bytes, features: MoveFeatures) -> None:
        """Stores the features of a game; a game that is stored already stays as it is."""
        if not self.write or self._rows is None or self._index is None:
            raise ValueError("this store is open for reading only, or closed")
        if len(key) != KEY_BYTES:
            raise ValueError(f"a game's key has {KEY_BYTES} bytes, not {len(key)}")
        if key in self._places:
            return
        vectors = np.concatenate([features.trunk, features.expected][: self._vectors], axis=1)
        n, channels = vectors.shape
        if channels != self._vectors * features.trunk.shape[1]:
            raise ValueError("the vectors of the features differ in width")
        data = b"".join(
            (
                features.number.astype("<i2").tobytes(),
                features.white.astype(np.uint8).tobytes(),
                features.basic.astype("<f4").tobytes(),
                vectors.astype("<f2").tobytes(),
            )
        )
        place = _Place(self._end, n, channels, zlib.crc32(data))
        if len(data) != place.size:
            raise ValueError("the arrays of the features differ in length")
        entry = _ENTRY.pack(key, *place, 0)[:-4]
        try:
            _write(self._rows, data, self._end)
            _write(self._index, entry + struct.pack("<I", zlib.crc32(entry)), self._entries * _ENTRY.size)
        except OSError as error:
            raise InputError(f"{self.folder}: cannot be written ({error.strerror})") from None
        self._places[key] = place
        self._end += len(data)
        self._entries += 1

    def flush(self) -> None:
        """Flushes everything to the disk."""
        if self.write:
            for file in (self._rows, self._index):
                if file is not None:
                    os.fsync(file)

    def close(self) -> None:
        if self._rows is not None:
            self.flush()
        for file in (self._rows, self._index):
            if file is not None:
                os.close(file)
        if self._claim:
            self._claim.release()
        self._rows = self._index = self._claim = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _write(file: int, data: bytes, offset: int) -> None:
    """Writes at a fixed offset, so that the rest of an interrupted call is overwritten."""
    view = memoryview(data)
    while view:
        written = os.pwrite(file, view, offset)
        view, offset = view[written:], offset + written
