"""The registry of encodings and its page."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tengen import InputError
from tengen.planes import encoding, encoding_names

ROOT = Path(__file__).parents[2]


def test_encodings_by_name() -> None:
    sizes = {name: len(encoding(name)) for name in encoding_names()}
    assert sizes == {
        "golois42": 42,
        "golois39": 39,
        "alphago48": 48,
        "cgi49": 49,
        "cgi50": 50,
        "dann41": 41,
        "katago7": 22,
        "katago7s": 22,
    }
    for name in encoding_names():
        e = encoding(name)
        assert e.name == name
        assert e.source
        names = [channel.name for channel in e.planes]
        assert len(set(names)) == len(names)
        assert all(channel.meaning for channel in e.planes + e.globals)
        assert e.index(names[-1]) == len(names) - 1


def test_an_unknown_encoding_is_named_with_those_there_are() -> None:
    with pytest.raises(InputError, match=r"unknown encoding 'golois': known are golois42, .*katago7"):
        encoding("golois")


def test_the_page_shows_the_channels_there_are() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "encodings-table"), "--check"]
    assert subprocess.run(command, check=False).returncode == 0, (
        "run scripts/encodings-table and commit the page"
    )
