"""The finished parts of a file that takes long to make: a folder beside it, so that a kill loses little.

FILE.parts/000000000.parquet  a part
           terms.json         what is made, and how: it is continued only with the same terms
           lock               one process at a time
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tengen.errors import InputError
from tengen.files import Claim, write_whole


class PartFolder:
    """The folder of a file with these terms.

    made: what the parts hold and how it came about, for messages: ("games", "played"). added: terms that older folders
    do not have, with the values they stand for.
    """

    def __init__(
        self,
        output: Path,
        terms: Mapping[str, Any],
        made: tuple[str, str],
        added: Mapping[str, Any] | None = None,
    ) -> None:
        self.folder = output.with_name(output.name + ".parts")
        self.terms: dict[str, Any] = json.loads(json.dumps(terms))
        self._made, self._added = made, dict(added or {})

    def claim(self) -> Claim:
        """Claims the folder if it has the same terms, and removes what a kill left half-written."""
        claim = Claim(self.folder)
        try:
            path = self.folder / "terms.json"
            if not path.exists():
                write_whole(path, json.dumps(self.terms, indent=1) + "\n")
            try:
                saved = json.loads(path.read_text(encoding="utf-8"))
            except (OSError, ValueError) as error:
                raise InputError(f"{path} cannot be read: {error}") from None
            self.check(saved, self.folder)
            for left in self.folder.glob(".*.tmp"):
                left.unlink()
        except BaseException:
            claim.release()
            raise
        return claim

    def check(self, saved: Mapping[str, Any], where: Path) -> None:
        """InputError if what is in a place has other terms."""
        what, done = self._made
        saved = self._added | dict(saved)
        for key, value in self.terms.items():
            if saved.get(key) != value:
                raise InputError(
                    f"the {what} in {where} were {done} with {key} = {saved.get(key)!r}, not {value!r}: "
                    "give the old value, or another file to write"
                )

    def files(self) -> list[Path]:
        """The parts, in the order of their numbers."""
        return sorted(path for path in self.folder.glob("*.parquet") if path.stem.isdigit())
