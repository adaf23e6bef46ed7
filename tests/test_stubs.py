"""The committed types of the native module are those of the module that was built."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_native_stubs_are_fresh(tmp_path: Path) -> None:
    fresh = tmp_path / "_native.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "tengen._native", "-o", str(fresh)]
    subprocess.run(command, check=True)
    committed = Path(__file__).parents[1] / "src/tengen/_native.pyi"
    assert committed.read_text() == fresh.read_text(), "run `make stubs` and commit the result"
