"""TensorBoard's event files, read back by a small reader of the format."""

from __future__ import annotations

import struct
from pathlib import Path

from tengen.training.events import EventFile, crc32c


def fields(data: bytes) -> list[tuple[int, bytes | int]]:
    """The fields of a protocol buffer message, in order."""
    out: list[tuple[int, bytes | int]] = []
    i = 0

    def varint() -> int:
        nonlocal i
        value = shift = 0
        while True:
            byte = data[i]
            i += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while i < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            out.append((key >> 3, varint()))
            continue
        length = {1: 8, 5: 4}.get(kind) or varint()
        out.append((key >> 3, data[i : i + length]))
        i += length
    return out


def records(path: Path) -> list[bytes]:
    data = path.read_bytes()
    out = []
    while data:
        (length,) = struct.unpack("<Q", data[:8])
        body = data[12 : 12 + length]
        for text, at in ((data[:8], 8), (body, 12 + length)):
            crc = crc32c(text)
            masked = ((crc >> 15 | crc << 17) + 0xA282EAD8) % 2**32
            assert struct.unpack("<I", data[at : at + 4])[0] == masked
        out.append(body)
        data = data[16 + length :]
    return out


def test_scalars_come_back(tmp_path: Path) -> None:
    events = EventFile(tmp_path)
    events.scalars(300, {"loss": 2.5, "top1": 0.25})
    events.close()
    (path,) = tmp_path.iterdir()
    assert path.name.startswith("events.out.tfevents.")
    first, second = records(path)
    assert dict(fields(first))[3] == b"brain.Event:2"
    event = dict(fields(second))
    assert event[2] == 300
    values = [dict(fields(value)) for _, value in fields(event[5])]  # type: ignore[arg-type]
    scalars = {v[1].decode(): struct.unpack("<f", v[2])[0] for v in values}  # type: ignore[union-attr,arg-type]
    assert scalars == {"loss": 2.5, "top1": 0.25}


def test_a_file_of_each_sitting(tmp_path: Path) -> None:
    for _ in range(2):
        EventFile(tmp_path).close()
    assert len(list(tmp_path.iterdir())) == 2
