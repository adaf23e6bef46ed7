"""Files written whole or not at all; folders with one writer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tengen.errors import InputError
from tengen.files import Claim, replacing, write_whole


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file"
    write_whole(path, "one")
    with pytest.raises(RuntimeError), replacing(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_text() == "one" and [p.name for p in path.parent.iterdir()] == ["file"]


def test_a_folder_has_one_writer(tmp_path: Path) -> None:
    with Claim(tmp_path / "run"):
        with pytest.raises(InputError, match="another process is writing there"):
            Claim(tmp_path / "run")
        Claim(tmp_path / "another").release()
    Claim(tmp_path / "run").release()


def test_who_dies_lets_go(tmp_path: Path) -> None:
    code = "import os, sys, pathlib, tengen.files as f; c = f.Claim(pathlib.Path(sys.argv[1])); os.abort()"
    died = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, check=False)
    assert died.returncode < 0 and (tmp_path / "lock").exists()
    Claim(tmp_path).release()


def test_a_claim_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file"):
        Claim(tmp_path / "file" / "run")
