"""Files that a user names, read as games."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tengen.cli.progress import progress_bar
from tengen.errors import InputError

if TYPE_CHECKING:
    from tengen.go.game import Game


RECORDS = (".sgf", ".gib", ".ngf")


def record_files(paths: list[Path]) -> list[Path]:
    """The files, and all records in the folders and below them, sorted by name."""
    from tengen.go.files import kind_of

    files: list[Path] = []
    for path in paths:
        inside = (
            sorted(p for p in path.rglob("*") if kind_of(p) in RECORDS and p.is_file())
            if path.is_dir()
            else [path]
        )
        if not inside:
            raise InputError(f"{path}: a folder without {', '.join(RECORDS)} files")
        files += inside
    return files


def read_games(paths: list[Path]) -> list[tuple[Path, Game]]:
    """Every file with its game, those in folders too.

    Files that cannot be read are named with the reason, and left out.
    """
    from tengen.go.game import Game

    paths = record_files(paths)
    games: list[tuple[Path, Game]] = []
    last: InputError | None = None
    with progress_bar("reading") as bar:
        for number, path in enumerate(paths):
            bar.at(number, len(paths))
            try:
                games.append((path, Game.from_file(path)))
            except InputError as error:
                last = error
                if len(paths) > 1:
                    bar.complain(f"left out: {error}")
    if not games and last is not None:
        raise last if len(paths) == 1 else InputError(f"none of the {len(paths):,} files can be read")
    return games
