"""The built page that is committed belongs to its source. This needs no Node."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "web"
BUILT = ROOT / "src/tengen/web/static"


def hash_of(folder: Path, *, but: str = "") -> str:
    """As web/vite.config.js computes it: names and contents in order, without hidden files and node_modules."""
    paths = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    found = hashlib.sha256()
    for path in sorted(paths):
        if path != but and not any(
            part.startswith(".") or part == "node_modules" for part in path.split("/")
        ):
            found.update(path.encode() + b"\0" + (folder / path).read_bytes() + b"\0")
    return found.hexdigest()


def test_the_built_page_matches_its_source() -> None:
    built = json.loads((BUILT / "build.json").read_text())
    assert built["source"] == hash_of(SOURCE), "web/ has changed: run `make page`, and commit what it builds"
    assert built["built"] == hash_of(BUILT, but="build.json"), "the built page was edited: run `make page`"


def test_exact_versions_are_locked() -> None:
    package = json.loads((SOURCE / "package.json").read_text())
    lock = json.loads((SOURCE / "package-lock.json").read_text())
    wanted = package["dependencies"] | package["devDependencies"]
    assert {name: lock["packages"][f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert not [name for name, entry in lock["packages"].items() if "resolved" in entry]
