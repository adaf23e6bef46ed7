"""TensorBoard's event file, written without TensorFlow: records of scalars, each with its checksums.

A record is its length (uint64), the masked CRC-32C of the length, the data, and the data's masked CRC-32C;
the data is a protocol buffer `Event` with wall time (field 1), step (2), and file version (3) or summary (5).
"""

from __future__ import annotations

import struct
import time
from collections.abc import Mapping
from pathlib import Path

_TABLE = []
for _n in range(256):
    for _ in range(8):
        _n = _n >> 1 ^ (0x82F63B78 if _n & 1 else 0)
    _TABLE.append(_n)


def crc32c(data: bytes) -> int:
    """The Castagnoli checksum.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def _masked(data: bytes) -> bytes:
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def _varint(n: int) -> bytes:
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def _bytes(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(data)) + data


class EventFile:
    """Appends scalars to one new file in a folder; TensorBoard joins the files of a folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        stamp = time.time_ns()
        self._file = (folder / f"events.out.tfevents.{stamp // 10**9:010d}.{stamp % 10**9:09d}").open("wb")
        self._write(_bytes(3, b"brain.Event:2"))

    def scalars(self, step: int, values: Mapping[str, float]) -> None:
        summary = b""
        for tag, value in values.items():
            summary += _bytes(1, _bytes(1, tag.encode()) + _varint(2 << 3 | 5) + struct.pack("<f", value))
        self._write(_varint(2 << 3) + _varint(step) + _bytes(5, summary))

    def close(self) -> None:
        self._file.close()

    def _write(self, fields: bytes) -> None:
        data = _varint(1 << 3 | 1) + struct.pack("<d", time.time()) + fields
        length = struct.pack("<Q", len(data))
        self._file.write(length + _masked(length) + data + _masked(data))
        self._file.flush()
